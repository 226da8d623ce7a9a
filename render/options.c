/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render's command line. Names and meanings are those of flamegraph.pl and inferno-flamegraph. */
#include "render/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "lib/arena.h"
#include "lib/die.h"
#include "lib/usage.h"
#include "render/palettemap.h"

enum {
	OPT_TITLE = 256,
	OPT_SUBTITLE,
	OPT_WIDTH,
	OPT_HEIGHT,
	OPT_MINWIDTH,
	OPT_FONTTYPE,
	OPT_FONTSIZE,
	OPT_FONTWIDTH,
	OPT_COUNTNAME,
	OPT_NAMETYPE,
	OPT_BGCOLORS,
	OPT_HASH,
	OPT_RANDOM,
	OPT_DETERMINISTIC,
	OPT_CP,
	OPT_REVERSE,
	OPT_FLAMECHART,
	OPT_NEGATE,
	OPT_FACTOR,
	OPT_TOTAL,
	OPT_NOTES,
	OPT_SEARCH_COLOR,
	OPT_STROKE_COLOR,
	OPT_UI_COLOR,
	OPT_COLORDIFFUSION,
	OPT_NAMEATTR,
	OPT_ENCODING,
	OPT_BASE,
	OPT_NO_SORT,
	OPT_TRUNCATE_RIGHT,
	OPT_TRUNCATE_LEFT,
	OPT_PRETTY_XML,
	OPT_NO_JAVASCRIPT,
	OPT_DIFF,
	OPT_FORMAT,
	OPT_VERSION,
};

static const struct option_help OPTIONS[] = {
    {{"format", required_argument, NULL, OPT_FORMAT}, "FORMAT",
	"svg (default), html, heatmap, png, text, term, folded, speedscope, d3, firefox, pprof"},
    {{"title", required_argument, NULL, OPT_TITLE}, "TEXT", "above the picture (default: Flame Graph)"},
    {{"subtitle", required_argument, NULL, OPT_SUBTITLE}, "TEXT", "second line of the title"},
    {{"width", required_argument, NULL, OPT_WIDTH}, "PIXELS",
	"of the picture (default: that of the window, 1200 at first)"},
    {{"height", required_argument, NULL, OPT_HEIGHT}, "PIXELS", "of a frame (default: 16)"},
    {{"minwidth", required_argument, NULL, OPT_MINWIDTH}, "PIXELS|N%",
	"leave narrower frames out (default: 0.1 pixels)"},
    {{"fonttype", required_argument, NULL, OPT_FONTTYPE}, "FONT", "default: Verdana"},
    {{"fontsize", required_argument, NULL, OPT_FONTSIZE}, "PIXELS", "default: 12"},
    {{"fontwidth", required_argument, NULL, OPT_FONTWIDTH}, "RATIO",
	"of a character to the font's size (default: 0.59)"},
    {{"countname", required_argument, NULL, OPT_COUNTNAME}, "TEXT", "what is counted (default: samples)"},
    {{"nametype", required_argument, NULL, OPT_NAMETYPE}, "TEXT", "what a frame is (default: Function:)"},
    {{"colors", required_argument, NULL, 'c'}, "PALETTE",
	"hot (default), mem, io, java, js, perl, python, rust, wakeup, chain, red, green, blue, aqua, "
	"yellow, purple, orange"},
    {{"bgcolors", required_argument, NULL, OPT_BGCOLORS}, "COLOR", "yellow, blue, green, grey or #rrggbb"},
    {{"hash", no_argument, NULL, OPT_HASH}, NULL, "names that begin alike get colours alike"},
    {{"random", no_argument, NULL, OPT_RANDOM}, NULL, "other colours at each run"},
    {{"deterministic", no_argument, NULL, OPT_DETERMINISTIC}, NULL,
	"the same colour for a name everywhere (default)"},
    {{"cp", no_argument, NULL, OPT_CP}, NULL, "keep colours in palette.map between runs"},
    {{"reverse", no_argument, NULL, OPT_REVERSE}, NULL, "merge stacks from the leaf"},
    {{"inverted", no_argument, NULL, 'i'}, NULL, "root on top"},
    {{"flamechart", no_argument, NULL, OPT_FLAMECHART}, NULL,
	"keep the order of the input, merge only neighbours"},
    {{"negate", no_argument, NULL, OPT_NEGATE}, NULL, "turn differences round"},
    {{"factor", required_argument, NULL, OPT_FACTOR}, "N", "show counts times N"},
    {{"total", required_argument, NULL, OPT_TOTAL}, "N",
	"what the whole width stands for (default: the sum)"},
    {{"notes", required_argument, NULL, OPT_NOTES}, "TEXT", "a comment in the file"},
    {{"search-color", required_argument, NULL, OPT_SEARCH_COLOR}, "#rrggbb", "of frames that a search finds"},
    {{"stroke-color", required_argument, NULL, OPT_STROKE_COLOR}, "#rrggbb",
	"draw a line around every frame"},
    {{"uicolor", required_argument, NULL, OPT_UI_COLOR}, "#rrggbb", "of the words around the picture"},
    {{"colordiffusion", no_argument, NULL, OPT_COLORDIFFUSION}, NULL, "the wider, the redder"},
    {{"nameattr", required_argument, NULL, OPT_NAMEATTR}, "FILE",
	"attributes of frames: NAME TAB attribute=value TAB ..."},
    {{"encoding", required_argument, NULL, OPT_ENCODING}, "NAME", "of the file (default: UTF-8)"},
    {{"base", required_argument, NULL, OPT_BASE}, "NAME",
	"only stacks with this frame, from it on; may be repeated"},
    {{"no-sort", no_argument, NULL, OPT_NO_SORT}, NULL, "siblings in the order of the input"},
    {{"truncate-text-right", no_argument, NULL, OPT_TRUNCATE_RIGHT}, NULL,
	"cut long names at their end (default)"},
    {{"truncate-text-left", no_argument, NULL, OPT_TRUNCATE_LEFT}, NULL, "cut long names at their start"},
    {{"diff", required_argument, NULL, OPT_DIFF}, "sides|one",
	"two columns: the first above the second (default), or the second alone"},
    {{"pretty-xml", no_argument, NULL, OPT_PRETTY_XML}, NULL, "one element a line, indented"},
    {{"no-javascript", no_argument, NULL, OPT_NO_JAVASCRIPT}, NULL, "a picture that does not answer"},
    {{"quiet", no_argument, NULL, 'q'}, NULL, "no summary"},
    {{"verbose", no_argument, NULL, 'v'}, NULL, "say what was read and drawn"},
    {{"version", no_argument, NULL, OPT_VERSION}, NULL, "print the version"},
    {{"help", no_argument, NULL, 'h'}, NULL, "print this text"},
};

enum { NOPTIONS = sizeof OPTIONS / sizeof *OPTIONS };

static void print_help(void)
{
	printf("usage: render [OPTION]... [FILE]...\n\n"
	       "Draws folded lines (of FILEs, or standard input) as an interactive SVG on standard output:\n"
	       "fold busy.rec | render > busy.svg\n\n");
	usage_options(OPTIONS, NOPTIONS);
	close_stdout();
	exit(0);
}

static double pixels(const char *text, const char *what)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v > 0) || v > 1e6)
		die_usage("%s is not a number above 0: '%s'", what, text);
	return v;
}

static void min_width(struct options *o, const char *text)
{
	char *end;

	o->min_width = strtod(text, &end);
	o->min_percent = *end == '%';
	if (end == text || end[o->min_percent] || !(o->min_width >= 0) || o->min_width > 1e6)
		die_usage("not a width in pixels or percent: '%s'", text);
}

static u128 amount(const char *text, const char *what)
{
	u128 v;

	if (!count_parse(span_of(text), &v) || !v)
		die_usage("%s is not a number above 0: '%s'", what, text);
	return v;
}

static void palette(struct options *o, const char *name)
{
	o->palette = palette_named(span_of(name));
	if (!o->palette)
		die_usage("there is no palette '%s'", name);
}

static void colour(struct colour *c, const char *text)
{
	if (!colour_parse(span_of(text), c))
		die_usage("not a colour as #rrggbb: '%s'", text);
}

/* Everything that is not ASCII is written as a number, so any encoding will do in which ASCII is itself. */
static void encoding(struct options *o, const char *name)
{
	static const char *const known[] = {
	    "utf-8", "us-ascii", "iso-8859-", "windows-", "cp1", "koi8-", "gb", "big5", "euc-", "shift_jis"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncasecmp(name, known[i], strlen(known[i])) == 0 &&
		    !name[strspn(
			name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")]) {
			o->encoding = name;
			return;
		}
	die_usage("not an encoding that render can write: '%s'", name);
}

static void difference(struct options *o, const char *view)
{
	if (strcmp(view, "sides") == 0)
		o->difference = DIFF_SIDES;
	else if (strcmp(view, "one") == 0)
		o->difference = DIFF_ONE;
	else
		die_usage("a difference is drawn as 'sides' or as 'one', not as '%s'", view);
}

static void base(struct options *o, const char *name)
{
	if (o->nbases == MAX_BASES)
		die_usage("more than %d times --base", MAX_BASES);
	o->bases[o->nbases++] = name;
}

static void take_look(struct options *o, int c, const char *arg)
{
	switch (c) {
	case OPT_TITLE:
		o->title = arg;
		break;
	case OPT_SUBTITLE:
		o->subtitle = arg;
		break;
	case OPT_WIDTH:
		o->width = pixels(arg, "the width");
		o->fluid = false;
		break;
	case OPT_HEIGHT:
		o->frame_height = pixels(arg, "the height");
		if (o->frame_height < 2)
			die_usage("a frame has to be 2 pixels high at least");
		break;
	case OPT_MINWIDTH:
		min_width(o, arg);
		break;
	case OPT_FONTTYPE:
		o->font_family = arg;
		break;
	case OPT_FONTSIZE:
		o->font_size = pixels(arg, "the font's size");
		break;
	case OPT_FONTWIDTH:
		o->font_width = pixels(arg, "the font's width");
		break;
	case OPT_COUNTNAME:
		o->count_name = arg;
		break;
	case OPT_NAMETYPE:
		o->name_type = arg;
		break;
	case 'c':
		palette(o, arg);
		break;
	case OPT_BGCOLORS:
		o->has_background = true;
		if (!background_named(span_of(arg), &o->top, &o->bottom))
			die_usage("not a background colour: '%s'", arg);
		break;
	case OPT_SEARCH_COLOR:
		colour(&o->search, arg);
		break;
	case OPT_STROKE_COLOR:
		o->has_stroke = strcmp(arg, "none") != 0;
		if (o->has_stroke)
			colour(&o->stroke, arg);
		break;
	case OPT_UI_COLOR:
		colour(&o->ui, arg);
		break;
	case OPT_NOTES:
		o->notes = arg;
		break;
	case OPT_ENCODING:
		encoding(o, arg);
		break;
	}
}

static void print_version(void)
{
	printf("render (flamepipe) " VERSION "\n");
	close_stdout();
	exit(0);
}

static void take_switch(struct options *o, int c, const char *arg)
{
	switch (c) {
	case OPT_COLORDIFFUSION:
		o->diffusion = true;
		break;
	case OPT_NO_SORT:
		o->no_sort = true;
		break;
	case OPT_TRUNCATE_LEFT:
	case OPT_TRUNCATE_RIGHT:
		o->truncate_left = c == OPT_TRUNCATE_LEFT;
		break;
	case OPT_PRETTY_XML:
		o->pretty = true;
		break;
	case OPT_NAMEATTR:
		o->nameattr = arg;
		break;
	case OPT_BASE:
		base(o, arg);
		break;
	case OPT_DIFF:
		difference(o, arg);
		break;
	case OPT_FORMAT:
		o->format = arg;
		break;
	case 'v':
		o->verbose = true;
		break;
	default:
		take_look(o, c, arg);
	}
}

static void take_option(struct options *o, int c, const char *arg)
{
	switch (c) {
	case OPT_HASH:
		o->seed = SEED_PREFIX;
		break;
	case OPT_RANDOM:
		o->seed = SEED_RANDOM;
		break;
	case OPT_DETERMINISTIC:
		o->seed = SEED_NAME;
		break;
	case OPT_CP:
		o->map = xcalloc(1, sizeof *o->map);
		break;
	case OPT_REVERSE:
		o->reverse = true;
		break;
	case 'i':
		o->inverted = true;
		break;
	case OPT_FLAMECHART:
		o->chart = true;
		break;
	case OPT_NEGATE:
		o->negate = true;
		break;
	case OPT_FACTOR:
		o->factor = amount(arg, "the factor");
		break;
	case OPT_TOTAL:
		o->total = amount(arg, "the total");
		break;
	case OPT_NO_JAVASCRIPT:
		o->no_script = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case OPT_VERSION:
		print_version();
		break;
	case 'h':
		print_help();
		break;
	case '?':
		die_usage("see above");
	default:
		take_switch(o, c, arg);
	}
}

int options_parse(struct options *o, int argc, char **argv)
{
	struct option table[NOPTIONS + 1] = {0};
	int c;

	*o = (struct options){
	    .format = "svg",
	    .font_family = "Verdana",
	    .count_name = "samples",
	    .name_type = "Function:",
	    .fluid = true,
	    .frame_height = 16,
	    .font_size = 12,
	    .font_width = 0.59,
	    .min_width = 0.1,
	    .palette = palette_named(SPAN("hot")),
	    .search = {230, 0, 230},
	    .factor = COUNT_ONE,
	};
	for (size_t i = 0; i < NOPTIONS; i++)
		table[i] = OPTIONS[i].option;
	while ((c = getopt_long(argc, argv, "c:iqvh", table, NULL)) != -1)
		take_option(o, c, optarg);
	if (!o->has_background)
		palette_background(o->palette, &o->top, &o->bottom);
	if (o->chart)
		o->no_sort = true;
	return optind;
}

void options_release(struct options *o)
{
	if (o->map)
		palette_map_release(o->map);
	free(o->map);
}
