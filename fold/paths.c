/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every distinct stack of places as a node of a tree. */
#include "fold/paths.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/hash.h"

enum {
	FIRST_SLOTS = 1 << 16,
	NEAR_SLOTS = 1 << 15, /* addresses whose place is remembered */
	WALKED = 256, /* processes whose last chain is remembered */
};

/* A hash table of pairs of numbers, each pair numbered from 0 in order of appearance. */
struct pair {
	uint32_t first, second;
};

/* The key stands in the slot too: a look-up touches one place in memory. */
struct pair_slot {
	struct pair key;
	uint32_t number; /* + 1; 0 = free */
};

struct pairs {
	struct pair *items; /* by number */
	uint32_t n;
	size_t cap;
	struct pair_slot *slots;
	size_t nslots; /* a power of two */
};

/* Each distinct place once. */
struct place_table {
	struct place *items;
	uint32_t n;
	size_t cap;
	uint32_t *slots;
	size_t nslots;
};

struct near {
	struct step step;
	uint32_t generation; /* 0 for places of the kernel: they are the same in every process */
	uint32_t place; /* + 1; 0 = free */
};

/* The last chain of a process's mappings, root first, and the node of each of its frames. */
struct walked {
	uint32_t generation;
	uint32_t n;
	size_t cap;
	struct step *steps;
	uint32_t *nodes;
};

/* What the frames at a place are. */
struct named {
	struct frame *frames; /* leaf first */
	size_t n;
};

struct paths {
	bool addrs;
	struct place_table places;
	struct pairs nodes; /* parent, place; node 0 is the root */
	struct near *near;
	struct walked walked[WALKED];
	struct step *steps; /* of the chain in hand */
	size_t steps_cap;

	/* After naming. */
	struct arena arena;
	uint32_t *name_of_place;
	struct named *names;
	uint32_t nnames;
	size_t names_cap;
	struct pairs named_nodes; /* parent, name */
	uint32_t *same; /* named node by node */
	struct frame *frames; /* of the stack in hand */
	size_t frames_cap;
};

struct paths *paths_open(bool addrs)
{
	struct paths *p = xcalloc(1, sizeof *p);

	p->addrs = addrs;
	p->near = xcalloc(NEAR_SLOTS, sizeof *p->near);
	return p;
}

static void pairs_release(struct pairs *t)
{
	free(t->items);
	free(t->slots);
}

void paths_close(struct paths *p)
{
	if (!p)
		return;
	free(p->places.items);
	free(p->places.slots);
	pairs_release(&p->nodes);
	pairs_release(&p->named_nodes);
	for (size_t i = 0; i < WALKED; i++) {
		free(p->walked[i].steps);
		free(p->walked[i].nodes);
	}
	arena_release(&p->arena);
	free(p->near);
	free(p->steps);
	free(p->name_of_place);
	free(p->names);
	free(p->same);
	free(p->frames);
	free(p);
}

static uint64_t mix(uint64_t v)
{
	v *= 0x9e3779b97f4a7c15u;
	return v ^ v >> 32;
}

static struct pair_slot *find_pair(const struct pairs *t, struct pair key)
{
	size_t i = mix((uint64_t)key.first << 32 | key.second) & (t->nslots - 1);

	for (; t->slots[i].number; i = (i + 1) & (t->nslots - 1))
		if (t->slots[i].key.first == key.first && t->slots[i].key.second == key.second)
			break;
	return &t->slots[i];
}

static void grow_pairs(struct pairs *t)
{
	t->nslots = t->nslots ? t->nslots * 2 : FIRST_SLOTS;
	free(t->slots);
	t->slots = xcalloc(t->nslots, sizeof *t->slots);
	for (uint32_t n = 0; n < t->n; n++)
		*find_pair(t, t->items[n]) = (struct pair_slot){t->items[n], n + 1};
}

static uint32_t pair_number(struct pairs *t, uint32_t first, uint32_t second)
{
	const struct pair key = {first, second};
	struct pair_slot *slot;

	if ((size_t)t->n * 2 >= t->nslots)
		grow_pairs(t);
	slot = find_pair(t, key);
	if (slot->number)
		return slot->number - 1;
	t->items = grow(t->items, t->n, &t->cap, sizeof *t->items);
	t->items[t->n] = key;
	*slot = (struct pair_slot){key, ++t->n};
	return t->n - 1;
}

static size_t place_slot(const struct place_table *t, const struct place *p)
{
	size_t i = mix(p->place ^ (uint64_t)p->object << 40 ^ (uint64_t)p->kind << 38 ^ mix(p->addr)) &
		   (t->nslots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		const struct place *there = &t->items[t->slots[i] - 1];

		if (there->place == p->place && there->object == p->object && there->kind == p->kind &&
		    there->addr == p->addr)
			break;
	}
	return i;
}

static uint32_t place_number(struct place_table *t, const struct place *p)
{
	size_t i;

	if ((size_t)t->n * 2 >= t->nslots) {
		t->nslots = t->nslots ? t->nslots * 2 : FIRST_SLOTS;
		free(t->slots);
		t->slots = xcalloc(t->nslots, sizeof *t->slots);
		for (uint32_t n = 0; n < t->n; n++)
			t->slots[place_slot(t, &t->items[n])] = n + 1;
	}
	i = place_slot(t, p);
	if (t->slots[i])
		return t->slots[i] - 1;
	t->items = grow(t->items, t->n, &t->cap, sizeof *t->items);
	t->items[t->n] = *p;
	t->slots[i] = ++t->n;
	return t->n - 1;
}

static bool step_eq(const struct step *a, const struct step *b)
{
	return a->addr == b->addr && a->mode == b->mode && a->kind == b->kind;
}

/* The number of the place of a step. */
static uint32_t place_of(struct paths *p, const struct task *task, const struct step *step)
{
	uint32_t generation = step->mode == MODE_KERNEL ? 0 : task->process->space->generation;
	struct near *near = &p->near[mix(step->addr + generation) & (NEAR_SLOTS - 1)];
	struct place place;

	if (near->place && near->generation == generation && step_eq(&near->step, step))
		return near->place - 1;
	place = places_of_step(task, step);
	/* Addresses differ from process to process where places do not. */
	if (!p->addrs) {
		place.addr = 0;
		place.place = place.object == OBJECT_UNKNOWN ? 0 : place.place;
	}
	*near = (struct near){*step, generation, place_number(&p->places, &place) + 1};
	return near->place - 1;
}

static void make_room(struct paths *p, struct walked *w, uint32_t n)
{
	if (p->steps_cap < n) {
		p->steps_cap = n;
		p->steps = xreallocarray(p->steps, n, sizeof *p->steps);
	}
	if (w->cap < n) {
		w->cap = n;
		w->steps = xreallocarray(w->steps, n, sizeof *w->steps);
		w->nodes = xreallocarray(w->nodes, n, sizeof *w->nodes);
	}
}

/* Chains that follow each other in a process mostly have the same callers: only what differs is looked up. */
uint32_t paths_add(struct paths *p, const struct task *task, const struct callchain *chain)
{
	uint32_t generation = task->process->space->generation;
	struct walked *w = &p->walked[generation % WALKED];
	uint32_t n, done = 0, node;

	if (!p->nodes.n)
		pair_number(&p->nodes, UINT32_MAX, UINT32_MAX);
	make_room(p, w, chain->n);
	n = places_steps(chain, p->steps);
	if (w->generation != generation)
		w->n = 0;
	while (done < w->n && done < n && step_eq(&w->steps[done], &p->steps[n - 1 - done]))
		done++;
	node = done ? w->nodes[done - 1] : 0;
	for (; done < n; done++) {
		w->steps[done] = p->steps[n - 1 - done];
		node = pair_number(&p->nodes, node, place_of(p, task, &w->steps[done]));
		w->nodes[done] = node;
	}
	w->generation = generation;
	w->n = n;
	return node;
}

/* Texts of frames are kept once by the symbols, so that their addresses tell them apart. */
static uint64_t hash_frames(const struct symbol_frames *f)
{
	uint64_t hash = f->n;

	for (size_t i = 0; i < f->n; i++) {
		const struct frame *frame = &f->frames[i];

		hash = mix(hash ^ (uintptr_t)frame->name.p) + mix((uintptr_t)frame->module.p ^ frame->line);
		hash = mix(hash ^ (uintptr_t)frame->file.p) + (uint64_t)frame->kind * 2 + frame->inlined;
	}
	return hash;
}

static bool frames_eq(const struct frame *a, const struct frame *b)
{
	return a->name.p == b->name.p && a->name.n == b->name.n && a->module.p == b->module.p &&
	       a->module.n == b->module.n && a->file.p == b->file.p && a->file.n == b->file.n &&
	       a->line == b->line && a->kind == b->kind && a->inlined == b->inlined &&
	       a->has_addr == b->has_addr && a->addr == b->addr && a->offset == b->offset;
}

static bool is_named(const struct named *n, const struct symbol_frames *f)
{
	if (n->n != f->n)
		return false;
	for (size_t i = 0; i < n->n; i++)
		if (!frames_eq(&n->frames[i], &f->frames[i]))
			return false;
	return true;
}

/* The frames at a place, with its address where that is wanted; they get numbers by which the sink knows them again. */
static void add_name(
    struct paths *p, const struct place *place, const struct symbol_frames *f, struct sink *sink)
{
	struct named named = {arena_alloc(&p->arena, f->n * sizeof *f->frames), f->n};

	for (size_t i = 0; i < f->n; i++) {
		struct frame *frame = &named.frames[i];

		*frame = f->frames[i];
		frame->same = sink_new_frame(sink);
		if (!p->addrs)
			continue;
		frame->has_addr = true;
		frame->addr = place->addr;
		if (f->function != UINT64_MAX)
			frame->offset = place->place + (place->kind != PLACE_EXACT) - f->function;
	}
	p->names = grow(p->names, p->nnames, &p->names_cap, sizeof *p->names);
	p->names[p->nnames++] = named;
}

static void name_places(struct paths *p, struct symbols *symbols, struct sink *sink)
{
	size_t nslots = FIRST_SLOTS;
	uint32_t *slots;

	while (nslots < 2 * (size_t)p->places.n)
		nslots *= 2;
	slots = xcalloc(nslots, sizeof *slots);
	p->name_of_place = xreallocarray(NULL, (size_t)p->places.n + 1, sizeof *p->name_of_place);
	for (uint32_t n = 0; n < p->places.n; n++) {
		const struct place *place = &p->places.items[n];
		struct symbol_frames f =
		    symbols_look_up(symbols, place->object, place->place, (enum place_kind)place->kind);
		size_t i = hash_frames(&f) & (nslots - 1);

		while (!p->addrs && slots[i] && !is_named(&p->names[slots[i] - 1], &f))
			i = (i + 1) & (nslots - 1);
		if (p->addrs || !slots[i]) {
			add_name(p, place, &f, sink);
			slots[i] = p->nnames;
		}
		p->name_of_place[n] = slots[i] - 1;
	}
	free(slots);
}

void paths_name(struct paths *p, struct symbols *symbols, struct sink *sink)
{
	name_places(p, symbols, sink);
	p->same = xreallocarray(NULL, (size_t)p->nodes.n + 1, sizeof *p->same);
	p->same[0] = pair_number(&p->named_nodes, UINT32_MAX, UINT32_MAX);
	/* A parent has a lower number than its children. */
	for (uint32_t n = 1; n < p->nodes.n; n++) {
		const struct pair *node = &p->nodes.items[n];

		p->same[n] =
		    pair_number(&p->named_nodes, p->same[node->first], p->name_of_place[node->second]);
	}
}

uint32_t paths_same(const struct paths *p, uint32_t node)
{
	return p->same[node];
}

const struct frame *paths_frames(struct paths *p, uint32_t node, size_t *n)
{
	*n = 0;
	for (; node; node = p->named_nodes.items[node].first) {
		const struct named *named = &p->names[p->named_nodes.items[node].second];

		for (size_t i = 0; i < named->n; i++) {
			p->frames = grow(p->frames, *n, &p->frames_cap, sizeof *p->frames);
			p->frames[(*n)++] = named->frames[i];
		}
	}
	return p->frames;
}
