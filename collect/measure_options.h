/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of measure. */
#ifndef FLAMEPIPE_MEASURE_OPTIONS_H
#define FLAMEPIPE_MEASURE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/event.h"
#include "collect/measured.h"
#include "collect/target.h"

struct measure_options {
	struct event_list events;
	struct target target;
	unsigned runs; /* 0: until Ctrl-C */
	unsigned warmup; /* runs before those that count */
	uint64_t duration_ns, interval_ns; /* 0: none */
	double noise; /* as in struct measured */
	enum measured_form form;
	const char *sep; /* of FORM_CSV */
	bool table;
	const char *output; /* NULL: standard error */
	char *versus; /* the other command, for sh; NULL: none */
	const char *collect_dir; /* NULL: no profiles */
	const char *collect_hz; /* NULL: its default */
	char **command; /* NULL: none */
};

/* Ends the program for a usage error, --help and --version. */
void measure_options_parse(struct measure_options *o, int argc, char **argv);

void measure_options_release(struct measure_options *o);

#endif
