/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinct stacks and their counts. */
#include "fold/stacks.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/die.h"

/* A node whose key has this bit is a slice of its parent, the rest of the key being its number; otherwise the key is a name. */
#define SLICE_BIT (UINT32_C(1) << 31)
#define NO_CELL UINT32_MAX

struct stacks_node {
	uint32_t parent;
	uint32_t key;
	uint32_t cell;
	unsigned char mark;
};

static size_t hash_key(uint32_t parent, uint32_t key)
{
	uint64_t h = ((uint64_t)parent << 32 | key) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h ^ h >> 29);
}

static uint32_t add_node(struct stacks *t, uint32_t parent, uint32_t key)
{
	if (t->n >= UINT32_MAX - 1)
		die("more than 4 billion distinct stacks");
	t->nodes = grow(t->nodes, t->n, &t->cap, sizeof *t->nodes);
	t->nodes[t->n] = (struct stacks_node){parent, key, NO_CELL, 0};
	return (uint32_t)t->n++;
}

/* The slot where a node is, or where it would go. */
static uint32_t *find_slot(const struct stacks *t, uint32_t parent, uint32_t key)
{
	size_t i = hash_key(parent, key) & (t->nslots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		const struct stacks_node *node = &t->nodes[t->slots[i] - 1];

		if (node->parent == parent && node->key == key)
			break;
	}
	return &t->slots[i];
}

static void grow_slots(struct stacks *t)
{
	free(t->slots);
	t->nslots = t->nslots ? t->nslots * 2 : 1024;
	t->slots = xcalloc(t->nslots, sizeof *t->slots);
	for (uint32_t i = 1; i < t->n; i++)
		*find_slot(t, t->nodes[i].parent, t->nodes[i].key) = i + 1;
}

static void start(struct stacks *t)
{
	if (t->n)
		return;
	add_node(t, UINT32_MAX, 0);
	t->ncolumns = t->ncolumns ? t->ncolumns : 1;
	grow_slots(t);
}

static uint32_t node_of(struct stacks *t, uint32_t parent, uint32_t key)
{
	uint32_t *slot;

	start(t);
	slot = find_slot(t, parent, key);
	if (*slot)
		return *slot - 1;
	if (t->n * 4 >= t->nslots * 3) {
		grow_slots(t);
		slot = find_slot(t, parent, key);
	}
	*slot = add_node(t, parent, key) + 1;
	return *slot - 1;
}

uint32_t stacks_child(struct stacks *t, uint32_t parent, uint32_t name)
{
	if (name >= SLICE_BIT)
		die("more than 2 billion distinct names");
	return node_of(t, parent, name);
}

uint32_t stacks_slice(struct stacks *t, uint32_t node, uint32_t slice)
{
	return node_of(t, node, slice | SLICE_BIT);
}

void stacks_columns(struct stacks *t, unsigned n)
{
	u128 *counts;

	start(t);
	if (n <= t->ncolumns)
		return;
	counts = xcalloc(t->cells_cap ? t->cells_cap : 1, n * sizeof *counts);
	for (size_t i = 0; i < t->ncells; i++)
		memcpy(counts + i * n, t->counts + i * t->ncolumns, t->ncolumns * sizeof *counts);
	free(t->counts);
	t->counts = counts;
	t->ncolumns = n;
}

static u128 *cell_of(struct stacks *t, struct stacks_node *node)
{
	if (node->cell == NO_CELL) {
		t->counts = grow(t->counts, t->ncells, &t->cells_cap, t->ncolumns * sizeof *t->counts);
		memset(t->counts + t->ncells * t->ncolumns, 0, t->ncolumns * sizeof *t->counts);
		node->cell = (uint32_t)t->ncells++;
	}
	return t->counts + (size_t)node->cell * t->ncolumns;
}

void stacks_count(struct stacks *t, uint32_t node, unsigned column, u128 amount)
{
	u128 *count;

	stacks_columns(t, column + 1);
	count = cell_of(t, &t->nodes[node]) + column;
	*count = count_sum(*count, amount);
}

unsigned char *stacks_mark(struct stacks *t, uint32_t node)
{
	start(t);
	return &t->nodes[node].mark;
}

void stacks_text(const struct stacks *t, uint32_t node, struct str *out)
{
	uint32_t *path = NULL;
	size_t n = 0, cap = 0;

	for (; node != STACKS_ROOT; node = t->nodes[node].parent) {
		path = grow(path, n, &cap, sizeof *path);
		path[n++] = t->nodes[node].key;
	}
	while (n-- > 0) {
		struct span name = intern_span(&t->names, path[n]);

		str_add(out, name.p, name.n);
		if (n)
			str_addc(out, ';');
	}
	free(path);
}

/* Walking in order: all nodes sorted by parent, then slices by number, then frames by the bytes of their names. */

struct place {
	uint32_t parent;
	uint32_t rank;
	uint32_t node;
};

struct walk {
	const struct stacks *t;
	struct place *places;
	uint32_t *first; /* of each node: where its children begin in places; node n has the end */
	struct str text;
	stacks_each_fn *each;
	void *ctx;
};

/* A name to be sorted; most comparisons are decided by its first bytes. */
struct ranked {
	uint64_t prefix;
	uint32_t name;
};

static uint64_t prefix_of(struct span name)
{
	unsigned char bytes[8] = {0};
	uint64_t prefix = 0;

	memcpy(bytes, name.p, name.n < sizeof bytes ? name.n : sizeof bytes);
	for (size_t i = 0; i < sizeof bytes; i++)
		prefix = prefix << 8 | bytes[i];
	return prefix;
}

static int compare_names(const void *a, const void *b, void *ctx)
{
	const struct intern *names = ctx;
	const struct ranked *x = a, *y = b;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	return span_cmp(intern_span(names, x->name), intern_span(names, y->name));
}

/* For each name, its place among all names in byte order. The caller frees it. */
static uint32_t *rank_names(const struct intern *names)
{
	struct ranked *sorted = xcalloc(names->n + 1, sizeof *sorted);
	uint32_t *ranks = xcalloc(names->n + 1, sizeof *ranks);

	for (uint32_t i = 0; i < names->n; i++)
		sorted[i] = (struct ranked){prefix_of(intern_span(names, i)), i};
	qsort_r(sorted, names->n, sizeof *sorted, compare_names, (void *)names);
	for (uint32_t i = 0; i < names->n; i++)
		ranks[sorted[i].name] = i;
	free(sorted);
	return ranks;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void sort_places(struct walk *w)
{
	const struct stacks *t = w->t;
	uint32_t *ranks = rank_names(&t->names);
	uint32_t next = 0;

	w->places = xcalloc(t->n, sizeof *w->places);
	w->first = xcalloc(t->n + 1, sizeof *w->first);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t key = t->nodes[i].key;

		key = key & SLICE_BIT ? key & ~SLICE_BIT : ranks[key] | SLICE_BIT;
		w->places[i - 1] = (struct place){t->nodes[i].parent, key, i};
	}
	qsort(w->places, t->n - 1, sizeof *w->places, compare_places);
	for (uint32_t i = 0; i <= t->n; i++) {
		while (next < t->n - 1 && w->places[next].parent < i)
			next++;
		w->first[i] = next;
	}
	free(ranks);
}

static void emit(struct walk *w, uint32_t node, uint32_t slice)
{
	const struct stacks *t = w->t;
	uint32_t cell = t->nodes[node].cell;

	if (cell != NO_CELL)
		w->each(w->ctx, str_span(&w->text), slice, t->counts + (size_t)cell * t->ncolumns);
}

/* Enters a node: its frame is added to the text, its own count is handed over. */
static void enter(struct walk *w, uint32_t node)
{
	uint32_t key = w->t->nodes[node].key;
	struct span name;

	if (key & SLICE_BIT) {
		emit(w, node, key & ~SLICE_BIT);
		return;
	}
	name = intern_span(&w->t->names, key);
	if (w->t->nodes[node].parent != STACKS_ROOT)
		str_addc(&w->text, ';');
	str_add(&w->text, name.p, name.n);
	emit(w, node, UINT32_MAX);
}

/* Stacks can be deep: the path stands in an array of its own, not in C's stack. */
struct level {
	uint32_t next, end; /* children still to do */
	size_t ntext; /* of the text without them */
};

static void descend(struct walk *w)
{
	struct level *path = NULL;
	size_t n = 0, cap = 0;
	uint32_t node = STACKS_ROOT;

	for (;;) {
		path = grow(path, n, &cap, sizeof *path);
		path[n++] = (struct level){w->first[node], w->first[node + 1], w->text.n};
		while (n && path[n - 1].next == path[n - 1].end)
			n--;
		if (!n)
			break;
		w->text.n = path[n - 1].ntext;
		node = w->places[path[n - 1].next++].node;
		enter(w, node);
	}
	free(path);
}

void stacks_each(const struct stacks *t, stacks_each_fn *each, void *ctx)
{
	struct walk w = {.t = t, .each = each, .ctx = ctx};

	if (!t->n)
		return;
	sort_places(&w);
	emit(&w, STACKS_ROOT, UINT32_MAX);
	descend(&w);
	free(w.places);
	free(w.first);
	str_release(&w.text);
}

void stacks_release(struct stacks *t)
{
	intern_release(&t->names);
	free(t->nodes);
	free(t->slots);
	free(t->counts);
	*t = (struct stacks){0};
}
