/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be sampled, and how: the options as far as the kernel has to know them. */
#ifndef FLAMEPIPE_PLAN_H
#define FLAMEPIPE_PLAN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "collect/event.h"
#include "collect/target.h"

enum callgraph { CALLGRAPH_FP, CALLGRAPH_NONE, CALLGRAPH_LBR, CALLGRAPH_DWARF };

struct plan {
	struct event_list events;
	struct target target;
	uint64_t freq_hz; /* 0: by period */
	uint64_t period;
	enum callgraph callgraph;
	bool unwind_later; /* of CALLGRAPH_DWARF: keep registers and stacks */
	uint32_t stack_bytes; /* of the user's stack to copy, a multiple of 8 */
	bool raw; /* keep the raw data of tracepoints */
	bool off_cpu; /* the last event is the one that plan_add_off_cpu added */
	bool delayed; /* sampling begins later than the command */
	bool user_only; /* the kernel refuses its own side to this user */
	size_t ring_bytes; /* 0: by callgraph */
};

/* Adds the event that tells where threads block. */
void plan_add_off_cpu(struct plan *p);
bool plan_is_off_cpu(const struct plan *p, size_t event);

/* The attributes of an event, and of the helpers that write no samples: side-band, and the records of context switches. */
struct perf_event_attr plan_attr(const struct plan *p, size_t event);
struct perf_event_attr plan_sideband_attr(const struct plan *p);
struct perf_event_attr plan_switch_attr(const struct plan *p);

/* Are stacks to be unwound while recording? */
bool plan_unwinds(const struct plan *p);

/* Size that a ring of samples should have. */
size_t plan_ring_bytes(const struct plan *p);

/* How the kernel lays samples of an event out. */
struct layout {
	bool identifier, period, chain, raw, branches, user;
	unsigned nregs;
};
struct layout plan_layout(const struct plan *p, size_t event);

#endif
