/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nested intervals of addresses made into a list to search. */
#include "lib/segments.h"

#include <stdlib.h>

#include "lib/arena.h"

void segments_add(struct segments *s, const struct interval *i)
{
	if (i->start >= i->end)
		return;
	s->intervals = grow(s->intervals, s->nintervals, &s->intervals_cap, sizeof *s->intervals);
	s->intervals[s->nintervals++] = *i;
}

/* Outer before inner. */
static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* From start on, id holds. */
static void emit(struct segments *s, uint64_t start, uint32_t id)
{
	if (s->n && s->items[s->n - 1].start == start)
		s->n--;
	if (s->n && s->items[s->n - 1].id == id)
		return;
	s->items = grow(s->items, s->n, &s->cap, sizeof *s->items);
	s->items[s->n++] = (struct segment){start, id};
}

/* Closes the open intervals (a stack of n) that end at or before at. Returns how many are left. */
static size_t close_until(struct segments *s, const struct interval **open, size_t n, uint64_t at)
{
	while (n && open[n - 1]->end <= at) {
		uint64_t end = open[--n]->end;

		/* Those around it that end no later: intervals that cross instead of nesting. */
		while (n && open[n - 1]->end <= end)
			n--;
		emit(s, end, n ? open[n - 1]->id : SEGMENT_NONE);
	}
	return n;
}

void segments_finish(struct segments *s)
{
	const struct interval **open = xcalloc(s->nintervals + 1, sizeof *open);
	size_t n = 0;

	if (s->nintervals)
		qsort(s->intervals, s->nintervals, sizeof *s->intervals, by_start);
	for (size_t i = 0; i < s->nintervals; i++) {
		n = close_until(s, open, n, s->intervals[i].start);
		emit(s, s->intervals[i].start, s->intervals[i].id);
		open[n++] = &s->intervals[i];
	}
	close_until(s, open, n, UINT64_MAX);
	free(open);
	free(s->intervals);
	s->intervals = NULL;
	s->nintervals = s->intervals_cap = 0;
}

bool segments_find(const struct segments *s, uint64_t at, uint32_t *id, uint64_t *start, uint64_t *end)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->items[mid].start <= at)
			low = mid + 1;
		else
			high = mid;
	}
	*id = low ? s->items[low - 1].id : SEGMENT_NONE;
	*start = low ? s->items[low - 1].start : 0;
	*end = low < s->n ? s->items[low].start : UINT64_MAX;
	return *id != SEGMENT_NONE;
}

void segments_release(struct segments *s)
{
	free(s->intervals);
	free(s->items);
	*s = (struct segments){0};
}
