/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Maps that bpftrace prints, keyed by kstack and ustack, and by other things: "@name[\n    leaf\n    root\n, comm]: 4". */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct bpftrace {
	struct sink *sink;
	struct chain chain; /* the stacks' frames, leaf first */
	struct chain keys; /* the other keys in order */
	struct str map; /* the name of the map, which may hold another thing than the one before */
	bool inside; /* after "@name[", before "]: count" */
};

/* "@name[" at the start of a line; *rest is what follows. */
static bool parse_opening(struct span line, struct span *name, struct span *rest)
{
	size_t n = 1;

	if (!line.n || line.p[0] != '@')
		return false;
	while (n < line.n && line.p[n] != '[' && line.p[n] != ' ' && line.p[n] != ':')
		n++;
	if (n == line.n || line.p[n] != '[')
		return false;
	*name = (struct span){line.p, n};
	*rest = text_from(line, n + 1);
	return true;
}

/* "...]: COUNT" at the end of a line, or the total of stats(): "]: count 4, average 5, total 20". */
static bool parse_closing(struct span line, struct span *before, u128 *count)
{
	size_t at = text_rfind(line, SPAN("]: "));
	struct span value = span_trim(text_from(line, at + 3)), total = value;

	if (at == line.n)
		return false;
	if (text_skip(&total, SPAN("count "))) {
		at = text_rfind(value, SPAN(" total "));
		value = text_from(value, at + 7);
	}
	*before = (struct span){line.p, text_rfind(line, SPAN("]: "))};
	return count_parse(value, count);
}

static bool is_opening(struct span line)
{
	struct span name, rest;

	return parse_opening(line, &name, &rest);
}

static bool is_closing(struct span line)
{
	struct span before;
	u128 n;

	return parse_closing(line, &before, &n);
}

static bool probe(struct span head)
{
	return text_any_line(head, is_opening) && text_any_line(head, is_closing);
}

/* "NAME+OFFSET", a bare address, or in perf's style "ADDRESS NAME+0xOFFSET (MODULE)". */
static void add_frame(struct bpftrace *b, struct span text)
{
	struct frame f = {0};
	struct span rest = text, first = text_word(&rest);

	rest = span_trim(rest);
	if (rest.n && rest.p[rest.n - 1] == ')' && span_u64(first, 16, &f.addr) &&
	    text_has(rest, SPAN(" ("))) {
		size_t at = text_rfind(rest, SPAN(" ("));

		f.has_addr = true;
		f.module = (struct span){rest.p + at + 2, rest.n - at - 3};
		text = (struct span){rest.p, at};
		f.offset = text_cut_offset(&text);
		if (span_starts(f.module, SPAN("[kernel")))
			f.kind = FRAME_KERNEL;
	}
	f.name = text;
	chain_push(&b->chain, &f);
}

/* The keys between stacks: ", comm, 1234". */
static void add_keys(struct bpftrace *b, struct span text)
{
	struct frame f = {.kind = FRAME_LABEL};

	text_skip(&text, SPAN(","));
	text = span_trim(text);
	if (text.n && text.p[text.n - 1] == ',')
		text.n--;
	while (text.n) {
		if (!text_cut(&text, SPAN(", "), &f.name)) {
			f.name = text;
			text = SPAN("");
		}
		f.name = span_trim(f.name);
		if (f.name.n)
			chain_push(&b->keys, &f);
	}
}

static bool is_number(struct span s)
{
	text_skip(&s, SPAN("-"));
	return text_is_digits(s);
}

/* The key that is the command's name; the number of keys when there is none. */
static size_t find_comm(const struct bpftrace *b)
{
	size_t i = 0;

	while (i < b->keys.n && is_number(b->keys.frames[i].name))
		i++;
	return i;
}

/* The first text among the keys is the command's name, the others are shown as frames at the root. */
static void finish(struct bpftrace *b, u128 count)
{
	struct stack stack = stack_init();
	size_t comm = find_comm(b);

	stack.event = str_span(&b->map);
	if (comm < b->keys.n)
		stack.comm = b->keys.frames[comm].name;
	for (size_t i = b->keys.n; i-- > 0;)
		if (i != comm)
			chain_push(&b->chain, &b->keys.frames[i]);
	if (!b->chain.n && !stack.comm.n)
		chain_push(&b->chain, &(struct frame){0});
	chain_add(&b->chain, b->sink, &stack, count);
}

/* An entry with numbers for keys and without a stack is a variable that the script keeps. */
static bool is_variable(const struct bpftrace *b)
{
	return !b->chain.n && b->keys.n && find_comm(b) == b->keys.n;
}

static void close_entry(struct bpftrace *b, struct input *in, u128 count, struct span line)
{
	if (is_variable(b))
		sink_bad_line(b->sink, in, line);
	else
		finish(b, count);
	chain_reset(&b->chain);
	chain_reset(&b->keys);
	b->inside = false;
}

static void read_inside(struct bpftrace *b, struct input *in, struct span line)
{
	struct span before;
	u128 count;

	if (parse_closing(line, &before, &count) && (!text_indent(line) || !span_trim(before).n)) {
		add_keys(b, before);
		close_entry(b, in, count, line);
	} else if (text_indent(line)) {
		add_frame(b, span_trim(line));
	} else {
		add_keys(b, line);
	}
}

/* What bpftrace and a script print between maps. */
static bool is_notice(struct span line)
{
	return !span_trim(line).n || span_starts(line, SPAN("Attaching ")) || span_starts(line, SPAN("^C"));
}

static void read_line(struct bpftrace *b, struct input *in, struct span line)
{
	struct span name, rest;

	if (parse_opening(line, &name, &rest)) {
		if (b->inside)
			sink_bad_line(b->sink, in, SPAN("an entry without its count"));
		chain_reset(&b->chain);
		chain_reset(&b->keys);
		str_reset(&b->map);
		str_add(&b->map, name.p, name.n);
		b->inside = true;
		if (span_trim(rest).n)
			read_inside(b, in, rest);
	} else if (b->inside && span_trim(line).n) {
		read_inside(b, in, line);
	} else if (!is_notice(line)) {
		sink_bad_line(b->sink, in, line);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct bpftrace b = {.sink = sink};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&b, in, line);
	if (b.inside)
		sink_bad_line(sink, in, SPAN("an entry without its count"));
	chain_release(&b.chain);
	chain_release(&b.keys);
	str_release(&b.map);
	return true;
}

const struct reader reader_bpftrace = {"bpftrace", "bpftrace's maps of kstack and ustack", probe, read};
