/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded lines as render reads them. */
#include "render/lines.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/die.h"
#include "lib/folded.h"
#include "lib/input.h"

enum { JUDGED = 16 << 20 }; /* bytes by which the number of columns is judged where no header tells */

/* From the header: the number of names in columns=a,b,c; 0 where it does not say. */
static unsigned header_columns(struct span line)
{
	struct str names = {0};
	unsigned n = 0;

	if (folded_header_get(line, "columns", &names)) {
		n = 1;
		for (size_t i = 0; i < names.n; i++)
			n += names.p[i] == ',';
	}
	str_release(&names);
	return n > FOLDED_MAX_COLUMNS ? FOLDED_MAX_COLUMNS : n;
}

/* How many columns the input has: by its header, else two when every line has two or more counts and a stack before them. */
static unsigned judge(struct input *in)
{
	struct span rest = input_peek(in, JUDGED), line;
	bool all = rest.n >= JUDGED, two = false, seen = false;

	while (span_line(&rest, &line)) {
		enum folded_kind kind = folded_kind(line);
		unsigned n;

		if (kind == FOLDED_HEADER && (n = header_columns(line)))
			return n;
		if (kind != FOLDED_STACK || (all && !rest.n))
			continue;
		n = folded_count_words(line);
		if (n == 0)
			continue; /* a bad line says nothing */
		two = (two || !seen) && n >= 2;
		seen = true;
		if (!two)
			return 1;
	}
	return two ? 2 : 1;
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

static void add_stack(struct lines *l, const struct folded_line *f, const struct lines_options *o)
{
	uint32_t node = tree_add(&l->tree, f->stack, f->counts, o->reverse);
	u128 time;

	if (!o->keep_times || !count_parse(f->slice, &time))
		return;
	l->timed = grow(l->timed, l->ntimed, &l->timed_cap, sizeof *l->timed);
	l->timed[l->ntimed++] = (struct timed){node, time, f->counts[0]};
}

static void take_line(
    struct lines *l, const struct input *in, struct span line, const struct lines_options *o)
{
	static struct folded_line f;

	switch (folded_kind(line)) {
	case FOLDED_HEADER:
		if (!l->header.n)
			str_add(&l->header, line.p, line.n);
		return;
	case FOLDED_COMMENT:
	case FOLDED_BLANK:
		return;
	case FOLDED_STACK:
	case FOLDED_BAD:
		break;
	}
	if (!folded_parse(line, l->tree.ncolumns, &f)) {
		note_bad(l, in, line);
		return;
	}
	l->nlines++;
	if (!cut_to_base(&f.stack, o)) {
		l->nwithout++;
		return;
	}
	add_stack(l, &f, o);
}

void lines_read(struct lines *l, char **files, int nfiles, const struct lines_options *o)
{
	struct str what = {0};
	struct span line;

	*l = (struct lines){0};
	for (int i = 0; i < nfiles; i++) {
		struct input in;
		unsigned columns;

		if (!input_open(&in, files[i]))
			die_errno("cannot read %s", files[i]);
		columns = judge(&in);
		if (i == 0)
			tree_init(&l->tree, o->shape, columns);
		else if (columns != l->tree.ncolumns)
			die("%s has %u columns, %s %u", in.name, columns, files[0], l->tree.ncolumns);
		while (input_line(&in, &line))
			take_line(l, &in, line, o);
		if (in.error) {
			input_describe(&in, &what);
			die("%s", what.p);
		}
		input_close(&in);
	}
	tree_finish(&l->tree);
}

void lines_release(struct lines *l)
{
	tree_release(&l->tree);
	str_release(&l->first_bad);
	str_release(&l->header);
	free(l->timed);
}
