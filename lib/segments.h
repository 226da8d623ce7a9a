/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nested intervals of addresses, such as functions inlined into each other, made into a list to search: the innermost wins. */
#ifndef FLAMEPIPE_SEGMENTS_H
#define FLAMEPIPE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
	uint64_t start, end; /* end is exclusive */
	uint32_t depth; /* of those that start and end together the deepest is the innermost */
	uint32_t id;
};

/* Intervals to come, and what they were made into. A zeroed struct is empty. */
struct segments {
	struct interval *intervals;
	size_t nintervals, intervals_cap;
	struct segment *items; /* each reaches to the next one's start */
	size_t n, cap;
};

struct segment {
	uint64_t start;
	uint32_t id; /* SEGMENT_NONE: a gap */
};

#define SEGMENT_NONE UINT32_MAX

/* An empty interval is ignored. */
void segments_add(struct segments *s, const struct interval *i);
/* Makes the list; the intervals are forgotten. */
void segments_finish(struct segments *s);
/* The id at an address, and the addresses around it for which the answer is the same, gaps included. False in a gap. */
bool segments_find(const struct segments *s, uint64_t at, uint32_t *id, uint64_t *start, uint64_t *end);
void segments_release(struct segments *s);

#endif
