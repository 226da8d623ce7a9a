/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merged call tree: every distinct stack once, exact counts in each column, children in the order of their names. */
#ifndef FLAMEPIPE_TREE_H
#define FLAMEPIPE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/count.h"
#include "lib/intern.h"
#include "lib/str.h"

/* How stacks become a tree. */
enum tree_shape {
	TREE_MERGED, /* equal paths are one; children by name, whatever order the stacks came in */
	TREE_ORDERED, /* equal paths are one; children in the order of their first appearance */
	TREE_CHART, /* a stack is merged with the one before it only: time runs from left to right */
};

/* Nodes are numbered from 0, the root, and a parent comes before its children. Links are set by tree_finish. */
struct tree_node {
	uint32_t parent;
	uint32_t name;
	uint32_t child; /* the first one, 0 = none */
	uint32_t next; /* sibling, 0 = none */
};

struct tree {
	enum tree_shape shape;
	unsigned ncolumns;
	struct intern names;
	struct tree_node *nodes;
	uint32_t n;
	size_t cap;
	uint32_t *slots; /* (parent, name) to node, of parents with many children, while stacks are added */
	size_t nslots, nfilled;
	struct tree_anchor
	    *anchors; /* every eighth frame of a stack by a hash of all up to it, while stacks are added */
	uint32_t nanchors;
	size_t nanchor_slots;
	uint64_t seed; /* of that hash */
	/* [node * ncolumns + column]: counts of the node itself until tree_finish, of it and all below it afterwards. In whole
	   numbers while they fit, else in units of 10^-12. */
	uint64_t *narrow;
	u128 *wide;
	uint32_t *path; /* nodes of the newest stack, for TREE_CHART */
	size_t npath, path_cap;
	uint32_t depth; /* frames of the deepest stack */
};

void tree_init(struct tree *t, enum tree_shape shape, unsigned ncolumns);

/* Adds a stack of folded(5), root first, or with reverse leaf first; an empty one adds to the root. Blanks at the ends of a
   frame do not belong to its name. Returns the stack's node. Dies past 2^32 - 2 nodes. */
uint32_t tree_add(struct tree *t, struct span stack, const u128 *counts, bool reverse);

/* Links the nodes and sums up. Nothing can be added afterwards. */
void tree_finish(struct tree *t);

/* The next node of a walk from the root, parents first and siblings in order; 0 after the last. *up is how many levels to go up
   from node to the parent of the next one: 0 when that is its child. */
uint32_t tree_next(const struct tree *t, uint32_t node, uint32_t *up);

/* After tree_finish: of a node and all below it, and of the node itself. */
u128 tree_total(const struct tree *t, uint32_t node, unsigned column);
u128 tree_self(const struct tree *t, uint32_t node, unsigned column);

/* The root has the empty name. */
struct span tree_name(const struct tree *t, uint32_t node);

void tree_release(struct tree *t);

#endif
