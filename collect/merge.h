/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of many rings in one order of time. */
#ifndef FLAMEPIPE_MERGE_H
#define FLAMEPIPE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/ring.h"

/* A ring, and the record that is next in it. */
struct source {
	struct ring *ring;
	uint32_t cpu; /* index */
	bool sideband;
	size_t sample_time; /* where the time stands in a sample, from its start */
	size_t trailer_time; /* and in any other record, from its end */
	uint64_t time_ns;
	struct span record;
};

/* A heap of the sources that have a record: the one with the oldest comes first, side-band before samples of the same time. */
struct merge {
	struct source *v;
	size_t n, cap;
	struct merge_node *heap;
	size_t nheap, heap_cap;
};

struct merge_node {
	uint64_t key; /* time, and in the lowest bit whether it is no side-band */
	uint32_t source;
};

void merge_reset(struct merge *m);

/* Adds a ring that has been refreshed; one without a record is left out. */
void merge_add(struct merge *m, const struct source *s);

/* The source with the oldest record, NULL when there is none from before until_ns. */
static inline struct source *merge_first(struct merge *m, uint64_t until_ns)
{
	return m->nheap && m->heap[0].key >> 1 < until_ns ? &m->v[m->heap[0].source] : NULL;
}

/* Goes past the record of the first source. */
void merge_advance(struct merge *m);

void merge_release(struct merge *m);

#endif
