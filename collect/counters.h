/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting events, without sampling: open for a target, start, read. */
#ifndef FLAMEPIPE_COUNTERS_H
#define FLAMEPIPE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/event.h"
#include "collect/target.h"

enum count_status {
	COUNT_OK,
	COUNT_NONE, /* the event never ran: the counters were taken, or the target did not run */
	COUNT_UNSUPPORTED, /* this machine or kernel does not have it */
};

/* One event on all CPUs and threads of the target together. */
struct count {
	enum count_status status;
	double value; /* scaled up by enabled / running */
	uint64_t enabled, running; /* ns during which it was to be counted, and was */
};

struct counters {
	const struct event_list *events;
	struct counters_fd *fds;
	size_t nfds, cap;
	bool *supported; /* of each event */
	bool user_only; /* the kernel's side was refused to this user */
};

/* Opens every event, stopped. child is a command that has not been executed yet, 0 without one: unless the target is all or a
   cgroup, it is what is counted, from its exec on. Dies with what to do about it when the kernel refuses. */
void counters_open(
    struct counters *c, const struct event_list *events, const struct target *target, pid_t child);

void counters_start(struct counters *c);
void counters_stop(struct counters *c);

/* Fills in one count an event. */
void counters_read(const struct counters *c, struct count *counts);

void counters_close(struct counters *c);

#endif
