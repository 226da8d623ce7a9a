/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph as one SVG file with its script and style inside. */
#ifndef FLAMEPIPE_SVG_H
#define FLAMEPIPE_SVG_H

#include "render/layout.h"
#include "render/nameattr.h"
#include "render/options.h"

/* What is drawn. */
struct picture {
	const struct tree *tree;
	const struct layout *after; /* of the last column */
	const struct layout *before; /* of the first, to stand above; NULL: none */
	const struct nameattr *attributes; /* NULL: none */
	struct span header; /* the input's "# flamepipe" line, or empty */
};

/* Appends the document. */
void svg_write(struct str *out, const struct picture *pic, const struct options *o);

#endif
