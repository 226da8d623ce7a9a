/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr and the exits that go with them. */
#include "lib/die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One fputs a message, so that the lines of programs in a pipe do not mix. */
static void say(const char *fmt, va_list ap, const char *tail)
{
	char text[2048];
	char line[2400];

	vsnprintf(text, sizeof text, fmt, ap);
	snprintf(line, sizeof line, "%s: %s%s%s\n", program_invocation_short_name, text, tail ? ": " : "",
	    tail ? tail : "");
	fflush(stdout);
	fputs(line, stderr);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
	exit(EXIT_FAILURE);
}

void die_errno(const char *fmt, ...)
{
	const char *why = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, why);
	va_end(ap);
	exit(EXIT_FAILURE);
}

void die_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
	fprintf(
	    stderr, "%s: try '%s --help'\n", program_invocation_short_name, program_invocation_short_name);
	exit(EXIT_USAGE);
}

void keep_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void close_stdout(void)
{
	int failed = ferror(stdout);

	if (fclose(stdout) != 0)
		die_errno("cannot write the output");
	if (failed)
		die("cannot write the output: the disk is full, or the reader has gone");
}
