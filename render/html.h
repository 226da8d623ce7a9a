/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph as one HTML page that draws on a canvas, for profiles of millions of frames; with a heat map where lines are timed. */
#ifndef FLAMEPIPE_HTML_H
#define FLAMEPIPE_HTML_H

#include "render/lines.h"
#include "render/picture.h"

/* Appends the document. timed is what a heat map is made of, n entries of slices slice long (in the unit of counts: seconds times
   10^12); NULL for a page without one. */
void html_write(struct str *out, const struct picture *pic, const struct options *o,
    const struct timed *timed, size_t n, u128 slice);

#endif
