/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Xdebug's machine readable trace (xdebug.trace_format=1) of PHP: entries and exits of functions, whose own time is folded. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct xdebug {
	struct path path;
	u128 now; /* seconds */
	uint64_t damaged; /* entries that do not fit into the stack */
};

static bool is_format(struct span line)
{
	return span_starts(line, SPAN("File format: ")) || span_starts(line, SPAN("TRACE START ["));
}

static bool probe(struct span head)
{
	return (span_starts(head, SPAN("Version: ")) && text_any_line(head, is_format)) ||
	       span_starts(head, SPAN("TRACE START ["));
}

/* Several tabs in a row are one column's end, as where the older collapser has been over a file. */
static struct span cut_column(struct span *rest)
{
	size_t n = span_find(*rest, 0, '\t');
	struct span column = {rest->p, n};

	*rest = text_from(*rest, n);
	while (rest->n && rest->p[0] == '\t')
		*rest = text_from(*rest, 1);
	return column;
}

static void advance(struct xdebug *x, u128 now)
{
	if (now > x->now && x->path.n)
		path_self(&x->path, count_scale(now - x->now, 1000000, 1));
	if (now > x->now)
		x->now = now;
}

/* LEVEL NUMBER 0 TIME MEMORY FUNCTION ... enters, LEVEL NUMBER 1 TIME MEMORY leaves, R tells what was returned. */
static bool read_record(struct xdebug *x, struct span line)
{
	struct span level_text = cut_column(&line), number = cut_column(&line), kind = cut_column(&line);
	struct span time = cut_column(&line);
	struct frame f = {0};
	uint64_t level;
	u128 now;

	if (!span_u64(level_text, 10, &level) || !text_is_digits(number) || level == 0)
		return false;
	if (span_eq(kind, SPAN("R")) || span_eq(kind, SPAN("A")))
		return true;
	if (!count_parse(time, &now) || (!span_eq(kind, SPAN("0")) && !span_eq(kind, SPAN("1"))))
		return false;
	advance(x, now);
	cut_column(&line);
	f.name = path_copy(&x->path, cut_column(&line));
	if (span_eq(kind, SPAN("1")))
		path_leave(&x->path, level - 1);
	else
		x->damaged += level > PATH_MAX_DEPTH || !path_enter(&x->path, level - 1, &f, 0);
	return true;
}

/* What stands around records: "Version: ...", "TRACE START [...]", and at the end the time alone, after tabs. */
static bool read_frame_of_trace(struct xdebug *x, struct span line)
{
	static const struct span starts[] = {SPAN("Version: "), SPAN("File format: "), SPAN("TRACE ")};
	u128 now;

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (span_starts(line, starts[i]))
			return true;
	if (!span_starts(line, SPAN("\t")))
		return !span_trim(line).n;
	line = span_trim(line);
	if (count_parse(cut_column(&line), &now))
		advance(x, now);
	path_leave(&x->path, 0);
	return true;
}

static bool read(struct input *in, struct sink *sink)
{
	struct xdebug x = {.path = {.sink = sink, .work.in = in, .stack = stack_init(), .us = 1}};
	struct span line;

	x.path.stack.verbatim = true;
	sink_fact(sink, "weight", SPAN("time"));
	while (input_line(in, &line))
		if (!read_frame_of_trace(&x, line) && !read_record(&x, line))
			sink_bad_line(sink, in, line);
	sink_tally(sink, TALLY_DAMAGED, x.damaged);
	path_leave(&x.path, 0);
	path_release(&x.path);
	return true;
}

const struct reader reader_xdebug = {"xdebug", "Xdebug's trace of PHP", probe, read};
