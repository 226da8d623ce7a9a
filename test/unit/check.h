/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unit test is a main that calls CHECK and ends with return check_done(); one TAP line a CHECK. */
#ifndef FLAMEPIPE_CHECK_H
#define FLAMEPIPE_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures;

/* Counts a test named by its own text (or by what is printed after it). */
#define CHECK(cond) check_that((cond) != 0, __FILE__, __LINE__, #cond)

static inline void check_that(int good, const char *file, int line, const char *what)
{
	printf("%sok unit %s:%d %s\n", good ? "" : "not ", file, line, what);
	check_failures += !good;
}

static inline int check_done(void)
{
	return fclose(stdout) != 0 || check_failures != 0;
}

#endif
