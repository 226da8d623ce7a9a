/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine that the readers of binary profiles share: counts distinct stacks while samples pass by, and hands them to the sink
   with their names at the end. */
#include "fold/replay.h"

#include <stdlib.h>

#include "fold/paths.h"
#include "lib/arena.h"
#include "lib/hash.h"

enum {
	FIRST_SLOTS = 1 << 12,
	CACHE_MAX = 1 << 20, /* (space, chain) pairs remembered; a cache: it is emptied when it is full */
	OWN_PIDS = 4,
	ANY = -1, /* what the sink does not ask for */
};

/* A stack as the sink has to tell it from others. */
struct stack_key {
	uint32_t node, comm, event;
	int32_t pid, tid, cpu;
	uint32_t slice; /* of time */
};

struct tally_of {
	uint64_t n;
	u128 period;
	uint64_t last_ns;
};

/* Distinct keys, numbered from 0 in order of appearance, with their tallies. */
struct stack_table {
	struct stack_key *keys;
	struct tally_of *tallies;
	uint32_t n;
	size_t keys_cap, tallies_cap;
	uint32_t *slots; /* number + 1, 0 = free */
	size_t nslots; /* a power of two */
};

/* Which node a chain in a state of a process's mappings is, and which stack it was last. */
struct cached {
	uint64_t key; /* generation << 32 | chain */
	uint32_t node; /* + 1; 0 = free */
	uint32_t stack;
};

struct replay {
	struct sink *sink;
	unsigned needs;
	struct timeline *timeline;
	struct paths *paths;
	struct stack_table stacks;
	uint32_t own[OWN_PIDS];
	uint64_t first_ns;
	bool has_first;
	struct cached *cache;
	size_t cache_slots, cache_n;
	uint32_t cache_epoch;
};

static bool key_eq(const struct stack_key *a, const struct stack_key *b)
{
	return a->node == b->node && a->comm == b->comm && a->event == b->event && a->pid == b->pid &&
	       a->tid == b->tid && a->cpu == b->cpu && a->slice == b->slice;
}

static size_t key_slot(const struct stack_table *t, const struct stack_key *key)
{
	size_t i = hash64(key, sizeof *key) & (t->nslots - 1);

	while (t->slots[i] && !key_eq(&t->keys[t->slots[i] - 1], key))
		i = (i + 1) & (t->nslots - 1);
	return i;
}

static uint32_t stack_number(struct stack_table *t, const struct stack_key *key)
{
	size_t i;

	if ((size_t)t->n * 2 >= t->nslots) {
		t->nslots = t->nslots ? t->nslots * 2 : FIRST_SLOTS;
		free(t->slots);
		t->slots = xcalloc(t->nslots, sizeof *t->slots);
		for (uint32_t n = 0; n < t->n; n++)
			t->slots[key_slot(t, &t->keys[n])] = n + 1;
	}
	i = key_slot(t, key);
	if (t->slots[i])
		return t->slots[i] - 1;
	t->keys = grow(t->keys, t->n, &t->keys_cap, sizeof *t->keys);
	t->tallies = grow(t->tallies, t->n, &t->tallies_cap, sizeof *t->tallies);
	t->keys[t->n] = *key;
	t->tallies[t->n] = (struct tally_of){0};
	t->slots[i] = ++t->n;
	return t->n - 1;
}

static void stacks_release(struct stack_table *t)
{
	free(t->keys);
	free(t->tallies);
	free(t->slots);
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

	r->cache_slots = n ? n * 2 : FIRST_SLOTS;
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

/* A sample's chain: found again at once while neither the process's mappings nor the chain are new. */
static struct cached *find_chain(struct replay *r, uint32_t chain, const struct task *task)
{
	uint64_t key = (uint64_t)task->process->space->generation << 32 | chain;
	struct callchain entries;
	size_t i;

	if (r->cache_epoch != timeline_epoch(r->timeline) || r->cache_n >= CACHE_MAX)
		empty_cache(r);
	if (r->cache_n * 2 >= r->cache_slots)
		grow_cache(r);
	i = cache_slot(r, key);
	if (r->cache[i].node)
		return &r->cache[i];
	entries = timeline_entries(r->timeline, chain);
	r->cache[i] = (struct cached){key, paths_add(r->paths, task, &entries) + 1, UINT32_MAX};
	r->cache_n++;
	return &r->cache[i];
}

/* What the sink does with a sample depends on the slice of time it falls into, and on which side of --time's ends. */
static uint32_t slice_of(struct replay *r, uint64_t time_ns)
{
	const struct options *o = sink_options(r->sink);
	uint64_t at, slice = 0;

	if (!(r->needs & SINK_NEEDS_TIME))
		return 0;
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

static uint32_t stack_of(struct replay *r, const struct timeline_sample *s, const struct task *task)
{
	struct cached *c = find_chain(r, s->chain, task);
	struct stack_key key = {
	    .node = c->node - 1,
	    .comm = task->comm,
	    .event = s->event,
	    .pid = r->needs & SINK_NEEDS_PID ? (int32_t)s->pid : ANY,
	    .tid = r->needs & SINK_NEEDS_TID ? (int32_t)s->tid : ANY,
	    .cpu = r->needs & SINK_NEEDS_CPU ? (int32_t)s->cpu : ANY,
	    .slice = slice_of(r, s->time),
	};

	if (c->stack == UINT32_MAX || !key_eq(&r->stacks.keys[c->stack], &key))
		c->stack = stack_number(&r->stacks, &key);
	return c->stack;
}

static void count_sample(void *ctx, const struct timeline_sample *s, const struct task *task)
{
	struct replay *r = ctx;
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
	stack = stack_of(r, s, task);
	tally = &r->stacks.tallies[stack];
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
	r->paths = paths_open(o->addrs || o->includeoffset);
	r->timeline = timeline_open(
	    &(struct timeline_handler){r, count_sample, take_fact, note_own}, symbols_open(&symbols));
	return r;
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	timeline_close(r->timeline);
	paths_close(r->paths);
	stacks_release(&r->stacks);
	free(r->cache);
	free(r);
}

struct timeline *replay_timeline(struct replay *r)
{
	return r->timeline;
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

static void hand_over(
    struct replay *r, const struct stack_key *key, const struct tally_of *tally, enum replay_weight weight)
{
	const struct timeline_event *event = timeline_event(r->timeline, key->event);
	struct amount amount = amount_of(tally, event, weight);
	struct stack stack = stack_init();

	stack.frames = paths_frames(r->paths, key->node, &stack.nframes);
	stack.comm = tasks_comm(timeline_tasks(r->timeline), key->comm);
	stack.event = str_span(&event->name);
	if (r->needs & SINK_NEEDS_PID)
		stack.pid = key->pid;
	if (r->needs & SINK_NEEDS_TID)
		stack.tid = key->tid;
	if (r->needs & SINK_NEEDS_CPU)
		stack.cpu = key->cpu;
	sink_count(r->sink, sink_stack(r->sink, &stack), &amount);
}

/* Stacks that have become the same by their names, added up. */
static struct stack_table merge_named(struct replay *r)
{
	struct stack_table named = {0};

	for (uint32_t i = 0; i < r->stacks.n; i++) {
		struct stack_key key = r->stacks.keys[i];
		struct tally_of *to;
		uint32_t number;

		key.node = paths_same(r->paths, key.node);
		number = stack_number(&named, &key);
		to = &named.tallies[number];
		to->n += r->stacks.tallies[i].n;
		to->period += r->stacks.tallies[i].period;
		if (to->last_ns < r->stacks.tallies[i].last_ns)
			to->last_ns = r->stacks.tallies[i].last_ns;
	}
	return named;
}

void replay_finish(struct replay *r, enum replay_weight weight)
{
	struct stack_table named;

	paths_name(r->paths, timeline_symbols(r->timeline), r->sink);
	named = merge_named(r);
	/* The sink takes the event that it sees first for the one that is meant. */
	for (uint32_t event = 0; event < timeline_nevents(r->timeline); event++)
		for (uint32_t i = 0; i < named.n; i++)
			if (named.keys[i].event == event)
				hand_over(r, &named.keys[i], &named.tallies[i], weight);
	stacks_release(&named);
}
