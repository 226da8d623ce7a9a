/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much slower a program runs while it is sampled: works in slices of time, with sampling on and off by turns, which it asks of the
   profiler (collect or perf record) through its control FIFO, and compares what it gets done in a second of its own CPU time, to which the kernel's interrupts are
   charged. Prints the median slow-down of the pairs in percent, half of its 95% interval (McGill, Tukey and Larsen 1978), and how many
   pairs. usage: collect --delay -1 --control FIFO ... -- slices SECONDS DEPTH FIFO */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Turns of a fixed piece of work until the slice is over; per second. */
static double speed(double seconds)
{
	double start = seconds_of(CLOCK_THREAD_CPUTIME_ID), end;
	unsigned long n = 0, x = 1;

	do {
		for (int i = 0; i < 100000; i++)
			x = x * 6364136223846793005u + 1;
		n++;
		end = seconds_of(CLOCK_THREAD_CPUTIME_ID);
	} while (end < start + seconds);
	sink = x;
	return (double)n / (end - start);
}

__attribute__((noinline)) double at_depth(int depth, double seconds)
{
	double v = depth > 1 ? at_depth(depth - 1, seconds) : speed(seconds);

	sink++; /* not a tail call */
	return v;
}

static double told(FILE *control, const char *word, int depth)
{
	struct timespec settle = {0, 10 * 1000 * 1000};

	fprintf(control, "%s\n", word);
	fflush(control);
	nanosleep(&settle, NULL);
	return at_depth(depth, 0.03);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { MAX_PAIRS = 100000 };

int main(int argc, char **argv)
{
	double until = seconds_of(CLOCK_MONOTONIC) + (argc > 1 ? atof(argv[1]) : 5);
	double *slower = calloc(MAX_PAIRS, sizeof *slower);
	int depth = argc > 2 ? atoi(argv[2]) : 10;
	FILE *control = fopen(argc > 3 ? argv[3] : "/dev/null", "w");
	size_t n = 0;
	cpu_set_t one;

	if (!slower || !control)
		return 1;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	do {
		double on = told(control, "enable", depth), off = told(control, "disable", depth);

		slower[n++] = 100 * (off / on - 1);
	} while (n < MAX_PAIRS && seconds_of(CLOCK_MONOTONIC) < until);
	qsort(slower, n, sizeof *slower, by_value);
	printf("%.3f %.3f %zu\n", slower[n / 2], 1.57 * (slower[n * 3 / 4] - slower[n / 4]) / sqrt((double)n),
	    n);
	fclose(control);
	free(slower);
	return 0;
}
