/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples are counted when an input has several events: counts of different events do not add up. */
#ifndef FLAMEPIPE_EVENTS_H
#define FLAMEPIPE_EVENTS_H

#include <stdbool.h>

#include "fold/options.h"
#include "lib/count.h"
#include "lib/intern.h"
#include "lib/str.h"

/* A zeroed struct is a start. */
struct events {
	struct intern names; /* those kept and those left out, as events_name gives them */
	struct event_tally {
		u128 samples;
		bool kept;
	} * tallies; /* by id */
	size_t cap;
	struct str name; /* in hand */
};

/* The id of an event, by which events_kept and the tallies know it. event is not empty. One logical event counted by the units
   of a hybrid machine ("cpu_core/cycles/", "cpu_atom/cycles/") is one event. */
uint32_t events_id(struct events *e, const struct options *o, struct span event);

static inline bool events_kept(const struct events *e, uint32_t id)
{
	return e->tallies[id].kept;
}

/* Is this the event that a user means by wanted: its name, or its name without modifiers? */
bool events_match(struct span event, struct span wanted);

/* The kept events' names joined by commas; empty when there are none. */
void events_describe_kept(const struct events *e, struct str *out);
/* "1,234 of cpu-clock, 5 of faults": those left out; nothing when there are none. */
void events_describe_left_out(const struct events *e, struct str *out);

void events_release(struct events *e);

#endif
