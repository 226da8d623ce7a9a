/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces in Chrome's JSON: slices (complete events, and pairs of begin and end), whose own time is folded in microseconds, and the
   samples of V8's profiler that DevTools puts into the same file, which are an event of their own and come first. */
#include <stdlib.h>

#include "fold/callframe.h"
#include "fold/jsontext.h"
#include "fold/reader.h"

struct slice {
	u128 start, end; /* microseconds */
	uint32_t thread, name;
	size_t order; /* in which it began */
};

struct thread {
	int32_t pid, tid;
	struct span name; /* empty: not told */
	u128 last; /* the latest moment that its events mention */
	size_t *open; /* indices of slices that have begun and not ended */
	size_t nopen, open_cap;
};

/* What one "Profile" event and its chunks hold. */
struct profile {
	uint32_t thread;
	struct nodes nodes;
	struct numbers samples, deltas;
	int64_t start_us;
};

struct chrome {
	struct sink *sink;
	struct work work; /* of all profiles and slices */
	struct intern names;
	struct intern thread_keys, profile_keys; /* "PID/TID" and "PID/ID" as written */
	struct thread *threads;
	size_t nthreads, threads_cap;
	struct profile *profiles;
	size_t nprofiles, profiles_cap;
	struct slice *slices;
	size_t nslices, slices_cap;
	struct str key;
	uint64_t damaged; /* events that lack what their kind needs */
};

static bool probe(struct span head)
{
	if (!jsontext_is_json(head))
		return false;
	return jsontext_has_key(head, "traceEvents") ||
	       (jsontext_has_key(head, "ph") && jsontext_has_key(head, "ts"));
}

static void add_key(struct str *key, const struct json *v)
{
	int64_t n;

	if (json_integer_of(v, &n))
		str_addf(key, "%lld", (long long)n);
	else
		str_add(key, json_text(v).p, json_text(v).n);
}

static int32_t small_id(const struct json *v)
{
	int64_t n;

	return json_integer_of(v, &n) && n >= 0 && n <= INT32_MAX ? (int32_t)n : NO_ID;
}

static uint32_t find_thread(struct chrome *c, const struct json *event)
{
	const struct json *pid = json_member(event, "pid"), *tid = json_member(event, "tid");
	uint32_t i;

	str_reset(&c->key);
	add_key(&c->key, pid);
	str_addc(&c->key, '/');
	add_key(&c->key, tid);
	i = intern(&c->thread_keys, str_span(&c->key));
	if (i == c->nthreads) {
		c->threads = grow(c->threads, c->nthreads, &c->threads_cap, sizeof *c->threads);
		c->threads[c->nthreads++] = (struct thread){.pid = small_id(pid), .tid = small_id(tid)};
	}
	return i;
}

static struct profile *find_profile(struct chrome *c, const struct json *event)
{
	uint32_t i;

	str_reset(&c->key);
	add_key(&c->key, json_member(event, "pid"));
	str_addc(&c->key, '/');
	add_key(&c->key, json_member(event, "id"));
	i = intern(&c->profile_keys, str_span(&c->key));
	if (i == c->nprofiles) {
		c->profiles = grow(c->profiles, c->nprofiles, &c->profiles_cap, sizeof *c->profiles);
		c->profiles[c->nprofiles++] = (struct profile){.thread = find_thread(c, event)};
	}
	return &c->profiles[i];
}

static void begin_slice(struct chrome *c, const struct json *event, u128 start, u128 end)
{
	uint32_t thread = find_thread(c, event),
		 name = intern(&c->names, json_text(json_member(event, "name")));

	c->slices = grow(c->slices, c->nslices, &c->slices_cap, sizeof *c->slices);
	c->slices[c->nslices] = (struct slice){start, end, thread, name, c->nslices};
	c->nslices++;
	if (c->threads[thread].last < end)
		c->threads[thread].last = end;
}

/* {"ph":"X","ts":1.5,"dur":2.25,...} */
static bool read_complete(struct chrome *c, const struct json *event)
{
	u128 start, duration = 0;

	if (!json_count_of(json_member(event, "ts"), &start))
		return false;
	json_count_of(json_member(event, "dur"), &duration);
	begin_slice(c, event, start, count_sum(start, duration));
	return true;
}

static bool read_begin(struct chrome *c, const struct json *event)
{
	struct thread *t;
	u128 start;

	if (!json_count_of(json_member(event, "ts"), &start))
		return false;
	begin_slice(c, event, start, start);
	t = &c->threads[c->slices[c->nslices - 1].thread];
	t->open = grow(t->open, t->nopen, &t->open_cap, sizeof *t->open);
	t->open[t->nopen++] = c->nslices - 1;
	return true;
}

/* Ends the slice that began last in the same thread. */
static bool read_end(struct chrome *c, const struct json *event)
{
	uint32_t thread = find_thread(c, event);
	struct thread *t = &c->threads[thread];
	struct slice *slice;
	u128 end;

	if (!t->nopen || !json_count_of(json_member(event, "ts"), &end))
		return false;
	slice = &c->slices[t->open[--t->nopen]];
	if (end < slice->start)
		return false;
	slice->end = end;
	if (t->last < end)
		t->last = end;
	return true;
}

static void append(struct numbers *v, const struct json *list)
{
	for (size_t i = 0; i < json_length(list); i++) {
		int64_t n;

		if (!json_integer_of(json_item(list, i), &n))
			n = INT64_MIN;
		v->items = grow(v->items, v->n, &v->cap, sizeof *v->items);
		v->items[v->n++] = n;
	}
}

static void read_node(struct nodes *t, const struct json *v)
{
	const struct json *children = json_member(v, "children");
	int64_t id;
	uint32_t node;

	if (!json_integer_of(json_member(v, "id"), &id))
		return;
	node = nodes_at(t, id);
	callframe_set(t, node, json_member(v, "callFrame"));
	if (json_integer_of(json_member(v, "parent"), &id))
		callframe_set_parent(t, node, nodes_at(t, id));
	for (size_t i = 0; i < json_length(children); i++)
		if (json_integer_of(json_item(children, i), &id))
			callframe_set_parent(t, nodes_at(t, id), node);
}

/* "Profile" has the start, each "ProfileChunk" more nodes and samples; "CpuProfile" of older versions has all. */
static bool read_profile(struct chrome *c, const struct json *event)
{
	const struct json *data = json_member(json_member(event, "args"), "data");
	const struct json *profile = json_member(data, "cpuProfile"), *nodes = json_member(profile, "nodes");
	struct profile *p;

	if (!data)
		return false;
	p = find_profile(c, event);
	json_integer_of(json_member(data, "startTime"), &p->start_us);
	for (size_t i = 0; i < json_length(nodes); i++)
		read_node(&p->nodes, json_item(nodes, i));
	append(&p->samples, json_member(profile, "samples"));
	append(&p->deltas, json_member(data, "timeDeltas"));
	append(&p->deltas, json_member(profile, "timeDeltas"));
	return true;
}

/* {"ph":"M","name":"thread_name","args":{"name":"Main"}} */
static void read_metadata(struct chrome *c, const struct json *event)
{
	struct span name = json_text(json_member(json_member(event, "args"), "name"));
	uint32_t thread = find_thread(c, event);

	if (span_eq(json_text(json_member(event, "name")), SPAN("thread_name")))
		c->threads[thread].name = intern_span(&c->names, intern(&c->names, name));
}

static bool is_profile(struct span name)
{
	return span_eq(name, SPAN("Profile")) || span_eq(name, SPAN("ProfileChunk")) ||
	       span_eq(name, SPAN("CpuProfile"));
}

/* Other kinds of events, as counters and flows, have no stack. */
static void read_event(struct chrome *c, const struct json *event)
{
	struct span kind = json_text(json_member(event, "ph"));
	bool good = true;

	if (is_profile(json_text(json_member(event, "name"))) && json_member(event, "args"))
		good = read_profile(c, event);
	else if (span_eq(kind, SPAN("X")))
		good = read_complete(c, event);
	else if (span_eq(kind, SPAN("B")))
		good = read_begin(c, event);
	else if (span_eq(kind, SPAN("E")))
		good = read_end(c, event);
	else if (span_eq(kind, SPAN("M")))
		read_metadata(c, event);
	c->damaged += !good;
}

static void read_events(struct chrome *c, struct json_walk *w)
{
	if (!json_walk_enter(w))
		return;
	while (json_walk_item(w)) {
		struct json *event = json_walk_load(w);

		read_event(c, event);
		json_free(event);
	}
}

static void read_document(struct chrome *c, struct json_walk *w)
{
	struct span key;

	if (json_walk_kind(w) == '[') {
		read_events(c, w);
		/* The closing bracket of the array is optional. */
		if (w->failed && w->at >= w->text.n)
			w->failed = NULL;
		return;
	}
	json_walk_enter(w);
	while (json_walk_member(w, &key)) {
		if (span_eq(key, SPAN("traceEvents")))
			read_events(c, w);
		else
			json_walk_skip(w);
	}
}

static struct stack thread_stack(const struct chrome *c, uint32_t thread)
{
	struct stack stack = stack_init();

	stack.comm = c->threads[thread].name;
	stack.pid = c->threads[thread].pid;
	stack.tid = c->threads[thread].tid;
	stack.verbatim = true;
	return stack;
}

static void add_samples(struct chrome *c, struct profile *p)
{
	struct stack stack = thread_stack(c, p->thread);
	struct chain chain = {0};
	int64_t now = p->start_us;

	p->nodes.work = c->work;
	stack.event = SPAN("samples");
	stack.amount.weight = stack.amount.samples = COUNT_ONE;
	for (size_t i = 0; i < p->samples.n; i++) {
		int64_t next = numbers_at(&p->deltas, i + 1);

		now = callframe_later(now, numbers_at(&p->deltas, i));
		stack.amount.time_us = count_of(next > 0 ? (uint64_t)next : 0);
		stack.amount.has_time = p->deltas.n > 0 && now >= 0;
		stack.amount.time_ns = (uint64_t)now * 1000;
		nodes_count(&p->nodes, nodes_at(&p->nodes, p->samples.items[i]), &chain, c->sink, &stack);
	}
	c->work = p->nodes.work;
	chain_release(&chain);
}

static int order(u128 a, u128 b)
{
	return (a > b) - (a < b);
}

/* By thread and start; of those that start together the longer one is around the other. */
static int compare(const void *pa, const void *pb)
{
	const struct slice *a = pa, *b = pb;
	int by = order(a->thread, b->thread);

	by = by ? by : order(a->start, b->start);
	by = by ? by : order(b->end, a->end);
	return by ? by : order(a->order, b->order);
}

/* The sweep over one thread's slices: what is open, and up to where its time has been counted. */
struct sweep {
	struct path path;
	u128 *ends; /* of the slices open */
	size_t ends_cap;
	u128 now;
};

/* Counts the time up to a moment, for the innermost slice that is open at each. */
static void advance(struct sweep *s, u128 to)
{
	while (s->path.n && s->ends[s->path.n - 1] <= to) {
		path_self(&s->path, s->ends[s->path.n - 1] - s->now);
		s->now = s->ends[s->path.n - 1];
		path_leave(&s->path, s->path.n - 1);
	}
	if (s->path.n)
		path_self(&s->path, to - s->now);
	s->now = to;
}

/* A slice that outlasts the one around it is cut there. */
static void enter(struct chrome *c, struct sweep *s, const struct slice *slice)
{
	struct frame f = {.name = intern_span(&c->names, slice->name)};
	size_t depth = s->path.n;
	u128 end = slice->end;

	if (depth && end > s->ends[depth - 1]) {
		end = s->ends[depth - 1];
		c->damaged++;
	}
	s->ends = grow(s->ends, depth, &s->ends_cap, sizeof *s->ends);
	s->ends[depth] = end;
	if (!path_enter(&s->path, depth, &f, 0))
		c->damaged++;
}

static void add_slices(struct chrome *c)
{
	struct sweep s = {.path = {.sink = c->sink, .work = c->work, .us = 1}};

	if (c->nslices)
		qsort(c->slices, c->nslices, sizeof *c->slices, compare);
	for (size_t i = 0; i < c->nslices; i++) {
		const struct slice *slice = &c->slices[i];

		if (!i || slice->thread != slice[-1].thread) {
			advance(&s, COUNT_MAX);
			s.path.stack = thread_stack(c, slice->thread);
			s.path.stack.event = SPAN("slices");
		}
		advance(&s, slice->start);
		enter(c, &s, slice);
	}
	advance(&s, COUNT_MAX);
	path_release(&s.path);
	free(s.ends);
}

/* Slices that have not ended last until the end of their thread. */
static void end_open(struct chrome *c)
{
	for (size_t i = 0; i < c->nthreads; i++)
		for (size_t k = 0; k < c->threads[i].nopen; k++)
			c->slices[c->threads[i].open[k]].end = c->threads[i].last;
}

static void add_all(struct chrome *c)
{
	bool samples = false;

	for (size_t i = 0; i < c->nprofiles; i++)
		samples |= c->profiles[i].samples.n > 0;
	sink_fact(c->sink, "weight", samples ? SPAN("samples") : SPAN("time"));
	for (size_t i = 0; i < c->nprofiles; i++)
		add_samples(c, &c->profiles[i]);
	end_open(c);
	add_slices(c);
	sink_tally(c->sink, TALLY_DAMAGED, c->damaged);
}

static void release(struct chrome *c)
{
	for (size_t i = 0; i < c->nthreads; i++)
		free(c->threads[i].open);
	for (size_t i = 0; i < c->nprofiles; i++) {
		nodes_release(&c->profiles[i].nodes);
		numbers_release(&c->profiles[i].samples);
		numbers_release(&c->profiles[i].deltas);
	}
	free(c->threads);
	free(c->profiles);
	free(c->slices);
	intern_release(&c->names);
	intern_release(&c->thread_keys);
	intern_release(&c->profile_keys);
	str_release(&c->key);
}

static bool read(struct input *in, struct sink *sink)
{
	struct chrome c = {.sink = sink, .work.in = in};
	struct json_walk w = {.text = input_rest(in)};

	read_document(&c, &w);
	add_all(&c);
	release(&c);
	return jsontext_finish(&w, in, "the trace");
}

const struct reader reader_chrome = {
    "chrome-trace", "Chrome's trace of events, DevTools' profile", probe, read};
