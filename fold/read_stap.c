/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SystemTap's print_backtrace and print_ubacktrace as keys of a map: frames from the leaf on, then the count on a line of its own. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

/* Takes " [MODULE]" or " [MODULE+0xOFFSET]" off the end of *text. */
static struct span cut_module(struct span *text)
{
	size_t at = text_rfind(*text, SPAN(" ["));
	struct span module = text_from(*text, at + 2);

	if (at == text->n || !module.n || module.p[module.n - 1] != ']')
		return SPAN("");
	module.n--;
	text_cut_offset(&module);
	text->n = at;
	return module;
}

/* "0xADDRESS : NAME+0xOFFSET/0xSIZE [MODULE]", "0xADDRESS [MODULE+0xOFFSET]" or "0xADDRESS". */
static bool parse_frame(struct span text, struct frame *f)
{
	struct span whole = text;
	size_t at;

	*f = (struct frame){0};
	if (!text_cut_hex(&text, &f->addr))
		return false;
	f->has_addr = true;
	at = text_rfind(text, SPAN(" (inexact)"));
	if (at + 10 == text.n)
		text.n = at;
	f->module = cut_module(&text);
	if (span_eq(f->module, SPAN("kernel")))
		f->kind = FRAME_KERNEL;
	if (text_skip(&text, SPAN(" : "))) {
		at = text_rfind(text, SPAN("/0x"));
		if (at < text.n && text_has(text, SPAN("+0x")))
			text.n = at;
		f->offset = text_cut_offset(&text);
		f->name = text;
	} else if (!f->module.n) {
		f->name = (struct span){whole.p, whole.n - text.n};
	}
	return !span_trim(text).n || f->name.n;
}

static bool is_symbol_line(struct span line)
{
	struct frame f;
	struct span text = span_trim(line);

	return parse_frame(text, &f) && text_has(text, SPAN(" : ")) && text_has(text, SPAN("+0x"));
}

static bool is_count(struct span line)
{
	return text_is_digits(span_trim(line));
}

static bool probe(struct span head)
{
	return text_any_line(head, is_symbol_line) && text_any_line(head, is_count);
}

static void finish(struct chain *c, struct sink *sink, struct span count)
{
	struct stack stack = stack_init();
	u128 n;

	if (!c->n)
		chain_push(c, &(struct frame){0});
	if (count_parse(count, &n))
		chain_add(c, sink, &stack, n);
	chain_reset(c);
}

static bool read(struct input *in, struct sink *sink)
{
	struct chain chain = {0};
	struct span line, text;
	struct frame f;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line)) {
		text = span_trim(line);
		if (text_is_digits(text))
			finish(&chain, sink, text);
		else if (parse_frame(text, &f))
			chain_push(&chain, &f);
		else if (text.n)
			sink_bad_line(sink, in, line);
	}
	if (chain.n)
		sink_bad_line(sink, in, SPAN("a stack without its count"));
	chain_release(&chain);
	return true;
}

const struct reader reader_stap = {"stap", "SystemTap's backtraces", probe, read};
