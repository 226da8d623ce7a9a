/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which differences between two sides of runs are real: every candidate tested, all of them judged together. */
#ifndef FLAMEPIPE_MOVERS_H
#define FLAMEPIPE_MOVERS_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/candidates.h"
#include "fold/effect.h"
#include "fold/runs.h"

enum observe {
	OBSERVE_AUTO, /* time for commands that were run, share for fixed durations and what tells nothing */
	OBSERVE_TIME, /* of each run: fixed work */
	OBSERVE_SHARE, /* of the run's total: fixed duration */
};

struct movers_how {
	struct proof proof;
	enum unit unit;
	enum observe observe;
	double least_share; /* of candidates */
	double overdispersion; /* of single runs: how much more runs vary than samples do */
	bool dependent; /* Benjamini and Yekutieli's correction */
	const char *focus; /* a function tested on its own, without correction; NULL: none */
};

/* Candidates have so many samples in all runs together; a side with fewer runs proves nothing. */
enum { MOVERS_LEAST_SAMPLES = 20, MOVERS_LEAST_RUNS = 3 };

struct mover {
	const struct candidate *candidate;
	double share[NSIDES], time[NSIDES]; /* means of the side's runs */
	struct effect effect; /* of what is observed; when exploratory, only d's diff and p, and q */
	double low, high; /* interval of effect.d.diff */
	struct effect own; /* of what candidates below do not explain; UNIT_PATH only */
};

struct movers {
	const struct runs *runs;
	const struct movers_how *how;
	struct profile profile;
	struct candidates candidates;
	struct mover *items; /* in the candidates' order */
	size_t n;
	struct mover total; /* its candidate is NULL; always observed in time */
	struct mover *focus; /* NULL: not asked for, or not there */
	bool exploratory; /* a side has fewer than MOVERS_LEAST_RUNS: nothing can be proven */
	enum observe observe; /* time or share */
	double scale; /* of a count, in the unit */
	const char *unit; /* "s", "samples" */
	double samples_per_count;
};

/* how and runs are borrowed until movers_release. Both sides have at least one run with at least one stack between them. */
void movers_find(struct movers *m, const struct runs *runs, const struct movers_how *how);
void movers_release(struct movers *m);

/* How often the same procedure, given the runs of one side split at random, finds a difference where there is none. Returns the
   number of splits that did. The side has at least MOVERS_SPLIT_LEAST runs. */
enum { MOVERS_SPLITS = 200, MOVERS_SPLIT_LEAST = 2 * MOVERS_LEAST_RUNS };
unsigned movers_self_check(const struct runs *runs, enum side side, const struct movers_how *how);

/* "slower", "more", "undecided", ...: a finding in the words of what was observed. */
const char *movers_word(const struct movers *m, enum finding finding);

/* The report, to be read by people, with at most top rows; as JSON; and as verdict lines of folded(5). */
void movers_print(const struct movers *m, size_t top, struct str *out);
void movers_print_json(const struct movers *m, struct str *out);
void movers_print_verdicts(const struct movers *m, struct str *out);

#endif
