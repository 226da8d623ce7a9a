/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One table of options a program: what getopt_long needs, and what --help prints of it. */
#ifndef FLAMEPIPE_USAGE_H
#define FLAMEPIPE_USAGE_H

#include <getopt.h>
#include <stddef.h>

struct option_help {
	struct option option; /* val is the letter, or a number past 255 for an option without one */
	const char *arg, *help; /* arg: what its value is called, NULL when it has none */
};

/* Prints a line an option: "  -F, --freq=HZ   help". */
void usage_options(const struct option_help *rows, size_t n);

#endif
