/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python's faulthandler, any number of dumps: one count per thread. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct faulthandler {
	struct sink *sink;
	struct chain chain;
	struct str name; /* of the frame in hand */
	bool inside; /* a thread's stack */
};

/* "Thread 0x00007f01 (most recent call first):", "Current thread 0x... [name] (...)" or "Stack (...)". */
static bool is_title(struct span line)
{
	return span_ends(line, SPAN(" (most recent call first):")) &&
	       (span_starts(line, SPAN("Thread 0x")) || span_starts(line, SPAN("Current thread 0x")) ||
		   span_starts(line, SPAN("Stack (")));
}

/* "  File "PATH", line N in FUNCTION" */
static bool parse_frame(struct span line, struct span *file, struct span *number, struct span *function)
{
	size_t at;

	if (!text_skip(&line, SPAN("  File \"")))
		return false;
	at = text_find(line, SPAN("\", line "));
	*file = (struct span){line.p, at};
	line = text_from(line, at + 8);
	if (!text_cut(&line, SPAN(" in "), number))
		return false;
	*function = line;
	return text_is_digits(*number);
}

static bool is_frame(struct span line)
{
	struct span file, number, function;

	return parse_frame(line, &file, &number, &function);
}

static bool probe(struct span head)
{
	return text_any_line(head, is_title) && text_any_line(head, is_frame);
}

static void finish(struct faulthandler *f)
{
	struct stack stack = stack_init();

	stack.verbatim = true;
	if (f->chain.n)
		chain_add(&f->chain, f->sink, &stack, COUNT_ONE);
	chain_reset(&f->chain);
	f->inside = false;
}

static void push(struct faulthandler *f, struct span name)
{
	struct frame frame = {.name = name};

	chain_push(&f->chain, &frame);
}

/* A frame is known by PATH:LINE:FUNCTION: names alone say little in Python. */
static void push_frame(struct faulthandler *f, struct span file, struct span number, struct span function)
{
	str_reset(&f->name);
	str_add(&f->name, file.p, file.n);
	str_addc(&f->name, ':');
	str_add(&f->name, number.p, number.n);
	str_addc(&f->name, ':');
	str_add(&f->name, function.p, function.n);
	push(f, str_span(&f->name));
}

static void read_line(struct faulthandler *f, struct input *in, struct span line)
{
	struct span file, number, function, text = span_trim(line);

	if (is_title(line)) {
		finish(f);
		f->inside = true;
	} else if (parse_frame(line, &file, &number, &function)) {
		push_frame(f, file, number, function);
	} else if (span_eq(text, SPAN("..."))) {
		/* More than a hundred frames: those towards the root are cut. */
		push(f, SPAN("[truncated]"));
	} else if (f->inside && span_eq(text, SPAN("<no Python frame>"))) {
		push(f, text);
	} else if (!text.n) {
		finish(f);
	} else if (text_indent(line)) {
		sink_bad_line(f->sink, in, line);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct faulthandler f = {.sink = sink};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&f, in, line);
	finish(&f);
	chain_release(&f.chain);
	str_release(&f.name);
	return true;
}

const struct reader reader_faulthandler = {"faulthandler", "Python's faulthandler", probe, read};
