/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinct stacks and their counts: a tree in which every node is the stack from the root down to it. */
#ifndef FLAMEPIPE_STACKS_H
#define FLAMEPIPE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/count.h"
#include "lib/intern.h"
#include "lib/str.h"

enum { STACKS_ROOT = 0 }; /* the stack without a frame */
#define STACKS_MAX_SLICE ((UINT32_C(1) << 31) - 2)

/* Nodes are numbered from 0 (the root) in order of first appearance. A zeroed struct is empty; the first stacks_child or
   stacks_count makes the root. */
struct stacks {
	struct intern names; /* escaped frames */
	struct stacks_node *nodes;
	size_t n, cap;
	uint32_t *slots; /* node + 1, 0 = free; nslots is a power of two */
	size_t nslots;
	u128 *counts; /* ncolumns of each cell, one cell after the other */
	size_t ncells, cells_cap;
	unsigned ncolumns;
};

/* The node of a frame called by parent, its name being an id of t->names, where it is escaped already; made when it is new. */
uint32_t stacks_child(struct stacks *t, uint32_t parent, uint32_t name);

/* The node in which counts of a stack that belong to one slice of time are held; counts may go to nodes or to slices. */
uint32_t stacks_slice(struct stacks *t, uint32_t node, uint32_t slice);

/* Adds to the count of a node in a column; new columns are 0 everywhere else. */
void stacks_count(struct stacks *t, uint32_t node, unsigned column, u128 amount);

/* Makes at least n columns. */
void stacks_columns(struct stacks *t, unsigned n);

/* A mark per node for the caller's use, 0 at first. */
unsigned char *stacks_mark(struct stacks *t, uint32_t node);

/* The node's frames, joined by ';', added to *out. */
void stacks_text(const struct stacks *t, uint32_t node, struct str *out);

/* Every node that was counted, in the order of folded(5): by frames, a stack before those that continue it. slice is UINT32_MAX
   for counts that belong to none; slices of a stack come in ascending order. */
typedef void stacks_each_fn(void *ctx, struct span stack, uint32_t slice, const u128 *counts);
void stacks_each(const struct stacks *t, stacks_each_fn *each, void *ctx);

void stacks_release(struct stacks *t);

#endif
