/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which differences between two sides of runs are real. */
#include "fold/movers.h"

#include <math.h>
#include <stdlib.h>

#include "lib/die.h"

/* A few runs that agree by chance have no less than this part of the variance that sampling alone gives. */
#define FLOOR_PART 0.25

static const struct str *fact(const struct runs *runs, const char *key)
{
	return facts_get(&runs->facts, key);
}

static double fact_number(const struct runs *runs, const char *key)
{
	const struct str *text = fact(runs, key);
	u128 count;

	return text && count_parse(str_span(text), &count) ? count_double(count) : 0;
}

static bool is_clock(const struct str *event)
{
	return event && (span_starts(str_span(event), SPAN("cpu-clock")) ||
			    span_starts(str_span(event), SPAN("task-clock")));
}

/* What a count is in seconds of CPU, as far as the headers tell. */
static void find_scale(struct movers *m)
{
	const struct str *weight = fact(m->runs, "weight");
	bool samples = weight && span_eq(str_span(weight), SPAN("samples"));
	double hz = fact_number(m->runs, "freq_hz"), period = fact_number(m->runs, "period");

	m->unit = "s";
	if (weight && span_eq(str_span(weight), SPAN("time")))
		m->scale = 1e-6;
	else if (samples && hz > 0)
		m->scale = 1 / hz;
	else if (samples && period > 0 && is_clock(fact(m->runs, "event")))
		m->scale = period * 1e-9;
	else {
		m->scale = 1;
		m->unit = weight && !samples ? "" : "samples";
	}
}

static bool has_one_rate(const struct runs *runs)
{
	return (!runs_say(runs, "freq_hz") || fact(runs, "freq_hz")) &&
	       (!runs_say(runs, "period") || fact(runs, "period")) &&
	       (!runs_say(runs, "weight") || fact(runs, "weight"));
}

static void find_observation(struct movers *m)
{
	m->observe = m->how->observe;
	if (m->observe == OBSERVE_AUTO)
		m->observe = !m->exploratory && runs_are_fixed_work(m->runs) ? OBSERVE_TIME : OBSERVE_SHARE;
	if (m->observe == OBSERVE_TIME && !has_one_rate(m->runs)) {
		warn("the runs were sampled at different rates: shares are compared, not times");
		m->observe = OBSERVE_SHARE;
	}
}

static void find_samples_per_count(struct movers *m)
{
	double samples = 0, counts = 0;

	for (size_t i = 0; i < m->runs->n; i++) {
		samples += count_double(m->runs->items[i].samples);
		counts += count_double(m->runs->items[i].total);
	}
	m->samples_per_count = counts > 0 && samples > 0 ? samples / counts : 1;
}

/* Observations. */

/* Two sides of values, the original's first. */
struct sides {
	double *values;
	size_t n[NSIDES];
};

static double share_of(const struct movers *m, const double *counts, size_t run)
{
	return m->profile.totals[run] > 0 ? counts[run] / m->profile.totals[run] : 0;
}

static void observe(const struct movers *m, enum observe what, const double *counts, struct sides *s)
{
	for (size_t run = 0; run < m->runs->n; run++)
		s->values[run] = what == OBSERVE_SHARE ? share_of(m, counts, run) : counts[run] * m->scale;
}

static double mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / (double)n : 0;
}

static const double *side_of(const struct sides *s, enum side side)
{
	return s->values + (side == SIDE_PATCHED ? s->n[SIDE_ORIG] : 0);
}

/* A part of what sampling alone would make the values vary: p (1 - p) / N for shares, as many times a sample's worth as there are
   samples for times. */
static double floor_of(const struct movers *m, enum observe what, const struct sides *s, enum side side)
{
	double value = fabs(mean(side_of(s, side), s->n[side]));
	double samples = mean(m->profile.totals + (side == SIDE_PATCHED ? s->n[SIDE_ORIG] : 0), s->n[side]) *
			 m->samples_per_count;

	if (what == OBSERVE_TIME)
		return FLOOR_PART * value * m->scale / m->samples_per_count;
	return samples > 0 ? FLOOR_PART * value * fmax(0, 1 - value) / samples : 0;
}

static struct effect test(const struct movers *m, enum observe what, const struct sides *s)
{
	double floors[NSIDES];

	for (enum side side = SIDE_ORIG; side < NSIDES; side++)
		floors[side] = floor_of(m, what, s, side);
	return effect_test(
	    s->values, s->n[SIDE_ORIG], side_of(s, SIDE_PATCHED), s->n[SIDE_PATCHED], floors, &m->how->proof);
}

/* Single runs: two proportions, of as many samples as are independent once runs vary overdispersion times more than samples.
   The interval is Newcombe's, of two of Wilson's. */
static void explore(const struct movers *m, const struct sides *s, struct mover *mover)
{
	double share[NSIDES], n[NSIDES], low[NSIDES], high[NSIDES], pooled, se;

	for (enum side side = SIDE_ORIG; side < NSIDES; side++) {
		size_t first = side == SIDE_PATCHED ? s->n[SIDE_ORIG] : 0;

		share[side] = mean(side_of(s, side), s->n[side]);
		n[side] = mean(m->profile.totals + first, s->n[side]) * (double)s->n[side] *
			  m->samples_per_count / m->how->overdispersion;
		stats_wilson(share[side], n[side], m->how->proof.confidence, &low[side], &high[side]);
	}
	mover->effect.d.diff = share[1] - share[0];
	mover->low = mover->effect.d.diff - hypot(share[1] - low[1], high[0] - share[0]);
	mover->high = mover->effect.d.diff + hypot(high[1] - share[1], share[0] - low[0]);
	pooled = (share[0] * n[0] + share[1] * n[1]) / (n[0] + n[1]);
	se = sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1]));
	mover->effect.d.p = se > 0 ? stats_z_p(mover->effect.d.diff / se) : 1;
	mover->effect.q = mover->effect.d.p;
	mover->effect.rank_p = NAN;
}

static void fill_means(const struct movers *m, const double *counts, struct sides *s, struct mover *mover)
{
	for (enum side side = SIDE_ORIG; side < NSIDES; side++) {
		observe(m, OBSERVE_TIME, counts, s);
		mover->time[side] = mean(side_of(s, side), s->n[side]);
		observe(m, OBSERVE_SHARE, counts, s);
		mover->share[side] = mean(side_of(s, side), s->n[side]);
	}
}

static void find_mover(
    const struct movers *m, const struct candidate *c, struct sides *s, struct mover *mover)
{
	mover->candidate = c;
	fill_means(m, c->counts, s, mover);
	if (m->exploratory) {
		explore(m, s, mover);
		return;
	}
	observe(m, m->observe, c->counts, s);
	mover->effect = test(m, m->observe, s);
	mover->low = mover->effect.d.diff - mover->effect.d.half;
	mover->high = mover->effect.d.diff + mover->effect.d.half;
	if (!c->own)
		return;
	observe(m, m->observe, c->own, s);
	mover->own = test(m, m->observe, s);
}

static void find_total(struct movers *m, struct sides *s)
{
	fill_means(m, m->profile.totals, s, &m->total);
	observe(m, OBSERVE_TIME, m->profile.totals, s);
	m->total.effect.d.diff = m->total.time[1] - m->total.time[0];
	if (m->exploratory)
		return;
	m->total.effect = test(m, OBSERVE_TIME, s);
	m->total.low = m->total.effect.d.diff - m->total.effect.d.half;
	m->total.high = m->total.effect.d.diff + m->total.effect.d.half;
	effect_judge(&m->total.effect, &m->how->proof, m->total.time[SIDE_ORIG]);
}

/* Judging all together. */

static bool is_focus(const struct movers *m, const struct mover *mover)
{
	return m->how->focus &&
	       span_eq(intern_span(&m->profile.tree.names, mover->candidate->name), span_of(m->how->focus));
}

static void correct(struct movers *m, bool own)
{
	double *p = xcalloc(m->n + 1, sizeof *p), *q = xcalloc(m->n + 1, sizeof *q);

	for (size_t i = 0; i < m->n; i++)
		p[i] = own ? m->items[i].own.d.p : m->items[i].effect.d.p;
	stats_false_discovery(p, m->n, m->how->dependent, q);
	for (size_t i = 0; i < m->n; i++)
		*(own ? &m->items[i].own.q : &m->items[i].effect.q) = q[i];
	free(p);
	free(q);
}

static void judge(struct movers *m)
{
	double whole = m->observe == OBSERVE_SHARE ? 1 : m->total.time[SIDE_ORIG];

	correct(m, false);
	if (m->how->unit == UNIT_PATH)
		correct(m, true);
	for (size_t i = 0; i < m->n; i++) {
		struct mover *mover = &m->items[i];

		if (is_focus(m, mover) && !m->focus) {
			m->focus = mover;
			mover->effect.q = mover->effect.d.p;
		}
		effect_judge(&mover->effect, &m->how->proof, whole);
		if (mover->candidate->own)
			effect_judge(&mover->own, &m->how->proof, whole);
	}
}

void movers_find(struct movers *m, const struct runs *runs, const struct movers_how *how)
{
	struct sides s = {xcalloc(runs->n, sizeof *s.values), {runs->nside[0], runs->nside[1]}};
	struct candidates_how choice = {how->unit, how->least_share, MOVERS_LEAST_SAMPLES, 1, NULL};

	*m = (struct movers){.runs = runs, .how = how};
	m->exploratory = s.n[0] < MOVERS_LEAST_RUNS || s.n[1] < MOVERS_LEAST_RUNS;
	find_scale(m);
	find_observation(m);
	find_samples_per_count(m);
	choice.samples_per_count = m->samples_per_count;
	profile_build(&m->profile, runs);
	candidates_choose(&m->candidates, &m->profile, &choice);
	m->n = m->candidates.n;
	m->items = xcalloc(m->n + 1, sizeof *m->items);
	find_total(m, &s);
	for (size_t i = 0; i < m->n; i++)
		find_mover(m, &m->candidates.items[i], &s, &m->items[i]);
	if (m->exploratory)
		correct(m, false);
	else
		judge(m);
	free(s.values);
}

void movers_release(struct movers *m)
{
	profile_release(&m->profile);
	candidates_release(&m->candidates);
	free(m->items);
}

/* Self-check. */

/* Sequence of Steele, Lea and Flood's SplitMix: the same splits each time. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void shuffle(size_t *order, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = next_random(state) % i, kept = order[j];

		order[j] = order[i - 1];
		order[i - 1] = kept;
	}
}

/* The given columns of a table as one of its own, the first half being the original's side. Shares all but counts and runs. */
static struct runs select_runs(const struct runs *from, const size_t *columns, size_t n)
{
	struct runs to = *from;
	const struct stacks *t = &from->stacks;

	to.n = n;
	to.nside[SIDE_ORIG] = n / 2;
	to.nside[SIDE_PATCHED] = n - n / 2;
	to.items = xcalloc(n, sizeof *to.items);
	to.stacks.ncolumns = (unsigned)n;
	to.stacks.counts = xcalloc(t->ncells ? t->ncells : 1, n * sizeof *t->counts);
	for (size_t i = 0; i < n; i++) {
		to.items[i] = from->items[columns[i]];
		to.items[i].side = i < n / 2 ? SIDE_ORIG : SIDE_PATCHED;
		for (size_t cell = 0; cell < t->ncells; cell++)
			to.stacks.counts[cell * n + i] = t->counts[cell * t->ncolumns + columns[i]];
	}
	return to;
}

static bool finds_anything(const struct runs *runs, const struct movers_how *how)
{
	struct movers m;
	bool any = false;

	movers_find(&m, runs, how);
	for (size_t i = 0; i < m.n; i++)
		any |= m.items[i].effect.finding == FOUND_MORE || m.items[i].effect.finding == FOUND_LESS;
	movers_release(&m);
	return any;
}

unsigned movers_self_check(const struct runs *runs, enum side side, const struct movers_how *asked)
{
	struct movers_how how = *asked;
	size_t *columns = xcalloc(runs->n, sizeof *columns), n = 0;
	uint64_t state = 1;
	unsigned nfound = 0;

	how.proof.paired = false; /* runs of one side are not */
	for (size_t i = 0; i < runs->n; i++)
		if (runs->items[i].side == side)
			columns[n++] = i;
	for (int i = 0; i < MOVERS_SPLITS; i++) {
		struct runs split;

		shuffle(columns, n, &state);
		split = select_runs(runs, columns, n);
		nfound += finds_anything(&split, &how);
		free(split.items);
		free(split.stacks.counts);
	}
	free(columns);
	return nfound;
}

const char *movers_word(const struct movers *m, enum finding finding)
{
	switch (finding) {
	case FOUND_MORE:
		return m->observe == OBSERVE_TIME ? "slower" : "more";
	case FOUND_LESS:
		return m->observe == OBSERVE_TIME ? "faster" : "less";
	case FOUND_SAME:
		return "same";
	default:
		return "undecided";
	}
}
