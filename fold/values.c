/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of pprof's samples, handed over as events. */
#include "fold/values.h"

enum { NS_PER_US = 1000 };

/* "samples/count cpu/nanoseconds" and the like. */
static bool is_pair(const struct values *v)
{
	return v->n == 2 && span_eq(v->types[0].unit, SPAN("count")) &&
	       span_eq(v->types[1].unit, SPAN("nanoseconds"));
}

static u128 microseconds(int64_t ns)
{
	return ns > 0 ? count_of((uint64_t)ns) / NS_PER_US : 0;
}

/* A sample's own weight is its count: --weight time asks for the other one. */
static void add_pair(const struct values *v, struct sink *sink, struct stack *stack, const int64_t *values)
{
	stack->event = v->types[1].name;
	stack->amount.weight = stack->amount.samples = count_of((uint64_t)values[0]);
	stack->amount.time_us = microseconds(values[1]);
	sink_add(sink, stack);
}

static void add_value(
    const struct values *v, struct sink *sink, struct stack *stack, size_t type, int64_t value)
{
	stack->event = v->types[type].name;
	stack->amount.samples = 0;
	stack->amount.time_us = 0;
	stack->amount.weight = count_of((uint64_t)value);
	if (span_eq(v->types[type].unit, SPAN("nanoseconds")))
		stack->amount.time_us = stack->amount.weight = microseconds(value);
	if (span_eq(v->types[type].unit, SPAN("count")))
		stack->amount.samples = stack->amount.weight;
	sink_add(sink, stack);
}

/* The first event that the sink meets is the one it keeps. */
static void begin(struct values *v, struct sink *sink, const struct stack *stack)
{
	struct stack first = *stack;
	struct span unit = v->types[v->preferred].unit;

	v->begun = true;
	if (is_pair(v) || span_eq(unit, SPAN("count")))
		unit = SPAN("samples");
	if (span_eq(unit, SPAN("nanoseconds")))
		unit = SPAN("time");
	sink_fact(sink, "weight", unit);
	if (is_pair(v))
		return;
	first.event = v->types[v->preferred].name;
	sink_stack(sink, &first);
}

void values_add(struct values *v, struct sink *sink, struct stack *stack, const int64_t *values, size_t n)
{
	if (!v->begun && v->n)
		begin(v, sink, stack);
	if (is_pair(v) && n == 2 && values[0] > 0) {
		add_pair(v, sink, stack, values);
		return;
	}
	for (size_t i = 0; i < n && i < v->n; i++) {
		if (values[i] > 0)
			add_value(v, sink, stack, i, values[i]);
		else if (values[i] < 0)
			sink_tally(sink, TALLY_DAMAGED, 1);
	}
}
