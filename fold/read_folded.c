/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads folded lines (folded(5)) as any tool writes them. */
#include <stdlib.h>

#include "fold/reader.h"
#include "lib/arena.h"
#include "lib/folded.h"

enum { HEAD_SIZE = 64 * 1024 };

struct folded_reader {
	struct input *in;
	struct sink *sink;
	struct frame *frames;
	size_t nframes, cap;
	unsigned ncolumns;
	bool declared; /* a header line gave the number of samples */
	bool timed; /* a header line gave the width of slices: "@SECONDS" is no part of a name */
	struct folded_line line;
};

/* Lines of the head that are whole. */
static bool whole_line(struct span *rest, struct span *line, bool all)
{
	if (!all && !memchr(rest->p, '\n', rest->n))
		return false;
	return span_line(rest, line);
}

/* Without a header: two columns when every line in sight ends in two counts or more, else one. */
static unsigned guess_columns(struct input *in)
{
	struct span rest = input_peek(in, HEAD_SIZE), line;
	bool all = rest.n < HEAD_SIZE;
	unsigned nlines = 0;

	while (whole_line(&rest, &line, all)) {
		if (folded_kind(line) != FOLDED_STACK)
			continue;
		if (folded_count_words(line) < 2)
			return 1;
		nlines++;
	}
	return nlines ? 2 : 1;
}

static unsigned columns_in(struct span header)
{
	struct str names = {0};
	unsigned n = 1;

	if (!folded_header_get(header, "columns", &names)) {
		str_release(&names);
		return 1;
	}
	for (size_t i = 0; i < names.n; i++)
		n += names.p[i] == ',';
	str_release(&names);
	return n <= FOLDED_MAX_COLUMNS ? n : FOLDED_MAX_COLUMNS;
}

static void read_header(struct folded_reader *r, struct span line)
{
	struct str samples = {0}, slice = {0};

	r->timed = folded_header_get(line, "slice_s", &slice);
	str_release(&slice);
	r->ncolumns = columns_in(line);
	r->declared = folded_header_get(line, "samples", &samples);
	sink_header(r->sink, line);
	str_release(&samples);
}

/* Root first in the text, leaf first in a stack. */
static void split(struct folded_reader *r, struct span stack)
{
	r->nframes = 0;
	while (stack.n) {
		r->frames = grow(r->frames, r->nframes, &r->cap, sizeof *r->frames);
		r->frames[r->nframes] = (struct frame){.kind = FRAME_LABEL};
		folded_frame(&stack, &r->frames[r->nframes++].name);
	}
	for (size_t i = 0; i < r->nframes / 2; i++) {
		struct frame f = r->frames[i];

		r->frames[i] = r->frames[r->nframes - 1 - i];
		r->frames[r->nframes - 1 - i] = f;
	}
}

/* Without such a header it is how somebody's last frame ends. */
static void rejoin_slice(struct folded_line *line)
{
	if (!line->slice.n)
		return;
	line->stack.n = (size_t)(line->slice.p + line->slice.n - line->stack.p);
	line->slice = SPAN("");
}

static void take_time(struct folded_reader *r, struct amount *amount)
{
	u128 seconds;

	if (!r->line.slice.n || !count_parse(r->line.slice, &seconds))
		return;
	amount->has_time = true;
	amount->time_ns = (uint64_t)(seconds / (COUNT_ONE / 1000000000));
}

static u128 sum(const struct folded_line *line)
{
	u128 n = 0;

	for (unsigned i = 0; i < line->ncounts; i++)
		n = count_sum(n, line->counts[i]);
	return n;
}

static void read_stack(struct folded_reader *r, struct span line)
{
	struct stack stack = stack_init();

	if (!folded_parse(line, r->ncolumns, &r->line)) {
		sink_bad_line(r->sink, r->in, line);
		return;
	}
	if (!r->timed)
		rejoin_slice(&r->line);
	split(r, r->line.stack);
	stack.frames = r->frames;
	stack.nframes = r->nframes;
	stack.verbatim = true;
	stack.amount.weight = r->line.counts[0];
	stack.amount.samples = r->declared ? SAMPLES_DECLARED : sum(&r->line);
	take_time(r, &stack.amount);
	if (r->ncolumns > 1)
		sink_add_columns(r->sink, &stack, r->line.counts, r->ncolumns);
	else
		sink_add(r->sink, &stack);
}

static bool read_folded(struct input *in, struct sink *sink)
{
	struct folded_reader *r = xcalloc(1, sizeof *r);
	struct span line;

	r->in = in;
	r->sink = sink;
	r->ncolumns = guess_columns(in);
	sink_start(sink, 0);
	while (input_line(in, &line)) {
		switch (folded_kind(line)) {
		case FOLDED_HEADER:
			read_header(r, line);
			break;
		case FOLDED_STACK:
			read_stack(r, line);
			break;
		case FOLDED_BAD:
			sink_bad_line(sink, in, line);
			break;
		case FOLDED_COMMENT:
		case FOLDED_BLANK:
			break;
		}
	}
	free(r->frames);
	free(r);
	return true;
}

/* One stack may be longer than what can be seen of it. */
static bool looks_like_part(struct span line)
{
	for (size_t i = 0; i < line.n; i++)
		if ((unsigned char)line.p[i] < ' ' && line.p[i] != '\t')
			return false;
	return span_find(line, 0, ';') < line.n;
}

/* As many stacks as other lines: the last format to be asked, so that this needs not be strict. */
static bool probe_folded(struct span head)
{
	struct span line;
	bool all = head.n < HEAD_SIZE;
	size_t stacks = 0, others = 0;

	if (!all && !memchr(head.p, '\n', head.n))
		return looks_like_part(head);

	while (whole_line(&head, &line, all)) {
		switch (folded_kind(line)) {
		case FOLDED_HEADER:
			return true;
		case FOLDED_STACK:
			*(folded_count_words(line) ? &stacks : &others) += 1;
			break;
		case FOLDED_BAD:
			others++;
			break;
		case FOLDED_COMMENT:
		case FOLDED_BLANK:
			break;
		}
	}
	return stacks && stacks >= others;
}

const struct reader reader_folded = {"folded", "folded lines", probe_folded, read_folded};
