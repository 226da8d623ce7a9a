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

static struct merge_node node_of(const struct merge *m, uint32_t source)
{
	const struct source *s = &m->v[source];

	return (struct merge_node){s->time_ns << 1 | !s->sideband, source};
}

/* Moves the node at the top to where it belongs. */
static void sift_down(struct merge *m)
{
	struct merge_node node = m->heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < m->nheap) {
		if (child + 1 < m->nheap && m->heap[child + 1].key < m->heap[child].key)
			child++;
		if (node.key <= m->heap[child].key)
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = node;
}

void merge_reset(struct merge *m)
{
	m->n = m->nheap = 0;
}

void merge_add(struct merge *m, const struct source *s)
{
	struct merge_node node;
	size_t at = m->nheap;

	m->v = grow(m->v, m->n, &m->cap, sizeof *m->v);
	m->heap = grow(m->heap, m->nheap, &m->heap_cap, sizeof *m->heap);
	m->v[m->n] = *s;
	if (!look(&m->v[m->n]))
		return;
	node = node_of(m, (uint32_t)m->n++);
	m->nheap++;
	for (; at && node.key < m->heap[(at - 1) / 2].key; at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = node;
}

void merge_advance(struct merge *m)
{
	uint32_t source = m->heap[0].source;
	struct source *s = &m->v[source];

	ring_skip(s->ring, s->record.n);
	m->heap[0] = look(s) ? node_of(m, source) : m->heap[--m->nheap];
	if (m->nheap)
		sift_down(m);
}

void merge_release(struct merge *m)
{
	free(m->v);
	free(m->heap);
	*m = (struct merge){0};
}
