/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One recording after the other: each begins with what is needed to read it alone, so that a file can be followed by the next, and a
   flight recorder can forget the oldest. */
#ifndef FLAMEPIPE_RECORDER_H
#define FLAMEPIPE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/sampler.h"
#include "collect/stream.h"

struct recorder {
	struct stream *stream;
	struct sampler *sampler;
	char **command; /* for INFO; NULL: none */
	/* How files are cut; 0: not. */
	uint64_t rotate_bytes, rotate_ns;
	unsigned keep; /* files beside the present one; 0: all */
	unsigned nrotated;
	/* A flight recorder keeps the present and the last segment of this length in memory. */
	uint64_t flight_ns;
	struct str segments[2];
	unsigned ndumps;
	uint64_t began_ns;
};

void recorder_begin(struct recorder *r);

/* To be called after each flush: begins the next file or segment when it is time. */
void recorder_turn(struct recorder *r, uint64_t now_ns);

/* What a signal or the control FIFO asks for: a flight recorder writes what it has; a file is followed by the next. */
void recorder_snapshot(struct recorder *r);

/* Ends the last recording; a flight recorder writes what it has. */
void recorder_end(struct recorder *r);

#endif
