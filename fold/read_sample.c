/* SPDX-License-Identifier: GPL-2.0-or-later */
/* macOS' sample(1): a call graph with the root outermost, drawn with lines, inclusive counts. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct row {
	size_t depth;
	uint64_t count;
	struct frame frame;
};

static bool is_graph(struct span line)
{
	return span_starts(line, SPAN("Call graph:"));
}

static bool is_end(struct span line)
{
	return span_starts(line, SPAN("Total number in stack")) ||
	       span_starts(line, SPAN("Sort by top of stack")) || span_starts(line, SPAN("Binary Images:"));
}

/* "+ ! : |" and blanks stand for the rows around a row, two characters each. */
static size_t count_drawn(struct span s)
{
	size_t n = 0;

	while (n < s.n && strchr(" +!:|", s.p[n]))
		n++;
	return n;
}

/* "NAME  (in MODULE) + 123  [0x7fff]  FILE:12". */
static void parse_function(struct span text, struct frame *f)
{
	size_t at = text_rfind(text, SPAN("  (in "));
	struct span rest = text_from(text, at + 6), library = SPAN(".dylib");

	*f = (struct frame){.name = span_trim((struct span){text.p, at})};
	if (at == text.n) {
		at = text_find(f->name, SPAN("  (serial)"));
		f->name.n = at < f->name.n ? at : text_find(f->name, SPAN("  (concurrent)"));
		f->kind = FRAME_LABEL;
		return;
	}
	if (!text_cut(&rest, SPAN(")"), &f->module))
		f->module = rest;
	if (span_ends(f->module, library))
		f->module.n -= library.n;
	/* A symbol that is not known: "???". */
	if (span_eq(f->name, SPAN("???")))
		f->name = SPAN("");
	rest = text_from(rest, text_find(rest, SPAN("[0x")) + 1);
	f->has_addr = text_cut_hex(&rest, &f->addr);
}

/* "    + ! 1000 FUNCTION". */
static bool parse_row(struct span line, struct row *row)
{
	size_t drawn = count_drawn(line);

	if (drawn < 4 || drawn % 2)
		return false;
	row->depth = drawn / 2 - 2;
	line = text_from(line, drawn);
	if (!text_cut_number(&line, &row->count) || !text_skip(&line, SPAN(" ")))
		return false;
	parse_function(line, &row->frame);
	return true;
}

static bool is_first_row(struct span line)
{
	struct row row;

	return parse_row(line, &row) && row.depth == 0 &&
	       span_starts(span_trim(row.frame.name), SPAN("Thread_"));
}

static bool probe(struct span head)
{
	return text_any_line(head, is_graph) &&
	       (span_starts(head, SPAN("Analysis of sampling ")) ||
		   span_starts(head, SPAN("Sampling process ")) || text_any_line(head, is_first_row));
}

static bool add_row(struct path *path, struct span line)
{
	struct row row;

	if (!parse_row(line, &row))
		return false;
	row.frame.name = path_copy(path, row.frame.name);
	row.frame.module = path_copy(path, row.frame.module);
	return path_enter(path, row.depth, &row.frame, count_of(row.count));
}

static bool read(struct input *in, struct sink *sink)
{
	struct path path = {.sink = sink, .work.in = in, .stack = stack_init()};
	struct span line;
	bool inside = false;

	path.stack.modules = true;
	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line)) {
		if (is_graph(line))
			inside = true;
		else if (is_end(line))
			inside = false;
		else if (inside && span_trim(line).n && !add_row(&path, line))
			sink_bad_line(sink, in, line);
	}
	path_leave(&path, 0);
	path_release(&path);
	return true;
}

const struct reader reader_sample = {"sample", "macOS' sample", probe, read};
