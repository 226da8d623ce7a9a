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

/* A heap: the source whose record is the oldest comes first, side-band before samples of the same time. */
struct merge {
	struct source *v;
	size_t n, cap;
};

void merge_reset(struct merge *m);

/* Adds a ring that has been refreshed; one without a record is left out. */
void merge_add(struct merge *m, const struct source *s);

/* The source with the oldest record, NULL when there is none from before until_ns. */
static inline struct source *merge_first(struct merge *m, uint64_t until_ns)
{
	return m->n && m->v[0].time_ns < until_ns ? &m->v[0] : NULL;
}

/* Goes past the record of the first source. */
void merge_advance(struct merge *m);

void merge_release(struct merge *m);

#endif
