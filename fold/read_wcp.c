/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of wallClockProfiler: after "Full stacks", each stack with its samples, from the leaf on. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct wcp {
	struct sink *sink;
	struct chain chain;
	uint64_t samples; /* of the stack in hand */
	bool inside; /* the full stacks */
};

static bool is_title(struct span line)
{
	return span_starts(span_trim(line), SPAN("Full stacks"));
}

/* "99.791% ===================== (17194 samples)" */
static bool parse_count(struct span line, uint64_t *samples)
{
	struct span text = span_trim(line), percent;
	u128 n;

	if (!text_cut(&text, SPAN("% "), &percent) || !count_parse(percent, &n))
		return false;
	text = text_from(text, text_find(text, SPAN("(")) + 1);
	return text_cut_number(&text, samples) && span_eq(text, SPAN(" samples)"));
}

static bool is_count(struct span line)
{
	uint64_t n;

	return parse_count(line, &n);
}

static bool probe(struct span head)
{
	return text_any_line(head, is_title) && text_any_line(head, is_count);
}

/* "1: FUNCTION   (at FILE:343)" */
static bool parse_frame(struct span line, struct frame *f)
{
	struct span text = span_trim(line), place, file;
	uint64_t n;
	size_t at;

	*f = (struct frame){0};
	if (!text_cut_number(&text, &n) || !text_skip(&text, SPAN(": ")))
		return false;
	at = text_rfind(text, SPAN(" (at "));
	place = text_from(text, at + 5);
	f->name = span_trim((struct span){text.p, at});
	if (at == text.n || !text_cut(&place, SPAN(":"), &file))
		return f->name.n > 0;
	f->file = file;
	if (text_cut_number(&place, &n) && n <= UINT32_MAX)
		f->line = (uint32_t)n;
	return f->name.n > 0;
}

static void finish(struct wcp *w)
{
	struct stack stack = stack_init();

	if (w->chain.n && w->samples)
		chain_add(&w->chain, w->sink, &stack, count_of(w->samples));
	if (w->chain.n)
		w->samples = 0;
	chain_reset(&w->chain);
}

static void read_line(struct wcp *w, struct input *in, struct span line)
{
	struct frame f;

	if (is_title(line)) {
		w->inside = true;
	} else if (!w->inside) {
		return;
	} else if (is_count(line)) {
		finish(w);
		parse_count(line, &w->samples);
	} else if (parse_frame(line, &f)) {
		chain_push(&w->chain, &f);
	} else if (!span_trim(line).n) {
		finish(w);
	} else {
		sink_bad_line(w->sink, in, line);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct wcp w = {.sink = sink};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&w, in, line);
	finish(&w);
	chain_release(&w.chain);
	return true;
}

const struct reader reader_wcp = {"wcp", "wallClockProfiler's report", probe, read};
