/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LLDB's `bt` and `thread backtrace all`, any number of them: one count per thread. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct lldb {
	struct sink *sink;
	struct chain chain;
};

/* "thread #1, name = 'x', stop reason = ..." */
static bool is_thread(struct span line)
{
	struct span text = span_trim(line);

	text_skip(&text, SPAN("* "));
	return span_starts(span_trim(text), SPAN("thread #"));
}

/* Takes " at FILE:LINE[:COLUMN]" off the end of *text. */
static void cut_place(struct span *text, struct frame *f)
{
	size_t at = text_rfind(*text, SPAN(" at ")), colon;
	struct span place = text_from(*text, at + 4), rest;
	uint64_t n;

	if (at == text->n || (colon = text_find(place, SPAN(":"))) == place.n)
		return;
	rest = text_from(place, colon + 1);
	if (!text_cut_number(&rest, &n) || n > UINT32_MAX || (rest.n && rest.p[0] != ':'))
		return;
	f->file = (struct span){place.p, colon};
	f->line = (uint32_t)n;
	text->n = at;
}

/* Takes " + 123" off the end of *text. */
static void cut_offset(struct span *text, struct frame *f)
{
	size_t at = text_rfind(*text, SPAN(" + "));

	if (at < text->n && span_u64(text_from(*text, at + 3), 10, &f->offset))
		text->n = at;
}

static void cut_mark(struct span *text, struct span mark)
{
	if (span_ends(*text, mark))
		text->n -= mark.n;
}

/* "FUNCTION [inlined] CALLEE(...)": the one inlined is the frame, the function around it has a line of its own. */
static void cut_inlined(struct frame *f)
{
	size_t at = text_find(f->name, SPAN(" [inlined] "));

	if (at == f->name.n)
		return;
	f->name = text_from(f->name, at + 11);
	f->inlined = true;
}

/* "* frame #0: 0x0000000100000f50 MODULE`FUNCTION(ARGUMENTS) + 12 at FILE:5:3 [opt]" */
static bool parse_frame(struct span line, uint64_t *number, struct frame *f)
{
	struct span text = span_trim(line);
	size_t tick;

	*f = (struct frame){0};
	if (text_skip(&text, SPAN("* ")))
		text = span_trim(text);
	if (!text_skip(&text, SPAN("frame #")) || !text_cut_number(&text, number) ||
	    !text_skip(&text, SPAN(": ")))
		return false;
	if (!text_cut_hex(&text, &f->addr))
		return false;
	f->has_addr = true;
	text = span_trim(text);
	cut_mark(&text, SPAN(" [opt]"));
	cut_mark(&text, SPAN(" [artificial]"));
	cut_mark(&text, SPAN(" [opt]"));
	cut_place(&text, f);
	cut_offset(&text, f);
	tick = span_find(text, 0, '`');
	if (tick == text.n) {
		f->module = text;
		return true;
	}
	f->module = (struct span){text.p, tick};
	f->name = text_from(text, tick + 1);
	cut_inlined(f);
	return true;
}

static bool is_frame(struct span line)
{
	uint64_t n;
	struct frame f;

	return parse_frame(line, &n, &f);
}

static bool probe(struct span head)
{
	return text_any_line(head, is_frame);
}

static void finish(struct lldb *l)
{
	struct stack stack = stack_init();

	stack.modules = true;
	if (l->chain.n)
		chain_add(&l->chain, l->sink, &stack, COUNT_ONE);
	chain_reset(&l->chain);
}

/* Other lines are source code, disassembly and notices. */
static void read_line(struct lldb *l, struct input *in, struct span line)
{
	uint64_t number;
	struct frame f;

	if (is_thread(line)) {
		finish(l);
	} else if (parse_frame(line, &number, &f)) {
		if (number == 0)
			finish(l);
		chain_push(&l->chain, &f);
	} else if (text_has(line, SPAN(" frame #"))) {
		sink_bad_line(l->sink, in, line);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct lldb l = {.sink = sink};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&l, in, line);
	finish(&l);
	chain_release(&l.chain);
	return true;
}

const struct reader reader_lldb = {"lldb", "LLDB's bt and thread backtrace all", probe, read};
