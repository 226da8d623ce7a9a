/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One PERF_RECORD_SAMPLE taken apart, by the layout that its event's attributes give it. */
#ifndef FLAMEPIPE_TAKEN_H
#define FLAMEPIPE_TAKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/plan.h"
#include "lib/str.h"

/* Spans are borrowed from the record. */
struct taken {
	uint64_t ip, time_ns, period; /* period: 0 where the layout has none */
	uint32_t pid, tid;
	uint16_t misc;
	const uint64_t *chain;
	uint32_t nchain;
	struct span raw;
	struct span branches; /* of from, to, flags: 24 bytes each */
	struct span regs; /* u64 abi, then the values */
	struct span stack; /* what was really copied */
};

/* False when the record is shorter than its fields say. */
bool taken_parse(struct taken *t, struct span record, const struct layout *layout);

/* User's side of a chain from the CPU's record of its last calls, appended to the n entries that are there; at most max in all.
   Returns how many there are then. */
uint32_t taken_lbr_chain(const struct taken *t, uint64_t *chain, uint32_t n, uint32_t max);

#endif
