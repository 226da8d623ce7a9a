/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unit with functions inlined into each other, for test/dwarf.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int two(const char *s, int n);

static inline int square(int x)
{
	return x * x;
}

static inline int sum(const int *v, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += square(v[i]) + (s & 7 ? square(s & 3) : 0);
	return s;
}

static int by_value(const void *a, const void *b)
{
	return square(*(const int *)a) - square(*(const int *)b);
}

__attribute__((noinline)) static int work(int n)
{
	int v[64];

	for (int i = 0; i < 64; i++)
		v[i] = (i * 7919 + n) % 101;
	qsort(v, 64, sizeof *v, by_value);
	return sum(v, n % 64) + sum(v + 3, n % 61);
}

int main(int argc, char **argv)
{
	int n = 0;

	for (int i = 0; i < argc; i++)
		n += work((int)strlen(argv[i])) + two(argv[i], i);
	printf("%d\n", n);
	return 0;
}
