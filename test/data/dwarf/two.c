/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second unit, so that bases of tables are not all zero. */
#include <ctype.h>

int two(const char *s, int n);

static inline int value(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static inline int accumulate(const char *s, int base)
{
	int v = 0;

	while (*s && isalnum((unsigned char)*s))
		v = v * base + value(*s++);
	return v;
}

int two(const char *s, int n)
{
	int v = accumulate(s, 36);

	return n > 3 ? v + accumulate(s + 1, n) : v;
}
