/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed in one quantity between two sides of runs, and how sure that is. */
#ifndef FLAMEPIPE_EFFECT_H
#define FLAMEPIPE_EFFECT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/stats.h"
#include "lib/str.h"

/* What counts as proven and as no change. */
struct proof {
	double confidence; /* as 0.95; what is left of 1 is the error that is put up with */
	double margin; /* a change within it is none: as a part of the whole */
	bool paired; /* the first runs of either side belong together, and so on: as many on both */
};

enum finding {
	FOUND_NOTHING, /* too much noise to tell */
	FOUND_SAME, /* a change larger than the margin is ruled out */
	FOUND_MORE,
	FOUND_LESS,
};

/* Runs a side from which Mann and Whitney's test is made beside Welch's, and below which nothing can be tested. */
enum { EFFECT_LEAST_RUNS = 2, EFFECT_RANK_RUNS = 5 };

struct effect {
	struct moments orig, patched;
	struct difference d;
	bool has_ratio; /* the original's mean can be told from 0 */
	double ratio_low, ratio_high; /* interval of patched / orig - 1 */
	double rank_p; /* Mann and Whitney's; NAN below EFFECT_RANK_RUNS, and of pairs */
	double q; /* p, corrected where many were tested at once */
	enum finding finding;
	double bound; /* FOUND_SAME: no change is larger */
	double more_runs; /* FOUND_NOTHING: about so many more a side would decide it; INFINITY: none would */
};

/* Tests one observation a run. floors as for stats_welch. Both sides have at least EFFECT_LEAST_RUNS. q is p. */
struct effect effect_test(const double *orig, size_t norig, const double *patched, size_t npatched,
    const double floors[2], const struct proof *proof);

/* Fills in the finding from q. whole is what the margin is a part of. */
void effect_judge(struct effect *e, const struct proof *proof, double whole);

/* Do the two tests disagree on what is proven? Outliers or several modes are the usual reason. */
bool effect_disagrees(const struct effect *e, const struct proof *proof);

/* Probabilities as people read them: 0.0312, 3e-05. */
void effect_add_p(struct str *out, double p);

/* "12 more runs a side", for FOUND_NOTHING. */
void effect_add_more_runs(struct str *out, const struct effect *e);

#endif
