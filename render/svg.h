/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph as one SVG file with its script and style inside. */
#ifndef FLAMEPIPE_SVG_H
#define FLAMEPIPE_SVG_H

#include "render/layout.h"
#include "render/options.h"

/* Appends the document. header is the input's "# flamepipe" line, or empty. */
void svg_write(struct str *out, const struct tree *t, const struct layout *l, const struct options *o,
    struct span header);

#endif
