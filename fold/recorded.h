/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of collect, one after the other, on their way into timelines. */
#ifndef FLAMEPIPE_RECORDED_H
#define FLAMEPIPE_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/timeline.h"
#include "lib/input.h"

/* What did not become a sample. */
struct recorded_losses {
	uint64_t lost; /* by the kernel */
	uint64_t own; /* the collector's own, left out by it */
	uint64_t damaged; /* in blocks that cannot be used */
	uint64_t throttled_ns;
};

struct recorded;

/* NULL, with in->err set, when the input does not begin with a recording of a known version. */
struct recorded *recorded_open(struct input *in);
void recorded_close(struct recorded *r);

/* Pushes all of the next recording to t, and flushes it. *more says whether another one follows: from another machine or time,
   so that it needs a timeline of its own. False, with in->err set, when the recording is damaged or was cut short; what is
   whole has been pushed. */
bool recorded_read(struct recorded *r, struct timeline *t, struct recorded_losses *losses, bool *more);

#endif
