/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same work in every run, of which one function's part can be made larger: what compare and measure are tried on.
   usage: fixed_work ROUNDS [PERCENT]     hash_step does PERCENT more than usual */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ITEMS = 4096, PAGES = 64, PAGE = 4096 };

static volatile unsigned long sink;

/* Compilers give a function that calls none no frame of its own, unless it asks where that is. */
#define HAVE_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))
#define NOINLINE __attribute__((noinline))

NOINLINE void hash_step(unsigned long n)
{
	unsigned long x = n;

	HAVE_FRAME();
	for (unsigned long i = 0; i < n; i++)
		x = (x ^ i) * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}

NOINLINE void fill(unsigned *items)
{
	unsigned x = 1;

	HAVE_FRAME();
	for (int i = 0; i < ITEMS; i++)
		items[i] = x = x * 1664525u + 1013904223u;
}

NOINLINE int by_value(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	HAVE_FRAME();
	return (x > y) - (x < y);
}

NOINLINE void order(unsigned *items)
{
	fill(items);
	qsort(items, ITEMS, sizeof *items, by_value);
	sink += items[0];
}

NOINLINE void search(const unsigned *items)
{
	HAVE_FRAME();
	for (unsigned key = 0; key < ITEMS / 2; key++)
		sink += bsearch(&key, items, ITEMS, sizeof *items, by_value) != NULL;
}

NOINLINE void touch_pages(void)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; p != MAP_FAILED && i < PAGES; i++)
		p[i * PAGE] = 1;
	munmap(p, PAGES * PAGE);
}

NOINLINE void copy(char *to, const char *from, int times)
{
	HAVE_FRAME();
	for (int i = 0; i < times; i++)
		memcpy(to, from, PAGES * PAGE);
	sink += (unsigned char)to[0];
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	unsigned long more = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	static unsigned items[ITEMS];
	static char from[PAGES * PAGE], to[PAGES * PAGE];

	for (long i = 0; i < rounds; i++) {
		hash_step(120000 + 1200 * more);
		order(items);
		search(items);
		touch_pages();
		copy(to, from, 8);
	}
	printf("%lu\n", sink);
	return 0;
}
