/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of `jfr print`: Java Flight Recorder's events, those with a stack trace. Each kind is an event of its own; execution
   samples come first where there are any. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

#define SAMPLES "jdk.ExecutionSample"

struct jfr {
	struct sink *sink;
	struct chain chain;
	struct str event, thread;
	u128 duration_us;
	bool in_event, in_stack, has_stack;
};

/* "jdk.ExecutionSample {" */
static bool parse_opening(struct span line, struct span *event)
{
	struct span end = SPAN(" {");

	if (!span_ends(line, end) || text_indent(line))
		return false;
	*event = (struct span){line.p, line.n - end.n};
	return span_find(*event, 0, ' ') == event->n && span_find(*event, 0, '.') < event->n;
}

static bool is_opening(struct span line)
{
	struct span event;

	return parse_opening(line, &event);
}

static bool is_start(struct span line)
{
	return text_indent(line) && span_starts(span_trim(line), SPAN("startTime = "));
}

static bool probe(struct span head)
{
	return text_any_line(head, is_opening) && text_any_line(head, is_start);
}

/* "java.util.HashMap.put(Object, Object) line: 12" */
static struct frame parse_frame(struct span text)
{
	struct frame f = {0};
	size_t at = text_rfind(text, SPAN(" line: "));
	struct span number = text_from(text, at + 7);
	uint64_t n;

	if (at < text.n && text_cut_number(&number, &n) && n <= UINT32_MAX)
		f.line = (uint32_t)n;
	text.n = at;
	f.name = span_trim((struct span){text.p, span_find(text, 0, '(')});
	return f;
}

/* "12.5 ms", "1.02 s" and the like. */
static u128 parse_duration(struct span text)
{
	struct span number = text_word(&text), unit = text_word(&text);
	u128 n;

	if (!count_parse(number, &n))
		return 0;
	if (span_eq(unit, SPAN("s")))
		return count_scale(n, 1000000, 1);
	if (span_eq(unit, SPAN("ms")))
		return count_scale(n, 1000, 1);
	return span_eq(unit, SPAN("ns")) ? n / 1000 : n;
}

/* sampledThread = "NAME" (javaThreadId = 1); the thread of other events is eventThread. */
static void set_thread(struct jfr *j, struct span text)
{
	size_t end;

	if (!text_skip(&text, SPAN("\"")))
		return;
	end = text_rfind(text, SPAN("\""));
	str_reset(&j->thread);
	str_add(&j->thread, text.p, end);
}

static void finish(struct jfr *j)
{
	struct stack stack = stack_init();

	stack.comm = str_span(&j->thread);
	stack.event = str_span(&j->event);
	stack.verbatim = true;
	stack.amount.time_us = j->duration_us;
	if (j->has_stack)
		chain_add(&j->chain, j->sink, &stack, COUNT_ONE);
	chain_reset(&j->chain);
	str_reset(&j->thread);
	j->duration_us = 0;
	j->in_event = j->in_stack = j->has_stack = false;
}

static void read_member(struct jfr *j, struct span text)
{
	if (span_eq(text, SPAN("stackTrace = [")))
		j->in_stack = j->has_stack = true;
	else if (text_skip(&text, SPAN("sampledThread = ")) || text_skip(&text, SPAN("eventThread = ")))
		set_thread(j, text);
	else if (text_skip(&text, SPAN("duration = ")))
		j->duration_us = parse_duration(text);
}

static void read_stack_line(struct jfr *j, struct span text)
{
	struct frame f = {.name = SPAN("[truncated]"), .kind = FRAME_LABEL};

	if (span_eq(text, SPAN("]"))) {
		j->in_stack = false;
		return;
	}
	if (!span_eq(text, SPAN("...")))
		f = parse_frame(text);
	chain_push(&j->chain, &f);
}

static void read_line(struct jfr *j, struct input *in, struct span line)
{
	struct span event, text = span_trim(line);

	if (parse_opening(line, &event)) {
		finish(j);
		str_reset(&j->event);
		str_add(&j->event, event.p, event.n);
		j->in_event = true;
	} else if (span_eq(line, SPAN("}"))) {
		finish(j);
	} else if (j->in_stack) {
		read_stack_line(j, text);
	} else if (j->in_event) {
		read_member(j, text);
	} else if (text.n) {
		sink_bad_line(j->sink, in, line);
	}
}

/* The sink keeps the first event it meets. */
static void prefer_samples(struct sink *sink, struct span text)
{
	struct stack stack = stack_init();

	stack.event = SPAN(SAMPLES);
	if (span_starts(text, SPAN(SAMPLES " {")) || text_has(text, SPAN("\n" SAMPLES " {")))
		sink_stack(sink, &stack);
}

static bool read(struct input *in, struct sink *sink)
{
	struct jfr j = {.sink = sink};
	struct span rest = input_rest(in), line;

	sink_fact(sink, "weight", SPAN("samples"));
	prefer_samples(sink, rest);
	while (span_line(&rest, &line)) {
		in->line++;
		read_line(&j, in, line);
	}
	finish(&j);
	chain_release(&j.chain);
	str_release(&j.event);
	str_release(&j.thread);
	return true;
}

const struct reader reader_jfr = {"jfr", "jfr print of Java Flight Recorder", probe, read};
