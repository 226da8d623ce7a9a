/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of `go tool pprof -raw`: samples as lists of location numbers, then the locations. */
#include <stdlib.h>

#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"
#include "fold/values.h"

/* More functions inlined into one address than this are damage: every sample may repeat them. */
enum { MAX_LINES = 64 };

/* A line of a location: the first is the innermost, those before the last are inlined into the next one. */
struct line {
	uint64_t location;
	size_t order;
	struct frame frame;
};

struct goraw {
	struct sink *sink;
	struct values types;
	struct arena text;
	struct line *lines; /* in order of location when sorted */
	size_t nlines, lines_cap;
	struct span *samples; /* the lines of samples, copied */
	size_t nsamples, samples_cap;
	uint64_t location; /* the one whose lines are being read */
	struct chain chain;
	enum section { HEADER, TYPES, SAMPLES, LOCATIONS, MAPPINGS } section;
};

static bool is_samples(struct span line)
{
	return span_eq(span_trim(line), SPAN("Samples:"));
}

static bool is_period_type(struct span line)
{
	return span_starts(line, SPAN("PeriodType: "));
}

static bool probe(struct span head)
{
	return text_any_line(head, is_samples) &&
	       (text_any_line(head, is_period_type) || span_starts(head, SPAN("Samples:")));
}

static struct span keep(struct goraw *g, struct span s)
{
	return (struct span){arena_copy(&g->text, s.p, s.n), s.n};
}

/* "samples/count cpu/nanoseconds[dflt]" */
static void read_types(struct goraw *g, struct span line)
{
	struct span word;

	while ((word = text_word(&line)).n && g->types.n < VALUES_MAX) {
		struct value_type *type = &g->types.types[g->types.n];
		size_t slash = span_find(word, 0, '/');

		if (span_ends(word, SPAN("[dflt]"))) {
			word.n -= 6;
			g->types.preferred = g->types.n;
		}
		type->name = keep(g, (struct span){word.p, slash < word.n ? slash : word.n});
		type->unit = keep(g, text_from(word, slash + 1));
		g->types.n++;
	}
}

/* A sample is "    3   30000000: 1 2 3"; its labels follow: "                bytes:[1024]". */
static bool is_sample(struct span line)
{
	struct span word = text_word(&line);

	text_skip(&word, SPAN("-"));
	if (word.n && word.p[word.n - 1] == ':')
		word.n--;
	return text_is_digits(word);
}

static void keep_sample(struct goraw *g, struct span line)
{
	g->samples = grow(g->samples, g->nsamples, &g->samples_cap, sizeof *g->samples);
	g->samples[g->nsamples++] = keep(g, line);
}

/* "NAME FILE:LINE[:COLUMN] s=12[(SYSTEM NAME)]": name and file may have blanks in them. */
static void parse_function(struct span text, struct frame *f)
{
	size_t at = text_rfind(text, SPAN(" s="));
	struct span file, number;
	uint64_t n;

	text.n = at;
	at = text_rfind(text, SPAN(" /"));
	if (at == text.n)
		at = text_rfind(text, SPAN(" "));
	f->name = (struct span){text.p, at};
	file = text_from(text, at + 1);
	at = text_find(file, SPAN(":"));
	number = text_from(file, at + 1);
	file.n = at;
	f->file = file;
	if (text_cut_number(&number, &n) && n <= UINT32_MAX)
		f->line = (uint32_t)n;
}

/* "     1: 0x42 M=1 FUNCTION", and in lines of their own the functions that it is inlined into. */
static bool read_location(struct goraw *g, struct span line)
{
	struct span text = span_trim(line), rest = text;
	struct frame f = {0};
	uint64_t id, module;

	if (text_cut_number(&rest, &id) && text_skip(&rest, SPAN(": ")) && text_cut_hex(&rest, &f.addr)) {
		g->location = id;
		f.has_addr = true;
		text = span_trim(rest);
		if (text_skip(&text, SPAN("M=")) && !text_cut_number(&text, &module))
			return false;
		text = span_trim(text);
		text_skip(&text, SPAN("[F] "));
	}
	if (!g->location)
		return false;
	if (text.n && !span_eq(text, SPAN("??")))
		parse_function(text, &f);
	f.name = keep(g, f.name);
	f.file = keep(g, f.file);
	g->lines = grow(g->lines, g->nlines, &g->lines_cap, sizeof *g->lines);
	g->lines[g->nlines] = (struct line){g->location, g->nlines, f};
	g->nlines++;
	return true;
}

/* Is this the title of a section? Then it is begun. */
static bool begin_section(struct goraw *g, struct span line)
{
	struct span text = span_trim(line);

	if (span_eq(text, SPAN("Samples:")))
		g->section = TYPES;
	else if (span_eq(text, SPAN("Locations")))
		g->section = LOCATIONS;
	else if (span_eq(text, SPAN("Mappings")))
		g->section = MAPPINGS;
	else
		return false;
	return true;
}

static void read_line(struct goraw *g, struct input *in, struct span line)
{
	if (!span_trim(line).n || begin_section(g, line))
		return;
	switch (g->section) {
	case TYPES:
		g->section = SAMPLES;
		/* Without types the first sample is here. */
		if (text_has(line, SPAN("/")) && !is_sample(line))
			read_types(g, line);
		else
			keep_sample(g, line);
		break;
	case SAMPLES:
		if (is_sample(line))
			keep_sample(g, line);
		else if (!text_indent(line))
			sink_bad_line(g->sink, in, line);
		break;
	case LOCATIONS:
		if (!read_location(g, line))
			sink_bad_line(g->sink, in, line);
		break;
	case HEADER:
	case MAPPINGS:
		break;
	}
}

static int compare_location(const void *a, const void *b)
{
	uint64_t x = ((const struct line *)a)->location, y = ((const struct line *)b)->location;

	return (x > y) - (x < y);
}

static int compare(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;
	int c = compare_location(a, b);

	return c ? c : (a->order > b->order) - (a->order < b->order);
}

/* The first line of a location; the number of lines when there is none. */
static size_t find_location(const struct goraw *g, uint64_t id)
{
	struct line key = {.location = id};
	const struct line *found =
	    g->nlines ? bsearch(&key, g->lines, g->nlines, sizeof *g->lines, compare_location) : NULL;
	size_t at = found ? (size_t)(found - g->lines) : g->nlines;

	for (size_t i = 0; found && i < MAX_LINES && at && g->lines[at - 1].location == id; i++)
		at--;
	return at;
}

static void push_location(struct goraw *g, uint64_t id)
{
	size_t at = find_location(g, id);
	struct frame unknown = {0};

	if (at == g->nlines)
		chain_refer(&g->chain, &unknown);
	for (size_t i = 0; i < MAX_LINES && at < g->nlines && g->lines[at].location == id; i++, at++) {
		struct frame f = g->lines[at].frame;

		f.inlined = at + 1 < g->nlines && g->lines[at + 1].location == id;
		chain_refer(&g->chain, &f);
	}
}

static bool parse_value(struct span word, int64_t *value)
{
	bool minus = text_skip(&word, SPAN("-"));
	uint64_t n;

	if (!span_u64(word, 10, &n) || n > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)n : (int64_t)n;
	return true;
}

/* "VALUE VALUE: LOCATION LOCATION ..." */
static bool add_sample(struct goraw *g, struct span line)
{
	struct stack stack = stack_init();
	int64_t values[VALUES_MAX];
	struct span before, word;
	size_t n = 0;
	uint64_t id;

	if (!text_cut(&line, SPAN(":"), &before))
		return false;
	while ((word = text_word(&before)).n && n < VALUES_MAX)
		if (!parse_value(word, &values[n++]))
			return false;
	while ((word = text_word(&line)).n)
		if (span_u64(word, 10, &id))
			push_location(g, id);
	stack.frames = g->chain.frames;
	stack.nframes = g->chain.n;
	if (!g->types.n)
		g->types.types[g->types.n++] = (struct value_type){SPAN("samples"), SPAN("count")};
	values_add(&g->types, g->sink, &stack, values, n);
	chain_reset(&g->chain);
	return n > 0;
}

static bool read(struct input *in, struct sink *sink)
{
	struct goraw g = {.sink = sink};
	struct span line;

	while (input_line(in, &line))
		read_line(&g, in, line);
	if (g.nlines)
		qsort(g.lines, g.nlines, sizeof *g.lines, compare);
	for (size_t i = 0; i < g.nsamples; i++)
		if (!add_sample(&g, g.samples[i]))
			sink_bad_line(sink, in, g.samples[i]);
	free(g.lines);
	free(g.samples);
	arena_release(&g.text);
	chain_release(&g.chain);
	return true;
}

const struct reader reader_goraw = {"go-raw", "go tool pprof -raw", probe, read};
