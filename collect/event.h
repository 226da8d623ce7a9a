/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events by the names that `perf list` writes, and what the kernel needs to be told to sample or count them. */
#ifndef FLAMEPIPE_EVENT_H
#define FLAMEPIPE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/str.h"

struct event {
	const char *name; /* as the user gave it, or expanded from a wildcard */
	struct perf_event_attr
	    attr; /* type, config, modifiers, and the terms the name gave; the rest is the user's of this module */
	bool has_rate; /* the name itself gave a period or a frequency */
	const char *filter; /* of a tracepoint, in the kernel's language; NULL: none */
	int group; /* number of its {group}, -1 for none; the first of a group is its leader */
};

struct event_list {
	struct event *events;
	size_t n, cap;
	int ngroups;
	char tracing[64]; /* folder of the tracing file system; empty: not looked for yet */
	struct arena names;
};

/* Adds what text names: NAME[:MODIFIERS], PMU/TERM=VALUE,.../[MODIFIERS], rNNNN, SUBSYSTEM:TRACEPOINT (either with * and ?),
   several with commas, {A,B} for a group. False with *why saying what is not understood or not there. */
bool event_list_add(struct event_list *list, const char *text, struct str *why);
void event_list_release(struct event_list *list);

/* Prints the names that can be used here, by kind. */
void event_print_all(void);

/* Is it counted in nanoseconds? (cpu-clock, task-clock) */
bool event_is_clock(const struct event *e);

/* Folder of the tracing file system, NULL when it is not readable. Where it is not mounted, it is for this process alone. */
const char *event_tracing_dir(struct event_list *list);

#endif
