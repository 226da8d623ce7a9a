/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of many rings in one order of time. */
#include "collect/merge.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/arena.h"

/* Looks at the next record of the ring; false when there is none. */
static bool look(struct source *s)
{
	struct perf_event_header header;
	size_t at;

	if (!ring_peek(s->ring, &s->record))
		return false;
	memcpy(&header, s->record.p, sizeof header);
	at = header.type == PERF_RECORD_SAMPLE ? s->sample_time : s->record.n - s->trailer_time;
	s->time_ns = 0;
	if (at + sizeof s->time_ns <= s->record.n)
		memcpy(&s->time_ns, s->record.p + at, sizeof s->time_ns);
	return true;
}

static bool before(const struct source *a, const struct source *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->sideband > b->sideband;
}

static void swap(struct source *a, struct source *b)
{
	struct source t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(struct merge *m)
{
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->n)
			return;
		if (child + 1 < m->n && before(&m->v[child + 1], &m->v[child]))
			child++;
		if (!before(&m->v[child], &m->v[at]))
			return;
		swap(&m->v[child], &m->v[at]);
		at = child;
	}
}

void merge_reset(struct merge *m)
{
	m->n = 0;
}

void merge_add(struct merge *m, const struct source *s)
{
	size_t at = m->n;

	m->v = grow(m->v, m->n, &m->cap, sizeof *m->v);
	m->v[at] = *s;
	if (!look(&m->v[at]))
		return;
	m->n++;
	while (at && before(&m->v[at], &m->v[(at - 1) / 2])) {
		swap(&m->v[at], &m->v[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

void merge_advance(struct merge *m)
{
	struct source *s = &m->v[0];

	ring_skip(s->ring, s->record.n);
	if (!look(s))
		*s = m->v[--m->n];
	sift_down(m);
}

void merge_release(struct merge *m)
{
	free(m->v);
	*m = (struct merge){0};
}
