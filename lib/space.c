/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mapped where in a process, as it changes. */
#include "lib/space.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"

struct space *space_new(struct spaces *all)
{
	struct space *s = xcalloc(1, sizeof *s);

	s->refs = 1;
	s->generation = ++all->generations;
	return s;
}

struct space *space_ref(struct space *s)
{
	s->refs++;
	return s;
}

void space_unref(struct space *s)
{
	if (!s || --s->refs)
		return;
	free(s->maps);
	free(s);
}

/* The number of mappings that start at or before addr. */
static size_t upper_bound(const struct space *s, uint64_t addr)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->maps[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct mapping *space_find(const struct space *s, uint64_t addr)
{
	size_t i = upper_bound(s, addr);

	return i && addr < s->maps[i - 1].end ? &s->maps[i - 1] : NULL;
}

static struct space *copy(struct spaces *all, const struct space *from)
{
	struct space *s = space_new(all);

	s->n = s->cap = from->n;
	s->maps = xreallocarray(NULL, s->n ? s->n : 1, sizeof *s->maps);
	if (s->n)
		memcpy(s->maps, from->maps, s->n * sizeof *s->maps);
	return s;
}

static int is_same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff && a->object == b->object;
}

/* Replaces the n mappings from i on by the with[0..nwith). */
static void replace(struct space *s, size_t i, size_t n, const struct mapping *with, size_t nwith)
{
	size_t need = s->n - n + nwith;

	while (s->cap < need)
		s->maps = grow(s->maps, s->cap, &s->cap, sizeof *s->maps);
	memmove(s->maps + i + nwith, s->maps + i + n, (s->n - i - n) * sizeof *s->maps);
	memcpy(s->maps + i, with, nwith * sizeof *with);
	s->n = need;
}

void space_map(struct spaces *all, struct space **sp, const struct mapping *m)
{
	struct mapping with[3];
	struct space *s = *sp;
	const struct mapping *there = space_find(s, m->start);
	size_t first, last, n = 0;

	if (m->end <= m->start || (there && is_same(there, m)))
		return;
	if (s->n >= SPACE_MAX_MAPPINGS)
		return;
	if (s->refs > 1) {
		*sp = copy(all, s);
		space_unref(s);
		s = *sp;
	} else {
		s->generation = ++all->generations;
	}
	first = upper_bound(s, m->start);
	if (first && s->maps[first - 1].end > m->start)
		first--;
	last = upper_bound(s, m->end - 1);
	if (first < last && s->maps[first].start < m->start) {
		with[n] = s->maps[first];
		with[n++].end = m->start;
	}
	with[n++] = *m;
	if (first < last && s->maps[last - 1].end > m->end) {
		with[n] = s->maps[last - 1];
		with[n].pgoff += m->end - with[n].start;
		with[n++].start = m->end;
	}
	replace(s, first, last - first, with, n);
}
