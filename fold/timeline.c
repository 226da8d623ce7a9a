/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples and side-band records of any binary profile, put in order of time. */
#include "fold/timeline.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/hash.h"

enum {
	CHAINS_MAX_ENTRIES = 8 << 20, /* 64 MiB of callchains are kept before they are thinned out */
	CHAINS_MAX = 2 << 20,
	STACKS_MAX = 32 << 20, /* bytes of stacks that wait for more samples to come */
	WAIT_AT_LEAST = 8192, /* items, so that many small rounds cost no more than a few large ones */
};

struct chain {
	size_t first;
	uint32_t n;
	uint8_t mode, exact;
	uint64_t hash;
};

/* Each distinct callchain once. */
struct chains {
	uint64_t *entries;
	size_t nentries, entries_cap;
	struct chain *items;
	uint32_t n;
	size_t cap;
	uint32_t *slots; /* number + 1, 0 = free */
	size_t nslots; /* a power of two */
};

struct item {
	uint64_t time;
	bool is_record;
	bool swap;
	union {
		struct timeline_sample sample;
		struct {
			size_t at, size; /* in records */
		} record;
	};
};

struct timeline {
	struct timeline_handler handler;
	struct symbols *symbols;
	struct tasks *tasks;
	struct timeline_event *events;
	uint32_t nevents;
	size_t events_cap;
	struct chains chains;
	uint32_t epoch;

	struct item *items;
	size_t n, cap;
	size_t left; /* by the last flush */
	struct item *scratch; /* for merging */
	size_t scratch_cap;
	struct str records; /* bytes of the records and stacks that wait */
	struct str stacks;
	struct unwinding unwinding;
};

struct timeline *timeline_open(const struct timeline_handler *handler, struct symbols *symbols)
{
	struct timeline *t = xcalloc(1, sizeof *t);

	t->handler = *handler;
	t->symbols = symbols;
	t->tasks = tasks_open(symbols);
	return t;
}

static void chains_release(struct chains *c)
{
	free(c->entries);
	free(c->items);
	free(c->slots);
}

void timeline_close(struct timeline *t)
{
	if (!t)
		return;
	unwinding_release(&t->unwinding);
	tasks_close(t->tasks);
	symbols_close(t->symbols);
	chains_release(&t->chains);
	for (uint32_t i = 0; i < t->nevents; i++)
		str_release(&t->events[i].name);
	free(t->events);
	free(t->items);
	free(t->scratch);
	str_release(&t->records);
	str_release(&t->stacks);
	free(t);
}

struct symbols *timeline_symbols(const struct timeline *t)
{
	return t->symbols;
}

struct tasks *timeline_tasks(const struct timeline *t)
{
	return t->tasks;
}

void timeline_fact(struct timeline *t, const char *key, struct span value)
{
	if (t->handler.fact && value.n)
		t->handler.fact(t->handler.ctx, key, value);
}

void timeline_own(struct timeline *t, uint32_t pid)
{
	if (t->handler.own)
		t->handler.own(t->handler.ctx, pid);
}

uint32_t timeline_add_event(struct timeline *t)
{
	t->events = grow(t->events, t->nevents, &t->events_cap, sizeof *t->events);
	t->events[t->nevents] = (struct timeline_event){0};
	return t->nevents++;
}

struct timeline_event *timeline_event(const struct timeline *t, uint32_t event)
{
	return &t->events[event];
}

uint32_t timeline_nevents(const struct timeline *t)
{
	return t->nevents;
}

static void chains_rehash(struct chains *c)
{
	free(c->slots);
	c->nslots = c->nslots ? c->nslots * 2 : 1024;
	c->slots = xcalloc(c->nslots, sizeof *c->slots);
	for (uint32_t i = 0; i < c->n; i++) {
		size_t at = c->items[i].hash & (c->nslots - 1);

		while (c->slots[at])
			at = (at + 1) & (c->nslots - 1);
		c->slots[at] = i + 1;
	}
}

static bool chain_is(
    const struct chains *c, uint32_t number, const uint64_t *entries, const struct chain *like)
{
	const struct chain *there = &c->items[number];

	return there->hash == like->hash && there->n == like->n && there->mode == like->mode &&
	       there->exact == like->exact &&
	       (like->n == 0 || memcmp(c->entries + there->first, entries, like->n * sizeof *entries) == 0);
}

static void keep_entries(struct chains *c, const uint64_t *entries, uint32_t n)
{
	while (c->entries_cap < c->nentries + n) {
		c->entries_cap = c->entries_cap ? c->entries_cap * 2 : 1 << 16;
		c->entries = xreallocarray(c->entries, c->entries_cap, sizeof *c->entries);
	}
	if (n)
		memcpy(c->entries + c->nentries, entries, n * sizeof *entries);
	c->nentries += n;
}

/* entries must not lie in c itself. */
static uint32_t chains_number(struct chains *c, const uint64_t *entries, struct chain like)
{
	size_t at;

	if ((size_t)c->n * 2 >= c->nslots)
		chains_rehash(c);
	for (at = like.hash & (c->nslots - 1); c->slots[at]; at = (at + 1) & (c->nslots - 1))
		if (chain_is(c, c->slots[at] - 1, entries, &like))
			return c->slots[at] - 1;
	like.first = c->nentries;
	keep_entries(c, entries, like.n);
	c->items = grow(c->items, c->n, &c->cap, sizeof *c->items);
	c->items[c->n] = like;
	c->slots[at] = ++c->n;
	return c->n - 1;
}

uint32_t timeline_chain(
    struct timeline *t, const uint64_t *entries, uint32_t n, enum perfrec_mode mode, bool exact)
{
	struct chain like = {.n = n, .mode = (uint8_t)mode, .exact = exact};

	like.hash = hash64_seed(entries, n * sizeof *entries, (uint64_t)mode * 2 + exact);
	return chains_number(&t->chains, entries, like);
}

uint32_t timeline_epoch(const struct timeline *t)
{
	return t->epoch;
}

struct callchain timeline_entries(const struct timeline *t, uint32_t chain)
{
	const struct chain *c = &t->chains.items[chain];

	return (struct callchain){
	    c->n ? t->chains.entries + c->first : NULL, c->n, (enum perfrec_mode)c->mode, c->exact};
}

static struct item *push(struct timeline *t, uint64_t time)
{
	t->items = grow(t->items, t->n, &t->cap, sizeof *t->items);
	t->items[t->n].time = time;
	return &t->items[t->n++];
}

void timeline_push(struct timeline *t, const struct timeline_sample *s, const struct user_stack *stack)
{
	struct item *item = push(t, s->time);

	item->is_record = false;
	item->sample = *s;
	item->sample.has_stack = stack != NULL;
	if (!stack)
		return;
	item->sample.extra = t->stacks.n;
	str_add(&t->stacks, (const char *)&stack->regs_abi, 8);
	str_add(&t->stacks, (const char *)&stack->regs_mask, 8);
	str_add(&t->stacks, (const char *)&stack->stack.n, 8);
	str_add(&t->stacks, (const char *)stack->regs, 8 * (size_t)__builtin_popcountll(stack->regs_mask));
	str_add(&t->stacks, stack->stack.p, stack->stack.n);
	/* Registers are read in place. */
	str_add(&t->stacks, "\0\0\0\0\0\0\0", -stack->stack.n & 7);
}

/* The registers and stack of a sample that has them. */
static struct user_stack timeline_stack(const struct timeline *t, const struct timeline_sample *s)
{
	const uint64_t *head = (const uint64_t *)(const void *)(t->stacks.p + s->extra);
	size_t nregs = (size_t)__builtin_popcountll(head[1]);

	return (struct user_stack){head[0], head[1], head + 3, {(const char *)(head + 3 + nregs), head[2]}};
}

void timeline_push_record(struct timeline *t, uint64_t time, const struct perfrec *rec, bool swap)
{
	struct item *item = push(t, time);

	item->is_record = true;
	item->swap = swap;
	item->record.at = t->records.n;
	item->record.size = sizeof *rec + rec->body.n;
	str_add(&t->records, (const char *)rec, sizeof *rec);
	str_add(&t->records, rec->body.p, rec->body.n);
}

/* Order of two items: by time, side-band first. */
static bool comes_after(const struct item *a, const struct item *b)
{
	if (a->time != b->time)
		return a->time > b->time;
	return !a->is_record && b->is_record;
}

/* The end of the run of items in order that begins at i. */
static size_t run_end(const struct item *items, size_t i, size_t n)
{
	while (++i < n && !comes_after(&items[i - 1], &items[i]))
		;
	return i;
}

static void merge(struct item *to, const struct item *a, size_t na, const struct item *b, size_t nb)
{
	while (na && nb) {
		if (comes_after(a, b)) {
			*to++ = *b++;
			nb--;
		} else {
			*to++ = *a++;
			na--;
		}
	}
	memcpy(to, na ? a : b, (na + nb) * sizeof *to);
}

/* A stable merge sort of the runs that are there: each CPU's items are in order already. */
static void sort_items(struct timeline *t)
{
	size_t nruns;

	if (t->scratch_cap < t->n) {
		t->scratch_cap = t->cap;
		t->scratch = xreallocarray(t->scratch, t->scratch_cap, sizeof *t->scratch);
	}
	do {
		size_t i = 0;
		struct item *swap = t->items;
		size_t cap = t->cap;

		if (run_end(t->items, 0, t->n) >= t->n)
			return;
		for (nruns = 0; i < t->n; nruns++) {
			size_t mid = run_end(t->items, i, t->n);
			size_t end = mid < t->n ? run_end(t->items, mid, t->n) : mid;

			merge(t->scratch + i, t->items + i, mid - i, t->items + mid, end - mid);
			i = end;
		}
		t->items = t->scratch;
		t->cap = t->scratch_cap;
		t->scratch = swap;
		t->scratch_cap = cap;
	} while (nruns > 1);
}

static void unwind(struct timeline *t, struct timeline_sample *s, const struct task *task)
{
	struct user_stack stack = timeline_stack(t, s);
	struct callchain chain = timeline_entries(t, s->chain);

	chain = unwinding_chain(&t->unwinding, t->symbols, task, &chain, &stack);
	s->chain = timeline_chain(t, chain.entries, chain.n, chain.mode, chain.exact);
}

static void hand_on(struct timeline *t, const struct item *item)
{
	struct timeline_sample sample;
	struct perfrec rec;
	const struct task *task;

	if (!item->is_record) {
		sample = item->sample;
		task = tasks_find(t->tasks, sample.pid, sample.tid);
		if (sample.has_stack)
			unwind(t, &sample, task);
		t->handler.sample(t->handler.ctx, &sample, task);
		return;
	}
	memcpy(&rec, t->records.p + item->record.at, sizeof rec);
	rec.body.p = t->records.p + item->record.at + sizeof rec;
	tasks_record(t->tasks, &rec, item->swap);
}

/* Moves the bytes that the items from first on need to the front of what is kept for them. */
static void keep_bytes(struct timeline *t, size_t first)
{
	struct str records = {0}, stacks = {0};

	for (size_t i = first; i < t->n; i++) {
		struct item *item = &t->items[i];

		if (item->is_record) {
			size_t at = records.n;

			str_add(&records, t->records.p + item->record.at, item->record.size);
			item->record.at = at;
		} else if (item->sample.has_stack) {
			struct user_stack u = timeline_stack(t, &item->sample);
			size_t at = stacks.n,
			       n = (size_t)(u.stack.p + u.stack.n - (t->stacks.p + item->sample.extra));

			str_add(&stacks, t->stacks.p + item->sample.extra, n + (-n & 7));
			item->sample.extra = at;
		}
	}
	str_release(&t->records);
	str_release(&t->stacks);
	t->records = records;
	t->stacks = stacks;
}

/* Starts a new set of chains with those that the waiting samples need. */
static void thin_out_chains(struct timeline *t)
{
	struct chains old = t->chains;

	t->chains = (struct chains){0};
	for (size_t i = 0; i < t->n; i++) {
		struct item *item = &t->items[i];

		if (!item->is_record) {
			const struct chain *c = &old.items[item->sample.chain];

			item->sample.chain =
			    chains_number(&t->chains, c->n ? old.entries + c->first : NULL, *c);
		}
	}
	chains_release(&old);
	t->epoch++;
}

void timeline_flush(struct timeline *t, uint64_t until)
{
	size_t done = 0;

	if (until != TIMELINE_END && t->n < 2 * t->left + WAIT_AT_LEAST && t->stacks.n < STACKS_MAX)
		return;
	sort_items(t);
	for (; done < t->n && (t->items[done].time < until || until == TIMELINE_END); done++)
		hand_on(t, &t->items[done]);
	t->left = t->n - done;
	if (!done)
		return;
	keep_bytes(t, done);
	memmove(t->items, t->items + done, (t->n - done) * sizeof *t->items);
	t->n -= done;
	if (t->chains.nentries > CHAINS_MAX_ENTRIES || t->chains.n > CHAINS_MAX)
		thin_out_chains(t);
}

size_t timeline_waiting(const struct timeline *t)
{
	return t->n;
}

uint64_t timeline_middle(const struct timeline *t)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < t->n; i++) {
		low = t->items[i].time < low ? t->items[i].time : low;
		high = t->items[i].time > high ? t->items[i].time : high;
	}
	return low <= high ? low + (high - low) / 2 + 1 : 0;
}
