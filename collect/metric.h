/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts mean in relation to each other: instructions per cycle, GHz, CPUs utilized, percent of all branches. */
#ifndef FLAMEPIPE_METRIC_H
#define FLAMEPIPE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "collect/event.h"

struct metric {
	double value;
	int decimals;
	bool percent;
	char unit[48]; /* "insn per cycle" */
};

/* Of event i, given the value of every event (NAN: not counted; clocks in ns) and the time that went by. False when there is none. */
bool metric_of(
    const struct event_list *events, const double *values, size_t i, double elapsed_s, struct metric *m);

#endif
