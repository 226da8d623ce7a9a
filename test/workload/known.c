/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads whose profile is known by construction. Each prints what it did, measured by the thread's own CPU clock.
   usage: known shares SECONDS        70, 20 and 10 percent in hot70, hot20 and hot10: prints "NAME SECONDS" each
          known recurse SECONDS DEPTH spins in leaf, under DEPTH calls of recurse
          known phases SECONDS        the first half in user space (user_phase), the second in system calls (kernel_phase)
          known threads SECONDS N     N threads, each named worker-I, in thread_work */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

/* CPU seconds of this thread. */
static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The same loop, inlined into each caller, so that only the caller's name tells who spins. A chain of multiplications takes the
   same time wherever the code is placed. */
static inline __attribute__((always_inline)) void spin(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < n; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

/* Compilers give a function that calls none no frame of its own, unless it asks where that is. */
#define HAVE_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

#define HOT(name)                                                                                            \
	__attribute__((noinline)) void name(unsigned long n)                                                 \
	{                                                                                                    \
		HAVE_FRAME();                                                                                \
		spin(n);                                                                                     \
	}
HOT(hot70)
HOT(hot20)
HOT(hot10)
HOT(leaf)
HOT(user_phase)
HOT(thread_work)

enum { UNIT = 20000 }; /* some tens of microseconds */

/* Turns of odd lengths in an order that no sampling rate can keep step with. */
static int shares(double seconds)
{
	static void (*const run[])(unsigned long) = {hot70, hot20, hot10};
	static const unsigned weight[] = {7, 2, 1};
	double spent[3] = {0}, start = cpu(), before = start;
	unsigned long state = 1;

	while (before - start < seconds) {
		for (int i = 0; i < 3; i++) {
			double after;

			state = state * 6364136223846793005u + 1442695040888963407u;
			run[i](weight[i] * (UNIT + (state >> 50)));
			after = cpu();
			spent[i] += after - before;
			before = after;
		}
	}
	printf("hot70 %.6f\nhot20 %.6f\nhot10 %.6f\n", spent[0], spent[1], spent[2]);
	return 0;
}

__attribute__((noinline)) int recurse(int depth, double until)
{
	int calls = 1;

	if (depth > 1)
		calls += recurse(depth - 1, until);
	else
		while (cpu() < until)
			leaf(UNIT);
	sink++; /* not a tail call */
	return calls;
}

__attribute__((noinline)) void kernel_phase(double until)
{
	static char buf[1 << 20];
	FILE *zero = fopen("/dev/zero", "r");

	while (cpu() < until)
		if (!zero || read(fileno(zero), buf, sizeof buf) < 0)
			exit(1);
	fclose(zero);
}

static int phases(double seconds)
{
	double start = cpu(), middle;

	while (cpu() < start + seconds / 2)
		user_phase(UNIT);
	middle = cpu();
	kernel_phase(start + seconds);
	printf("user_phase %.6f\nkernel_phase %.6f\n", middle - start, cpu() - middle);
	return 0;
}

struct worker {
	pthread_t thread;
	int number;
	double seconds;
};

static void *work(void *arg)
{
	const struct worker *w = arg;
	char name[16];

	snprintf(name, sizeof name, "worker-%d", w->number);
	prctl(PR_SET_NAME, name);
	while (cpu() < w->seconds)
		thread_work(UNIT);
	return NULL;
}

static int threads(double seconds, int n)
{
	struct worker *w = calloc((size_t)n, sizeof *w);

	for (int i = 0; i < n; i++) {
		w[i].number = i;
		w[i].seconds = seconds;
		if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
			return 1;
	}
	for (int i = 0; i < n; i++)
		pthread_join(w[i].thread, NULL);
	printf("thread_work %.6f\n", seconds * n);
	free(w);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	double seconds = argc > 2 ? atof(argv[2]) : 0;
	int n = argc > 3 ? atoi(argv[3]) : 10;

	if (strcmp(what, "shares") == 0)
		return shares(seconds);
	if (strcmp(what, "recurse") == 0)
		return printf("recurse %d\n", recurse(n, cpu() + seconds)) < 0;
	if (strcmp(what, "phases") == 0)
		return phases(seconds);
	if (strcmp(what, "threads") == 0)
		return threads(seconds, n);
	fprintf(stderr, "usage: known shares|recurse|phases|threads SECONDS [N]\n");
	return 2;
}
