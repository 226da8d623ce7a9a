/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render: draws folded lines. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/die.h"
#include "lib/folded.h"
#include "lib/input.h"
#include "render/export.h"
#include "render/html.h"
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
	struct picture pic = {&in->tree, &after, sides ? &before : NULL, &attributes, in->proven,
	    &in->verdicts, str_span(&in->header)};

	if (o->nameattr)
		open_attributes(&attributes, o->nameattr);
	layout_init(&after, &in->tree, in->tree.ncolumns - 1, min_share(o), o->total);
	if (sides)
		layout_init(&before, &in->tree, 0, min_share(o), 0);
	svg_write(out, &pic, o);
	if (o->encoding)
		xml_to_ascii(out);
	if (o->pretty)
		xml_indent(out);
	say_narrow(o, &after);
	layout_release(&after);
	if (sides)
		layout_release(&before);
	nameattr_release(&attributes);
}

/* How long the slices of timed lines are: the header says it, else the shortest time between two. */
static u128 slice_of(const struct lines *in)
{
	struct str text = {0};
	u128 slice = 0;
	bool said = folded_header_get(str_span(&in->header), "slice_s", &text) &&
		    count_parse(str_span(&text), &slice) && slice;

	str_release(&text);
	for (size_t i = 1; !said && i < in->ntimed; i++) {
		u128 a = in->timed[i - 1].time, b = in->timed[i].time, between = a < b ? b - a : a - b;

		if (between && (!slice || between < slice))
			slice = between;
	}
	return slice >= COUNT_ONE / 1000000 ? slice : COUNT_ONE;
}

static void draw_html(struct str *out, struct options *o, const struct lines *in)
{
	struct picture pic = {.tree = &in->tree,
	    .proven = in->proven,
	    .verdicts = &in->verdicts,
	    .header = str_span(&in->header)};
	bool heat = strcmp(o->format, "heatmap") == 0;

	if (heat && !in->ntimed)
		die("a heat map needs timed lines: fold --timed writes them");
	html_write(out, &pic, o, heat ? in->timed : NULL, in->ntimed, slice_of(in));
}

/* Through rsvg-convert, which reads the SVG and writes to the same standard output. */
static void draw_png(struct str *out, struct options *o, const struct lines *in)
{
	FILE *converter = popen("rsvg-convert --format=png", "we");
	size_t written;
	int status;

	if (!converter)
		die_errno("cannot start rsvg-convert");
	o->no_script = true;
	draw_svg(out, o, in);
	signal(SIGPIPE, SIG_IGN);
	written = fwrite(out->p, 1, out->n, converter);
	status = pclose(converter);
	if (status || written != out->n)
		die("rsvg-convert failed%s", WIFEXITED(status) && WEXITSTATUS(status) == 127
						 ? ": install librsvg2-bin, or write SVG"
						 : "");
	str_reset(out);
}

/* By --format; those that measure in columns of text say how wide they are by default. */
static const struct format {
	const char *name;
	void (*draw)(struct str *out, struct options *o, const struct lines *in);
	export_fn *export;
	double width;
} FORMATS[] = {
    {"svg", draw_svg, NULL, 1200},
    {"html", draw_html, NULL, 1200},
    {"heatmap", draw_html, NULL, 1200},
    {"png", draw_png, NULL, 1200},
    {"text", NULL, export_text, 80},
    {"term", NULL, export_term, 80},
    {"folded", NULL, export_folded, 80},
    {"speedscope", NULL, export_speedscope, 80},
    {"d3", NULL, export_d3, 80},
    {"firefox", NULL, export_firefox, 80},
    {"pprof", NULL, export_pprof, 80},
};

static const struct format *format_named(const char *name)
{
	for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
		if (strcmp(FORMATS[i].name, name) == 0)
			return &FORMATS[i];
	die_usage("there is no format '%s'", name);
}

/* A terminal's own width, if that is where the text goes. */
static double default_width(const struct format *f)
{
	struct winsize size;

	if (f->draw || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return f->width;
	return size.ws_col;
}

static void draw(struct options *o, const struct lines *in)
{
	const struct format *format = format_named(o->format);
	struct export export = {&in->tree, o, str_span(&in->header)};
	struct str out = {0};

	if (o->width == 0)
		o->width = default_width(format);
	if (o->width < 50 && format->draw)
		die_usage("the picture has to be 50 pixels wide at least");
	if (format->draw)
		format->draw(&out, o, in);
	else
		format->export(&out, &export);
	fwrite(out.p, 1, out.n, stdout);
	str_release(&out);
}

static void read_input(struct lines *in, const struct options *o, char **files, int nfiles)
{
	static char *standard_input[] = {"-"};
	enum tree_shape shape = o->chart ? TREE_CHART : o->no_sort ? TREE_ORDERED : TREE_MERGED;
	bool empty = true;

	lines_read(in, nfiles ? files : standard_input, nfiles ? nfiles : 1,
	    &(struct lines_options){
		shape, o->reverse, o->bases, o->nbases, strcmp(o->format, "heatmap") == 0});
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
	format_named(o.format);
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
