/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DTrace aggregations by stack() and ustack(): frames from the leaf on, then the count on a line of its own. An empty line stands
   between the kernel's and the user's part of one stack. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"
#include "fold/tidy.h"

struct dtrace {
	struct sink *sink;
	struct chain chain;
	struct chain inlined; /* functions of the frame in hand that are inlined into it */
	struct str comm; /* a key printed before the stack */
	struct str name; /* of the frame in hand */
};

/* "MODULE`NAME+0xOFFSET", or a bare address. */
static bool is_frame(struct span text)
{
	uint64_t addr;

	return (text_has(text, SPAN("`")) && text.p[0] != '`') || (text_cut_hex(&text, &addr) && !text.n);
}

/* What DTrace itself prints between aggregations: the title of the columns, and the probe that fired: "  0  64091   :tick-60s". */
static bool is_heading(struct span line)
{
	struct span rest = line, cpu = text_word(&rest), id = text_word(&rest), probe = text_word(&rest);

	if (span_eq(cpu, SPAN("CPU")))
		return span_eq(id, SPAN("ID"));
	if (span_eq(cpu, SPAN("dtrace:")))
		return true;
	return text_is_digits(cpu) && text_is_digits(id) && text_has(probe, SPAN(":"));
}

/* Blanks, then "MODULE`NAME". */
static bool is_indented_frame(struct span line)
{
	struct span text = span_trim(line);
	size_t tick = span_find(text, 0, '`');

	return text_indent(line) && tick && tick < text.n && span_find(text, 0, ' ') > tick;
}

static bool is_count(struct span line)
{
	return text_is_digits(span_trim(line));
}

static bool is_columns(struct span line)
{
	return span_starts(line, SPAN("CPU ")) && text_has(line, SPAN("FUNCTION:NAME"));
}

static bool probe(struct span head)
{
	return text_any_line(head, is_columns) ||
	       (text_any_line(head, is_indented_frame) && text_any_line(head, is_count));
}

/* Only qualified names (and mangled ones) lose their parameter list, as users of the older collapsers know it. */
static struct span tidy(struct dtrace *d, struct span name)
{
	const struct options *o = sink_options(d->sink);
	bool mangled = !o->symbols.no_demangle && span_starts(name, SPAN("_Z"));

	if (o->no_tidy || (!mangled && !text_has(name, SPAN("::"))))
		return name;
	str_reset(&d->name);
	tidy_name(&d->name, name, 0);
	return str_span(&d->name);
}

/* A chain of Java methods inlined into each other, outermost first, is as many frames. */
static void push_inlined(struct dtrace *d, struct frame *f, struct span names)
{
	struct span outer;
	struct str text = {0};

	tidy_cut_inlined(&names, &outer);
	while (names.n) {
		struct frame inner = *f;
		struct span name;

		tidy_cut_inlined(&names, &name);
		str_reset(&text);
		str_add(&text, name.p, name.n);
		str_adds(&text, "_[i]");
		inner.name = str_span(&text);
		inner.module = SPAN("");
		chain_push(&d->inlined, &inner);
	}
	while (d->inlined.n)
		chain_push(&d->chain, &d->inlined.frames[--d->inlined.n]);
	chain_reset(&d->inlined);
	f->name = outer;
	str_release(&text);
}

static bool is_kernel(struct span module)
{
	static const struct span names[] = {
	    SPAN("unix"), SPAN("genunix"), SPAN("kernel"), SPAN("mach_kernel")};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_eq(module, names[i]))
			return true;
	return false;
}

static void add_frame(struct dtrace *d, struct span text)
{
	struct frame f = {0};
	size_t at = span_find(text, 0, '`');

	f.offset = text_cut_offset(&text);
	if (at < text.n) {
		f.module = (struct span){text.p, at};
		text = text_from(text, at + 1);
	}
	f.kind = is_kernel(f.module) ? FRAME_KERNEL : FRAME_USER;
	f.name = tidy(d, text);
	if (text_has(f.name, SPAN("->")) && !sink_options(d->sink)->no_tidy)
		push_inlined(d, &f, f.name);
	chain_push(&d->chain, &f);
}

/* A line before the frames: other keys of the aggregation, such as execname. */
static void add_key(struct dtrace *d, struct span text)
{
	if (d->comm.n)
		str_addc(&d->comm, ' ');
	str_add(&d->comm, text.p, text.n);
}

static void finish(struct dtrace *d, struct span count)
{
	struct stack stack = stack_init();
	u128 n;

	stack.verbatim = stack.modules = true;
	stack.comm = str_span(&d->comm);
	if (!d->chain.n && !d->comm.n)
		chain_push(&d->chain, &(struct frame){0});
	if (count_parse(count, &n))
		chain_add(&d->chain, d->sink, &stack, n);
	chain_reset(&d->chain);
	str_reset(&d->comm);
}

static void read_line(struct dtrace *d, struct input *in, struct span line)
{
	struct span text = span_trim(line);

	if (!text.n || (is_heading(line) && !d->chain.n && !text_is_digits(text)))
		return;
	if (text_is_digits(text))
		finish(d, text);
	else if (is_frame(text) || d->chain.n || text_indent(line) >= 8)
		add_frame(d, text);
	else if (text_indent(line))
		add_key(d, text);
	else
		sink_bad_line(d->sink, in, line);
}

static bool read(struct input *in, struct sink *sink)
{
	struct dtrace d = {.sink = sink};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&d, in, line);
	if (d.chain.n || d.comm.n)
		sink_bad_line(sink, in, SPAN("a stack without its count"));
	chain_release(&d.chain);
	chain_release(&d.inlined);
	str_release(&d.comm);
	str_release(&d.name);
	return true;
}

const struct reader reader_dtrace = {"dtrace", "DTrace's stack() and ustack()", probe, read};
