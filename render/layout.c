/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a tree to boxes. */
#include "render/layout.h"

#include <stdlib.h>

#include "lib/arena.h"

double layout_share(const struct layout *l, u128 count)
{
	return l->total ? count_double(count) / count_double(l->total) : 0;
}

static void add_box(struct layout *l, uint32_t node, uint32_t depth, u128 start, u128 count)
{
	l->boxes = grow(l->boxes, l->n, &l->cap, sizeof *l->boxes);
	l->boxes[l->n++] = (struct box){node, depth, start, count};
	if (depth > l->depth)
		l->depth = depth;
}

/* Frames that are wide enough are gone through depth first without recursion: stacks can be 65,536 frames deep. Each level
   keeps the place where its next child starts. */
struct level {
	uint32_t next; /* child to look at, 0 = none is left */
	u128 start;
};

struct walk {
	struct level *levels;
	size_t n, cap;
};

static void descend(struct walk *w, const struct tree *t, unsigned column, uint32_t node, u128 start)
{
	w->levels = grow(w->levels, w->n, &w->cap, sizeof *w->levels);
	w->levels[w->n++] = (struct level){t->nodes[node].child, start + tree_self(t, node, column)};
}

/* A frame that is left out joins the one before it where they touch. */
static void add_narrow(struct layout *l, double min, uint32_t depth, u128 start, u128 count)
{
	struct box *last = l->nruns ? &l->runs[l->nruns - 1] : NULL;

	l->nnarrow++;
	if (last && last->depth == depth && last->start + last->count == start) {
		last->count += count;
		return;
	}
	if (last && layout_share(l, last->count) < min)
		l->nruns--; /* nobody could see it */
	l->runs = grow(l->runs, l->nruns, &l->runs_cap, sizeof *l->runs);
	l->runs[l->nruns++] = (struct box){0, depth, start, count};
}

void layout_init(struct layout *l, const struct tree *t, unsigned column, double min, u128 total)
{
	struct walk w = {0};
	u128 all = tree_total(t, 0, column);

	*l = (struct layout){.total = total > all ? total : all};
	add_box(l, 0, 0, 0, all);
	descend(&w, t, column, 0, 0);
	while (w.n) {
		struct level *level = &w.levels[w.n - 1];
		uint32_t node = level->next;
		u128 start = level->start, count;

		if (!node) {
			w.n--;
			continue;
		}
		count = tree_total(t, node, column);
		level->next = t->nodes[node].next;
		level->start += count;
		if (layout_share(l, count) < min || (!count && min > 0)) {
			add_narrow(l, min, (uint32_t)w.n, start, count);
			continue;
		}
		add_box(l, node, (uint32_t)w.n, start, count);
		descend(&w, t, column, node, start);
	}
	if (l->nruns && layout_share(l, l->runs[l->nruns - 1].count) < min)
		l->nruns--;
	free(w.levels);
}

void layout_release(struct layout *l)
{
	free(l->boxes);
	free(l->runs);
	*l = (struct layout){0};
}
