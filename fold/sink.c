/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where every reader's stacks go: filters, names, merging, and what is left out. Reporting is in report.c. */
#include "fold/sink.h"

#include <stdlib.h>

#include "fold/annotate.h"
#include "fold/sink_inside.h"
#include "lib/arena.h"

/* Handles of stacks that are left out: the reason, or the event, counted down from the top. All others are nodes. */
enum { MAX_LEFT_OUT_EVENTS = 1 << 20 };
#define FIRST_LEFT_OUT (UINT32_MAX - NTALLIES - MAX_LEFT_OUT_EVENTS)

/* What the regular expressions said about a node. */
enum verdict { VERDICT_NONE, VERDICT_KEEP, VERDICT_DROP };

struct sink *sink_open(const struct options *options)
{
	struct sink *s = xcalloc(1, sizeof *s);

	s->options = options;
	s->annotator.options = options;
	s->annotator.table = &s->stacks.names;
	return s;
}

void sink_close(struct sink *s)
{
	if (!s)
		return;
	stacks_release(&s->stacks);
	events_release(&s->events);
	facts_release(&s->facts);
	annotator_release(&s->annotator);
	str_release(&s->last_event);
	str_release(&s->text);
	str_release(&s->bad.quote);
	free(s);
}

const struct options *sink_options(const struct sink *s)
{
	return s->options;
}

void sink_begin(struct sink *s)
{
	s->ninputs++;
	s->has_start = false;
}

void sink_start(struct sink *s, uint64_t time_ns)
{
	s->has_start = true;
	s->start_ns = time_ns;
}

static bool in_ranges(const struct range_list *list, int32_t id)
{
	for (size_t i = 0; i < list->n; i++)
		if (id >= list->items[i].first && id <= list->items[i].last)
			return true;
	return false;
}

static bool in_spans(const struct span_list *list, struct span name)
{
	for (size_t i = 0; i < list->n; i++)
		if (span_eq(list->items[i], name))
			return true;
	return false;
}

/* Where the format tells no process, -p selects by the thread's number: main threads. */
static bool is_wanted_task(const struct options *o, const struct stack *stack)
{
	if (o->pids.n && !in_ranges(&o->pids, stack->pid == NO_ID ? stack->tid : stack->pid))
		return false;
	if (o->tids.n && !in_ranges(&o->tids, stack->tid))
		return false;
	if (o->cpus.n && !in_ranges(&o->cpus, stack->cpu))
		return false;
	return !o->comms.n || in_spans(&o->comms, stack->comm);
}

/* Does the expression match the stack as a line, or one of its frames? So ^pmc finds frames that begin so. */
static bool matches(const regex_t *re, char *text)
{
	bool found = regexec(re, text, 0, NULL, 0) == 0;

	for (char *frame = text, *end = strchr(text, ';'); !found && frame;
	     end = frame ? strchr(frame, ';') : NULL) {
		if (end)
			*end = '\0';
		found = regexec(re, frame, 0, NULL, 0) == 0;
		if (end)
			*end = ';';
		frame = end ? end + 1 : NULL;
	}
	return found;
}

static bool matches_any(const struct regex_list *list, char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (matches(&list->items[i], text))
			return true;
	return false;
}

/* Asks the regular expressions about a stack, once for each distinct one. */
static bool is_wanted_text(struct sink *s, uint32_t node)
{
	const struct options *o = s->options;
	unsigned char *mark = stacks_mark(&s->stacks, node);

	if (!o->include.n && !o->exclude.n)
		return true;
	if (*mark == VERDICT_NONE) {
		str_reset(&s->text);
		stacks_text(&s->stacks, node, &s->text);
		str_addc(&s->text, '\0');
		*mark = VERDICT_KEEP;
		if (o->include.n && !matches_any(&o->include, s->text.p))
			*mark = VERDICT_DROP;
		else if (matches_any(&o->exclude, s->text.p))
			*mark = VERDICT_DROP;
	}
	return *mark == VERDICT_KEEP;
}

static uint32_t left_out(enum tally why)
{
	return FIRST_LEFT_OUT + MAX_LEFT_OUT_EVENTS + why;
}

/* The present event's id in s->events, remembered because most stacks are of the event of the stack before. */
static uint32_t event_of(struct sink *s, struct span event)
{
	if (!s->last_event.n || !span_eq(str_span(&s->last_event), event)) {
		s->last_event_id = events_id(&s->events, s->options, event);
		str_reset(&s->last_event);
		str_add(&s->last_event, event.p, event.n);
	}
	return s->last_event_id;
}

uint32_t sink_stack(struct sink *s, const struct stack *stack)
{
	uint32_t node = STACKS_ROOT;

	if (stack->event.n) {
		uint32_t id = event_of(s, stack->event);

		if (!events_kept(&s->events, id))
			return FIRST_LEFT_OUT + (id < MAX_LEFT_OUT_EVENTS ? id : MAX_LEFT_OUT_EVENTS - 1);
	}
	if (!is_wanted_task(s->options, stack))
		return left_out(TALLY_TASK);
	annotate(&s->annotator, stack);
	for (size_t i = 0; i < s->annotator.n; i++)
		node = stacks_child(&s->stacks, node, s->annotator.ids[i]);
	return node;
}

/* The count that --weight wants; false when the amount does not have it. */
static bool weigh(const struct sink *s, const struct amount *a, u128 samples, u128 *weight)
{
	switch (s->options->weight) {
	case WEIGHT_DEFAULT:
		*weight = a->weight;
		return true;
	case WEIGHT_SAMPLES:
		*weight = samples;
		return true;
	case WEIGHT_PERIOD:
		*weight = a->period ? a->period : samples;
		return true;
	case WEIGHT_TIME:
		*weight = a->time_us;
		return a->time_us != 0;
	}
	return false;
}

/* The time since the start of the input, whose first sample is its start unless the reader knows better. */
static uint64_t elapsed(struct sink *s, const struct amount *a)
{
	if (!a->has_time)
		return 0;
	if (!s->has_start)
		sink_start(s, a->time_ns);
	return a->time_ns > s->start_ns ? a->time_ns - s->start_ns : 0;
}

static void leave_out(struct sink *s, enum tally why, u128 samples, u128 weight)
{
	s->tallies[why] = count_sum(s->tallies[why], samples);
	if (why == TALLY_REGEX)
		s->regex_weight = count_sum(s->regex_weight, weight);
}

static bool leave_out_handle(struct sink *s, uint32_t handle, u128 samples)
{
	uint32_t event;

	if (handle < FIRST_LEFT_OUT)
		return false;
	event = handle - FIRST_LEFT_OUT;
	if (event < MAX_LEFT_OUT_EVENTS) {
		leave_out(s, TALLY_EVENT, samples, 0);
		s->events.tallies[event].samples = count_sum(s->events.tallies[event].samples, samples);
	} else {
		leave_out(s, (enum tally)(event - MAX_LEFT_OUT_EVENTS), samples, 0);
	}
	return true;
}

/* The node to count in: the slice's under --timed. */
static uint32_t place_in_time(struct sink *s, uint32_t node, uint64_t time_ns)
{
	uint64_t slice;

	if (!s->options->timed)
		return node;
	slice = time_ns / s->options->slice_ns;
	return stacks_slice(&s->stacks, node, slice < STACKS_MAX_SLICE ? (uint32_t)slice : STACKS_MAX_SLICE);
}

static void note_time(struct sink *s, uint64_t time_ns)
{
	if (time_ns > s->last_ns)
		s->last_ns = time_ns;
}

/* Applies the filters that need more than the handle. False, with the samples accounted for, when they are left out. */
static bool admit(struct sink *s, uint32_t handle, const struct amount *a, u128 samples, u128 *weight)
{
	const struct options *o = s->options;
	uint64_t at;

	s->seen = count_sum(s->seen, samples);
	at = elapsed(s, a);
	if (leave_out_handle(s, handle, samples))
		return false;
	if (!weigh(s, a, samples, weight))
		leave_out(s, TALLY_WEIGHT, samples, 0);
	else if (o->has_time && (!a->has_time || at < o->time_from_ns || at >= o->time_to_ns))
		leave_out(s, TALLY_TIME, samples, 0);
	else if (!is_wanted_text(s, handle))
		leave_out(s, TALLY_REGEX, samples, *weight);
	else
		return true;
	return false;
}

uint32_t sink_new_frame(struct sink *s)
{
	s->nframes++;
	if (!s->nframes)
		s->nframes++;
	return s->nframes;
}

/* Applies all filters to a handle; the node to count in, or UINT32_MAX when the samples were left out. */
static uint32_t place(
    struct sink *s, uint32_t handle, const struct amount *a, unsigned ncolumns, u128 *weight)
{
	bool declared = a->samples == SAMPLES_DECLARED;
	u128 samples = declared || !a->samples ? COUNT_ONE : a->samples;

	if (!admit(s, handle, a, samples, weight))
		return UINT32_MAX;
	if (s->stacks.ncells && s->stacks.ncolumns != ncolumns) {
		leave_out(s, TALLY_COLUMNS, samples, 0);
		return UINT32_MAX;
	}
	if (a->has_time)
		note_time(s, elapsed(s, a));
	if (!declared)
		s->samples = count_sum(s->samples, samples);
	return place_in_time(s, handle, elapsed(s, a));
}

void sink_count(struct sink *s, uint32_t handle, const struct amount *a)
{
	u128 weight;
	uint32_t node = place(s, handle, a, 1, &weight);

	if (node != UINT32_MAX)
		stacks_count(&s->stacks, node, 0, weight);
}

void sink_add(struct sink *s, const struct stack *stack)
{
	sink_count(s, sink_stack(s, stack), &stack->amount);
}

void sink_add_columns(struct sink *s, const struct stack *stack, const u128 *counts, unsigned n)
{
	u128 weight;
	uint32_t node = place(s, sink_stack(s, stack), &stack->amount, n, &weight);

	if (node == UINT32_MAX)
		return;
	stacks_columns(&s->stacks, n);
	for (unsigned i = 0; i < n; i++)
		stacks_count(&s->stacks, node, i, counts[i]);
}

unsigned sink_needs(const struct sink *s)
{
	const struct options *o = s->options;
	unsigned needs = 0;

	if (o->pid || o->tid || o->pids.n)
		needs |= SINK_NEEDS_PID;
	if (o->tid || o->tids.n || o->pids.n)
		needs |= SINK_NEEDS_TID;
	if (o->cpus.n)
		needs |= SINK_NEEDS_CPU;
	if (o->timed || o->has_time)
		needs |= SINK_NEEDS_TIME;
	for (unsigned i = 0; i < o->nby; i++) {
		needs |= o->by[i] == BY_PID ? SINK_NEEDS_PID : 0;
		needs |= o->by[i] == BY_TID ? SINK_NEEDS_TID : 0;
		needs |= o->by[i] == BY_CPU ? SINK_NEEDS_CPU : 0;
	}
	return needs;
}

void sink_fact(struct sink *s, const char *key, struct span value)
{
	facts_add(&s->facts, span_of(key), value);
}

void sink_tally(struct sink *s, enum tally which, uint64_t n)
{
	s->tallies[which] = count_sum(s->tallies[which], count_of(n));
	if (which == TALLY_OWN)
		s->seen = count_sum(s->seen, count_of(n));
}

void sink_throttled(struct sink *s, uint64_t ns)
{
	s->throttled_ns = count_sum(s->throttled_ns, count_of(ns));
}

void sink_bad_line(struct sink *s, const struct input *in, struct span line)
{
	sink_bad_line_at(s, in, in->line, line);
}

void sink_bad_line_at(struct sink *s, const struct input *in, uint64_t number, struct span line)
{
	enum { QUOTED = 80 };

	if (s->bad.n++)
		return;
	str_addf(&s->bad.quote, "%s: line %llu: '", in->name, (unsigned long long)number);
	for (size_t i = 0; i < line.n && i < QUOTED; i++)
		str_addc(&s->bad.quote, (unsigned char)line.p[i] < ' ' ? ' ' : line.p[i]);
	str_adds(&s->bad.quote, line.n > QUOTED ? "...'" : "'");
}

uint64_t sink_nbad_lines(const struct sink *s)
{
	return s->bad.n;
}

u128 sink_seen(const struct sink *s)
{
	return s->seen;
}
