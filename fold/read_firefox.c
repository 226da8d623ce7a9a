/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processed profiles of the Firefox Profiler, which samply and others write too: per thread tables of stacks, frames, functions
   and texts in columns; newer versions share the tables between threads. */
#include <stdlib.h>

#include "fold/jsontext.h"
#include "fold/nodes.h"
#include "fold/reader.h"
#include "fold/text.h"

/* A thread's tables, or those that all share, as places in the text. text.n is 0 for what is absent. */
struct tables {
	struct json_walk stacks, frames, functions, strings;
};

struct thread {
	struct tables tables;
	struct json_walk samples;
	struct str name, weight_type;
	int64_t pid, tid;
};

/* Columns of the tables. */
struct columns {
	struct numbers stack_frame, stack_prefix;
	struct numbers frame_function, frame_line, frame_address, frame_depth;
	struct numbers function_name, function_file;
};

struct strings {
	struct intern texts;
	struct span *items;
	size_t n, cap;
};

/* Where a thread finds what its stacks are made of: in tables of its own, or in shared ones. */
struct view {
	const struct columns *stacks, *frames, *functions;
	const struct strings *strings;
};

struct firefox {
	struct sink *sink;
	struct tables shared;
	struct columns shared_columns;
	struct strings shared_strings;
	struct nodes shared_nodes; /* made by the first thread without a table of its own */
	struct chain chain;
	u128 interval_us;
	uint64_t damaged;
};

static bool probe(struct span head)
{
	return jsontext_is_json(head) && jsontext_has_key(head, "preprocessedProfileVersion");
}

static void read_strings(struct strings *s, struct json_walk w)
{
	struct str text = {0};

	if (!w.text.n || !json_walk_enter(&w))
		return;
	while (json_walk_item(&w)) {
		json_walk_text(&w, &text);
		s->items = grow(s->items, s->n, &s->cap, sizeof *s->items);
		s->items[s->n++] = intern_span(&s->texts, intern(&s->texts, str_span(&text)));
	}
	str_release(&text);
}

/* Reads the columns that are asked for out of a table {"name":[...],...}. */
struct wanted {
	const char *name;
	struct numbers *to;
};

static void read_table(struct json_walk w, const struct wanted *wanted, size_t n)
{
	struct span key;

	if (!w.text.n || !json_walk_enter(&w))
		return;
	while (json_walk_member(&w, &key)) {
		size_t i = 0;

		while (i < n && !span_eq(span_of(wanted[i].name), key))
			i++;
		if (i < n)
			numbers_read(wanted[i].to, &w);
		else
			json_walk_skip(&w);
	}
}

static void read_columns(struct columns *c, const struct tables *t)
{
	const struct wanted stacks[] = {{"frame", &c->stack_frame}, {"prefix", &c->stack_prefix}};
	const struct wanted frames[] = {{"func", &c->frame_function}, {"line", &c->frame_line},
	    {"address", &c->frame_address}, {"inlineDepth", &c->frame_depth}};
	const struct wanted functions[] = {{"name", &c->function_name}, {"fileName", &c->function_file}};

	read_table(t->stacks, stacks, 2);
	read_table(t->frames, frames, 4);
	read_table(t->functions, functions, 2);
}

static void release_columns(struct columns *c)
{
	struct numbers *all[] = {&c->stack_frame, &c->stack_prefix, &c->frame_function, &c->frame_line,
	    &c->frame_address, &c->frame_depth, &c->function_name, &c->function_file};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		numbers_release(all[i]);
}

static void release_strings(struct strings *s)
{
	free(s->items);
	intern_release(&s->texts);
}

static struct span string_at(const struct strings *s, int64_t i)
{
	return i >= 0 && (uint64_t)i < s->n ? s->items[i] : SPAN("");
}

/* The cell of a column at an index that another column holds. */
static int64_t cell(const struct numbers *column, int64_t i)
{
	return i >= 0 ? numbers_at(column, (size_t)i) : INT64_MIN;
}

static struct frame make_frame(const struct view *v, size_t stack)
{
	int64_t frame = numbers_at(&v->stacks->stack_frame, stack);
	int64_t function = cell(&v->frames->frame_function, frame),
		line = cell(&v->frames->frame_line, frame);
	int64_t address = cell(&v->frames->frame_address, frame);
	struct frame f = {0};

	f.name = string_at(v->strings, cell(&v->functions->function_name, function));
	f.file = string_at(v->strings, cell(&v->functions->function_file, function));
	if (line > 0 && line <= UINT32_MAX)
		f.line = (uint32_t)line;
	f.has_addr = address >= 0;
	f.addr = f.has_addr ? (uint64_t)address : 0;
	f.inlined = cell(&v->frames->frame_depth, frame) > 0;
	return f;
}

/* The nodes are the stacks: numbered as the file does. */
static void make_nodes(struct nodes *t, const struct view *v)
{
	size_t n = v->stacks->stack_frame.n;

	for (size_t i = 0; i < n; i++)
		nodes_at(t, (int64_t)i);
	for (size_t i = 0; i < n; i++) {
		int64_t prefix = numbers_at(&v->stacks->stack_prefix, i);

		t->items[i].frame = make_frame(v, i);
		if (prefix >= 0 && (uint64_t)prefix < n && (uint64_t)prefix != i)
			t->items[i].parent = (uint32_t)prefix;
		t->items[i].is_root =
		    t->items[i].parent == NODE_NONE && span_eq(t->items[i].frame.name, SPAN("(root)"));
	}
}

/* The samples table: columns as text, because weights and times are decimals. */
struct samples {
	struct numbers stacks;
	struct json_walk weights, times;
};

static void read_samples(struct samples *s, struct json_walk w)
{
	struct span key;

	if (!w.text.n || !json_walk_enter(&w))
		return;
	while (json_walk_member(&w, &key)) {
		if (span_eq(key, SPAN("stack"))) {
			numbers_read(&s->stacks, &w);
			continue;
		}
		if (span_eq(key, SPAN("weight")) && json_walk_kind(&w) == '[')
			s->weights = w;
		else if (span_eq(key, SPAN("time")))
			s->times = w;
		json_walk_skip(&w);
	}
}

/* The next of a column; false when there is none, or it is null or negative. */
static bool next_count(struct json_walk *w, u128 *n)
{
	return w->text.n && json_walk_item(w) && json_walk_count(w, n);
}

static void enter_column(struct json_walk *w)
{
	if (w->text.n && !json_walk_enter(w))
		w->text.n = 0;
}

/* Weights are samples, unless they are said to be milliseconds or bytes. */
static void set_amount(struct stack *stack, u128 weight, struct span type, u128 interval_us)
{
	struct amount *a = &stack->amount;

	a->weight = weight;
	a->samples = a->time_us = 0;
	if (span_eq(type, SPAN("tracing-ms"))) {
		a->weight = a->time_us = count_scale(weight, 1000, 1);
	} else if (!span_eq(type, SPAN("bytes"))) {
		a->samples = weight;
		a->time_us = count_scale(interval_us, (uint64_t)(weight / COUNT_ONE), 1);
	}
}

static int32_t small_id(int64_t n)
{
	return n >= 0 && n <= INT32_MAX ? (int32_t)n : NO_ID;
}

/* A sample without a stack is the thread's own. */
static void add_sample(struct firefox *x, struct nodes *nodes, int64_t node, struct stack *stack)
{
	if (node >= 0 && (uint64_t)node < nodes->n) {
		nodes_count(nodes, (uint32_t)node, &x->chain, x->sink, stack);
		return;
	}
	stack->nframes = 0;
	if (!stack->comm.n)
		chain_refer(&x->chain, &(struct frame){0});
	stack->frames = x->chain.frames;
	stack->nframes = x->chain.n;
	sink_add(x->sink, stack);
	chain_reset(&x->chain);
}

static void add_samples(struct firefox *x, const struct thread *thread, struct nodes *nodes)
{
	struct samples s = {0};
	struct stack stack = stack_init();
	u128 weight, time;

	read_samples(&s, thread->samples);
	enter_column(&s.weights);
	enter_column(&s.times);
	stack.comm = str_span(&thread->name);
	stack.verbatim = true;
	stack.pid = small_id(thread->pid);
	stack.tid = small_id(thread->tid);
	for (size_t i = 0; i < s.stacks.n; i++) {
		weight = COUNT_ONE;
		if (s.weights.text.n && !next_count(&s.weights, &weight))
			weight = 0, x->damaged++;
		stack.amount.has_time = next_count(&s.times, &time);
		if (stack.amount.has_time)
			stack.amount.time_ns = (uint64_t)(count_scale(time, 1000000, 1) / COUNT_ONE);
		set_amount(&stack, weight, str_span(&thread->weight_type), x->interval_us);
		if (weight)
			add_sample(x, nodes, s.stacks.items[i], &stack);
	}
	numbers_release(&s.stacks);
}

/* A thread with tables of its own; what it lacks is shared. */
static void add_own(struct firefox *x, const struct thread *thread)
{
	struct columns columns = {0};
	struct strings strings = {0};
	struct nodes nodes = {.work = x->shared_nodes.work};
	const struct tables *t = &thread->tables;
	struct view v = {t->stacks.text.n ? &columns : &x->shared_columns,
	    t->frames.text.n ? &columns : &x->shared_columns,
	    t->functions.text.n ? &columns : &x->shared_columns,
	    t->strings.text.n ? &strings : &x->shared_strings};

	read_columns(&columns, t);
	read_strings(&strings, t->strings);
	make_nodes(&nodes, &v);
	add_samples(x, thread, &nodes);
	x->shared_nodes.work = nodes.work;
	nodes_release(&nodes);
	release_columns(&columns);
	release_strings(&strings);
}

static void add_thread(struct firefox *x, const struct thread *thread)
{
	struct view v = {&x->shared_columns, &x->shared_columns, &x->shared_columns, &x->shared_strings};

	if (thread->tables.stacks.text.n) {
		add_own(x, thread);
		return;
	}
	if (!x->shared_nodes.n)
		make_nodes(&x->shared_nodes, &v);
	nodes_forget(&x->shared_nodes);
	add_samples(x, thread, &x->shared_nodes);
}

/* Takes note of a table's place; false when key is none. */
static bool read_table_place(struct tables *t, struct json_walk *w, struct span key)
{
	struct json_walk *place = NULL;

	if (span_eq(key, SPAN("stackTable")))
		place = &t->stacks;
	else if (span_eq(key, SPAN("frameTable")))
		place = &t->frames;
	else if (span_eq(key, SPAN("funcTable")))
		place = &t->functions;
	else if (span_eq(key, SPAN("stringArray")) || span_eq(key, SPAN("stringTable")))
		place = &t->strings;
	if (!place)
		return false;
	*place = *w;
	json_walk_skip(w);
	return true;
}

static void read_shared(struct firefox *x, struct json_walk *w)
{
	struct span key;

	if (!json_walk_enter(w))
		return;
	while (json_walk_member(w, &key))
		if (!read_table_place(&x->shared, w, key))
			json_walk_skip(w);
}

/* Identifiers are numbers, or texts such as "1234" and "1234.1". */
static int64_t read_id(struct json_walk *w)
{
	struct str text = {0};
	struct span rest;
	int64_t n = -1;
	uint64_t u;

	if (json_walk_kind(w) != '"') {
		json_walk_integer(w, &n);
		return n;
	}
	json_walk_text(w, &text);
	rest = str_span(&text);
	if (text_cut_number(&rest, &u) && u <= INT64_MAX)
		n = (int64_t)u;
	str_release(&text);
	return n;
}

/* Where samples have their weights' type: beside them, as the thread's other members are read. */
static void read_weight_type(struct thread *t)
{
	struct json_walk w = t->samples;
	struct span key;

	if (!w.text.n || !json_walk_enter(&w))
		return;
	while (json_walk_member(&w, &key)) {
		if (span_eq(key, SPAN("weightType")))
			json_walk_text(&w, &t->weight_type);
		else
			json_walk_skip(&w);
	}
}

static void read_thread_member(struct thread *t, struct json_walk *w, struct span key)
{
	if (read_table_place(&t->tables, w, key))
		return;
	if (span_eq(key, SPAN("name"))) {
		json_walk_text(w, &t->name);
	} else if (span_eq(key, SPAN("pid"))) {
		t->pid = read_id(w);
	} else if (span_eq(key, SPAN("tid"))) {
		t->tid = read_id(w);
	} else {
		if (span_eq(key, SPAN("samples")))
			t->samples = *w;
		json_walk_skip(w);
	}
}

static void read_thread(struct firefox *x, struct json_walk *w)
{
	struct thread t = {.pid = -1, .tid = -1};
	struct span key;

	if (!json_walk_enter(w))
		return;
	while (json_walk_member(w, &key))
		read_thread_member(&t, w, key);
	if (!w->failed) {
		read_weight_type(&t);
		add_thread(x, &t);
	}
	str_release(&t.name);
	str_release(&t.weight_type);
}

/* "interval" is in milliseconds. */
static void read_meta(struct firefox *x, struct json_walk *w)
{
	struct span key;
	u128 ms;

	if (!json_walk_enter(w))
		return;
	while (json_walk_member(w, &key)) {
		if (!span_eq(key, SPAN("interval")))
			json_walk_skip(w);
		else if (json_walk_count(w, &ms))
			x->interval_us = count_scale(ms, 1000, 1);
	}
}

static void read_threads(struct firefox *x, struct json_walk *w)
{
	if (!json_walk_enter(w))
		return;
	while (json_walk_item(w))
		read_thread(x, w);
}

/* The tables that threads share stand after them in the file. */
static bool read(struct input *in, struct sink *sink)
{
	struct firefox x = {.sink = sink, .shared_nodes.work.in = in};
	struct json_walk w = {.text = input_rest(in)}, threads = {0};
	struct span key;

	sink_fact(sink, "weight", SPAN("samples"));
	json_walk_enter(&w);
	while (json_walk_member(&w, &key)) {
		if (span_eq(key, SPAN("meta"))) {
			read_meta(&x, &w);
		} else if (span_eq(key, SPAN("shared"))) {
			read_shared(&x, &w);
		} else {
			if (span_eq(key, SPAN("threads")))
				threads = w;
			json_walk_skip(&w);
		}
	}
	read_columns(&x.shared_columns, &x.shared);
	read_strings(&x.shared_strings, x.shared.strings);
	if (threads.text.n)
		read_threads(&x, &threads);
	nodes_release(&x.shared_nodes);
	release_columns(&x.shared_columns);
	release_strings(&x.shared_strings);
	sink_tally(sink, TALLY_DAMAGED, x.damaged);
	chain_release(&x.chain);
	return jsontext_finish(&w, in, "the profile");
}

const struct reader reader_firefox = {"firefox", "the Firefox Profiler's processed profile", probe, read};
