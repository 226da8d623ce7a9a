/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gdb's `bt` and `thread apply all bt`, and pstack's and gstack's output, any number of them: one count per thread and stack. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct gdb {
	struct sink *sink;
	struct chain chain;
	int32_t tid;
};

/* What ends at the quote that opens at `at`; a string in an argument list may hold parentheses. */
static size_t pass_quoted(struct span s, size_t at)
{
	char quote = s.p[at++];

	while (at < s.n && s.p[at] != quote)
		at += s.p[at] == '\\' ? 2 : 1;
	return at < s.n ? at + 1 : s.n;
}

/* The place after the parenthesis that closes the one at `at`; 0 when none does. */
static size_t pass_parentheses(struct span s, size_t at)
{
	size_t depth = 0;

	while (at < s.n) {
		char c = s.p[at];

		if (c == '"' || (c == '\'' && at + 2 < s.n && (s.p[at + 1] == '\\' || s.p[at + 2] == '\''))) {
			at = pass_quoted(s, at);
			continue;
		}
		depth += c == '(';
		at++;
		if (c == ')' && --depth == 0)
			return at;
	}
	return 0;
}

static bool may_follow_arguments(struct span rest)
{
	return !span_trim(rest).n || span_starts(rest, SPAN(" at ")) || span_starts(rest, SPAN(" from "));
}

/* Parentheses that nothing closes cost a look at the whole rest each. */
enum { MAX_UNCLOSED = 16 };

/* Where the argument list " (...)" begins: the first parenthesis after a blank that is followed by the source, the library or
   nothing. A list that goes on in the next line begins at the first one. s.n when there is none; *end is after it. */
static size_t find_arguments(struct span s, size_t *end)
{
	size_t at = 0, first = s.n, unclosed = 0;

	while (unclosed < MAX_UNCLOSED) {
		size_t next = text_find(text_from(s, at), SPAN(" ("));

		at += next;
		if (at >= s.n)
			break;
		*end = pass_parentheses(s, at + 1);
		if (*end && may_follow_arguments(text_from(s, *end)))
			return at;
		if (!*end) {
			unclosed++;
			first = first == s.n ? at : first;
		}
		at++;
	}
	*end = s.n;
	return first;
}

/* " at FILE:LINE" or " from LIBRARY". */
static void parse_place(struct span rest, struct frame *f)
{
	size_t colon;
	uint64_t line;

	if (text_skip(&rest, SPAN(" from "))) {
		f->module = span_trim(rest);
	} else if (text_skip(&rest, SPAN(" at "))) {
		rest = span_trim(rest);
		colon = text_rfind(rest, SPAN(":"));
		f->file = (struct span){rest.p, colon};
		if (span_u64(text_from(rest, colon + 1), 10, &line) && line <= UINT32_MAX)
			f->line = (uint32_t)line;
	}
}

/* "#N  [0xADDRESS in ]NAME (ARGUMENTS) [at FILE:LINE | from LIBRARY]" or "#N  <signal handler called>". */
static bool parse_frame(struct span line, uint64_t *number, struct frame *f)
{
	size_t at, end;

	*f = (struct frame){0};
	if (!text_skip(&line, SPAN("#")) || !text_cut_number(&line, number) || !text_indent(line))
		return false;
	line = span_trim(line);
	if (line.n && line.p[0] == '<') {
		f->name = line;
		f->kind = FRAME_LABEL;
		return true;
	}
	if (text_cut_hex(&line, &f->addr)) {
		f->has_addr = true;
		if (!text_skip(&line, SPAN(" in ")))
			return false;
	}
	at = find_arguments(line, &end);
	if (at == line.n)
		return false;
	f->name = span_eq((struct span){line.p, at}, SPAN("??")) ? SPAN("") : (struct span){line.p, at};
	f->inlined = !f->has_addr && *number;
	parse_place(text_from(line, end), f);
	return true;
}

/* "Thread 2 (Thread 0x7f11 (LWP 4243) "io"):" */
static bool is_thread(struct span line)
{
	uint64_t n;

	return text_skip(&line, SPAN("Thread ")) && text_cut_number(&line, &n) &&
	       (span_starts(line, SPAN(" (")) || span_starts(line, SPAN(":")));
}

static int32_t parse_lwp(struct span line)
{
	uint64_t n;
	struct span rest = text_from(line, text_find(line, SPAN("LWP ")) + 4);

	return text_cut_number(&rest, &n) && n <= INT32_MAX ? (int32_t)n : NO_ID;
}

static bool is_frame(struct span line)
{
	struct frame f;
	uint64_t n;

	return parse_frame(line, &n, &f);
}

static bool probe(struct span head)
{
	return text_any_line(head, is_frame);
}

static void finish(struct gdb *g)
{
	struct stack stack = stack_init();

	stack.tid = g->tid;
	if (g->chain.n)
		chain_add(&g->chain, g->sink, &stack, COUNT_ONE);
	chain_reset(&g->chain);
}

/* Other lines are values of variables, notices, or the rest of a long argument list: no sample is in them. */
static void read_line(struct gdb *g, struct input *in, struct span line)
{
	uint64_t number;
	struct frame f;

	if (is_thread(line)) {
		finish(g);
		g->tid = parse_lwp(line);
	} else if (parse_frame(line, &number, &f)) {
		if (number == 0 && g->chain.n)
			finish(g);
		chain_push(&g->chain, &f);
	} else if (span_starts(line, SPAN("#"))) {
		sink_bad_line(g->sink, in, line);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct gdb g = {.sink = sink, .tid = NO_ID};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&g, in, line);
	finish(&g);
	chain_release(&g.chain);
	return true;
}

const struct reader reader_gdb = {"gdb", "gdb's bt and thread apply all bt, pstack", probe, read};
