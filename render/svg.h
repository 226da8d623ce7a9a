/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph as one SVG file with its script and style inside. */
#ifndef FLAMEPIPE_SVG_H
#define FLAMEPIPE_SVG_H

#include "render/picture.h"

/* Appends the document. */
void svg_write(struct str *out, const struct picture *pic, const struct options *o);

#endif
