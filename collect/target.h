/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom to sample: processes, threads, CPUs, a cgroup, a name. */
#ifndef FLAMEPIPE_TARGET_H
#define FLAMEPIPE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/str.h"

/* Neither all nor pids: nobody. */
struct target {
	bool all; /* every process on the CPUs */
	pid_t *pids; /* processes; children that they start later belong to them */
	size_t npids;
	bool threads_only; /* pids are threads, nothing else belongs to them */
	bool on_exec; /* pids is one process that has not executed its command yet: begin when it does */
	bool *cpus; /* which CPUs (RECORDING_MAX_CPUS of them); NULL is all */
	int cgroup; /* open folder of a cgroup, -1 for none */
	const char *comm; /* only threads of this name; NULL is all */
	/* CPU-wide events, of which those of other processes than pids are dropped: one event a thread and CPU would be too many. */
	bool sieve;
};

/* Adds "PID,PID...", "0,2-5". False when text is no such list. */
bool target_add_pids(struct target *t, const char *text);
bool target_add_cpus(struct target *t, const char *text);

/* A cgroup by its path, or by its name below a cgroup file system that perf events know. False with errno. */
bool target_set_cgroup(struct target *t, const char *name);

/* Says which of the processes named are not there. */
void target_warn_missing(const struct target *t);

/* True while a target process is left (always for all). */
bool target_lives(const struct target *t);

/* Threads of all pids together. */
size_t target_nthreads(const struct target *t);

void target_release(struct target *t);

/* The next range of a list of CPUs as sysfs and users write it; false at its end. *bad is set when it is no list. */
bool target_next_range(struct span *list, unsigned *first, unsigned *last, bool *bad);

#endif
