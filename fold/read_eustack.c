/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfutils' eu-stack, any number of dumps: one count per thread. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct eustack {
	struct sink *sink;
	struct chain chain;
	int32_t pid, tid;
};

/* "PID 1234 - process" or "TID 1234:". */
static bool parse_id(struct span line, struct span word, struct span after, int32_t *id)
{
	uint64_t n;

	if (!text_skip(&line, word) || !text_cut_number(&line, &n) || !span_starts(line, after))
		return false;
	*id = n <= INT32_MAX ? (int32_t)n : NO_ID;
	return true;
}

static bool parse_pid(struct span line, int32_t *pid)
{
	return parse_id(line, SPAN("PID "), SPAN(" - "), pid);
}

static bool parse_tid(struct span line, int32_t *tid)
{
	return parse_id(line, SPAN("TID "), SPAN(":"), tid);
}

/* Takes " - MODULE" of -m, which a build-id " [HEX]@0xADDRESS" or debug file may follow, off the end of *text. */
static struct span cut_module(struct span *text)
{
	size_t at = text_find(*text, SPAN(" - /"));
	struct span module = text_from(*text, at + 3);

	if (at == text->n)
		return SPAN("");
	text->n = at;
	module.n = text_find(module, SPAN(" - "));
	module.n = text_find(module, SPAN(" ["));
	return module;
}

/* "#N  0xADDRESS[ - 1][ NAME][ - MODULE]" */
static bool parse_frame(struct span line, uint64_t *number, struct frame *f)
{
	*f = (struct frame){0};
	if (!text_skip(&line, SPAN("#")) || !text_cut_number(&line, number))
		return false;
	line = span_trim(line);
	if (!text_cut_hex(&line, &f->addr) || (line.n && line.p[0] != ' ') || span_starts(line, SPAN(" in ")))
		return false;
	f->has_addr = true;
	line = span_trim(line);
	if (!text_skip(&line, SPAN("- 1 ")) && span_eq(line, SPAN("- 1")))
		line = SPAN("");
	if (text_skip(&line, SPAN("- "))) {
		f->module = line;
		return true;
	}
	f->module = cut_module(&line);
	text_cut_offset(&line);
	f->name = span_trim(line);
	return true;
}

static bool is_tid(struct span line)
{
	int32_t id;

	return parse_tid(line, &id);
}

static bool is_frame(struct span line)
{
	struct frame f;
	uint64_t n;

	return parse_frame(line, &n, &f);
}

static bool probe(struct span head)
{
	return text_any_line(head, is_tid) && text_any_line(head, is_frame);
}

static void finish(struct eustack *e)
{
	struct stack stack = stack_init();

	stack.pid = e->pid;
	stack.tid = e->tid;
	if (e->chain.n)
		chain_add(&e->chain, e->sink, &stack, COUNT_ONE);
	chain_reset(&e->chain);
}

/* With -s the frame's source follows: "    FILE:LINE:COLUMN". */
static void add_source(struct eustack *e, struct span text)
{
	struct frame *f = &e->chain.frames[e->chain.n - 1];
	size_t colon = text_find(text, SPAN(":"));
	struct span rest = text_from(text, colon + 1);
	uint64_t n;

	f->file = chain_copy(&e->chain, (struct span){text.p, colon});
	if (text_cut_number(&rest, &n) && n <= UINT32_MAX)
		f->line = (uint32_t)n;
}

static void read_line(struct eustack *e, struct input *in, struct span line)
{
	int32_t id;
	uint64_t number;
	struct frame f;

	if (parse_pid(line, &id)) {
		finish(e);
		e->pid = id;
	} else if (parse_tid(line, &id)) {
		finish(e);
		e->tid = id;
	} else if (parse_frame(line, &number, &f)) {
		if (number == 0 && e->chain.n)
			finish(e);
		chain_push(&e->chain, &f);
	} else if (e->chain.n && text_indent(line) >= 4) {
		add_source(e, span_trim(line));
	} else if (span_trim(line).n) {
		sink_bad_line(e->sink, in, line);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct eustack e = {.sink = sink, .pid = NO_ID, .tid = NO_ID};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&e, in, line);
	finish(&e);
	chain_release(&e.chain);
	return true;
}

const struct reader reader_eustack = {"eu-stack", "elfutils' eu-stack", probe, read};
