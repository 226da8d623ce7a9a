/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page-fault workload, like page_fault1 of will-it-scale: N processes that each map 128 MiB of anonymous memory, touch every
   page, unmap it, and begin again. usage: page_fault [PROCESSES [SECONDS]]; prints the pages touched. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAP_SIZE = 128 << 20 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) void touch_pages(char *p, size_t n, size_t page)
{
	/* Compilers give a function that calls none no frame of its own, unless it asks where that is. */
	__asm__ volatile("" ::"r"(__builtin_frame_address(0)));
	for (size_t i = 0; i < n; i += page)
		*(volatile char *)(p + i) = 1;
}

__attribute__((noinline)) unsigned long page_fault_loop(double until)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned long pages = 0;

	do {
		char *p = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED) {
			perror("page_fault: mmap");
			_exit(1);
		}
		/* One page at a time, also where transparent huge pages are on. */
		madvise(p, MAP_SIZE, MADV_NOHUGEPAGE);
		touch_pages(p, MAP_SIZE, page);
		munmap(p, MAP_SIZE);
		pages += MAP_SIZE / page;
	} while (now() < until);
	return pages;
}

int main(int argc, char **argv)
{
	long nprocs = argc > 1 ? atol(argv[1]) : sysconf(_SC_NPROCESSORS_ONLN);
	double until = now() + (argc > 2 ? atof(argv[2]) : 3);
	int failed = 0, status;

	for (long i = 0; i < nprocs; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("page_fault: fork");
			return 1;
		}
		if (pid == 0) {
			printf("%lu pages\n", page_fault_loop(until));
			return fflush(stdout) != 0;
		}
	}
	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}
