/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callgrind.out of Valgrind, and what else writes that format. It is a graph of calls and knows no stacks: what a function costs
   is shared among its callers in proportion to what they are charged for calling it, so that all shares add up to the whole. */
#include <stdlib.h>

#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

enum { MAX_EVENTS = 32 };

/* A branch of the tree of stacks that has less than this part of the whole is not followed: its caller keeps it. */
enum { SMALLEST_PART = 100000 };

struct cost {
	uint64_t of[MAX_EVENTS];
};

struct function {
	struct span name, file, object;
	struct cost self;
	uint64_t called; /* the present event's cost of all calls to it */
	size_t first, n; /* its calls, when they are sorted */
	bool on_stack;
};

struct call {
	uint32_t from, to;
	struct cost cost;
};

/* "(12) NAME" gives a number to a name that "(12)" stands for later; functions, files and objects have numbers of their own. */
struct names {
	struct intern ids;
	struct span *items; /* by the number that ids gives to a number */
	size_t n, cap;
};

struct callgrind {
	struct sink *sink;
	struct input *in;
	struct intern texts;
	struct names function_names, file_names, object_names;
	struct span events[MAX_EVENTS];
	size_t nevents;
	size_t npositions; /* columns before the costs */
	struct intern keys; /* of functions: object, file and name */
	struct function *functions;
	size_t nfunctions, functions_cap;
	struct call *calls;
	size_t ncalls, calls_cap;
	struct span file, object, called_file, called_object;
	uint32_t function; /* whose lines these are */
	uint32_t called;
	bool has_function, is_call, is_jump; /* the next line is a call's cost, or a jump's place */
	struct str key;
};

static bool is_events(struct span line)
{
	return span_starts(line, SPAN("events:"));
}

static bool is_function(struct span line)
{
	return span_starts(line, SPAN("fn="));
}

static bool probe(struct span head)
{
	return text_any_line(head, is_events) && text_any_line(head, is_function);
}

static struct span keep(struct callgrind *c, struct span s)
{
	return s.n ? intern_span(&c->texts, intern(&c->texts, s)) : SPAN("");
}

/* The name that "(12) NAME", "(12)" or "NAME" stands for. */
static struct span resolve(struct callgrind *c, struct names *names, struct span text)
{
	struct span rest = text;
	uint64_t id;
	uint32_t i;

	if (!text_skip(&rest, SPAN("(")) || !text_cut_number(&rest, &id) || !text_skip(&rest, SPAN(")")))
		return keep(c, text);
	rest = span_trim(rest);
	i = intern(&names->ids, (struct span){(const char *)&id, sizeof id});
	if (i == names->n) {
		names->items = grow(names->items, names->n, &names->cap, sizeof *names->items);
		names->items[names->n++] = SPAN("");
	}
	if (rest.n)
		names->items[i] = keep(c, rest);
	return names->items[i];
}

static void release_names(struct names *names)
{
	intern_release(&names->ids);
	free(names->items);
}

static uint32_t find_function(struct callgrind *c, struct span name, struct span file, struct span object)
{
	const struct span parts[] = {object, file, name};
	uint32_t i;

	str_reset(&c->key);
	for (size_t k = 0; k < 3; k++) {
		str_add(&c->key, parts[k].p, parts[k].n);
		str_addc(&c->key, '\n');
	}
	i = intern(&c->keys, str_span(&c->key));
	if (i == c->nfunctions) {
		c->functions = grow(c->functions, c->nfunctions, &c->functions_cap, sizeof *c->functions);
		c->functions[c->nfunctions++] =
		    (struct function){.name = name, .file = file, .object = object};
	}
	return i;
}

static bool read_events(struct callgrind *c, struct span line)
{
	struct span word;

	if (!text_skip(&line, SPAN("events:")))
		return false;
	c->nevents = 0;
	while ((word = text_word(&line)).n && c->nevents < MAX_EVENTS)
		c->events[c->nevents++] = keep(c, word);
	return true;
}

static bool read_positions(struct callgrind *c, struct span line)
{
	if (!text_skip(&line, SPAN("positions:")))
		return false;
	for (c->npositions = 0; text_word(&line).n;)
		c->npositions++;
	return true;
}

/* What a function is in, and the function: fl=, fi=, fe=, ob=, fn=, and of the called one cfi=, cfl=, cob=, cfn=. */
static bool read_name(struct callgrind *c, struct span line)
{
	if (text_skip(&line, SPAN("fl="))) {
		c->file = resolve(c, &c->file_names, line);
	} else if (text_skip(&line, SPAN("fi=")) || text_skip(&line, SPAN("fe="))) {
		resolve(c, &c->file_names, line);
	} else if (text_skip(&line, SPAN("ob="))) {
		c->object = resolve(c, &c->object_names, line);
	} else if (text_skip(&line, SPAN("fn="))) {
		c->function = find_function(c, resolve(c, &c->function_names, line), c->file, c->object);
		c->has_function = true;
	} else if (text_skip(&line, SPAN("cfi=")) || text_skip(&line, SPAN("cfl="))) {
		c->called_file = resolve(c, &c->file_names, line);
	} else if (text_skip(&line, SPAN("cob="))) {
		c->called_object = resolve(c, &c->object_names, line);
	} else if (text_skip(&line, SPAN("cfn="))) {
		struct span name = resolve(c, &c->function_names, line);

		c->called = find_function(c, name, c->called_file.n ? c->called_file : c->file,
		    c->called_object.n ? c->called_object : c->object);
		c->called_file = c->called_object = SPAN("");
	} else {
		return false;
	}
	return true;
}

/* "calls=N PLACE" is followed by the cost of these calls; "jump=" and "jcnd=" by a place without a cost. */
static bool read_announcement(struct callgrind *c, struct span line)
{
	bool is_call = span_starts(line, SPAN("calls="));

	if (!is_call && !span_starts(line, SPAN("jump=")) && !span_starts(line, SPAN("jcnd=")))
		return false;
	c->is_call = is_call;
	c->is_jump = !is_call;
	return true;
}

static bool is_position(struct span word)
{
	uint64_t n;

	if (span_eq(word, SPAN("*")))
		return true;
	if (!text_skip(&word, SPAN("+")))
		text_skip(&word, SPAN("-"));
	return text_is_digits(word) || (text_cut_hex(&word, &n) && !word.n);
}

/* "16 +3 400 12": positions, then costs, of which the last ones may be missing. */
static bool parse_costs(const struct callgrind *c, struct span line, struct cost *cost)
{
	struct span word;

	*cost = (struct cost){0};
	for (size_t i = 0; i < c->npositions; i++)
		if (!is_position(text_word(&line)))
			return false;
	for (size_t i = 0; i < c->nevents && (word = text_word(&line)).n; i++)
		if (!span_u64(word, 10, &cost->of[i]))
			return false;
	return true;
}

static void add_cost(struct cost *to, const struct cost *cost)
{
	for (size_t i = 0; i < MAX_EVENTS; i++)
		if (__builtin_add_overflow(to->of[i], cost->of[i], &to->of[i]))
			to->of[i] = UINT64_MAX;
}

static bool read_costs(struct callgrind *c, struct span line)
{
	struct cost cost;

	if (c->is_jump) {
		c->is_jump = false;
		return true;
	}
	if (!c->has_function || !parse_costs(c, line, &cost))
		return false;
	if (!c->is_call) {
		add_cost(&c->functions[c->function].self, &cost);
		return true;
	}
	c->is_call = false;
	c->calls = grow(c->calls, c->ncalls, &c->calls_cap, sizeof *c->calls);
	c->calls[c->ncalls++] = (struct call){c->function, c->called, cost};
	return true;
}

/* "totals: 400", "cmd: ./x", "desc: ..." */
static bool is_header(struct span line)
{
	size_t colon = span_find(line, 0, ':');

	for (size_t i = 0; i < colon; i++)
		if ((line.p[i] < 'a' || line.p[i] > 'z') && line.p[i] != ' ')
			return false;
	return colon && colon < line.n;
}

static void read_line(struct callgrind *c, struct span line)
{
	struct span text = span_trim(line);

	if (!text.n || text.p[0] == '#' || read_events(c, text) || read_positions(c, text))
		return;
	if (read_name(c, text) || read_announcement(c, text))
		return;
	if (!(text.p[0] >= 'a' && text.p[0] <= 'z') && read_costs(c, text))
		return;
	if (!is_header(text))
		sink_bad_line(c->sink, c->in, line);
}

static int compare(const void *pa, const void *pb)
{
	const struct call *a = pa, *b = pb;

	return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
				  : (a->to > b->to) - (a->to < b->to);
}

/* Makes one of all calls between the same two functions, and finds those of each. */
static void merge_calls(struct callgrind *c)
{
	size_t n = 0;

	if (c->ncalls)
		qsort(c->calls, c->ncalls, sizeof *c->calls, compare);
	for (size_t i = 0; i < c->ncalls; i++) {
		if (n && compare(&c->calls[n - 1], &c->calls[i]) == 0)
			add_cost(&c->calls[n - 1].cost, &c->calls[i].cost);
		else
			c->calls[n++] = c->calls[i];
	}
	c->ncalls = n;
	for (size_t i = 0; i < n; i++) {
		struct function *f = &c->functions[c->calls[i].from];

		f->first = f->n ? f->first : i;
		f->n++;
	}
}

/* The walk from the roots down, for one event. */
struct walk {
	struct callgrind *c;
	struct path path;
	size_t event;
	uint64_t smallest;
	size_t budget; /* calls that may still be looked at */
};

enum { MAX_DEPTH = 1024, BUDGET = 1 << 24 };

static uint64_t scale(uint64_t a, uint64_t num, uint64_t den)
{
	return (uint64_t)((u128)a * num / den);
}

/* What a function costs besides calls to those that are on the way to it: recursion goes round in what it costs already. */
static u128 find_whole(const struct walk *w, const struct function *f)
{
	u128 whole = f->self.of[w->event];

	for (size_t i = f->first; i < f->first + f->n; i++)
		if (!w->c->functions[w->c->calls[i].to].on_stack)
			whole += w->c->calls[i].cost.of[w->event];
	return whole;
}

static void visit(struct walk *w, uint32_t number, uint64_t cost);

/* Shares cost out among the calls of a function; returns what is left for itself. */
static uint64_t visit_calls(struct walk *w, const struct function *f, uint64_t cost)
{
	u128 whole = find_whole(w, f);
	uint64_t left = cost;

	if (!whole || whole > UINT64_MAX || w->path.n >= MAX_DEPTH || w->budget < f->n)
		return cost;
	w->budget -= f->n;
	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct call *call = &w->c->calls[i];
		uint64_t share = scale(cost, call->cost.of[w->event], (uint64_t)whole);

		if (w->c->functions[call->to].on_stack || !share || share < w->smallest)
			continue;
		left -= share;
		visit(w, call->to, share);
	}
	return left;
}

/* "f'2" is the second level of a recursion, with --separate-recs or in a cycle. */
static struct span without_level(struct span name)
{
	size_t at = text_rfind(name, SPAN("'"));

	if (at && at < name.n && text_is_digits(text_from(name, at + 1)))
		name.n = at;
	return name;
}

static void visit(struct walk *w, uint32_t number, uint64_t cost)
{
	struct function *f = &w->c->functions[number];
	struct frame frame = {.name = without_level(f->name), .file = f->file, .module = f->object};
	size_t depth = w->path.n;
	uint64_t left;
	struct span rest = f->name;

	/* A function without a symbol is named by its address, or by question marks. */
	frame.has_addr = text_cut_hex(&rest, &frame.addr) && !rest.n;
	if (frame.has_addr || span_eq(f->name, SPAN("???")))
		frame.name = SPAN("");
	f->on_stack = true;
	path_enter(&w->path, depth, &frame, 0);
	left = visit_calls(w, f, cost);
	path_self(&w->path, count_of(left));
	path_leave(&w->path, depth);
	f->on_stack = false;
}

/* What a function costs beyond what its callers are charged for. */
static uint64_t root_cost(const struct walk *w, const struct function *f)
{
	u128 all = f->self.of[w->event];

	for (size_t i = f->first; i < f->first + f->n; i++)
		all += w->c->calls[i].cost.of[w->event];
	if (all <= f->called)
		return 0;
	all -= f->called;
	return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

static void find_called(struct walk *w)
{
	struct callgrind *c = w->c;

	for (size_t i = 0; i < c->nfunctions; i++)
		c->functions[i].called = 0;
	for (size_t i = 0; i < c->ncalls; i++) {
		uint64_t *called = &c->functions[c->calls[i].to].called;

		if (__builtin_add_overflow(*called, c->calls[i].cost.of[w->event], called))
			*called = UINT64_MAX;
	}
}

/* What functions cost that only call each other: it belongs to no stack that is known. */
static void add_rest(struct walk *w, u128 left)
{
	struct frame f = {0};

	path_enter(&w->path, 0, &f, 0);
	path_self(&w->path, left * COUNT_ONE);
	path_leave(&w->path, 0);
}

struct root {
	uint32_t function;
	uint64_t cost;
};

static int compare_roots(const void *pa, const void *pb)
{
	const struct root *a = pa, *b = pb;

	if (a->cost != b->cost)
		return a->cost < b->cost ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

/* Hands out exactly the sum of what functions cost themselves. Cycles of calls make more roots than there are: the smallest are
   those that get nothing. */
static void add_event(struct callgrind *c, size_t event)
{
	struct walk w = {.c = c, .event = event, .budget = BUDGET};
	struct root *roots = xcalloc(c->nfunctions + 1, sizeof *roots);
	u128 left = 0;

	w.path.sink = c->sink;
	w.path.work.in = c->in;
	w.path.stack = stack_init();
	w.path.stack.event = c->events[event];
	find_called(&w);
	for (size_t i = 0; i < c->nfunctions; i++) {
		left += c->functions[i].self.of[event];
		roots[i] = (struct root){(uint32_t)i, root_cost(&w, &c->functions[i])};
	}
	w.smallest = (uint64_t)(left / SMALLEST_PART);
	qsort(roots, c->nfunctions, sizeof *roots, compare_roots);
	for (size_t i = 0; i < c->nfunctions && roots[i].cost && left; i++) {
		uint64_t share = roots[i].cost < left ? roots[i].cost : (uint64_t)left;

		left -= share;
		visit(&w, roots[i].function, share);
	}
	if (left)
		add_rest(&w, left);
	free(roots);
	path_release(&w.path);
}

/* The first event, unless others are asked for. */
static void add_events(struct callgrind *c)
{
	const struct options *o = sink_options(c->sink);
	bool all = o->events.n > 0;

	for (unsigned i = 0; i < o->nby; i++)
		all |= o->by[i] == BY_EVENT;
	sink_fact(c->sink, "weight", c->nevents ? c->events[0] : SPAN("cost"));
	for (size_t i = 0; i < c->nevents && (!i || all); i++)
		add_event(c, i);
}

static bool read(struct input *in, struct sink *sink)
{
	struct callgrind c = {.sink = sink, .in = in, .npositions = 1};
	struct span line;

	while (input_line(in, &line))
		read_line(&c, line);
	merge_calls(&c);
	add_events(&c);
	intern_release(&c.texts);
	intern_release(&c.keys);
	release_names(&c.function_names);
	release_names(&c.file_names);
	release_names(&c.object_names);
	free(c.functions);
	free(c.calls);
	str_release(&c.key);
	return true;
}

const struct reader reader_callgrind = {"callgrind", "callgrind.out of Valgrind", probe, read};
