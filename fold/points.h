/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plain numbers in columns of text, one value a line, and a picture of them in characters. */
#ifndef FLAMEPIPE_POINTS_H
#define FLAMEPIPE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/input.h"
#include "lib/str.h"

/* Values in the order they were read, and sorted. A zeroed struct is empty. */
struct points {
	double *values;
	double *sorted; /* by points_finish */
	size_t n, cap;
	double mean, sd,
	    median; /* by points_finish; the mean is the sum in order of reading, divided; sd in a second pass */
};

/* Where the values stand. */
struct points_how {
	unsigned column; /* from 1 */
	const char *delimiters; /* each of them; several in a row are one */
};

void points_add(struct points *s, double value);

/* Adds the values of one column; a word that begins with # ends its line, lines without that column are passed. False, with
   in->err set, at the first word there that is no number, or is infinite. */
bool points_read(struct points *s, const struct points_how *how, struct input *in);

/* Does every line of an input that starts with head begin with a number, none ending as a stack's line does? */
bool points_probe(struct span head);

/* Sorts and sums up. */
void points_finish(struct points *s);

void points_release(struct points *s);

enum { PLOT_MAX_SETS = 7 };

/* The marks of the sets, from index 1 on. */
extern const char plot_marks[PLOT_MAX_SETS + 2];

struct plot {
	size_t width; /* of the inside */
	bool separate; /* a row for each set's mean, median and standard deviation, not one for all */
	bool faithful; /* as ministat: a set that is flat cuts off what stands higher in sets before it */
};

/* The width of the terminal less a frame; 74 when stdout is none. */
size_t plot_width(void);

/* Draws up to PLOT_MAX_SETS finished sets, none of them empty. */
void plot_print(const struct plot *p, const struct points *const *sets, size_t nsets, struct str *out);

#endif
