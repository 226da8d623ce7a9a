/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph for a terminal: a line of coloured boxes for each row, the root on top. */
#include <math.h>
#include <stdlib.h>

#include "render/export.h"
#include "render/frames.h"
#include "render/layout.h"
#include "render/xml.h"

static int by_place(const void *pa, const void *pb)
{
	const struct box *a = pa, *b = pb;

	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* The name in exactly so many columns, taking each character for one wide. */
static void add_name(struct str *out, struct span name, size_t columns)
{
	struct span fits = utf8_prefix(name, columns);
	size_t n = utf8_length(fits);

	for (size_t i = 0; i < fits.n; i++)
		str_addc(out, (unsigned char)fits.p[i] < ' ' || fits.p[i] == 0x7f ? '?' : fits.p[i]);
	for (; n < columns; n++)
		str_addc(out, ' ');
}

static void add_box(
    struct str *out, const struct export *e, const struct box *b, size_t columns, double max_delta)
{
	struct colour c = frame_plain_colour(e->o, tree_name(e->t, b->node));

	if (e->t->ncolumns > 1)
		c = difference_colour(frame_change(e->t, b->node, false), max_delta);
	str_addf(out, "\033[30;48;2;%d;%d;%dm", c.r, c.g, c.b);
	add_name(out, frame_shown_name(e->t, b->node), columns);
	str_adds(out, "\033[0m");
}

void export_term(struct str *out, const struct export *e)
{
	double width = e->o->width, max_delta = frame_largest_change(e->t, false);
	struct layout l;
	size_t at = 0;
	uint32_t row = 0;

	layout_init(&l, e->t, e->t->ncolumns - 1, 0.75 / width, 0);
	qsort(l.boxes, l.n, sizeof *l.boxes, by_place);
	for (size_t i = 0; i < l.n; i++) {
		const struct box *b = &l.boxes[i];
		size_t from = (size_t)lround(width * layout_share(&l, b->start));
		size_t to = (size_t)lround(width * layout_share(&l, b->start + b->count));

		if (b->depth != row) {
			str_addc(out, '\n');
			row = b->depth;
			at = 0;
		}
		for (; at < from; at++)
			str_addc(out, ' ');
		if (to > at)
			add_box(out, e, b, to - at, max_delta);
		at = to > at ? to : at;
	}
	str_addc(out, '\n');
	if (l.nnarrow)
		str_addf(out, "(%zu frames are too narrow to be shown)\n", l.nnarrow);
	layout_release(&l);
}
