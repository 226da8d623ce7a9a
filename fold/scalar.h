/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report on one number a run: ministat's shape, with Welch's test, real intervals, and a verdict. */
#ifndef FLAMEPIPE_SCALAR_H
#define FLAMEPIPE_SCALAR_H

#include "fold/effect.h"
#include "fold/points.h"

struct scalar {
	const char *name; /* of an event; NULL: plain numbers */
	const char *unit; /* NULL: none */
	const char *labels[2]; /* of the sides */
	struct points *sides[2]; /* finished; each at least EFFECT_LEAST_RUNS */
};

struct effect scalar_test(const struct scalar *s, const struct proof *proof);

/* Text: the plot unless plot is NULL, one line a side, the verdict. */
void scalar_print(const struct scalar *s, const struct effect *e, const struct proof *proof,
    const struct plot *plot, struct str *out);

/* One JSON object. */
void scalar_print_json(
    const struct scalar *s, const struct effect *e, const struct proof *proof, struct str *out);

#endif
