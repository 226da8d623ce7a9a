/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merged call tree. While it grows a node is found by a hash of its parent and name; links between siblings are made once,
   at the end, by handing the nodes to their parents in the reverse of the order wanted. */
#include "lib/tree.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/die.h"
#include "lib/folded.h"

enum { FIRST_SLOTS = 1024 };

static uint32_t new_node(struct tree *t, uint32_t parent, uint32_t name)
{
	if (t->n == UINT32_MAX - 1)
		die("the profile has more than %u distinct frames", t->n);
	if (t->n == t->cap) {
		t->nodes = grow(t->nodes, t->n, &t->cap, sizeof *t->nodes);
		if (t->wide)
			t->wide = xreallocarray(t->wide, t->cap, t->ncolumns * sizeof *t->wide);
		else
			t->narrow = xreallocarray(t->narrow, t->cap, t->ncolumns * sizeof *t->narrow);
	}
	t->nodes[t->n] = (struct tree_node){parent, name, 0, 0};
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (t->wide)
			t->wide[t->n * (size_t)t->ncolumns + i] = 0;
		else
			t->narrow[t->n * (size_t)t->ncolumns + i] = 0;
	}
	return t->n++;
}

void tree_init(struct tree *t, enum tree_shape shape, unsigned ncolumns)
{
	*t = (struct tree){.shape = shape, .ncolumns = ncolumns, .nslots = FIRST_SLOTS};
	t->slots = xcalloc(t->nslots, sizeof *t->slots);
	new_node(t, 0, intern(&t->names, SPAN("")));
}

static size_t slot_of(const struct tree *t, uint32_t parent, uint32_t name)
{
	uint64_t h = (((uint64_t)parent << 32 | name) + 1) * 0x9e3779b97f4a7c15u;

	return (h ^ h >> 29) & (t->nslots - 1);
}

static void rehash(struct tree *t)
{
	free(t->slots);
	t->nslots *= 2;
	t->slots = xcalloc(t->nslots, sizeof *t->slots);
	for (uint32_t node = 1; node < t->n; node++) {
		size_t i = slot_of(t, t->nodes[node].parent, t->nodes[node].name);

		while (t->slots[i])
			i = (i + 1) & (t->nslots - 1);
		t->slots[i] = node;
	}
}

/* The child of parent with this name, made where there is none. */
static uint32_t child_of(struct tree *t, uint32_t parent, uint32_t name)
{
	size_t i;

	if ((size_t)t->n + t->n / 3 >= t->nslots)
		rehash(t);
	for (i = slot_of(t, parent, name); t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		const struct tree_node *node = &t->nodes[t->slots[i]];

		if (node->parent == parent && node->name == name)
			return t->slots[i];
	}
	t->slots[i] = t->n;
	return new_node(t, parent, name);
}

/* The same, but only the newest stack's node will do. */
static uint32_t chart_child_of(struct tree *t, uint32_t parent, uint32_t name, size_t depth)
{
	if (depth < t->npath && t->nodes[t->path[depth]].name == name)
		return t->path[depth];
	t->npath = depth;
	t->path = grow(t->path, depth, &t->path_cap, sizeof *t->path);
	t->path[t->npath++] = new_node(t, parent, name);
	return t->path[depth];
}

/* Goes over to counts of 128 bits. */
static void widen(struct tree *t)
{
	size_t n = (size_t)t->n * t->ncolumns;

	t->wide = xreallocarray(NULL, t->cap, t->ncolumns * sizeof *t->wide);
	for (size_t i = 0; i < n; i++)
		t->wide[i] = count_of(t->narrow[i]);
	free(t->narrow);
	t->narrow = NULL;
}

static void add_count(struct tree *t, size_t at, u128 count)
{
	if (!t->wide) {
		u128 whole = count / COUNT_ONE;

		/* The root's sum must fit too: half of the range for each. */
		if (whole * COUNT_ONE == count && whole < UINT64_MAX / 2 - t->narrow[at]) {
			t->narrow[at] += (uint64_t)whole;
			return;
		}
		widen(t);
	}
	t->wide[at] = count_sum(t->wide[at], count);
}

/* Cuts the frame next to the leaf off. */
static void last_frame(struct span *stack, struct span *frame)
{
	const char *semicolon = memrchr(stack->p, ';', stack->n);
	size_t start = semicolon ? (size_t)(semicolon + 1 - stack->p) : 0;

	*frame = (struct span){stack->p + start, stack->n - start};
	stack->n = semicolon ? start - 1 : 0;
}

uint32_t tree_add(struct tree *t, struct span stack, const u128 *counts, bool reverse)
{
	uint32_t node = 0;
	uint32_t depth = 0;

	for (; stack.n; depth++) {
		struct span frame;
		uint32_t name;

		if (reverse)
			last_frame(&stack, &frame);
		else
			folded_frame(&stack, &frame);
		name = intern(&t->names, span_trim(frame));
		node =
		    t->shape == TREE_CHART ? chart_child_of(t, node, name, depth) : child_of(t, node, name);
	}
	if (t->shape == TREE_CHART)
		t->npath = depth;
	if (depth > t->depth)
		t->depth = depth;
	for (unsigned i = 0; i < t->ncolumns; i++)
		add_count(t, (size_t)node * t->ncolumns + i, counts[i]);
	return node;
}

static int by_name(const void *a, const void *b, void *names)
{
	return span_cmp(intern_span(names, *(const uint32_t *)a), intern_span(names, *(const uint32_t *)b));
}

/* The nodes but the root in the order of their names: a counting sort by the names' ranks. */
static uint32_t *nodes_by_name(struct tree *t)
{
	uint32_t nnames = t->names.n;
	uint32_t *names = xcalloc(nnames, sizeof *names);
	uint32_t *start = xcalloc((size_t)nnames + 1, sizeof *start);
	uint32_t *order = xcalloc(t->n, sizeof *order);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < nnames; i++)
		names[i] = i;
	qsort_r(names, nnames, sizeof *names, by_name, &t->names);
	for (uint32_t node = 1; node < t->n; node++)
		start[t->nodes[node].name]++;
	for (uint32_t rank = 0; rank < nnames; rank++) {
		uint32_t n = start[names[rank]];

		start[names[rank]] = sum;
		sum += n;
	}
	for (uint32_t node = 1; node < t->n; node++)
		order[start[t->nodes[node].name]++] = node;
	free(names);
	free(start);
	return order;
}

static void link_child(struct tree *t, uint32_t node)
{
	struct tree_node *parent = &t->nodes[t->nodes[node].parent];

	t->nodes[node].next = parent->child;
	parent->child = node;
}

static void sum_up(struct tree *t)
{
	/* Totals of whole numbers can pass 64 bits only together. */
	u128 all = 0;

	for (size_t i = 0; t->narrow && i < (size_t)t->n * t->ncolumns; i++)
		all += t->narrow[i];
	if (all > UINT64_MAX)
		widen(t);
	for (uint32_t node = t->n; --node > 0;) {
		size_t from = (size_t)node * t->ncolumns, to = (size_t)t->nodes[node].parent * t->ncolumns;

		for (unsigned i = 0; i < t->ncolumns; i++) {
			if (t->wide)
				t->wide[to + i] = count_sum(t->wide[to + i], t->wide[from + i]);
			else
				t->narrow[to + i] += t->narrow[from + i];
		}
	}
}

void tree_finish(struct tree *t)
{
	free(t->slots);
	t->slots = NULL;
	if (t->shape == TREE_MERGED) {
		uint32_t *order = nodes_by_name(t);

		for (uint32_t i = t->n - 1; i-- > 0;)
			link_child(t, order[i]);
		free(order);
	} else {
		for (uint32_t node = t->n; --node > 0;)
			link_child(t, node);
	}
	sum_up(t);
}

uint32_t tree_next(const struct tree *t, uint32_t node, uint32_t *up)
{
	*up = 0;
	if (t->nodes[node].child)
		return t->nodes[node].child;
	for (*up = 1; node; ++*up) {
		if (t->nodes[node].next)
			return t->nodes[node].next;
		node = t->nodes[node].parent;
	}
	return 0;
}

u128 tree_total(const struct tree *t, uint32_t node, unsigned column)
{
	size_t at = (size_t)node * t->ncolumns + column;

	return t->wide ? t->wide[at] : count_of(t->narrow[at]);
}

u128 tree_self(const struct tree *t, uint32_t node, unsigned column)
{
	u128 self = tree_total(t, node, column);

	for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].next)
		self -= tree_total(t, c, column);
	return self;
}

struct span tree_name(const struct tree *t, uint32_t node)
{
	return intern_span(&t->names, t->nodes[node].name);
}

void tree_release(struct tree *t)
{
	intern_release(&t->names);
	free(t->nodes);
	free(t->slots);
	free(t->narrow);
	free(t->wide);
	free(t->path);
	*t = (struct tree){0};
}
