/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GHC's .prof: a tree of cost centres, each with its own share of time, and with ticks and bytes when -P was given. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct ghcprof {
	struct path path;
	bool has_ticks; /* and bytes: two more columns */
	bool inside; /* the tree */
	bool begun; /* a row has been read */
	struct str name;
};

/* Columns after the source, which may have blanks in it: number, entries, own and inherited shares, ticks and bytes. */
enum { SHARES = 6, WITH_TICKS = 8 };

static bool is_title(struct span line, bool *has_ticks)
{
	struct span rest = span_trim(line), word;
	bool number = false, entries = false;

	if (!text_skip(&rest, SPAN("COST CENTRE")))
		return false;
	*has_ticks = false;
	while ((word = text_word(&rest)).n) {
		number |= span_eq(word, SPAN("no."));
		entries |= span_eq(word, SPAN("entries"));
		*has_ticks |= span_eq(word, SPAN("ticks"));
	}
	return number && entries;
}

static bool is_any_title(struct span line)
{
	bool has_ticks;

	return is_title(line, &has_ticks);
}

static bool probe(struct span head)
{
	return text_any_line(head, is_any_title);
}

/* Cuts the last word off *text. */
static struct span cut_last_word(struct span *text)
{
	struct span s = span_trim(*text), word;
	size_t at = s.n;

	while (at && s.p[at - 1] != ' ' && s.p[at - 1] != '\t')
		at--;
	word = text_from(s, at);
	*text = (struct span){s.p, at};
	return word;
}

static void add_event(struct ghcprof *g, struct span event, struct span text, unsigned multiply)
{
	u128 n;

	if (!count_parse(text, &n))
		return;
	g->path.stack.event = event;
	path_self(&g->path, count_scale(n, multiply, 1));
}

/* "  NAME  MODULE  SOURCE  no. entries  %time %alloc  %time %alloc  ticks bytes" */
static bool add_row(struct ghcprof *g, struct span line)
{
	struct span rest = line, numbers[WITH_TICKS], name, module;
	size_t n = g->has_ticks ? WITH_TICKS : SHARES, depth = text_indent(line);
	struct frame f = {0};
	u128 value;

	for (size_t i = n; i-- > 0;) {
		numbers[i] = cut_last_word(&rest);
		if (!count_parse(numbers[i], &value))
			return false;
	}
	name = text_word(&rest);
	module = text_word(&rest);
	str_reset(&g->name);
	str_add(&g->name, module.p, module.n);
	str_addc(&g->name, '.');
	str_add(&g->name, name.p, name.n);
	f.name = path_copy(&g->path, str_span(&g->name));
	if (!name.n || !path_enter(&g->path, depth, &f, 0))
		return false;
	if (g->has_ticks) {
		add_event(g, SPAN("ticks"), numbers[6], 1);
		add_event(g, SPAN("bytes"), numbers[7], 1);
	} else {
		add_event(g, SPAN("time"), numbers[2], 10);
	}
	return true;
}

/* The event that is counted by default is the first that the sink meets. */
static void begin(struct ghcprof *g)
{
	struct stack stack = g->path.stack;

	g->inside = true;
	stack.event = g->has_ticks ? SPAN("ticks") : SPAN("time");
	sink_fact(g->path.sink, "weight", g->has_ticks ? SPAN("ticks") : SPAN("permille"));
	sink_stack(g->path.sink, &stack);
}

static void read_line(struct ghcprof *g, struct input *in, struct span line)
{
	if (is_title(line, &g->has_ticks)) {
		begin(g);
	} else if (g->inside && !span_trim(line).n) {
		/* An empty line is between the titles and the tree, and after the tree. */
		g->inside = !g->begun;
	} else if (g->inside) {
		g->begun = true;
		if (!add_row(g, line))
			sink_bad_line(g->path.sink, in, line);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct ghcprof g = {.path = {.sink = sink, .work.in = in, .stack = stack_init()}};
	struct span line;

	g.path.stack.verbatim = true;
	while (input_line(in, &line))
		read_line(&g, in, line);
	path_release(&g.path);
	str_release(&g.name);
	return true;
}

const struct reader reader_ghcprof = {"ghcprof", "GHC's .prof", probe, read};
