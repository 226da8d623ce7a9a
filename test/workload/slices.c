/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much slower a program runs while it is sampled: works in slices of time, with sampling on and off by turns, which it asks of its
   parent, collect, by SIGUSR1. Prints the mean slow-down of the pairs in percent, half of its 95% interval, and how many pairs.
   usage: collect --delay -1 ... -- slices SECONDS DEPTH */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Turns of a fixed piece of work until the slice is over; per second. */
static double speed(double seconds)
{
	double start = now(), end;
	unsigned long n = 0, x = 1;

	do {
		for (int i = 0; i < 2000; i++)
			x = x * 6364136223846793005u + 1;
		n++;
		end = now();
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

static double toggled(int depth)
{
	struct timespec settle = {0, 10 * 1000 * 1000};

	kill(getppid(), SIGUSR1);
	nanosleep(&settle, NULL);
	return at_depth(depth, 0.03);
}

int main(int argc, char **argv)
{
	double until = now() + (argc > 1 ? atof(argv[1]) : 5), sum = 0, squares = 0;
	int depth = argc > 2 ? atoi(argv[2]) : 10;
	cpu_set_t one;
	long n = 0;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	while (now() < until) {
		double on = toggled(depth), off = toggled(depth), slower = 100 * (off / on - 1);

		sum += slower;
		squares += slower * slower;
		n++;
	}
	sum /= (double)n;
	printf("%.3f %.3f %ld\n", sum, 1.96 * sqrt((squares / (double)n - sum * sum) / (double)n), n);
	return 0;
}
