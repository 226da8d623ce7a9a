/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What compare says of places in a difference. */
#include "render/verdicts.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/folded.h"

enum field { FINDING, CHANGE, LOW, HIGH, Q, RUNS, OWN_FINDING, NFIELDS };

static const char *const FIELDS[NFIELDS] = {"finding", "change", "low", "high", "q", "runs", "own_finding"};

struct verdict {
	struct str stack;
	uint64_t chain; /* so many of its callers have nearly the same counts: it stands for them too */
	bool proven; /* what is coloured: its own change where the line tells that apart, else the change */
	bool own; /* it does */
	struct str said[NFIELDS]; /* as the line has them, for people */
};

static bool is_change(struct span finding)
{
	return span_eq(finding, SPAN("slower")) || span_eq(finding, SPAN("faster")) ||
	       span_eq(finding, SPAN("more")) || span_eq(finding, SPAN("less"));
}

static void take_pair(void *ctx, struct span key, struct span value)
{
	struct verdict *v = ctx;

	for (int i = 0; i < NFIELDS; i++)
		if (span_eq(key, span_of(FIELDS[i])) && !v->said[i].n)
			str_add(&v->said[i], value.p, value.n);
	if (span_eq(key, SPAN("stack")))
		str_add(&v->stack, value.p, value.n);
	else if (span_eq(key, SPAN("chain")))
		span_u64(value, 10, &v->chain);
	else if (span_eq(key, SPAN("finding")) && !v->own)
		v->proven = is_change(value);
	else if (span_eq(key, SPAN("own_finding"))) {
		v->own = true;
		v->proven = is_change(value);
	}
}

void verdicts_take(struct verdicts *v, struct span line)
{
	v->items = grow(v->items, v->n, &v->cap, sizeof *v->items);
	v->items[v->n] = (struct verdict){0};
	folded_header_each(line, take_pair, &v->items[v->n++]);
}

static uint32_t child_named(const struct tree *t, uint32_t parent, struct span name)
{
	uint32_t c = t->nodes[parent].child;

	while (c && !span_eq(tree_name(t, c), name))
		c = t->nodes[c].next;
	return c;
}

/* The node of a stack; 0 when there is none. */
static uint32_t find(const struct tree *t, struct span stack)
{
	uint32_t node = 0;

	while (stack.n) {
		struct span frame;

		folded_frame(&stack, &frame);
		node = child_named(t, node, span_trim(frame));
		if (!node)
			return 0;
	}
	return node;
}

uint8_t *verdicts_mark(const struct verdicts *v, const struct tree *t)
{
	uint8_t *proven = xcalloc(t->n, sizeof *proven);

	for (size_t i = 0; i < v->n; i++) {
		uint32_t node = v->items[i].proven ? find(t, str_span(&v->items[i].stack)) : 0;

		for (uint64_t callers = 0; node && callers <= v->items[i].chain; callers++) {
			proven[node] = 1;
			node = t->nodes[node].parent;
		}
	}
	return proven;
}

const struct verdict **verdicts_by_node(const struct verdicts *v, const struct tree *t)
{
	const struct verdict **found = xcalloc(t->n, sizeof *found);

	for (size_t i = 0; i < v->n; i++) {
		uint32_t node = find(t, str_span(&v->items[i].stack));

		for (uint64_t callers = 0; node && callers <= v->items[i].chain; callers++) {
			found[node] = &v->items[i];
			node = t->nodes[node].parent;
		}
	}
	return found;
}

static void add_field(
    const struct verdict *v, struct str *out, const char *before, enum field which, const char *after)
{
	if (!v->said[which].n)
		return;
	str_adds(out, before);
	str_add(out, v->said[which].p, v->said[which].n);
	str_adds(out, after);
}

void verdict_describe(const struct verdict *v, struct str *out)
{
	add_field(v, out, "", FINDING, "");
	add_field(v, out, ": ", CHANGE, "");
	add_field(v, out, " [", LOW, "");
	add_field(v, out, ", ", HIGH, "]");
	add_field(v, out, ", q ", Q, "");
	add_field(v, out, ", ", RUNS, " runs");
	add_field(v, out, "; by itself: ", OWN_FINDING, "");
}

void verdicts_release(struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		str_release(&v->items[i].stack);
		for (int k = 0; k < NFIELDS; k++)
			str_release(&v->items[i].said[k]);
	}
	free(v->items);
}
