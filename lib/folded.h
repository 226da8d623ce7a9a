/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded lines, the text between fold, compare and render: parse, escape, print. folded(5) is normative. */
#ifndef FLAMEPIPE_FOLDED_H
#define FLAMEPIPE_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/count.h"
#include "lib/str.h"

enum { FOLDED_MAX_COLUMNS = 1024 };

enum folded_kind {
	FOLDED_STACK,
	FOLDED_HEADER, /* "# flamepipe ..." */
	FOLDED_COMMENT, /* any other line that starts with "# ", or is "#" */
	FOLDED_BLANK,
	FOLDED_BAD, /* no count at its end, or a count that is no number */
};

/* What a line is, by its first bytes alone; FOLDED_STACK still has to be parsed. */
enum folded_kind folded_kind(struct span line);

struct folded_line {
	struct span stack; /* frames joined by ';'; empty for a line that has only counts */
	struct span slice; /* the digits of "@SECONDS" of a timed line; empty otherwise */
	unsigned ncounts;
	u128 counts[FOLDED_MAX_COLUMNS];
};

/* Splits a line into its stack and exactly ncolumns counts, the last ncolumns words of it; surplus blanks before the first
   count belong to no frame. False when one of these words is no count, or there are fewer words. */
bool folded_parse(struct span line, unsigned ncolumns, struct folded_line *out);

/* How many words at the end of the line are counts: what an input without a header is judged by. */
unsigned folded_count_words(struct span line);

/* Cuts the first frame off *stack (which is not empty) into *frame. */
void folded_frame(struct span *stack, struct span *frame);

/* The one function that makes a name safe inside a folded line: ';' becomes ':', a line break, tab or NUL a blank, blanks at
   its ends go, and an empty name becomes "[unknown]". */
void folded_escape(struct str *out, struct span name);

/* The header line: "# flamepipe key=value ... ." with percent-encoded values, LF included. Its last character before the LF
   is a full stop, so that no tool takes it for a stack with a count. */
struct folded_header {
	struct str text; /* "# flamepipe" and pairs */
};

void folded_header_add(struct folded_header *h, const char *key, struct span value);
void folded_header_print(const struct folded_header *h, struct str *out);

/* The decoded value of a key in a header line, appended to *value; false when it is absent. */
bool folded_header_get(struct span line, const char *key, struct str *value);

/* Calls each for every pair of a header line, values decoded; ctx is handed through. */
void folded_header_each(
    struct span line, void (*each)(void *ctx, struct span key, struct span value), void *ctx);

#endif
