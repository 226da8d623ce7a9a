/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the SVG and the HTML page have in common: the words around the graph, and what their script must know. */
#ifndef FLAMEPIPE_PICTURE_H
#define FLAMEPIPE_PICTURE_H

#include "render/layout.h"
#include "render/nameattr.h"
#include "render/options.h"
#include "render/verdicts.h"

/* What is drawn. */
struct picture {
	const struct tree *tree;
	const struct layout *after; /* of the last column; NULL for a page that draws itself */
	const struct layout *before; /* of the first, to stand above; NULL: none */
	const struct nameattr *attributes; /* NULL: none */
	const uint8_t *proven; /* by node: whether a change is proven; NULL: nobody has tested it */
	const struct verdicts *verdicts; /* what compare said, where proven is not NULL */
	struct span header; /* the input's "# flamepipe" line, or empty */
};

const char *picture_title(const struct options *o);

/* "cpu-clock at 99 Hz, 3.0 s on HOST: 1,234 samples, 0 lost": what the header tells. */
void picture_provenance(struct str *out, struct span header);

/* What the first or second column is called. */
void picture_side(const struct picture *pic, unsigned side, struct str *name);

/* The attributes from which the script takes what it must know, each with a blank before it. */
void picture_parameters(struct str *out, const struct picture *pic, const struct options *o);

/* The packed profile. */
void picture_profile(struct str *out, const struct picture *pic, const struct options *o);

#endif
