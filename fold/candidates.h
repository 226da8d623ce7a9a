/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places in a profile that are worth testing, chosen without looking at which side a run is of. */
#ifndef FLAMEPIPE_CANDIDATES_H
#define FLAMEPIPE_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "fold/runs.h"
#include "lib/arena.h"
#include "lib/tree.h"

enum unit {
	UNIT_PATH, /* a function and how it was reached, with all it calls */
	UNIT_FUNCTION, /* a function wherever it was called, with all it calls; recursion counts once */
	UNIT_SELF, /* a function's own code */
};

/* Counts of the runs of a table, as floating point for statistics, and the call tree of all. */
struct profile {
	struct tree tree;
	size_t nruns;
	double *totals; /* of each run */
	double *counts; /* [node * nruns + run]: of the node and all below it */
};

void profile_build(struct profile *p, const struct runs *runs);
void profile_release(struct profile *p);

struct candidate {
	uint32_t node; /* UNIT_PATH: the deepest of its chain */
	uint32_t name; /* id in the tree's names */
	unsigned chain; /* UNIT_PATH: so many callers above carry the same and are not tested on their own */
	size_t parent; /* UNIT_PATH: the nearest candidate above; SIZE_MAX: none */
	double *counts; /* of each run */
	double *own; /* UNIT_PATH: less those of the candidates below; else NULL */
};

struct candidates {
	struct candidate *items;
	size_t n, cap;
	struct arena memory;
};

struct candidates_how {
	enum unit unit;
	double least_share; /* of the mean run */
	double least_samples; /* of all runs together */
	double samples_per_count;
	const unsigned char *use; /* [run]: which runs are looked at; NULL: all */
};

/* Candidates in the tree's order. Of a chain in which a callee has nearly all that its caller has, only the deepest is one. */
void candidates_choose(struct candidates *c, const struct profile *p, const struct candidates_how *how);
void candidates_release(struct candidates *c);

#endif
