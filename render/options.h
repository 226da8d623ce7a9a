/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user asked render for. */
#ifndef FLAMEPIPE_RENDER_OPTIONS_H
#define FLAMEPIPE_RENDER_OPTIONS_H

#include <stdbool.h>

#include "lib/count.h"
#include "render/palette.h"

enum { MAX_BASES = 64 };

enum difference_view {
	DIFF_SIDES, /* the original above what it is compared with */
	DIFF_ONE, /* only what it is compared with */
};

struct options {
	const char *format;
	const char *title; /* NULL: by the kind of graph */
	const char *subtitle, *notes, *encoding;
	const char *font_family, *count_name, *name_type;
	double
	    width; /* of the picture in pixels, or of text in characters; 0 until asked for where it is not a picture */
	bool fluid; /* it takes the width of its window */
	double frame_height, font_size, font_width;
	double min_width; /* in pixels, or when min_percent in percent of the whole */
	bool min_percent;
	const struct palette *palette;
	enum palette_seed seed;
	struct colour top, bottom; /* background */
	bool has_background;
	struct colour search, stroke, ui;
	bool has_stroke;
	bool inverted, reverse, chart, negate, no_script, no_sort, pretty, diffusion, truncate_left;
	enum difference_view difference;
	u128 factor; /* counts are shown times this; COUNT_ONE */
	u128 total; /* 0: the sum */
	const char
	    *bases[MAX_BASES]; /* keep only stacks with one of these frames, from the last of them on */
	unsigned nbases;
	const char *nameattr; /* file of attributes, NULL: none */
	struct palette_map *map; /* NULL: none */
	bool quiet, verbose;
};

/* Defaults, then the command line: ends the program for --help, --version and a wrong use. Returns the index of the first file. */
int options_parse(struct options *o, int argc, char **argv);

void options_release(struct options *o);

#endif
