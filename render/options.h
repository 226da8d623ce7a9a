/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user asked render for. */
#ifndef FLAMEPIPE_RENDER_OPTIONS_H
#define FLAMEPIPE_RENDER_OPTIONS_H

#include <stdbool.h>

#include "lib/count.h"
#include "render/palette.h"

struct options {
	const char *title; /* NULL: by the kind of graph */
	const char *subtitle, *notes;
	const char *font_family, *count_name, *name_type;
	double width; /* of the picture in pixels */
	bool fluid; /* it takes the width of its window */
	double frame_height, font_size, font_width;
	double min_width; /* in pixels, or when min_percent in percent of the whole */
	bool min_percent;
	const struct palette *palette;
	enum palette_seed seed;
	struct colour top, bottom; /* background */
	bool has_background;
	struct colour search;
	bool inverted, reverse, chart, negate, no_script;
	u128 factor; /* counts are shown times this; COUNT_ONE */
	u128 total; /* 0: the sum */
	struct palette_map *map; /* NULL: none */
	bool quiet;
};

#endif
