/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .cpuprofile files of V8 (Node.js, Chrome, Deno): a tree of nodes, and for each sample the node that was on top. */
#include "fold/callframe.h"
#include "fold/jsontext.h"
#include "fold/reader.h"
#include "fold/text.h"

struct cpuprofile {
	struct sink *sink;
	struct nodes nodes;
	struct numbers samples, deltas; /* microseconds from the sample before */
	struct numbers hits; /* by node, for profiles without samples */
	int64_t start_us, end_us;
	struct chain chain;
};

static bool probe(struct span head)
{
	return jsontext_is_json(head) && jsontext_has_key(head, "nodes") &&
	       jsontext_has_key(head, "callFrame") && !jsontext_has_key(head, "ph");
}

static void set_hits(struct cpuprofile *p, uint32_t node, int64_t n)
{
	while (p->hits.n <= node) {
		p->hits.items = grow(p->hits.items, p->hits.n, &p->hits.cap, sizeof *p->hits.items);
		p->hits.items[p->hits.n++] = 0;
	}
	p->hits.items[node] = n;
}

/* {"id":2,"callFrame":{...},"hitCount":3,"children":[4,5]} */
static void read_node(struct cpuprofile *p, const struct json *v)
{
	const struct json *children = json_member(v, "children");
	int64_t id, n;
	uint32_t node;

	if (!json_integer_of(json_member(v, "id"), &id))
		return;
	node = nodes_at(&p->nodes, id);
	callframe_set(&p->nodes, node, json_member(v, "callFrame"));
	if (json_integer_of(json_member(v, "hitCount"), &n))
		set_hits(p, node, n);
	for (size_t i = 0; i < json_length(children); i++)
		if (json_integer_of(json_item(children, i), &id))
			callframe_set_parent(&p->nodes, nodes_at(&p->nodes, id), node);
}

static void read_nodes(struct cpuprofile *p, struct json_walk *w)
{
	if (!json_walk_enter(w))
		return;
	while (json_walk_item(w)) {
		struct json *v = json_walk_load(w);

		read_node(p, v);
		json_free(v);
	}
}

/* A sample stands for the time until the next one is taken. */
static void add_samples(struct cpuprofile *p)
{
	struct stack stack = stack_init();
	int64_t now = p->start_us;

	stack.verbatim = true;
	stack.amount.weight = stack.amount.samples = COUNT_ONE;
	for (size_t i = 0; i < p->samples.n; i++) {
		int64_t delta = numbers_at(&p->deltas, i), next = numbers_at(&p->deltas, i + 1);

		now = callframe_later(now, delta);
		if (next == INT64_MIN)
			next = p->end_us > now && p->deltas.n ? p->end_us - now : 0;
		stack.amount.time_us = count_of(next > 0 ? (uint64_t)next : 0);
		stack.amount.has_time = p->deltas.n > 0 && now >= 0;
		stack.amount.time_ns = (uint64_t)now * 1000;
		nodes_count(&p->nodes, nodes_at(&p->nodes, p->samples.items[i]), &p->chain, p->sink, &stack);
	}
}

static void add_hits(struct cpuprofile *p)
{
	struct stack stack = stack_init();

	stack.verbatim = true;
	for (size_t i = 0; i < p->hits.n; i++) {
		if (p->hits.items[i] <= 0)
			continue;
		stack.amount.weight = stack.amount.samples = count_of((uint64_t)p->hits.items[i]);
		nodes_count(&p->nodes, (uint32_t)i, &p->chain, p->sink, &stack);
	}
}

static void read_member(struct cpuprofile *p, struct json_walk *w, struct span key)
{
	if (span_eq(key, SPAN("nodes")))
		read_nodes(p, w);
	else if (span_eq(key, SPAN("samples")))
		numbers_read(&p->samples, w);
	else if (span_eq(key, SPAN("timeDeltas")))
		numbers_read(&p->deltas, w);
	else if (span_eq(key, SPAN("startTime")))
		json_walk_integer(w, &p->start_us);
	else if (span_eq(key, SPAN("endTime")))
		json_walk_integer(w, &p->end_us);
	else
		json_walk_skip(w);
}

static bool read(struct input *in, struct sink *sink)
{
	struct cpuprofile p = {.sink = sink, .nodes.work.in = in};
	struct json_walk w = {.text = input_rest(in)};
	struct span key;

	sink_fact(sink, "weight", SPAN("samples"));
	json_walk_enter(&w);
	while (json_walk_member(&w, &key))
		read_member(&p, &w, key);
	if (p.samples.n)
		add_samples(&p);
	else
		add_hits(&p);
	nodes_release(&p.nodes);
	numbers_release(&p.samples);
	numbers_release(&p.deltas);
	numbers_release(&p.hits);
	chain_release(&p.chain);
	return jsontext_finish(&w, in, "the profile");
}

const struct reader reader_cpuprofile = {"cpuprofile", "V8's .cpuprofile", probe, read};
