/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of collect. */
#ifndef FLAMEPIPE_OPTIONS_H
#define FLAMEPIPE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/plan.h"
#include "collect/stream.h"

struct options {
	struct plan plan;
	const char *output; /* NULL: standard output */
	enum writer writer;
	int zstd_level; /* 0: not compressed */
	uint64_t max_bytes, rotate_bytes, rotate_ns, flight_ns; /* 0: none */
	unsigned keep;
	uint64_t duration_ns; /* 0: without end */
	uint64_t delay_ns; /* with plan.delayed: begin after this time, 0: when told to */
	const char *control; /* path of a FIFO */
	bool verbose, quiet;
	char **command; /* NULL: none */
};

/* Ends the program for a usage error, --help, --list and --version. */
void options_parse(struct options *o, int argc, char **argv);

void options_release(struct options *o);

#endif
