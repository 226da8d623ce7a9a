/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As many system calls as fit into some seconds of wall time; prints how many. usage: syscalls SECONDS */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double until = now() + (argc > 1 ? atof(argv[1]) : 1);
	unsigned long n = 0;

	while (now() < until)
		for (int i = 0; i < 1000; i++, n++)
			syscall(SYS_getppid);
	printf("%lu\n", n);
	return 0;
}
