/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of compare. */
#ifndef FLAMEPIPE_COMPARE_OPTIONS_H
#define FLAMEPIPE_COMPARE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/movers.h"
#include "fold/options.h"
#include "fold/runs.h"
#include "fold/scalars.h"

/* Beyond those all programs share: what --fail-if-slower asked for. */
enum { EXIT_SLOWER = 3 };

/* What the user asked for. Zeroed apart from the defaults that compare_options_init gives. */
struct compare_options {
	struct options options;
	struct runs_how how;
	struct paths {
		char **items;
		size_t n, cap;
	} operands, sides[NSIDES];
	bool vs; /* --vs was given, after so many operands: */
	size_t nbefore;
	bool normalise, quiet;
	bool numbers; /* --column or --delimiters: the inputs are plain numbers */
	bool report, self_check;
	size_t top;
	double max_loss;
	struct movers_how movers; /* its proof is that of scalars */
	struct scalars_how scalars;
};

void compare_options_init(struct compare_options *c);

/* Exits after --help and the like, --ministat, and wrong usage. */
void compare_options_parse(struct compare_options *c, int argc, char **argv);

void compare_options_release(struct compare_options *c);

#endif
