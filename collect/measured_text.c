/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure's tables, in the shape of perf stat's. */
#include <math.h>
#include <stdlib.h>

#include "collect/measured.h"
#include "lib/arena.h"
#include "lib/count.h"

#define CONFIDENCE 0.95

/* A figure as people read it: commas between thousands, two digits where it is no whole number. */
static void add_figure(struct str *out, double value, bool whole, int decimals)
{
	double unit = pow(10, whole ? 0 : decimals);
	double rounded = round(fabs(value) * unit);

	if (value < 0 && rounded > 0)
		str_addc(out, '-');
	if (rounded < 1e15) {
		uint64_t parts = (uint64_t)rounded;

		count_add_commas(out, count_of(parts / (uint64_t)unit));
		if (!whole)
			str_addf(out, ".%0*llu", decimals, (unsigned long long)(parts % (uint64_t)unit));
	} else {
		str_addf(out, "%.6g", value);
	}
}

static void add_padded(struct str *out, const struct str *text, int width)
{
	str_addf(out, "%*s", width, text->n ? text->p : "");
}

static const char *marker(enum count_status status)
{
	return status == COUNT_UNSUPPORTED ? "<not supported>" : "<not counted>";
}

static void add_metric(const struct measured_row *row, struct str *out)
{
	struct str text = {0};

	str_addf(&text, "# %8.*f%s%s", row->metric.decimals, row->metric.value,
	    row->metric.percent ? "% " : " ", row->metric.unit);
	str_addf(out, "%-36s", text.p);
	str_release(&text);
}

/* The standard error as perf prints it, and the interval of the mean. */
static void add_spread(const struct measured_row *row, struct str *out)
{
	double noise = measured_noise(row);

	if (isnan(noise))
		return;
	str_addf(out, " ( +-%6.2f%% )  95%%: [", noise);
	add_figure(out, row->moments.mean - row->half, row->whole, 2);
	str_adds(out, ", ");
	add_figure(out, row->moments.mean + row->half, row->whole, 2);
	str_addc(out, ']');
}

static void add_warning(const struct measured *m, const struct measured_row *row, struct str *out)
{
	double runs = measured_runs_needed(m, row);

	if (runs > 0)
		str_addf(out, "  # cannot be trusted: %.0f%% noise; about %.0f runs would do",
		    100 * row->half / fabs(row->moments.mean), runs);
}

static void trim_end(struct str *out)
{
	while (out->n && out->p[out->n - 1] == ' ')
		out->p[--out->n] = '\0';
}

static void add_row(const struct measured *m, const struct measured_row *row, struct str *out)
{
	struct str figure = {0};

	if (row->series->status == COUNT_OK)
		add_figure(&figure, row->moments.mean, row->whole, 2);
	else
		str_adds(&figure, marker(row->series->status));
	add_padded(out, &figure, 18);
	str_addf(out, " %-4s %-28s", row->unit, row->name);
	str_release(&figure);
	if (row->has_metric)
		add_metric(row, out);
	else if (row->series->n > 1)
		str_addf(out, "%36s", "");
	add_spread(row, out);
	if (row->series->status == COUNT_OK && row->running < 0.9995)
		str_addf(out, "  (%.2f%%)", 100 * row->running);
	add_warning(m, row, out);
	trim_end(out);
	str_addc(out, '\n');
}

/* As many digits as the error leaves, two more than its first. */
static int digits_for(double sd)
{
	if (sd <= 0)
		return 9;
	return sd >= 1 ? 2 : (int)fmin(9, ceil(-log10(sd)) + 2);
}

static void add_elapsed(const struct measured *m, const struct measured_row *row, struct str *out)
{
	int digits = digits_for(moments_sd(&row->moments));

	if (row->moments.n < 2) {
		str_addf(out, "\n%18.9f seconds time elapsed\n", row->moments.mean);
		return;
	}
	str_addf(out, "\n%18.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )  95%%: [%.*f, %.*f]", digits,
	    row->moments.mean, digits, moments_sem(&row->moments), measured_noise(row), digits,
	    row->moments.mean - row->half, digits, row->moments.mean + row->half);
	add_warning(m, row, out);
	str_addc(out, '\n');
}

/* A bar for every 5% off the mean. */
static void add_table(const struct series *s, struct str *out)
{
	struct moments all = moments_of(s->values, s->n);

	str_adds(out, "\n           # Table of individual measurements:\n");
	for (size_t i = 0; i < s->n; i++) {
		double off = s->values[i] - all.mean;
		int bars = s->values[i] > 0 ? 1 + (int)fmin(50, fabs(100 * off / s->values[i]) / 5) : 1;

		str_addf(out, "%18.6f (%+.6f) ", s->values[i], off);
		for (int j = 0; j < bars; j++)
			str_addc(out, '#');
		str_addc(out, '\n');
	}
	str_adds(out, "\n           # Final result:");
}

static void add_title(const struct measured *m, const struct measured_side *s, struct str *out)
{
	str_addf(out, "\n Performance counter stats for %s", s->command);
	if (s->nruns != 1 || m->nwanted != 1)
		str_addf(out, " (%u %s", s->nruns, s->nruns == 1 ? "run" : "runs");
	if (s->nruns != 1 || m->nwanted != 1) {
		if (s->nruns < m->nwanted)
			str_addf(out, " of %u", m->nwanted);
		str_addc(out, ')');
	}
	str_adds(out, ":\n");
	if (s->nfailed)
		str_addf(out, " # %u of %u %s failed, the first with status %d\n", s->nfailed, s->nruns,
		    s->nruns == 1 ? "run" : "runs", s->status);
	if (m->user_only)
		str_adds(out, " # this user may not count in the kernel: user space only\n");
	str_addc(out, '\n');
}

static void print_side(const struct measured *m, size_t side, bool table, struct str *out)
{
	size_t n, nevents = m->events->n;
	struct measured_row *rows = measured_rows(m, side, &n);

	add_title(m, &m->sides[side], out);
	for (size_t i = 0; i < nevents; i++)
		add_row(m, &rows[i], out);
	if (table && m->sides[side].elapsed.n > 1)
		add_table(&m->sides[side].elapsed, out);
	add_elapsed(m, &rows[nevents], out);
	for (size_t i = nevents + 1; i < n && m->sides[side].nruns == 1; i++)
		str_addf(out, "%s%18.9f seconds %s\n", i == nevents + 1 ? "\n" : "", rows[i].moments.mean,
		    rows[i].name);
	str_addc(out, '\n');
	free(rows);
}

void measured_print(const struct measured *m, bool table, struct str *out)
{
	for (size_t i = 0; i < m->nsides; i++)
		if (m->sides[i].nruns)
			print_side(m, i, table, out);
}

/* Two sides. */

static void add_mean(const struct measured_row *row, struct str *out)
{
	struct str text = {0};

	if (row->series->status == COUNT_OK)
		add_figure(&text, row->moments.mean, row->whole, strcmp(row->unit, "s") == 0 ? 4 : 2);
	else
		str_adds(&text, marker(row->series->status));
	add_padded(out, &text, 18);
	str_release(&text);
}

/* How many runs would make the present difference proven; the error shrinks with the root of their number. */
static void add_verdict(const struct difference *d, size_t n, struct str *out)
{
	double runs = d->diff != 0 ? ceil((double)n * pow(d->half / d->diff, 2)) : INFINITY;

	if (d->p < 1 - CONFIDENCE)
		str_adds(out, d->diff > 0 ? "higher" : "lower");
	else if (runs < 1e4)
		str_addf(
		    out, "cannot be trusted: noise is above the difference; about %.0f runs would do", runs);
	else
		str_adds(out, "no difference to be seen");
}

static double *scaled(const struct measured_row *row)
{
	double *values = xcalloc(row->series->n, sizeof *values);

	for (size_t i = 0; i < row->series->n; i++)
		values[i] = row->series->values[i] * row->scale;
	return values;
}

/* The runs of one round are a pair: what slowed the machine down slowed both. */
static void add_change(const struct measured_row *orig, const struct measured_row *patched, struct str *out)
{
	size_t n = orig->series->n;
	double *a, *b, low, high;
	struct difference d;

	if (n < 2 || patched->series->n != n)
		return;
	a = scaled(orig);
	b = scaled(patched);
	d = stats_paired(a, b, n, 0, 0, CONFIDENCE);
	if (stats_fieller_paired(a, b, n, 0, 0, CONFIDENCE, &low, &high))
		str_addf(out, " %+8.2f%% [%+.2f%%, %+.2f%%]  ",
		    100 * (patched->moments.mean / orig->moments.mean - 1), 100 * low, 100 * high);
	else
		str_addf(out, " %9s", "");
	add_verdict(&d, n, out);
	free(a);
	free(b);
}

void measured_print_versus(const struct measured *m, struct str *out)
{
	size_t n;
	struct measured_row *orig = measured_rows(m, 0, &n), *patched = measured_rows(m, 1, &n);

	str_adds(out, "\n");
	for (size_t i = 0; i < m->nsides; i++)
		str_addf(out, " %-8s %s (%u %s%s)\n", m->sides[i].name, m->sides[i].command,
		    m->sides[i].nruns, m->sides[i].nruns == 1 ? "run" : "runs",
		    m->sides[i].nfailed ? ", some failed" : "");
	if (m->user_only)
		str_adds(out, " # this user may not count in the kernel: user space only\n");
	str_addf(
	    out, "\n%18s %18s      %-28s    change, 95%% interval\n", m->sides[0].name, m->sides[1].name, "");
	for (size_t i = 0; i < n; i++) {
		add_mean(&orig[i], out);
		str_addc(out, ' ');
		add_mean(&patched[i], out);
		str_addf(out, " %-4s %-28s", orig[i].unit, orig[i].name);
		add_change(&orig[i], &patched[i], out);
		trim_end(out);
		str_addc(out, '\n');
	}
	str_addc(out, '\n');
	free(orig);
	free(patched);
}
