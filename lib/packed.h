/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole call tree as a short text, for pictures to carry: packed, deflated, base64. folded(5) is normative. */
#ifndef FLAMEPIPE_PACKED_H
#define FLAMEPIPE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/count.h"
#include "lib/str.h"
#include "lib/tree.h"

/* The colour that a name has in the picture. */
typedef void packed_colour_fn(void *ctx, struct span name, uint8_t rgb[3]);

/* Appends the text of a finished tree. header is the "# flamepipe" line, or empty. level is zlib's, 1 to 9. */
void packed_write(struct str *out, const struct tree *t, struct span header, packed_colour_fn *colour,
    void *ctx, int level);

/* The pieces, for what else is to travel in the same way: appends a number as LEB128, and bytes deflated as base64. */
void packed_add_number(struct str *out, u128 v);
void packed_add_text(struct str *out, struct span bytes, int level);

/* Who takes what a text holds. */
struct packed_reader {
	void *ctx;
	/* The "# flamepipe" line, or an empty one, before all stacks. */
	void (*header)(void *ctx, struct span line);
	/* A stack that has a count: frames root first, valid during the call, and a count for each column. */
	void (*stack)(void *ctx, const struct span *frames, size_t n, const u128 *counts, unsigned ncolumns);
};

/* False, at the first thing that is wrong, when text is no such text or would unpack to more than limit bytes; what came before
   has been handed over. */
bool packed_read(struct span text, size_t limit, const struct packed_reader *reader);

#endif
