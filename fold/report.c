/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sink tells: the header line, the folded lines, the summary. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "fold/sink_inside.h"
#include "lib/folded.h"

enum { PRINT_SIZE = 64 * 1024 };

size_t sink_nstacks(const struct sink *s)
{
	return s->stacks.ncells;
}

u128 sink_left_out(const struct sink *s, enum tally which)
{
	return s->tallies[which];
}

unsigned sink_ncolumns(const struct sink *s)
{
	return s->stacks.ncolumns ? s->stacks.ncolumns : 1;
}

u128 sink_total(const struct sink *s, unsigned column)
{
	u128 total = 0;

	if (column >= s->stacks.ncolumns)
		return 0;
	for (size_t i = 0; i < s->stacks.ncells; i++)
		total = count_sum(total, s->stacks.counts[i * s->stacks.ncolumns + column]);
	return total;
}

static u128 left_out(const struct sink *s)
{
	u128 n = 0;

	for (int i = 0; i <= TALLY_OWN; i++)
		n = count_sum(n, s->tallies[i]);
	return n;
}

/* Header lines that are read. */

static void add_declared(u128 *to, struct span value)
{
	u128 count;

	if (count_parse(value, &count))
		*to = count_sum(*to, count);
}

/* Anything else is no key that this or a later version writes. */
static bool is_key(struct span key)
{
	for (size_t i = 0; i < key.n; i++)
		if (!islower((unsigned char)key.p[i]) && !isdigit((unsigned char)key.p[i]) && key.p[i] != '_')
			return false;
	return key.n > 0;
}

static void take_pair(void *ctx, struct span key, struct span value)
{
	struct sink *s = ctx;
	u128 seconds = 0;

	if (span_eq(key, SPAN("samples"))) {
		add_declared(&s->samples, value);
	} else if (span_eq(key, SPAN("lost"))) {
		add_declared(&s->tallies[TALLY_LOST], value);
	} else if (span_eq(key, SPAN("excluded"))) {
		add_declared(&s->tallies[TALLY_EARLIER], value);
	} else if (span_eq(key, SPAN("throttled_s"))) {
		add_declared(&seconds, value);
		s->throttled_ns = count_sum(s->throttled_ns, count_scale(seconds, 1000000000, 1));
	} else if (is_key(key)) {
		facts_add(&s->facts, key, value);
	}
}

void sink_header(struct sink *s, struct span line)
{
	folded_header_each(line, take_pair, s);
}

/* The header line that is written. */

static void add_count(struct folded_header *h, const char *key, u128 count)
{
	struct str text = {0};

	count_add(&text, count);
	folded_header_add(h, key, str_span(&text));
	str_release(&text);
}

static void add_fact(const struct sink *s, struct folded_header *h, const char *key)
{
	const struct str *value = facts_get(&s->facts, key);

	if (value)
		folded_header_add(h, key, str_span(value));
}

/* The events that were counted, or what header lines of folded inputs say. */
static void add_event(const struct sink *s, struct folded_header *h)
{
	struct str event = {0};

	events_describe_kept(&s->events, &event);
	if (event.n)
		folded_header_add(h, "event", str_span(&event));
	else if (!s->events.names.n)
		add_fact(s, h, "event");
	str_release(&event);
}

static void add_weight(const struct sink *s, struct folded_header *h)
{
	static const char *const names[] = {NULL, "samples", "period", "time"};

	if (s->options->weight != WEIGHT_DEFAULT)
		folded_header_add(h, "weight", span_of(names[s->options->weight]));
	else
		add_fact(s, h, "weight");
}

/* Facts that have a place of their own in the line. */
static bool is_placed(const char *key)
{
	static const char *const keys[] = {"event", "weight", "columns", "slice_s"};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* From the first to the last sample, where the input does not say. */
static void know_duration(struct sink *s)
{
	struct str seconds = {0};

	if (s->ninputs != 1 || !s->last_ns || facts_get(&s->facts, "duration_s"))
		return;
	count_add(&seconds, count_scale(count_of(s->last_ns), 1, 1000000000));
	facts_add(&s->facts, SPAN("duration_s"), str_span(&seconds));
	str_release(&seconds);
}

static void add_facts(struct sink *s, struct folded_header *h)
{
	know_duration(s);
	facts_sort(&s->facts);
	for (size_t i = 0; i < s->facts.n; i++) {
		const struct fact *f = &s->facts.items[i];

		if (!f->differs && !is_placed(f->key))
			folded_header_add(h, f->key, str_span(&f->value));
	}
}

static void add_tallies(const struct sink *s, struct folded_header *h)
{
	add_count(h, "samples", s->samples);
	add_count(h, "lost", s->tallies[TALLY_LOST]);
	add_count(h, "excluded", left_out(s));
	if (s->tallies[TALLY_DAMAGED])
		add_count(h, "damaged", s->tallies[TALLY_DAMAGED]);
	if (s->throttled_ns)
		add_count(h, "throttled_s", count_scale(s->throttled_ns, 1, 1000000000));
}

static bool names_all(struct span names, unsigned ncolumns)
{
	unsigned n = 1;

	for (size_t i = 0; i < names.n; i++)
		n += names.p[i] == ',';
	return n == ncolumns;
}

/* Names from an input's header, else numbers. */
static void add_columns(const struct sink *s, struct folded_header *h)
{
	const struct str *given = facts_get(&s->facts, "columns");
	struct str names = {0};

	if (sink_ncolumns(s) == 1)
		return;
	if (given && !names_all(str_span(given), sink_ncolumns(s)))
		given = NULL;
	for (unsigned i = 0; !given && i < sink_ncolumns(s); i++)
		str_addf(&names, "%s%u", i ? "," : "", i + 1);
	folded_header_add(h, "columns", given ? str_span(given) : str_span(&names));
	str_release(&names);
}

void sink_print_header(struct sink *s, struct str *out)
{
	struct folded_header h = {0};

	add_event(s, &h);
	add_weight(s, &h);
	add_facts(s, &h);
	add_tallies(s, &h);
	add_columns(s, &h);
	if (s->options->timed)
		add_count(&h, "slice_s", count_scale(count_of(s->options->slice_ns), 1, 1000000000));
	folded_header_print(&h, out);
	str_release(&h.text);
}

/* The lines. */

struct bridge {
	const struct sink *s;
	sink_each_fn *each;
	void *ctx;
	struct str slice;
};

static void hand_on(void *ctx, struct span stack, uint32_t slice, const u128 *counts)
{
	struct bridge *b = ctx;

	str_reset(&b->slice);
	if (slice != UINT32_MAX)
		count_add(&b->slice, count_scale(count_of(slice), b->s->options->slice_ns, 1000000000));
	b->each(b->ctx, stack, str_span(&b->slice), counts, b->s->stacks.ncolumns);
}

void sink_each(struct sink *s, sink_each_fn *each, void *ctx)
{
	struct bridge b = {s, each, ctx, {0}};

	stacks_each(&s->stacks, hand_on, &b);
	str_release(&b.slice);
}

static void flush(struct str *text)
{
	if (text->n)
		fwrite(text->p, 1, text->n, stdout);
	str_reset(text);
}

static void print_line(void *ctx, struct span stack, struct span slice, const u128 *counts, unsigned ncolumns)
{
	struct str *text = ctx;

	str_add(text, stack.p, stack.n);
	if (slice.n && stack.n) {
		str_adds(text, " @");
		str_add(text, slice.p, slice.n);
	}
	for (unsigned i = 0; i < ncolumns; i++) {
		if (stack.n || i)
			str_addc(text, ' ');
		count_add(text, counts[i]);
	}
	str_addc(text, '\n');
	if (text->n > PRINT_SIZE)
		flush(text);
}

void sink_print(struct sink *s)
{
	struct str text = {0};

	if (!s->options->no_header)
		sink_print_header(s, &text);
	sink_each(s, print_line, &text);
	flush(&text);
	str_release(&text);
}

/* The summary. */

static void add_share(const struct sink *s, struct str *out)
{
	u128 rest = 0;
	double all;

	for (unsigned i = 0; i < sink_ncolumns(s); i++)
		rest = count_sum(rest, sink_total(s, i));
	all = count_double(rest) + count_double(s->regex_weight);
	if (all > 0)
		str_addf(out, " (%.2f%% of the weight; shares are of what is left)",
		    100 * count_double(s->regex_weight) / all);
}

static void add_tally(const struct sink *s, enum tally which, const char *text, struct str *out)
{
	if (!s->tallies[which])
		return;
	str_adds(out, out->n ? ", " : "");
	count_add_commas(out, s->tallies[which]);
	str_adds(out, text);
	if (which == TALLY_REGEX)
		add_share(s, out);
}

static void add_events(const struct sink *s, struct str *out)
{
	if (!s->tallies[TALLY_EVENT])
		return;
	events_describe_left_out(&s->events, out);
	str_adds(
	    out, s->options->events.n ? " (other events)" : " (other events: see --event and --by event)");
}

static void add_left_out(const struct sink *s, struct str *out)
{
	struct str text = {0};

	add_events(s, &text);
	add_tally(s, TALLY_TASK, " of other tasks or CPUs", &text);
	add_tally(s, TALLY_TIME, " outside --time", &text);
	add_tally(s, TALLY_REGEX, " by --include or --exclude", &text);
	add_tally(s, TALLY_COLUMNS, " with another number of columns", &text);
	add_tally(s, TALLY_WEIGHT, " that tell no time", &text);
	add_tally(s, TALLY_IDLE, " of threads that wait", &text);
	add_tally(s, TALLY_OWN, " of the profiler itself", &text);
	add_tally(s, TALLY_EARLIER, " before", &text);
	if (text.n) {
		str_adds(out, "; left out: ");
		str_add(out, text.p, text.n);
	}
	str_release(&text);
}

void sink_summary(const struct sink *s, struct str *out)
{
	size_t n = sink_nstacks(s);

	count_add_commas(out, s->samples);
	str_addf(out, s->samples == COUNT_ONE ? " sample in " : " samples in ");
	count_add_commas(out, count_of(n));
	str_adds(out, n == 1 ? " stack" : " stacks");
	if (s->events.names.n) {
		struct str event = {0};

		events_describe_kept(&s->events, &event);
		str_addf(out, " of %s", event.n ? event.p : "no event");
		str_release(&event);
	}
	str_adds(out, "; ");
	count_add_commas(out, s->tallies[TALLY_LOST]);
	str_adds(out, " lost");
	if (s->tallies[TALLY_DAMAGED]) {
		str_adds(out, ", ");
		count_add_commas(out, s->tallies[TALLY_DAMAGED]);
		str_adds(out, " unreadable");
	}
	add_left_out(s, out);
	if (s->bad.n)
		str_addf(out, "; %llu %s not understood, the first %s", (unsigned long long)s->bad.n,
		    s->bad.n == 1 ? "line" : "lines", s->bad.quote.p);
}
