/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of one graph as SVG groups. */
#ifndef FLAMEPIPE_FRAMES_H
#define FLAMEPIPE_FRAMES_H

#include "render/layout.h"
#include "render/nameattr.h"
#include "render/options.h"

/* One graph on the page. */
struct panel {
	const struct tree *t;
	const struct layout *l;
	const struct options *o;
	const struct nameattr *attributes;
	unsigned column; /* that widths and counts are of */
	bool difference; /* colours and titles tell the second column's own counts less the first's */
	bool vanished_only; /* titles only what the other panel has not */
	const uint8_t *proven; /* by node: paint a difference, of shares; NULL: paint all, of counts */
	double max_delta; /* the largest of these differences, absolute */
	double left, width; /* of the root's frame, in pixels */
	double top, bottom; /* between these stand the rows */
};

void frames_write(struct str *out, const struct panel *p);

/* The name as people read it: without the annotation that only colours need. */
struct span frame_shown_name(const struct tree *t, uint32_t node);

/* A coordinate: two digits after the point, none where it is whole. */
void frame_px(struct str *out, double v);
void frame_colour(struct str *out, struct colour c);

/* A frame's own count in the second column less that in the first. by_share: both totals being made 1. */
double frame_delta(const struct tree *t, uint32_t node, bool by_share);

/* What a difference is painted by: how much more of the whole the frame is with all above it, or, where compare has said frame by
   frame what is proven, by itself. So a tower that is gone is one colour, and not that of a little something its frames gained. */
double frame_change(const struct tree *t, uint32_t node, bool own);

/* The largest of these, absolute: what max_delta is meant to be. */
double frame_largest_change(const struct tree *t, bool own);

/* What a name is painted with where no difference is shown. */
struct colour frame_plain_colour(const struct options *o, struct span name);

#endif
