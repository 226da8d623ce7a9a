/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed in one quantity, and how sure that is. */
#include "fold/effect.h"

#include <math.h>

struct effect effect_test(const double *orig, size_t norig, const double *patched, size_t npatched,
    const double floors[2], const struct proof *proof)
{
	struct effect e = {
	    .orig = moments_of(orig, norig), .patched = moments_of(patched, npatched), .rank_p = NAN};

	if (proof->paired) {
		e.d = stats_paired(orig, patched, norig, floors[0], floors[1], proof->confidence);
		e.has_ratio = stats_fieller_paired(orig, patched, norig, floors[0], floors[1],
		    proof->confidence, &e.ratio_low, &e.ratio_high);
	} else {
		e.d = stats_welch(&e.orig, &e.patched, floors[0], floors[1], proof->confidence);
		e.has_ratio = stats_fieller(&e.orig, &e.patched, floors[0], floors[1], proof->confidence,
		    &e.ratio_low, &e.ratio_high);
	}
	if (!proof->paired && norig >= EFFECT_RANK_RUNS && npatched >= EFFECT_RANK_RUNS)
		e.rank_p = stats_mann_whitney(orig, norig, patched, npatched);
	e.q = e.d.p;
	return e;
}

void effect_judge(struct effect *e, const struct proof *proof, double whole)
{
	double margin = proof->margin * fabs(whole), runs = (double)(e->orig.n + e->patched.n) / 2;
	/* An interval half as wide as this either leaves 0 out or lies within the margin. */
	double enough = fmax(fabs(e->d.diff), margin - fabs(e->d.diff));

	e->bound = fabs(e->d.diff) + e->d.half;
	e->more_runs = INFINITY;
	if (e->q < 1 - proof->confidence && e->d.diff != 0)
		e->finding = e->d.diff > 0 ? FOUND_MORE : FOUND_LESS;
	else if (e->bound <= margin)
		e->finding = FOUND_SAME;
	else
		e->finding = FOUND_NOTHING;
	if (enough > 0) /* the interval narrows with the root of the number of runs */
		e->more_runs = fmax(1, ceil(runs * pow(e->d.half / enough, 2) - runs));
}

bool effect_disagrees(const struct effect *e, const struct proof *proof)
{
	double error = 1 - proof->confidence;

	return !isnan(e->rank_p) && (e->d.p < error) != (e->rank_p < error);
}

void effect_add_p(struct str *out, double p)
{
	if (p < 1e-12)
		str_adds(out, "<1e-12");
	else
		str_addf(out, p < 0.0001 ? "%.0e" : "%.2g", p);
}

void effect_add_more_runs(struct str *out, const struct effect *e)
{
	if (e->more_runs < 1e6)
		str_addf(out, "about %.0f more %s a side", e->more_runs, e->more_runs > 1 ? "runs" : "run");
	else
		str_adds(out, "no number of runs");
}
