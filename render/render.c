/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render: draws folded lines. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/die.h"
#include "lib/input.h"
#include "render/layout.h"
#include "render/lines.h"
#include "render/nameattr.h"
#include "render/options.h"
#include "render/palettemap.h"
#include "render/pretty.h"
#include "render/svg.h"

static const char PALETTE_MAP[] = "palette.map";

/* Reads the map of colours; says what of it cannot be used. */
static void open_map(struct options *o)
{
	unsigned nbad;

	if (!o->map)
		return;
	palette_map_read(o->map, PALETTE_MAP, &nbad);
	if (nbad)
		warn("%s: %u lines are no NAME->rgb(R,G,B) and were left out", PALETTE_MAP, nbad);
}

static void close_map(struct options *o)
{
	if (o->map && !palette_map_write(o->map, PALETTE_MAP))
		die_errno("cannot write %s", PALETTE_MAP);
}

static void open_attributes(struct nameattr *a, const char *path)
{
	if (!nameattr_read(a, path))
		die_errno("cannot read %s", path);
	if (a->nbad)
		warn("%s: %u attributes are unknown, malformed or there twice", path, a->nbad);
}

static double min_share(const struct options *o)
{
	return o->min_percent ? o->min_width / 100 : o->min_width / (o->width - 20);
}

static void say_narrow(const struct options *o, const struct layout *l)
{
	if (!o->quiet && l->nnarrow)
		warn("%zu frames are narrower than the minimum width and not drawn, nor what stands on them",
		    l->nnarrow);
	if (o->verbose)
		warn("%zu frames are drawn, the deepest in row %u", l->n, l->depth);
}

static void draw_svg(struct str *out, struct options *o, const struct lines *in)
{
	struct nameattr attributes = {0};
	struct layout after, before;
	bool sides = in->tree.ncolumns == 2 && o->difference == DIFF_SIDES && tree_total(&in->tree, 0, 0);
	struct picture pic = {&in->tree, &after, sides ? &before : NULL, &attributes, str_span(&in->header)};

	if (o->nameattr)
		open_attributes(&attributes, o->nameattr);
	layout_init(&after, &in->tree, in->tree.ncolumns - 1, min_share(o), o->total);
	if (sides)
		layout_init(&before, &in->tree, 0, min_share(o), 0);
	svg_write(out, &pic, o);
	say_narrow(o, &after);
	layout_release(&after);
	if (sides)
		layout_release(&before);
	nameattr_release(&attributes);
}

static void draw(struct options *o, const struct lines *in)
{
	struct str out = {0};

	if (!o->width)
		o->width = 1200;
	if (o->width < 50)
		die_usage("the picture has to be 50 pixels wide at least");
	draw_svg(&out, o, in);
	if (o->encoding)
		xml_to_ascii(&out);
	if (o->pretty)
		xml_indent(&out);
	fwrite(out.p, 1, out.n, stdout);
	str_release(&out);
}

static void read_input(struct lines *in, const struct options *o, char **files, int nfiles)
{
	static char *standard_input[] = {"-"};
	enum tree_shape shape = o->chart ? TREE_CHART : o->no_sort ? TREE_ORDERED : TREE_MERGED;
	bool empty = true;

	lines_read(in, nfiles ? files : standard_input, nfiles ? nfiles : 1,
	    &(struct lines_options){shape, o->reverse, o->bases, o->nbases});
	if (in->nbad)
		warn("%llu lines have no count at their end and were left out, the first: %s",
		    (unsigned long long)in->nbad, in->first_bad.p);
	if (in->nwithout && !o->quiet)
		warn("%llu stacks without a frame named by --base were left out",
		    (unsigned long long)in->nwithout);
	for (unsigned i = 0; i < in->tree.ncolumns; i++)
		empty = empty && !tree_total(&in->tree, 0, i);
	if (empty)
		die("there is no stack with a count in the input: nothing to draw");
	if (o->verbose)
		warn("%llu lines, %u frames", (unsigned long long)in->nlines, in->tree.n - 1);
}

int main(int argc, char **argv)
{
	struct options o;
	struct lines in;
	int first = options_parse(&o, argc, argv);

	input_outlive_interrupt();
	open_map(&o);
	read_input(&in, &o, argv + first, argc - first);
	if (o.seed == SEED_RANDOM)
		srand48((long)time(NULL));
	draw(&o, &in);
	close_map(&o);
	options_release(&o);
	lines_release(&in);
	close_stdout();
	return 0;
}
