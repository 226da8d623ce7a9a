/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded lines as render reads them. */
#include "render/lines.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/die.h"
#include "lib/folded.h"
#include "lib/input.h"

enum { JUDGED = 16 << 20 }; /* bytes by which the number of columns is judged where no header tells */

/* How the counts of a line become those of the tree: runs of one side (NAME/1, NAME/2, ...) are added up, and so is everything
   where there are more than two sides. */
struct columns {
	unsigned n; /* counts on a line */
	unsigned sides; /* of the tree */
	uint8_t side[FOLDED_MAX_COLUMNS];
};

/* Is it the side of the first column? */
static bool same_side(struct span a, struct span b)
{
	a.n = span_find(a, 0, '/');
	b.n = span_find(b, 0, '/');
	return span_eq(a, b);
}

/* From the names in columns=a/1,a/2,b/1. */
static void take_names(struct columns *c, struct span rest)
{
	struct span names[2] = {{0}};

	c->n = 0;
	c->sides = 0;
	while (rest.n && c->n < FOLDED_MAX_COLUMNS) {
		size_t end = span_find(rest, 0, ',');
		struct span name = {rest.p, end};
		unsigned side = 0;

		while (side < c->sides && side < 2 && !same_side(name, names[side]))
			side++;
		if (side == c->sides && side < 2)
			names[c->sides++] = name;
		else if (side == 2)
			c->sides = 3; /* more than can stand against each other */
		c->side[c->n++] = (uint8_t)(side < 2 ? side : 0);
		end += end < rest.n;
		rest.p += end, rest.n -= end;
	}
	if (c->sides > 2) {
		c->sides = 1;
		memset(c->side, 0, sizeof c->side);
	}
}

/* What the header says of columns; false when nothing. */
static bool header_columns(struct columns *c, struct span line)
{
	struct str names = {0};
	bool said = folded_header_get(line, "columns", &names) && names.n;

	if (said)
		take_names(c, str_span(&names));
	str_release(&names);
	return said;
}

/* How many columns the input has: by its header, else two when every line has two or more counts and a stack before them. */
static struct columns judge(struct input *in)
{
	struct span rest = input_peek(in, JUDGED), line;
	bool all = rest.n >= JUDGED, two = false, seen = false;
	struct columns one = {.n = 1, .sides = 1}, pair = {.n = 2, .sides = 2, .side = {0, 1}};

	while (span_line(&rest, &line)) {
		enum folded_kind kind = folded_kind(line);
		unsigned n;

		if (kind == FOLDED_HEADER && header_columns(&one, line))
			return one;
		if (kind != FOLDED_STACK || (all && !rest.n))
			continue;
		n = folded_count_words(line);
		if (n == 0)
			continue; /* a bad line says nothing */
		two = (two || !seen) && n >= 2;
		seen = true;
		if (!two)
			return one;
	}
	return two ? pair : one;
}

static void note_bad(struct lines *l, const struct input *in, struct span line)
{
	if (!l->nbad++)
		str_addf(&l->first_bad, "%s: line %llu: %.*s", in->name, (unsigned long long)in->line,
		    (int)(line.n < 100 ? line.n : 100), line.p);
}

/* Cuts off what stands below the last frame that is one of the bases; false when there is none. */
static bool cut_to_base(struct span *stack, const struct lines_options *o)
{
	struct span rest = *stack, frame;
	bool found = !o->nbases;

	while (rest.n) {
		const char *at = rest.p;

		folded_frame(&rest, &frame);
		for (unsigned i = 0; i < o->nbases; i++) {
			if (!span_eq(span_trim(frame), span_of(o->bases[i])))
				continue;
			found = true;
			stack->n -= (size_t)(at - stack->p);
			stack->p = at;
		}
	}
	return found;
}

/* Puts the sums of the sides in place of the first counts. */
static void add_up(const struct columns *c, u128 *counts)
{
	u128 sums[2] = {0};

	for (unsigned i = 0; i < c->n; i++)
		sums[c->side[i]] = count_sum(sums[c->side[i]], counts[i]);
	for (unsigned i = 0; i < c->sides; i++)
		counts[i] = sums[i];
}

static void add_stack(struct lines *l, const struct folded_line *f, const struct lines_options *o)
{
	uint32_t node = tree_add(&l->tree, f->stack, f->counts, o->reverse);
	u128 time;

	if (!o->keep_times || !count_parse(f->slice, &time))
		return;
	l->timed = grow(l->timed, l->ntimed, &l->timed_cap, sizeof *l->timed);
	l->timed[l->ntimed++] = (struct timed){node, time, f->counts[0]};
}

static void take_line(struct lines *l, const struct input *in, struct span line,
    const struct columns *columns, const struct lines_options *o)
{
	static struct folded_line f;

	switch (folded_kind(line)) {
	case FOLDED_HEADER:
		if (!l->header.n)
			str_add(&l->header, line.p, line.n);
		return;
	case FOLDED_COMMENT:
		if (span_starts(line, SPAN("# verdict ")))
			verdicts_take(&l->verdicts, line);
		return;
	case FOLDED_BLANK:
		return;
	case FOLDED_STACK:
	case FOLDED_BAD:
		break;
	}
	if (!folded_parse(line, columns->n, &f)) {
		note_bad(l, in, line);
		return;
	}
	l->nlines++;
	if (!cut_to_base(&f.stack, o)) {
		l->nwithout++;
		return;
	}
	if (columns->n != columns->sides)
		add_up(columns, f.counts);
	add_stack(l, &f, o);
}

void lines_read(struct lines *l, char **files, int nfiles, const struct lines_options *o)
{
	struct str what = {0};
	struct span line;

	*l = (struct lines){0};
	for (int i = 0; i < nfiles; i++) {
		struct input in;
		struct columns columns;

		if (!input_open(&in, files[i]))
			die_errno("cannot read %s", files[i]);
		columns = judge(&in);
		if (i == 0)
			tree_init(&l->tree, o->shape, columns.sides);
		else if (columns.sides != l->tree.ncolumns)
			die("%s has %u columns, %s %u", in.name, columns.sides, files[0], l->tree.ncolumns);
		while (input_line(&in, &line))
			take_line(l, &in, line, &columns, o);
		if (in.error) {
			input_describe(&in, &what);
			die("%s", what.p);
		}
		input_close(&in);
	}
	tree_finish(&l->tree);
	if (l->verdicts.n && !o->reverse && l->tree.ncolumns == 2)
		l->proven = verdicts_mark(&l->verdicts, &l->tree);
}

void lines_release(struct lines *l)
{
	tree_release(&l->tree);
	str_release(&l->first_bad);
	str_release(&l->header);
	free(l->timed);
	free(l->proven);
	verdicts_release(&l->verdicts);
}
