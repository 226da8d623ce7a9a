/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data, in file and in pipe mode: what perf record wrote, from perf 2.6.33 to today, in either byte order. */
#ifndef FLAMEPIPE_PERFDATA_H
#define FLAMEPIPE_PERFDATA_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/timeline.h"
#include "lib/input.h"
#include "lib/str.h"

bool perfdata_probe(struct span head);

/* What did not become a sample. */
struct perfdata_losses {
	uint64_t lost; /* samples, by the kernel */
	uint64_t damaged; /* samples whose fields do not fit their record, or that are of no known event */
	uint64_t throttled_ns;
};

/* Pushes all samples and side-band to t, and flushes it. False, with in->err set, when the input is damaged; what was whole
   has been pushed and flushed. */
bool perfdata_read(struct input *in, struct timeline *t, struct perfdata_losses *losses);

#endif
