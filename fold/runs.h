/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sides of runs: profiles of any format, read into one table of stacks with a column a run. */
#ifndef FLAMEPIPE_RUNS_H
#define FLAMEPIPE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/facts.h"
#include "fold/options.h"
#include "fold/reader.h"
#include "fold/stacks.h"
#include "lib/count.h"

enum side { SIDE_ORIG, SIDE_PATCHED, NSIDES };

/* "orig" and "patched": what columns are called. */
extern const char *const side_names[NSIDES];

/* One run is one observation. Its column in the table is its place in runs.items; the original's come first. */
struct run {
	char *name; /* the file's */
	enum side side;
	u128 samples; /* as many as its counts stand for */
	u128 lost; /* by the kernel */
	u128 excluded; /* samples left out by options */
	u128 total; /* of its column */
	int64_t written_ns; /* time of its file; 0: none is known */
};

/* A zeroed struct is empty. */
struct runs {
	struct stacks stacks;
	struct facts facts; /* of all inputs, where they agree */
	struct run *items;
	size_t n, cap;
	size_t nside[NSIDES];
};

/* How inputs are read; borrowed. */
struct runs_how {
	const struct options *options;
	const struct reader *reader; /* --format, or NULL */
	bool strip; /* 0x1234 in names becomes 0x... */
};

/* Reads one run. The original's runs have to be added before the patched ones. An input without a stack is a run that counts
   nothing. False, after a message, when the input cannot be read or is damaged; what was whole is in the table. */
bool runs_add(struct runs *r, const struct runs_how *how, enum side side, const char *path);

/* Reads a table that compare wrote: one input with a column a run. False, after a message, when it is none. */
bool runs_add_table(struct runs *r, const struct runs_how *how, const char *path);

/* Did an input say anything about this key, be it that two differ? */
bool runs_say(const struct runs *r, const char *key);

/* Were they commands run to their end, and not sleep, which only sets a duration? */
bool runs_are_fixed_work(const struct runs *r);

/* Makes the totals of all runs that of the mean patched run. */
void runs_normalise(struct runs *r);

/* The table as differential folded lines, header included unless told otherwise; extra is put after it. */
void runs_print(struct runs *r, bool header, struct span extra);

void runs_release(struct runs *r);

#endif
