/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sink consists of: for sink.c and report.c only. */
#ifndef FLAMEPIPE_SINK_INSIDE_H
#define FLAMEPIPE_SINK_INSIDE_H

#include "fold/annotate.h"
#include "fold/events.h"
#include "fold/facts.h"
#include "fold/sink.h"
#include "fold/stacks.h"

struct sink {
	const struct options *options;
	struct stacks stacks;
	struct events events;
	struct facts facts;

	u128 seen; /* samples handed over */
	u128 samples; /* of those, kept; and what header lines declare */
	u128 tallies[NTALLIES]; /* in samples */
	u128 regex_weight; /* of those left out by --include and --exclude */
	u128 throttled_ns;

	unsigned ninputs;
	bool has_start;
	uint64_t start_ns; /* of the present input */
	uint64_t last_ns; /* the latest sample, from its input's start */

	struct {
		uint64_t n;
		struct str quote; /* the first one and its place */
	} bad; /* lines */

	/* The event of the stack before, and what is in hand. */
	struct str last_event;
	uint32_t last_event_id;
	struct annotator annotator;
	uint32_t nframes; /* numbers that sink_new_frame gave */
	struct str text;
};

#endif
