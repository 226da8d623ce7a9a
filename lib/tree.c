/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The merged call tree. While it grows, siblings are in a short list, and those that do not fit there in a table by parent and
   name; links in the order wanted are made once, at the end, by handing the nodes to their parents in its reverse. */
#include "lib/tree.h"

#include <stdlib.h>
#include <sys/random.h>

#include "lib/arena.h"
#include "lib/die.h"
#include "lib/folded.h"
#include "lib/hash.h"

enum { FIRST_SLOTS = 1024, MAX_LIST = 8 };

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
	*t = (struct tree){.shape = shape, .ncolumns = ncolumns};
	/* Without randomness a stack could be made to look like another one, but none does by chance. */
	if (getrandom(&t->seed, sizeof t->seed, GRND_NONBLOCK) != sizeof t->seed)
		t->seed = 0;
	new_node(t, 0, intern(&t->names, SPAN("")));
}

static size_t slot_of(const struct tree *t, uint32_t parent, uint32_t name)
{
	uint64_t h = (((uint64_t)parent << 32 | name) + 1) * 0x9e3779b97f4a7c15u;

	return (h ^ h >> 29) & (t->nslots - 1);
}

static void put_slot(struct tree *t, uint32_t node)
{
	size_t i = slot_of(t, t->nodes[node].parent, t->nodes[node].name);

	while (t->slots[i])
		i = (i + 1) & (t->nslots - 1);
	t->slots[i] = node;
}

static void grow_slots(struct tree *t)
{
	uint32_t *old = t->slots;
	size_t n = t->nslots;

	t->nslots = n ? 2 * n : FIRST_SLOTS;
	t->slots = xcalloc(t->nslots, sizeof *t->slots);
	for (size_t i = 0; i < n; i++)
		if (old[i])
			put_slot(t, old[i]);
	free(old);
}

static uint32_t find_slot(const struct tree *t, uint32_t parent, uint32_t name)
{
	size_t i = t->nslots ? slot_of(t, parent, name) : 0;

	for (; t->nslots && t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		const struct tree_node *node = &t->nodes[t->slots[i]];

		if (node->parent == parent && node->name == name)
			return t->slots[i];
	}
	return 0;
}

static void link_child(struct tree *t, uint32_t node)
{
	struct tree_node *parent = &t->nodes[t->nodes[node].parent];

	t->nodes[node].next = parent->child;
	parent->child = node;
}

/* The child of parent with this name, made where there is none. Most nodes have few children: these are in a list, and only what
   does not fit there is in the table. */
static uint32_t child_of(struct tree *t, uint32_t parent, uint32_t name)
{
	unsigned n = 0;
	uint32_t node;

	for (node = t->nodes[parent].child; node; node = t->nodes[node].next) {
		if (t->nodes[node].name == name)
			return node;
		n++;
	}
	if (n < MAX_LIST) {
		node = new_node(t, parent, name);
		link_child(t, node);
		return node;
	}
	node = find_slot(t, parent, name);
	if (node)
		return node;
	if (t->nfilled + t->nfilled / 3 >= t->nslots)
		grow_slots(t);
	node = new_node(t, parent, name);
	put_slot(t, node);
	t->nfilled++;
	return node;
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

/* Stacks share most of their frames with others. So that these need not be looked up one by one, every eighth frame is known by a
   hash of the stack up to it. 96 bits of it stand for these bytes: under a seed that nobody can know beforehand, two stacks
   of a million have the same with a probability of 10^-17. */
enum { ANCHOR_EVERY = 8, MAX_PREFIXES = 32, FIRST_ANCHORS = 256 };

struct tree_anchor {
	uint32_t key[3];
	uint32_t node; /* 0 = free */
};

struct prefix {
	struct tree_anchor anchor; /* without its node */
	size_t n; /* bytes, without the semicolon after it */
};

static size_t find_prefixes(const struct tree *t, struct span stack, struct prefix *prefixes)
{
	struct hash128 hash = {t->seed, 0};
	size_t start = 0, n = 0, frames = 0;

	for (const char *at = stack.p; n < MAX_PREFIXES; at++) {
		at = memchr(at, ';', (size_t)(stack.p + stack.n - at));
		if (!at)
			break;
		if (++frames % ANCHOR_EVERY)
			continue;
		prefixes[n].n = (size_t)(at - stack.p);
		hash = hash128_seed(stack.p + start, prefixes[n].n - start, hash.low ^ hash.high);
		start = prefixes[n].n;
		prefixes[n].anchor.key[0] = (uint32_t)hash.low;
		prefixes[n].anchor.key[1] = (uint32_t)(hash.low >> 32);
		prefixes[n++].anchor.key[2] = (uint32_t)hash.high;
	}
	return n;
}

/* Where the anchor with this key is, or would stand. */
static struct tree_anchor *anchor_slot(const struct tree *t, const uint32_t *key)
{
	size_t i = key[0] & (t->nanchor_slots - 1);

	while (t->anchors[i].node && memcmp(t->anchors[i].key, key, sizeof t->anchors[i].key) != 0)
		i = (i + 1) & (t->nanchor_slots - 1);
	return &t->anchors[i];
}

static void grow_anchors(struct tree *t)
{
	struct tree_anchor *old = t->anchors;
	size_t n = t->nanchor_slots;

	t->nanchor_slots = n ? 2 * n : FIRST_ANCHORS;
	t->anchors = xcalloc(t->nanchor_slots, sizeof *t->anchors);
	for (size_t i = 0; i < n; i++)
		if (old[i].node)
			*anchor_slot(t, old[i].key) = old[i];
	free(old);
}

static void put_anchor(struct tree *t, struct tree_anchor anchor, uint32_t node)
{
	if ((size_t)t->nanchors + t->nanchors / 3 >= t->nanchor_slots)
		grow_anchors(t);
	anchor.node = node;
	*anchor_slot(t, anchor.key) = anchor;
	t->nanchors++;
}

/* The longest prefix that is known: how many of the prefixes that is, and its node. */
static size_t find_anchor(const struct tree *t, const struct prefix *prefixes, size_t n, uint32_t *node)
{
	*node = 0;
	for (; n && t->nanchor_slots; n--) {
		*node = anchor_slot(t, prefixes[n - 1].anchor.key)->node;
		if (*node)
			return n;
	}
	return 0;
}

static uint32_t add_path(struct tree *t, struct span stack, uint32_t *depth)
{
	struct prefix prefixes[MAX_PREFIXES];
	size_t n = find_prefixes(t, stack, prefixes), known;
	uint32_t node;

	known = find_anchor(t, prefixes, n, &node);
	if (known) {
		stack.p += prefixes[known - 1].n + 1;
		stack.n -= prefixes[known - 1].n + 1;
	}
	for (*depth = (uint32_t)known * ANCHOR_EVERY; stack.n; ++*depth) {
		struct span frame;

		if (known < n && *depth == (known + 1) * ANCHOR_EVERY)
			put_anchor(t, prefixes[known++].anchor, node);
		folded_frame(&stack, &frame);
		node = child_of(t, node, intern(&t->names, span_trim(frame)));
	}
	return node;
}

/* Cuts the frame next to the leaf off. */
static void last_frame(struct span *stack, struct span *frame)
{
	const char *semicolon = memrchr(stack->p, ';', stack->n);
	size_t start = semicolon ? (size_t)(semicolon + 1 - stack->p) : 0;

	*frame = (struct span){stack->p + start, stack->n - start};
	stack->n = semicolon ? start - 1 : 0;
}

/* Frame by frame, for stacks of which the neighbour matters or that are read backwards. */
static uint32_t add_frames(struct tree *t, struct span stack, bool reverse, uint32_t *depth)
{
	uint32_t node = 0;

	for (*depth = 0; stack.n; ++*depth) {
		struct span frame;
		uint32_t name;

		if (reverse)
			last_frame(&stack, &frame);
		else
			folded_frame(&stack, &frame);
		name = intern(&t->names, span_trim(frame));
		node =
		    t->shape == TREE_CHART ? chart_child_of(t, node, name, *depth) : child_of(t, node, name);
	}
	if (t->shape == TREE_CHART)
		t->npath = *depth;
	return node;
}

uint32_t tree_add(struct tree *t, struct span stack, const u128 *counts, bool reverse)
{
	bool plain = !reverse && t->shape != TREE_CHART;
	uint32_t depth;
	uint32_t node = plain ? add_path(t, stack, &depth) : add_frames(t, stack, reverse, &depth);

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
	free(t->anchors);
	t->slots = NULL;
	t->anchors = NULL;
	for (uint32_t node = 0; node < t->n; node++)
		t->nodes[node].child = t->nodes[node].next = 0;
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
	free(t->anchors);
	free(t->narrow);
	free(t->wide);
	free(t->path);
	*t = (struct tree){0};
}
