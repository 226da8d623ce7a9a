/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Burns time in stacks that are known by construction, for test/unwind.bats. No argument: every way once. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEEP extern "C" __attribute__((noinline, used))

static volatile unsigned sink;

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

KEEP void burn(void)
{
	long until = now_ms() + 40;

	do {
		for (unsigned i = 0; i < 200000; i++)
			sink = sink * 3 + i;
	} while (now_ms() < until);
	sink++;
}

KEEP void recurse(int n)
{
	char room[48];

	memset(room, n, sizeof room);
	if (n)
		recurse(n - 1);
	else
		burn();
	sink += (unsigned)room[n];
}

KEEP int compare(const void *a, const void *b)
{
	static bool burnt;

	if (!burnt) {
		burnt = true;
		burn();
	}
	return *(const int *)a - *(const int *)b;
}

KEEP void sorter(void)
{
	int v[] = {4, 2, 9, 1, 7, 3};

	qsort(v, 6, sizeof *v, compare);
	sink += (unsigned)v[0];
}

KEEP void with_alloca(size_t n)
{
	char *p = (char *)__builtin_alloca(n);

	memset(p, 1, n);
	burn();
	sink += (unsigned)p[n - 1];
}

struct guard {
	__attribute__((noinline)) ~guard()
	{
		burn();
		sink++;
	}
};

KEEP void thrower(void)
{
	guard g;

	if (sink != 1)
		throw 7;
}

KEEP void catcher(void)
{
	try {
		thrower();
	} catch (int n) {
		recurse(n - 5);
		sink += (unsigned)n;
	}
}

KEEP void on_signal(int)
{
	burn();
	sink++;
}

KEEP void signaller(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	sink++;
}

KEEP void *thread_main(void *)
{
	recurse(1);
	sink++;
	return nullptr;
}

int main()
{
	pthread_t t;

	recurse(5);
	sorter();
	with_alloca(1000 + sink % 7);
	catcher();
	signaller();
	pthread_create(&t, nullptr, thread_main, nullptr);
	pthread_join(t, nullptr);
	return sink == 12345;
}
