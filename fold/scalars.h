/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of two sides, from columns of text or from measure's JSON, compared one quantity after the other. */
#ifndef FLAMEPIPE_SCALARS_H
#define FLAMEPIPE_SCALARS_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/effect.h"
#include "fold/points.h"

enum scalars_kind { SCALARS_NONE, SCALARS_NUMBERS, SCALARS_MEASURE };

/* What a file holds, by its first bytes: SCALARS_NONE for profiles, for standard input, and for what cannot be opened. */
enum scalars_kind scalars_probe(const char *path);

struct scalars_how {
	struct points_how points;
	struct proof proof;
	struct plot plot;
	bool no_plot, json;
	double fail_above; /* --fail-if-slower, as a part; NAN: not asked for */
};

enum scalars_result { SCALARS_OK, SCALARS_ERROR, SCALARS_SLOWER };

/* Files of plain numbers; those of one side are joined. Prints the report. SCALARS_SLOWER: the whole interval of the relative
   change is above fail_above. */
enum scalars_result scalars_numbers(
    const struct scalars_how *how, char *const *orig, size_t norig, char *const *patched, size_t npatched);

/* Two files of measure's JSON, or one with two sides (patched is NULL): a block for each event that both counted. */
enum scalars_result scalars_measure(const struct scalars_how *how, const char *orig, const char *patched);

#endif
