/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine that the readers of binary profiles share: a tree of places, counts at its nodes, names at the end. */
#include "fold/replay.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/hash.h"
#include "lib/places.h"

enum {
	CACHE_SLOTS_START = 1 << 12,
	CACHE_MAX = 1 << 20, /* (space, chain) pairs remembered; a cache: it is emptied when it is full */
	OWN_PIDS = 4,
};

/* A set of fixed-size keys, numbered from 0 in order of appearance; the owner keeps the keys in an array. */
struct set {
	uint32_t *slots; /* number + 1, 0 = free */
	uint32_t *hashes; /* by number */
	size_t nslots, hashes_cap;
	uint32_t n;
};

struct node {
	uint32_t parent, place; /* node 0 is the root, and its own parent */
};

/* A stack as the sink has to tell it from others. */
struct stack_key {
	uint32_t node, comm, event;
	uint32_t pid, tid, cpu; /* UINT32_MAX where the sink does not ask */
	uint32_t slice; /* of time, likewise */
};

struct tally_of {
	uint64_t n;
	u128 period;
	uint64_t last_ns;
};

/* Which node a chain in a state of a process's mappings is. */
struct cached {
	uint64_t key; /* generation << 32 | chain */
	uint32_t node; /* + 1; 0 = free */
};

struct replay {
	struct sink *sink;
	unsigned needs;
	bool wants_addrs;
	struct timeline *timeline;
	uint32_t own[OWN_PIDS];
	uint64_t first_ns;
	bool has_first;

	struct set place_set;
	struct place *places;
	size_t places_cap;
	struct set node_set;
	struct node *nodes;
	size_t nodes_cap;
	struct set stack_set;
	struct stack_key *stacks;
	struct tally_of *tallies; /* by stack */
	size_t stacks_cap, tallies_cap;
	struct cached *cache;
	size_t cache_slots, cache_n;
	uint32_t cache_epoch;
	struct place *chain; /* the one in hand */
	size_t chain_cap;

	struct symbol_frames *names; /* by place */
	struct frame *frames; /* of the stack in hand */
	size_t frames_cap;
};

/* The number of the key of size bytes; *is_new when it had none and the owner has to append it to keys. */
static uint32_t set_number(struct set *s, const void *keys, const void *key, size_t size, bool *is_new)
{
	uint32_t hash = (uint32_t)hash64(key, size);
	size_t i;

	if ((size_t)s->n * 2 >= s->nslots) {
		s->nslots = s->nslots ? s->nslots * 2 : 1024;
		free(s->slots);
		s->slots = xcalloc(s->nslots, sizeof *s->slots);
		for (uint32_t n = 0; n < s->n; n++) {
			for (i = s->hashes[n] & (s->nslots - 1); s->slots[i]; i = (i + 1) & (s->nslots - 1))
				;
			s->slots[i] = n + 1;
		}
	}
	*is_new = false;
	for (i = hash & (s->nslots - 1); s->slots[i]; i = (i + 1) & (s->nslots - 1)) {
		uint32_t n = s->slots[i] - 1;

		if (s->hashes[n] == hash && memcmp((const char *)keys + n * size, key, size) == 0)
			return n;
	}
	*is_new = true;
	s->hashes = grow(s->hashes, s->n, &s->hashes_cap, sizeof *s->hashes);
	s->hashes[s->n] = hash;
	s->slots[i] = ++s->n;
	return s->n - 1;
}

static void set_release(struct set *s)
{
	free(s->slots);
	free(s->hashes);
}

static uint32_t number_place(struct replay *r, const struct place *p)
{
	bool is_new;
	uint32_t n = set_number(&r->place_set, r->places, p, sizeof *p, &is_new);

	if (is_new) {
		r->places = grow(r->places, n, &r->places_cap, sizeof *r->places);
		r->places[n] = *p;
	}
	return n;
}

static uint32_t number_node(struct replay *r, uint32_t parent, uint32_t place)
{
	const struct node node = {parent, place};
	bool is_new;
	uint32_t n = set_number(&r->node_set, r->nodes, &node, sizeof node, &is_new);

	if (is_new) {
		r->nodes = grow(r->nodes, n, &r->nodes_cap, sizeof *r->nodes);
		r->nodes[n] = node;
	}
	return n;
}

static uint32_t number_stack(struct replay *r, const struct stack_key *key)
{
	bool is_new;
	uint32_t n = set_number(&r->stack_set, r->stacks, key, sizeof *key, &is_new);

	if (is_new) {
		r->stacks = grow(r->stacks, n, &r->stacks_cap, sizeof *r->stacks);
		r->tallies = grow(r->tallies, n, &r->tallies_cap, sizeof *r->tallies);
		r->stacks[n] = *key;
		r->tallies[n] = (struct tally_of){0};
	}
	return n;
}

static uint32_t build_node(struct replay *r, const struct task *task, const struct callchain *chain)
{
	uint32_t node = 0, n;

	if (r->chain_cap < chain->n) {
		r->chain_cap = chain->n;
		r->chain = xreallocarray(r->chain, r->chain_cap, sizeof *r->chain);
	}
	n = places_of_chain(timeline_tasks(r->timeline), task, chain, r->chain);
	while (n-- > 0) {
		struct place *p = &r->chain[n];

		/* Addresses differ from process to process where places do not. */
		if (!r->wants_addrs) {
			p->addr = 0;
			p->place = p->object == OBJECT_UNKNOWN ? 0 : p->place;
		}
		node = number_node(r, node, number_place(r, p));
	}
	return node;
}

static size_t cache_slot(const struct replay *r, uint64_t key)
{
	size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (r->cache_slots - 1);

	while (r->cache[i].node && r->cache[i].key != key)
		i = (i + 1) & (r->cache_slots - 1);
	return i;
}

static void grow_cache(struct replay *r)
{
	struct cached *old = r->cache;
	size_t n = r->cache_slots;

	r->cache_slots = n ? n * 2 : CACHE_SLOTS_START;
	r->cache = xcalloc(r->cache_slots, sizeof *r->cache);
	for (size_t i = 0; i < n; i++)
		if (old[i].node)
			r->cache[cache_slot(r, old[i].key)] = old[i];
	free(old);
}

static void empty_cache(struct replay *r)
{
	if (r->cache_n)
		memset(r->cache, 0, r->cache_slots * sizeof *r->cache);
	r->cache_n = 0;
	r->cache_epoch = timeline_epoch(r->timeline);
}

/* The node of a sample's chain: found again at once while neither the process's mappings nor the chain are new. */
static uint32_t node_of(struct replay *r, uint32_t chain, const struct task *task)
{
	uint64_t key = (uint64_t)task->process->space->generation << 32 | chain;
	struct callchain entries;
	uint32_t node;
	size_t i;

	if (r->cache_epoch != timeline_epoch(r->timeline) || r->cache_n >= CACHE_MAX)
		empty_cache(r);
	if (r->cache_n * 2 >= r->cache_slots)
		grow_cache(r);
	i = cache_slot(r, key);
	if (r->cache[i].node)
		return r->cache[i].node - 1;
	entries = timeline_entries(r->timeline, chain);
	node = build_node(r, task, &entries);
	r->cache[i] = (struct cached){key, node + 1};
	r->cache_n++;
	return node;
}

/* What the sink does with a sample depends on the slice of time it falls into, and on which side of --time's ends. */
static uint32_t slice_of(struct replay *r, uint64_t time_ns)
{
	const struct options *o = sink_options(r->sink);
	uint64_t at, slice = 0;

	if (!(r->needs & SINK_NEEDS_TIME))
		return UINT32_MAX;
	at = time_ns > r->first_ns ? time_ns - r->first_ns : 0;
	if (o->timed && o->slice_ns)
		slice = at / o->slice_ns;
	if (o->has_time && at < o->time_from_ns)
		return 0;
	if (o->has_time && at >= o->time_to_ns)
		return 1;
	return slice > UINT32_MAX - 3 ? UINT32_MAX - 1 : (uint32_t)slice + 2;
}

static bool is_own(const struct replay *r, uint32_t pid)
{
	for (unsigned i = 0; i < OWN_PIDS; i++)
		if (r->own[i] && r->own[i] == pid)
			return true;
	return false;
}

static void count_sample(void *ctx, const struct timeline_sample *s, const struct task *task)
{
	struct replay *r = ctx;
	struct stack_key key = {.comm = task->comm, .event = s->event};
	struct tally_of *tally;
	uint32_t stack;

	if (is_own(r, s->pid)) {
		sink_tally(r->sink, TALLY_OWN, 1);
		return;
	}
	if (!r->has_first) {
		r->has_first = true;
		r->first_ns = s->time;
		sink_start(r->sink, s->time);
	}
	key.node = node_of(r, s->chain, task);
	key.pid = r->needs & SINK_NEEDS_PID ? s->pid : UINT32_MAX;
	key.tid = r->needs & SINK_NEEDS_TID ? s->tid : UINT32_MAX;
	key.cpu = r->needs & SINK_NEEDS_CPU ? s->cpu : UINT32_MAX;
	key.slice = slice_of(r, s->time);
	stack = number_stack(r, &key);
	tally = &r->tallies[stack];
	tally->n++;
	tally->period += s->period;
	tally->last_ns = s->time;
}

static void take_fact(void *ctx, const char *key, struct span value)
{
	struct replay *r = ctx;

	sink_fact(r->sink, key, value);
}

static void note_own(void *ctx, uint32_t pid)
{
	struct replay *r = ctx;

	for (unsigned i = 0; i < OWN_PIDS; i++)
		if (!r->own[i]) {
			r->own[i] = pid;
			return;
		}
}

struct replay *replay_open(struct sink *sink)
{
	const struct options *o = sink_options(sink);
	struct symbols_options symbols = o->symbols;
	struct replay *r = xcalloc(1, sizeof *r);

	symbols.inlines = o->inlined;
	symbols.lines = o->srcline || o->context;
	r->sink = sink;
	r->needs = sink_needs(sink);
	r->wants_addrs = o->addrs || o->includeoffset;
	r->timeline = timeline_open(
	    &(struct timeline_handler){r, count_sample, take_fact, note_own}, symbols_open(&symbols));
	number_node(r, UINT32_MAX, UINT32_MAX);
	return r;
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	timeline_close(r->timeline);
	set_release(&r->place_set);
	set_release(&r->node_set);
	set_release(&r->stack_set);
	free(r->places);
	free(r->nodes);
	free(r->stacks);
	free(r->tallies);
	free(r->cache);
	free(r->chain);
	free(r->names);
	free(r->frames);
	free(r);
}

struct timeline *replay_timeline(struct replay *r)
{
	return r->timeline;
}

static size_t add_frames(struct replay *r, size_t n, const struct place *p, const struct symbol_frames *names)
{
	for (size_t i = 0; i < names->n; i++) {
		struct frame *f;

		r->frames = grow(r->frames, n, &r->frames_cap, sizeof *r->frames);
		f = &r->frames[n++];
		*f = names->frames[i];
		f->has_addr = r->wants_addrs;
		f->addr = p->addr;
		if (f->name.n && p->kind != PLACE_EXACT)
			f->offset = p->place + 1 - names->start;
		else if (f->name.n)
			f->offset = p->place - names->start;
	}
	return n;
}

static struct stack make_stack(struct replay *r, const struct stack_key *key)
{
	struct stack stack = stack_init();
	size_t n = 0;

	for (uint32_t at = key->node; at; at = r->nodes[at].parent) {
		uint32_t place = r->nodes[at].place;

		n = add_frames(r, n, &r->places[place], &r->names[place]);
	}
	stack.comm = tasks_comm(timeline_tasks(r->timeline), key->comm);
	stack.event = str_span(&timeline_event(r->timeline, key->event)->name);
	stack.pid = key->pid == UINT32_MAX && !(r->needs & SINK_NEEDS_PID) ? NO_ID : (int32_t)key->pid;
	stack.tid = key->tid == UINT32_MAX && !(r->needs & SINK_NEEDS_TID) ? NO_ID : (int32_t)key->tid;
	stack.cpu = r->needs & SINK_NEEDS_CPU ? (int32_t)key->cpu : NO_ID;
	stack.frames = r->frames;
	stack.nframes = n;
	return stack;
}

/* v whole units as a count, without overflow. */
static u128 counted(u128 v)
{
	u128 c;

	return __builtin_mul_overflow(v, COUNT_ONE, &c) ? COUNT_MAX : c;
}

static struct amount amount_of(
    const struct tally_of *tally, const struct timeline_event *event, enum replay_weight weight)
{
	struct amount a = {
	    .samples = count_of(tally->n),
	    .period = counted(tally->period),
	    .has_time = true,
	    .time_ns = tally->last_ns,
	};

	if (event->is_clock)
		a.time_us = count_scale(a.period, 1, 1000);
	if (weight == REPLAY_PERIOD)
		a.weight = a.period;
	else
		a.weight =
		    event->nominal_period ? count_scale(a.period, 1, event->nominal_period) : a.samples;
	return a;
}

static void name_places(struct replay *r)
{
	r->names = xcalloc(r->place_set.n ? r->place_set.n : 1, sizeof *r->names);
	for (uint32_t i = 0; i < r->place_set.n; i++) {
		const struct place *p = &r->places[i];

		r->names[i] = symbols_look_up(
		    timeline_symbols(r->timeline), p->object, p->place, (enum place_kind)p->kind);
	}
}

void replay_finish(struct replay *r, enum replay_weight weight)
{
	name_places(r);
	for (uint32_t i = 0; i < r->stack_set.n; i++) {
		struct stack stack = make_stack(r, &r->stacks[i]);
		const struct timeline_event *event = timeline_event(r->timeline, r->stacks[i].event);
		struct amount amount = amount_of(&r->tallies[i], event, weight);

		sink_count(r->sink, sink_stack(r->sink, &stack), &amount);
	}
}
