/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees that Intel VTune and Visual Studio export as tables: a row for each function with its own, exclusive, values. */
#include "fold/chain.h"
#include "fold/csv.h"
#include "fold/reader.h"
#include "fold/text.h"

enum { MAX_VALUES = 8 };

/* A column that stacks can be counted by. Several are events of their own, the first one found is the default. */
struct value {
	struct span title;
	bool is_seconds; /* folded in milliseconds, as by older collapsers */
};

static const struct value vtune_values[] = {{SPAN("CPU Time:Self"), true}, {SPAN("Allocations:Self"), false},
    {SPAN("Allocation Size:Self"), false}, {SPAN("Clockticks:Self"), false},
    {SPAN("Instructions Retired:Self"), false}, {{0}, false}};
static const struct value vs_values[] = {{SPAN("Exclusive Samples"), false}, {SPAN("Number of Calls"), false},
    {SPAN("Elapsed Exclusive Time %"), false}, {{0}, false}};

struct table {
	struct path path;
	const struct value *known;
	struct span name_title, module_title;
	size_t name, module, level; /* numbers of columns; CSV_MAX_FIELDS for one that is absent */
	size_t columns[MAX_VALUES]; /* of values */
	const struct value *values[MAX_VALUES];
	size_t nvalues;
};

static size_t find_column(const struct csv *title, struct span name)
{
	size_t i = 0;

	while (i < title->n && !span_eq(title->fields[i], name))
		i++;
	return i < title->n ? i : CSV_MAX_FIELDS;
}

/* The line of titles. False when it is none. */
static bool read_titles(struct table *t, struct span line)
{
	struct csv title;

	csv_split(&title, line);
	t->name = find_column(&title, t->name_title);
	t->module = find_column(&title, t->module_title);
	t->level = find_column(&title, SPAN("Level"));
	t->nvalues = 0;
	for (const struct value *v = t->known; v->title.n && t->nvalues < MAX_VALUES; v++) {
		size_t column = find_column(&title, v->title);

		if (column == CSV_MAX_FIELDS)
			continue;
		t->columns[t->nvalues] = column;
		t->values[t->nvalues++] = v;
	}
	return t->name < CSV_MAX_FIELDS && t->nvalues;
}

/* How many rows are around a row: blanks before the name, or the level, which counts from 1. */
static bool find_depth(const struct table *t, const struct csv *row, size_t *depth)
{
	uint64_t level;

	*depth = row->indent[t->name];
	if (t->level == CSV_MAX_FIELDS)
		return true;
	if (!span_u64(csv_field(row, t->level), 10, &level) || level > PATH_MAX_DEPTH)
		return false;
	*depth = level ? (size_t)level - 1 : 0;
	return true;
}

static void add_value(struct table *t, size_t i, u128 value)
{
	t->path.us = t->values[i]->is_seconds ? 1000 : 0;
	if (t->path.us)
		value = count_scale(value, 1000, 1);
	if (t->nvalues > 1)
		t->path.stack.event = t->values[i]->title;
	path_self(&t->path, value);
}

static bool add_row(struct table *t, struct span line)
{
	struct frame f = {0};
	struct csv row;
	size_t depth;
	u128 value;

	csv_split(&row, line);
	f.name = path_copy(&t->path, csv_field(&row, t->name));
	f.module = path_copy(&t->path, csv_field(&row, t->module));
	if (!f.name.n || !find_depth(t, &row, &depth) || !path_enter(&t->path, depth, &f, 0))
		return false;
	for (size_t i = 0; i < t->nvalues; i++) {
		struct span text = csv_field(&row, t->columns[i]);

		if (!text.n)
			continue;
		if (!text_count(text, &value))
			return false;
		add_value(t, i, value);
	}
	/* A row of level 0 stands for the whole. */
	if (t->level < CSV_MAX_FIELDS && span_eq(csv_field(&row, t->level), SPAN("0")))
		path_leave(&t->path, 0);
	return true;
}

static void read_rows(struct table *t, struct input *in)
{
	struct span line, unit;
	bool titles = false;

	t->path.work.in = in;
	while (input_line(in, &line)) {
		if (!span_trim(line).n || span_starts(line, SPAN("war:")))
			continue;
		if (!titles) {
			titles = read_titles(t, line);
			unit = !titles || t->values[0]->is_seconds ? SPAN("ms") : t->values[0]->title;
			if (titles)
				sink_fact(t->path.sink, "weight",
				    span_eq(unit, SPAN("Exclusive Samples")) ? SPAN("samples") : unit);
		} else if (!add_row(t, line)) {
			sink_bad_line(t->path.sink, in, line);
		}
	}
	path_release(&t->path);
}

static struct table make_vtune(struct sink *sink)
{
	struct table t = {
	    .known = vtune_values, .name_title = SPAN("Function Stack"), .module_title = SPAN("Module")};

	t.path.sink = sink;
	t.path.stack = stack_init();
	t.path.stack.modules = true;
	return t;
}

static struct table make_vs(struct sink *sink)
{
	struct table t = {
	    .known = vs_values, .name_title = SPAN("Function Name"), .module_title = SPAN("Module Name")};

	t.path.sink = sink;
	t.path.stack = stack_init();
	t.path.stack.verbatim = true;
	return t;
}

/* Warnings may stand before the titles. */
static bool has_titles(struct table t, struct span head)
{
	struct span line;

	for (int i = 0; i < 10 && span_line(&head, &line); i++)
		if (read_titles(&t, line))
			return true;
	return false;
}

static bool probe_vtune(struct span head)
{
	return has_titles(make_vtune(NULL), head);
}

static bool probe_vs(struct span head)
{
	return has_titles(make_vs(NULL), head);
}

static bool read_vtune(struct input *in, struct sink *sink)
{
	struct table t = make_vtune(sink);

	read_rows(&t, in);
	return true;
}

static bool read_vs(struct input *in, struct sink *sink)
{
	struct table t = make_vs(sink);

	read_rows(&t, in);
	return true;
}

const struct reader reader_vtune = {"vtune", "VTune's top-down CSV", probe_vtune, read_vtune};
const struct reader reader_vsprof = {"vsprof", "Visual Studio's call tree CSV", probe_vs, read_vs};
