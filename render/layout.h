/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a tree to boxes: where each frame stands, knowing nothing of how it is drawn. */
#ifndef FLAMEPIPE_LAYOUT_H
#define FLAMEPIPE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/count.h"
#include "lib/tree.h"

struct box {
	uint32_t node;
	uint32_t depth; /* 0 is the root */
	u128 start, count; /* in the units of counts, from the left end */
};

struct layout {
	struct box *boxes; /* a parent before its children, from left to right */
	size_t n, cap;
	uint32_t depth; /* of the deepest box */
	u128 total; /* what the whole width stands for; at least the root's count */
	size_t nnarrow; /* frames left out because they are narrower than min */
	struct box *runs; /* neighbours that were left out, where together they are wide enough to be seen */
	size_t nruns, runs_cap;
};

/* column is the one that widths show. A frame whose share of total is below min (0 to 1) is left out, with all above it. What
   a node has itself stands left of its children. total of 0 is the root's count. */
void layout_init(struct layout *l, const struct tree *t, unsigned column, double min, u128 total);
void layout_release(struct layout *l);

/* A box's start and count as shares of the width. */
double layout_share(const struct layout *l, u128 count);

#endif
