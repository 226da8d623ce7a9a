/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report on one number a run. */
#include "fold/scalar.h"

#include <math.h>

#include "lib/json.h"

struct effect scalar_test(const struct scalar *s, const struct proof *proof)
{
	static const double no_floor[2];
	struct effect e = effect_test(
	    s->sides[0]->values, s->sides[0]->n, s->sides[1]->values, s->sides[1]->n, no_floor, proof);

	effect_judge(&e, proof, e.orig.mean);
	return e;
}

static void add_vitals(const struct scalar *s, struct str *out)
{
	str_adds(out, "    N           Min           Max        Median           Avg        Stddev\n");
	for (int i = 0; i < 2; i++) {
		const struct points *p = s->sides[i];

		str_addf(out, "%c %3zu %13.8g %13.8g %13.8g %13.8g %13.8g\n", plot_marks[i + 1], p->n,
		    p->sorted[0], p->sorted[p->n - 1], p->median, p->mean, p->sd);
	}
}

/* "\t-32.0602% [-39.45%, -22.62%]" */
static void add_ratio(const struct effect *e, struct str *out)
{
	if (e->has_ratio)
		str_addf(out, "\t%+.4g%% [%+.4g%%, %+.4g%%]\n", 100 * (e->patched.mean / e->orig.mean - 1),
		    100 * e->ratio_low, 100 * e->ratio_high);
	else
		str_adds(out, "\tin percent: undefined, the reference cannot be told from 0\n");
}

static void add_method(const struct effect *e, const struct proof *proof, struct str *out)
{
	str_addf(out, "\t(%s t, df %.4g, p = ", proof->paired ? "Student's paired" : "Welch's", e->d.df);
	effect_add_p(out, e->d.p);
	if (!isnan(e->rank_p)) {
		str_adds(out, "; Mann-Whitney p = ");
		effect_add_p(out, e->rank_p);
	}
	str_adds(out, ")\n");
	if (effect_disagrees(e, proof))
		str_adds(out, "\t! the two tests disagree: look for outliers or two modes in the plot\n");
}

/* The spread is as telling as the mean: contention makes a program erratic before it makes it slow. */
static void add_spread(const struct effect *e, const struct proof *proof, struct str *out)
{
	double a = moments_variance(&e->orig), b = moments_variance(&e->patched), p;

	if (a <= 0 || b <= 0)
		return;
	p = stats_f_p(a / b, (double)(e->orig.n - 1), (double)(e->patched.n - 1));
	if (p >= 1 - proof->confidence)
		return;
	str_addf(out, "\tspread %.3g times %s (F test, p = ", sqrt(a > b ? a / b : b / a),
	    a > b ? "smaller" : "larger");
	effect_add_p(out, p);
	str_adds(out, ")\n");
}

static void add_verdict(const struct effect *e, const struct proof *proof, struct str *out)
{
	double percent = 100 * proof->confidence;

	switch (e->finding) {
	case FOUND_MORE:
	case FOUND_LESS:
		str_addf(out, "Difference at %.4g%% confidence: %s\n", percent,
		    e->finding == FOUND_MORE ? "higher" : "lower");
		break;
	case FOUND_SAME:
		str_addf(out, "No change larger than %.3g (%.3g%%), at %.4g%% confidence\n", e->bound,
		    100 * e->bound / fabs(e->orig.mean), percent);
		break;
	case FOUND_NOTHING:
		str_addf(out, "No difference proven at %.4g%% confidence; undecided: ", percent);
		effect_add_more_runs(out, e);
		str_addf(out, " would decide (margin %.3g%%)\n", 100 * proof->margin);
	}
}

void scalar_print(const struct scalar *s, const struct effect *e, const struct proof *proof,
    const struct plot *plot, struct str *out)
{
	const struct points *sides[] = {s->sides[0], s->sides[1]};

	if (s->name)
		str_addf(out, "%s%s%s\n", s->name, s->unit ? ", " : "", s->unit ? s->unit : "");
	for (int i = 0; i < 2; i++)
		str_addf(out, "%c %s\n", plot_marks[i + 1], s->labels[i]);
	if (plot)
		plot_print(plot, sides, 2, out);
	add_vitals(s, out);
	add_verdict(e, proof, out);
	str_addf(out, "\t%+.6g +/- %.6g\n", e->d.diff, e->d.half);
	add_ratio(e, out);
	add_spread(e, proof, out);
	add_method(e, proof, out);
}

/* JSON has no infinity and no NaN: those are null. */
static void add_value(struct str *out, double value)
{
	str_addf(out, isfinite(value) ? "%.15g" : "null", value);
}

static void add_number(struct str *out, const char *key, double value)
{
	str_addf(out, "\"%s\":", key);
	add_value(out, value);
	str_addc(out, ',');
}

static void add_pair(struct str *out, const char *key, double low, double high)
{
	str_addf(out, "\"%s\":[", key);
	add_value(out, low);
	str_addc(out, ',');
	add_value(out, high);
	str_adds(out, "],");
}

static void add_side(struct str *out, const char *key, const struct points *p)
{
	str_addf(out, "\"%s\":{\"n\":%zu,", key, p->n);
	add_number(out, "mean", p->mean);
	add_number(out, "sd", p->sd);
	add_number(out, "median", p->median);
	str_adds(out, "\"runs\":[");
	for (size_t i = 0; i < p->n; i++)
		str_addf(out, "%s%.15g", i ? "," : "", p->values[i]);
	str_adds(out, "]},");
}

void scalar_print_json(
    const struct scalar *s, const struct effect *e, const struct proof *proof, struct str *out)
{
	static const char *const words[] = {"undecided", "same", "higher", "lower"};

	str_adds(out, "{\"name\":");
	json_quote(out, span_of(s->name ? s->name : "values"));
	if (s->unit) {
		str_adds(out, ",\"unit\":");
		json_quote(out, span_of(s->unit));
	}
	str_addc(out, ',');
	add_side(out, "orig", s->sides[0]);
	add_side(out, "patched", s->sides[1]);
	add_number(out, "diff", e->d.diff);
	add_pair(out, "ci", e->d.diff - e->d.half, e->d.diff + e->d.half);
	add_number(out, "confidence", proof->confidence);
	add_number(out, "ratio", e->patched.mean / e->orig.mean - 1);
	if (e->has_ratio)
		add_pair(out, "ratio_ci", e->ratio_low, e->ratio_high);
	add_number(out, "p", e->d.p);
	add_number(out, "mann_whitney_p", e->rank_p);
	add_number(out, "more_runs", e->finding == FOUND_NOTHING ? e->more_runs : 0);
	str_addf(out, "\"verdict\":\"%s\"}", words[e->finding]);
}
