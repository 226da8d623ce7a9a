/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed between two sides of runs: the report, as text, as JSON, and for render. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fold/movers.h"
#include "lib/folded.h"
#include "lib/json.h"

enum { CALLERS_SHOWN = 3, JSON_VERSION = 1 };

/* What a change is a part of. */
static double whole_of(const struct movers *m)
{
	return m->observe == OBSERVE_SHARE ? 1 : m->total.time[SIDE_ORIG];
}

/* In percent of the whole. */
static double percent(const struct movers *m, double value)
{
	double whole = whole_of(m);

	return whole > 0 ? 100 * value / whole : 0;
}

/* The frames from the root to a node. */
static void add_path(const struct tree *t, uint32_t node, struct str *out)
{
	uint32_t *path = NULL;
	size_t n = 0, cap = 0;

	for (; node; node = t->nodes[node].parent) {
		path = grow(path, n, &cap, sizeof *path);
		path[n++] = node;
	}
	while (n-- > 0) {
		struct span name = tree_name(t, path[n]);

		str_add(out, name.p, name.n);
		str_adds(out, n ? ";" : "");
	}
	free(path);
}

/* "leaf <- caller <- caller <- ..." */
static void add_callers(const struct movers *m, const struct candidate *c, struct str *out)
{
	const struct tree *t = &m->profile.tree;
	struct span name = intern_span(&t->names, c->name);
	uint32_t node = c->node;

	str_add(out, name.p, name.n);
	if (m->how->unit != UNIT_PATH)
		return;
	for (int i = 0; i < CALLERS_SHOWN; i++) {
		node = t->nodes[node].parent;
		if (!node)
			return;
		name = tree_name(t, node);
		str_adds(out, " <- ");
		str_add(out, name.p, name.n);
	}
	str_adds(out, t->nodes[node].parent ? " <- ..." : "");
}

static bool is_proven(const struct effect *e)
{
	return e->finding == FOUND_MORE || e->finding == FOUND_LESS;
}

/* Text. */

static void add_side(const struct movers *m, enum side side, struct str *out)
{
	u128 samples = 0, lost = 0, excluded = 0;
	const char *first = "";

	for (size_t i = m->runs->n; i-- > 0;) {
		const struct run *run = &m->runs->items[i];

		if (run->side != side)
			continue;
		first = run->name;
		samples = count_sum(samples, run->samples);
		lost = count_sum(lost, run->lost);
		excluded = count_sum(excluded, run->excluded);
	}
	str_addf(out, "%-8s %s%s: %zu %s, ", side_names[side], first, m->runs->nside[side] > 1 ? ", ..." : "",
	    m->runs->nside[side], m->runs->nside[side] > 1 ? "runs" : "run");
	count_add_commas(out, count_round(samples));
	str_adds(out, " samples, ");
	count_add_commas(out, lost);
	str_adds(out, " lost");
	if (excluded)
		str_addf(out, ", %.1f%% left out by options",
		    100 * count_double(excluded) / (count_double(excluded) + count_double(samples)));
	str_addc(out, '\n');
}

static void add_method(const struct movers *m, struct str *out)
{
	double confidence = 100 * m->how->proof.confidence;

	if (m->exploratory) {
		str_addf(out,
		    "\nEXPLORATORY: fewer than %d runs on a side. How much runs differ by themselves is "
		    "unknown (taken as\n"
		    "%g times what sampling alone gives); nothing below is proven. %d runs a side or more "
		    "prove something.\n",
		    MOVERS_LEAST_RUNS, m->how->overdispersion, MOVERS_LEAST_RUNS);
		return;
	}
	str_addf(out,
	    "\nObserved: %s, one observation a run. %s test at %g%% confidence, %s over %zu "
	    "candidates.\n",
	    m->observe == OBSERVE_TIME ? "CPU time (fixed work)"
				       : "share of the run's samples (fixed duration)",
	    m->how->proof.paired ? "Student's paired" : "Welch's", confidence,
	    m->how->dependent ? "Benjamini-Yekutieli" : "Benjamini-Hochberg", m->n);
}

/* By the times of their files, which copying may have changed. */
static bool is_in_blocks(const struct runs *runs)
{
	int64_t first[NSIDES] = {INT64_MAX, INT64_MAX}, last[NSIDES] = {INT64_MIN, INT64_MIN};

	for (size_t i = 0; i < runs->n; i++) {
		const struct run *run = &runs->items[i];

		if (!run->written_ns)
			return false;
		first[run->side] = run->written_ns < first[run->side] ? run->written_ns : first[run->side];
		last[run->side] = run->written_ns > last[run->side] ? run->written_ns : last[run->side];
	}
	return last[SIDE_ORIG] < first[SIDE_PATCHED] || last[SIDE_PATCHED] < first[SIDE_ORIG];
}

static void add_block_warning(const struct movers *m, struct str *out)
{
	if (!m->exploratory && is_in_blocks(m->runs))
		str_adds(out, "By the times of their files, all runs of one side were made before those of "
			      "the other: then even one\n"
			      "program differs from itself. Make them in turn (measure --vs).\n");
}

static void add_time(const struct movers *m, double value, struct str *out)
{
	if (strcmp(m->unit, "s") == 0)
		str_addf(out, "%.4g s", value);
	else if (value >= 1 && value < 1e15)
		count_add_commas(out, count_of((uint64_t)llround(value)));
	else
		str_addf(out, "%.3g", value);
	if (strcmp(m->unit, "s") != 0)
		str_addf(out, "%s%s", *m->unit ? " " : "", m->unit);
}

static void add_finding(const struct movers *m, const struct mover *mover, struct str *out)
{
	const struct effect *e = &mover->effect;

	str_adds(out, movers_word(m, e->finding));
	if (e->finding == FOUND_MORE && mover->share[SIDE_ORIG] <= 0)
		str_adds(out, " (new)");
	if (e->finding == FOUND_LESS && mover->share[SIDE_PATCHED] <= 0)
		str_adds(out, " (gone)");
	if (e->finding == FOUND_SAME)
		str_addf(out, " (no change > %.2g%%)", percent(m, e->bound));
	if (e->finding == FOUND_NOTHING && e->more_runs < 1e6)
		str_addf(out, " (+%.0f %s)", e->more_runs, e->more_runs > 1 ? "runs" : "run");
	if (effect_disagrees(e, &m->how->proof))
		str_adds(out, " !");
}

static void add_total(const struct movers *m, struct str *out)
{
	const struct mover *t = &m->total;
	double whole = t->time[SIDE_ORIG];

	str_adds(out, "\nTotal    ");
	add_time(m, t->time[SIDE_ORIG], out);
	str_adds(out, " -> ");
	add_time(m, t->time[SIDE_PATCHED], out);
	if (whole > 0 && t->effect.d.diff < 9 * whole)
		str_addf(out, ", %+.3g%%", 100 * t->effect.d.diff / whole);
	else if (whole > 0)
		str_addf(out, ", %.4g times as many", t->time[SIDE_PATCHED] / whole);
	if (m->exploratory) {
		str_adds(out, "\n\n");
		return;
	}
	if (whole > 0)
		str_addf(out, " [%+.3g%%, %+.3g%%], p = ", 100 * t->low / whole, 100 * t->high / whole);
	effect_add_p(out, t->effect.d.p);
	str_addf(out, ": %s",
	    t->effect.finding == FOUND_MORE   ? "higher"
	    : t->effect.finding == FOUND_LESS ? "lower"
	    : t->effect.finding == FOUND_SAME ? "same"
					      : "undecided");
	if (t->effect.finding == FOUND_NOTHING) {
		str_adds(out, "; ");
		effect_add_more_runs(out, &t->effect);
		str_addf(out, " would decide (margin %.3g%%)", 100 * m->how->proof.margin);
	}
	str_adds(out, effect_disagrees(&t->effect, &m->how->proof) ? " !\n\n" : "\n\n");
}

static void add_heading(const struct movers *m, struct str *out)
{
	str_addf(out, "%s\n",
	    m->observe == OBSERVE_TIME ? "Change and own change are in percent of the original's total."
				       : "Change and own change are in points of a percent of the samples.");
	str_adds(out, "   orig patched   change");
	str_addf(out, " %18s  %-7s  %-*s", "interval", "q", m->exploratory ? 14 : 26, "finding");
	if (m->how->unit == UNIT_PATH && !m->exploratory)
		str_adds(out, "     own ");
	str_adds(out, m->how->unit == UNIT_PATH ? "  function <- its callers\n" : "  function\n");
}

/* What single runs suggest. */
static const char *hint(const struct movers *m, const struct mover *mover)
{
	if (mover->effect.q >= 1 - m->how->proof.confidence)
		return "unclear";
	if (mover->effect.d.diff > 0)
		return mover->share[SIDE_ORIG] > 0 ? "more, it seems" : "new, it seems";
	return mover->share[SIDE_PATCHED] > 0 ? "less, it seems" : "gone, it seems";
}

static void add_row(const struct movers *m, const struct mover *mover, struct str *out)
{
	char interval[64];
	struct str finding = {0};

	str_addf(out, "%6.2f%% %6.2f%% %+8.2f", 100 * mover->share[0], 100 * mover->share[1],
	    percent(m, mover->effect.d.diff));
	snprintf(
	    interval, sizeof interval, "[%+.2f, %+.2f]", percent(m, mover->low), percent(m, mover->high));
	str_addf(out, " %18s  ", interval);
	effect_add_p(&finding, mover->effect.q);
	str_addf(out, "%-7s  ", finding.p);
	str_reset(&finding);
	if (m->exploratory)
		str_adds(&finding, hint(m, mover));
	else
		add_finding(m, mover, &finding);
	str_addf(out, "%-*s", m->exploratory ? 14 : 26, finding.p);
	if (m->how->unit == UNIT_PATH && !m->exploratory)
		str_addf(out, " %+7.2f%s", percent(m, mover->own.d.diff), is_proven(&mover->own) ? "*" : " ");
	str_adds(out, "  ");
	add_callers(m, mover->candidate, out);
	str_addc(out, '\n');
	str_release(&finding);
}

static int by_size(const void *a, const void *b)
{
	const struct mover *x = *(const struct mover *const *)a, *y = *(const struct mover *const *)b;
	double dx = fabs(x->effect.d.diff), dy = fabs(y->effect.d.diff);

	if (is_proven(&x->effect) != is_proven(&y->effect))
		return is_proven(&x->effect) ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void add_tally(const struct movers *m, struct str *out)
{
	size_t n[4] = {0};

	for (size_t i = 0; i < m->n; i++)
		n[m->items[i].effect.finding]++;
	if (m->exploratory)
		str_addf(out, "%zu candidates\n", m->n);
	else
		str_addf(out,
		    "%zu candidates: %zu %s, %zu %s, %zu without a change larger than %.3g%%, %zu "
		    "undecided\n",
		    m->n, n[FOUND_MORE], movers_word(m, FOUND_MORE), n[FOUND_LESS],
		    movers_word(m, FOUND_LESS), n[FOUND_SAME], 100 * m->how->proof.margin, n[FOUND_NOTHING]);
	if (m->how->unit == UNIT_PATH && !m->exploratory)
		str_adds(out, "own: what the rows below it do not explain; * is proven\n");
	for (size_t i = 0; i < m->n; i++)
		if (!m->exploratory && effect_disagrees(&m->items[i].effect, &m->how->proof)) {
			str_adds(out, "!: Mann and Whitney's test disagrees: outliers or two modes\n");
			break;
		}
}

void movers_print(const struct movers *m, size_t top, struct str *out)
{
	const struct mover **order = xcalloc(m->n + 1, sizeof *order);

	for (size_t i = 0; i < m->n; i++)
		order[i] = &m->items[i];
	qsort(order, m->n, sizeof *order, by_size);
	for (enum side side = SIDE_ORIG; side < NSIDES; side++)
		add_side(m, side, out);
	add_method(m, out);
	add_block_warning(m, out);
	add_total(m, out);
	add_heading(m, out);
	if (m->focus) {
		add_row(m, m->focus, out);
		str_adds(out, "^ asked for: its q is not corrected\n");
	}
	for (size_t i = 0; i < m->n && i < top; i++)
		add_row(m, order[i], out);
	add_tally(m, out);
	free(order);
}

/* JSON. */

static void add_number(struct str *out, const char *key, double value)
{
	str_addf(out, isfinite(value) ? ",\"%s\":%.15g" : ",\"%s\":null", key, value);
}

static void add_effect(const struct movers *m, const struct mover *mover, struct str *out)
{
	const struct effect *e = &mover->effect;

	str_addf(out, "\"share\":[%.15g,%.15g],\"time\":[%.15g,%.15g]", mover->share[0], mover->share[1],
	    mover->time[0], mover->time[1]);
	add_number(out, "diff", e->d.diff);
	str_addf(out, ",\"ci\":[%.15g,%.15g]", mover->low, mover->high);
	add_number(out, "p", e->d.p);
	add_number(out, "q", e->q);
	if (m->exploratory)
		return;
	add_number(out, "mann_whitney_p", e->rank_p);
	str_adds(out, ",\"ratio_ci\":[");
	if (e->has_ratio)
		str_addf(out, "%.15g,%.15g", e->ratio_low, e->ratio_high);
	str_addc(out, ']');
	add_number(out, "more_runs", e->finding == FOUND_NOTHING ? e->more_runs : 0);
	str_addf(out, ",\"finding\":\"%s\"", movers_word(m, e->finding));
}

static void add_json_row(const struct movers *m, const struct mover *mover, struct str *out)
{
	struct str path = {0};

	str_adds(out, "{\"function\":");
	json_quote(out, intern_span(&m->profile.tree.names, mover->candidate->name));
	if (m->how->unit == UNIT_PATH) {
		add_path(&m->profile.tree, mover->candidate->node, &path);
		str_adds(out, ",\"stack\":");
		json_quote(out, str_span(&path));
		str_addf(out, ",\"chain\":%u", mover->candidate->chain);
	}
	str_addc(out, ',');
	add_effect(m, mover, out);
	if (mover->candidate->own && !m->exploratory)
		str_addf(out, ",\"own\":{\"diff\":%.15g,\"q\":%.15g,\"finding\":\"%s\"}", mover->own.d.diff,
		    mover->own.q, movers_word(m, mover->own.finding));
	str_addc(out, '}');
	str_release(&path);
}

static void add_json_side(const struct movers *m, enum side side, struct str *out)
{
	bool first = true;

	str_addf(out, "\"%s\":[", side_names[side]);
	for (size_t i = 0; i < m->runs->n; i++) {
		const struct run *run = &m->runs->items[i];

		if (run->side != side)
			continue;
		str_adds(out, first ? "{\"name\":" : ",{\"name\":");
		json_quote(out, span_of(run->name));
		str_addf(out, ",\"samples\":%.15g,\"lost\":%.15g,\"total\":%.15g}",
		    count_double(run->samples), count_double(run->lost), count_double(run->total));
		first = false;
	}
	str_adds(out, "],\n");
}

void movers_print_json(const struct movers *m, struct str *out)
{
	str_addf(out,
	    "{\"flamepipe\":\"compare\",\"version\":%d,\"exploratory\":%s,\"observed\":\"%s\",\"unit\":\"%"
	    "s\",",
	    JSON_VERSION, m->exploratory ? "true" : "false", m->observe == OBSERVE_TIME ? "time" : "share",
	    m->unit);
	str_addf(
	    out, "\"confidence\":%.15g,\"margin\":%.15g,\n", m->how->proof.confidence, m->how->proof.margin);
	for (enum side side = SIDE_ORIG; side < NSIDES; side++)
		add_json_side(m, side, out);
	str_adds(out, "\"total\":{");
	add_effect(m, &m->total, out);
	str_adds(out, "},\n\"candidates\":[");
	for (size_t i = 0; i < m->n; i++) {
		str_adds(out, i ? ",\n" : "\n");
		add_json_row(m, &m->items[i], out);
	}
	str_adds(out, "\n]}\n");
}

/* For render. */

static void add_key(struct folded_header *h, const char *key, const char *format, double value)
{
	char text[64];

	snprintf(text, sizeof text, format, value);
	folded_header_add(h, key, span_of(text));
}

static void add_verdict(const struct movers *m, const struct mover *mover, struct str *out)
{
	struct folded_header h = {0};
	struct str text = {0};

	str_adds(&h.text, "# verdict"); /* in place of the header's first words */
	folded_header_add(&h, "finding", span_of(movers_word(m, mover->effect.finding)));
	add_key(&h, "orig", "%.2f", 100 * mover->share[SIDE_ORIG]);
	add_key(&h, "patched", "%.2f", 100 * mover->share[SIDE_PATCHED]);
	add_key(&h, "change", "%+.2f", percent(m, mover->effect.d.diff));
	add_key(&h, "low", "%+.2f", percent(m, mover->low));
	add_key(&h, "high", "%+.2f", percent(m, mover->high));
	folded_header_add(&h, "of", span_of(m->observe == OBSERVE_TIME ? "time" : "share"));
	effect_add_p(&text, mover->effect.q);
	folded_header_add(&h, "q", str_span(&text));
	str_reset(&text);
	str_addf(&text, "%zu+%zu", m->runs->nside[SIDE_ORIG], m->runs->nside[SIDE_PATCHED]);
	folded_header_add(&h, "runs", str_span(&text));
	add_key(&h, "own", "%+.2f", percent(m, mover->own.d.diff));
	folded_header_add(&h, "own_finding", span_of(movers_word(m, mover->own.finding)));
	add_key(&h, "chain", "%.0f", mover->candidate->chain);
	str_reset(&text);
	add_path(&m->profile.tree, mover->candidate->node, &text);
	folded_header_add(&h, "stack", str_span(&text));
	folded_header_print(&h, out);
	str_release(&h.text);
	str_release(&text);
}

void movers_print_verdicts(const struct movers *m, struct str *out)
{
	for (size_t i = 0; !m->exploratory && m->how->unit == UNIT_PATH && i < m->n; i++)
		add_verdict(m, &m->items[i], out);
}
