/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What measure found. */
#include "collect/measured.h"

#include <math.h>
#include <stdlib.h>

#include "lib/arena.h"

#define CONFIDENCE 0.95

void measured_init(struct measured *m, const struct event_list *events)
{
	*m = (struct measured){.events = events, .noise = 0.1};
}

void measured_add_side(struct measured *m, const char *name, const char *command)
{
	struct measured_side *s = &m->sides[m->nsides++];

	*s = (struct measured_side){.name = name, .command = command};
	s->events = xcalloc(m->events->n + 1, sizeof *s->events);
	for (size_t i = 0; i < m->events->n; i++)
		s->events[i].status = COUNT_NONE;
}

static void add_value(struct series *s, double value)
{
	s->values = grow(s->values, s->n, &s->cap, sizeof *s->values);
	s->values[s->n++] = value;
	s->status = COUNT_OK;
}

static void add_count(struct series *s, const struct count *count)
{
	s->enabled += count->enabled;
	s->running += count->running;
	if (count->status == COUNT_OK)
		add_value(s, count->value);
	else if (count->status == COUNT_UNSUPPORTED)
		s->status = COUNT_UNSUPPORTED;
}

void measured_add(struct measured *m, size_t side, const struct trial *t)
{
	struct measured_side *s = &m->sides[side];

	s->nruns++;
	s->nfailed += t->status != 0;
	s->status = s->status ? s->status : t->status;
	m->user_only = m->user_only || t->user_only;
	for (size_t i = 0; i < m->events->n; i++)
		add_count(&s->events[i], &t->counts[i]);
	add_value(&s->elapsed, t->elapsed_s);
	add_value(&s->user, t->user_s);
	add_value(&s->sys, t->sys_s);
}

void measured_release(struct measured *m)
{
	for (size_t i = 0; i < m->nsides; i++) {
		struct measured_side *s = &m->sides[i];

		for (size_t j = 0; j < m->events->n; j++)
			free(s->events[j].values);
		free(s->events);
		free(s->elapsed.values);
		free(s->user.values);
		free(s->sys.values);
	}
}

static void summarize(struct measured_row *row)
{
	const struct series *s = row->series;

	for (size_t i = 0; i < s->n; i++)
		moments_add(&row->moments, s->values[i] * row->scale);
	if (s->n > 1)
		row->half = stats_t(CONFIDENCE, (double)(s->n - 1)) * moments_sem(&row->moments);
	row->running = s->enabled ? (double)s->running / (double)s->enabled : 1;
}

static struct measured_row event_row(const struct measured *m, const struct measured_side *s, size_t i)
{
	const struct event *e = &m->events->events[i];
	bool clock = event_is_clock(e);
	struct measured_row row = {.name = e->name,
	    .unit = clock ? "msec" : "",
	    .scale = clock ? 1e-6 : 1,
	    .whole = !clock,
	    .series = &s->events[i]};

	summarize(&row);
	return row;
}

static struct measured_row time_row(const char *name, const struct series *s)
{
	struct measured_row row = {.name = name, .unit = "s", .scale = 1, .series = s};

	summarize(&row);
	return row;
}

/* Ratios of means: each run's ratio would weigh short runs as much as long ones. */
static void add_metrics(const struct measured *m, const struct measured_side *s, struct measured_row *rows)
{
	double *means = xcalloc(m->events->n + 1, sizeof *means),
	       elapsed = moments_of(s->elapsed.values, s->elapsed.n).mean;

	for (size_t i = 0; i < m->events->n; i++)
		means[i] = s->events[i].n ? moments_of(s->events[i].values, s->events[i].n).mean : NAN;
	for (size_t i = 0; i < m->events->n; i++)
		rows[i].has_metric = metric_of(m->events, means, i, elapsed, &rows[i].metric);
	free(means);
}

struct measured_row *measured_rows(const struct measured *m, size_t side, size_t *n)
{
	const struct measured_side *s = &m->sides[side];
	struct measured_row *rows = xcalloc(m->events->n + 3, sizeof *rows);

	for (size_t i = 0; i < m->events->n; i++)
		rows[i] = event_row(m, s, i);
	add_metrics(m, s, rows);
	*n = m->events->n;
	rows[(*n)++] = time_row("elapsed", &s->elapsed);
	if (m->has_command) {
		rows[(*n)++] = time_row("user", &s->user);
		rows[(*n)++] = time_row("sys", &s->sys);
	}
	return rows;
}

double measured_noise(const struct measured_row *row)
{
	if (row->moments.n < 2 || row->moments.mean == 0)
		return NAN;
	return 100 * moments_sem(&row->moments) / fabs(row->moments.mean);
}

double measured_runs_needed(const struct measured *m, const struct measured_row *row)
{
	double n = (double)row->moments.n, allowed = m->noise * fabs(row->moments.mean);

	if (n < 2 || allowed <= 0 || row->half <= allowed)
		return 0;
	return ceil(n * pow(row->half / allowed, 2));
}
