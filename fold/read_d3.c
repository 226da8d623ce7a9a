/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON of d3-flame-graph: nested {"name":,"value":,"children":[]}, in which a value is that of all stacks through a node, and what
   `perf script report flamegraph` writes: {"n":,"v":,"c":[]} with the node's own value. */
#include <stdlib.h>

#include "fold/jsontext.h"
#include "fold/nodes.h"
#include "fold/reader.h"

/* A node's value, and the sum of those of its children. */
struct value {
	u128 own, children;
};

struct level {
	uint32_t node;
	bool in_children; /* between two of its children; else between two members */
};

struct d3 {
	struct nodes nodes;
	struct value *values; /* by node */
	size_t nvalues, values_cap;
	struct level *levels; /* the objects around this place */
	size_t n, cap;
	struct str name;
	bool is_own; /* values are the nodes' own */
	uint64_t damaged; /* nodes without a value */
};

static bool probe(struct span head)
{
	if (!jsontext_is_json(head))
		return false;
	return (jsontext_has_key(head, "name") && jsontext_has_key(head, "value") &&
		   jsontext_has_key(head, "children")) ||
	       (jsontext_has_key(head, "n") && jsontext_has_key(head, "v") && jsontext_has_key(head, "c"));
}

/* Steps into an object: a child of the node in hand. */
static void push(struct d3 *d)
{
	uint32_t parent = d->n ? d->levels[d->n - 1].node : NODE_NONE;
	uint32_t node = nodes_at(&d->nodes, (int64_t)d->nodes.n);

	d->nodes.items[node].parent = parent;
	d->values = grow(d->values, d->nvalues, &d->values_cap, sizeof *d->values);
	d->values[d->nvalues++] = (struct value){0};
	d->levels = grow(d->levels, d->n, &d->cap, sizeof *d->levels);
	d->levels[d->n++] = (struct level){node, false};
}

static void set_name(struct d3 *d, uint32_t node)
{
	struct span name = str_span(&d->name);

	d->nodes.items[node].frame.name = nodes_copy(&d->nodes, name);
	d->nodes.items[node].is_root = d->nodes.items[node].parent == NODE_NONE &&
				       (!name.n || span_eq(name, SPAN("all")) || span_eq(name, SPAN("root")));
}

static void read_member(struct d3 *d, struct json_walk *w, struct span key)
{
	struct level *level = &d->levels[d->n - 1];
	bool value = span_eq(key, SPAN("value")), own = span_eq(key, SPAN("v"));

	if (span_eq(key, SPAN("name")) || span_eq(key, SPAN("n"))) {
		if (json_walk_text(w, &d->name))
			set_name(d, level->node);
	} else if (value || own) {
		d->is_own |= own;
		d->damaged += !json_walk_count(w, &d->values[level->node].own);
	} else if ((span_eq(key, SPAN("children")) || span_eq(key, SPAN("c"))) && json_walk_kind(w) == '[') {
		level->in_children = json_walk_enter(w);
	} else {
		json_walk_skip(w);
	}
}

static void read_child(struct d3 *d, struct json_walk *w)
{
	if (json_walk_kind(w) != '{')
		json_walk_skip(w);
	else if (json_walk_enter(w))
		push(d);
}

/* Objects are nested as deep as stacks are: the walk keeps its own account of them. */
static void parse(struct d3 *d, struct json_walk *w)
{
	struct span key;

	if (json_walk_kind(w) == '{' && json_walk_enter(w))
		push(d);
	while (d->n && !w->failed) {
		struct level *level = &d->levels[d->n - 1];

		if (level->in_children) {
			if (json_walk_item(w))
				read_child(d, w);
			else
				level->in_children = false;
		} else if (json_walk_member(w, &key)) {
			read_member(d, w, key);
		} else {
			d->n--;
		}
	}
}

/* Values that are less than those of the children can only be the nodes' own. */
static void add_up(struct d3 *d)
{
	for (size_t i = 0; i < d->nvalues; i++) {
		uint32_t parent = d->nodes.items[i].parent;

		if (parent != NODE_NONE)
			d->values[parent].children = count_sum(d->values[parent].children, d->values[i].own);
	}
	for (size_t i = 0; i < d->nvalues; i++)
		d->is_own |= d->values[i].own < d->values[i].children;
}

static void add_stacks(struct d3 *d, struct sink *sink)
{
	struct stack stack = stack_init();
	struct chain chain = {0};

	stack.verbatim = true;
	for (size_t i = 0; i < d->nvalues; i++) {
		u128 n = d->is_own ? d->values[i].own : d->values[i].own - d->values[i].children;

		stack.amount.weight = stack.amount.samples = n;
		if (n)
			nodes_count(&d->nodes, (uint32_t)i, &chain, sink, &stack);
	}
	chain_release(&chain);
}

static bool read(struct input *in, struct sink *sink)
{
	struct d3 d = {.nodes.work.in = in};
	struct json_walk w = {.text = input_rest(in)};

	sink_fact(sink, "weight", SPAN("samples"));
	parse(&d, &w);
	add_up(&d);
	add_stacks(&d, sink);
	sink_tally(sink, TALLY_DAMAGED, d.damaged);
	nodes_release(&d.nodes);
	free(d.values);
	free(d.levels);
	str_release(&d.name);
	return jsontext_finish(&w, in, "the tree");
}

const struct reader reader_d3 = {"d3", "d3-flame-graph's JSON, perf's flamegraph", probe, read};
