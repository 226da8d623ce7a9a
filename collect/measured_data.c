/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure's results for other programs: separated fields as perf stat -x writes them, JSON, and rows of intervals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/measured.h"
#include "lib/arena.h"
#include "lib/json.h"

enum { JSON_VERSION = 1, ROWS_A_HEADING = 25 };

/* A field, in quotes where it holds the separator or a quote. */
static void add_field(struct str *out, const char *sep, const char *text)
{
	if (!strstr(text, sep) && !strchr(text, '"')) {
		str_adds(out, text);
		return;
	}
	str_addc(out, '"');
	for (; *text; text++)
		str_addf(out, *text == '"' ? "\"\"" : "%c", *text);
	str_addc(out, '"');
}

static const char *status_word(enum count_status status)
{
	static const char *const words[] = {"counted", "not_counted", "not_supported"};

	return words[status];
}

static const char *marker(enum count_status status)
{
	return status == COUNT_UNSUPPORTED ? "<not supported>" : "<not counted>";
}

static void add_value(struct str *out, const struct measured_row *row, double value)
{
	str_addf(out, row->whole ? "%.0f" : strcmp(row->unit, "s") == 0 ? "%.9f" : "%.2f", value);
}

static void add_csv_row(const struct measured_row *row, const char *sep, bool noise, struct str *out)
{
	bool ok = row->series->status == COUNT_OK;

	if (ok)
		add_value(out, row, row->moments.mean);
	else
		str_adds(out, marker(row->series->status));
	str_addf(out, "%s%s%s", sep, row->unit, sep);
	add_field(out, sep, row->name);
	if (noise)
		str_addf(out, isnan(measured_noise(row)) ? "%s" : "%s%.2f%%", sep, measured_noise(row));
	str_addf(out, "%s%.0f%s%.2f%s", sep,
	    ok && row->series->n ? (double)row->series->running / (double)row->series->n : 0, sep,
	    ok ? 100 * row->running : 0, sep);
	if (row->has_metric)
		str_addf(out, "%.*f", row->metric.decimals, row->metric.value);
	str_adds(out, sep);
	if (row->has_metric)
		str_addf(out, "%s%s", row->metric.percent ? "% " : "", row->metric.unit);
	str_addc(out, '\n');
}

void measured_print_csv(const struct measured *m, const char *sep, struct str *out)
{
	for (size_t side = 0; side < m->nsides; side++) {
		size_t n;
		struct measured_row *rows = measured_rows(m, side, &n);

		for (size_t i = 0; i < n; i++) {
			if (m->nsides > 1)
				str_addf(out, "%s%s", m->sides[side].name, sep);
			add_csv_row(&rows[i], sep, m->nwanted > 1, out);
		}
		free(rows);
	}
}

static void add_number(struct str *out, const char *key, double value)
{
	str_addf(out, isfinite(value) ? ",\"%s\":%.15g" : ",\"%s\":null", key, value);
}

static void add_json_row(const struct measured_row *row, struct str *out)
{
	str_adds(out, "{\"event\":");
	json_quote(out, span_of(row->name));
	str_addf(out, ",\"unit\":\"%s\",\"status\":\"%s\",\"n\":%zu", row->unit,
	    status_word(row->series->status), row->series->n);
	if (row->series->n) {
		add_number(out, "mean", row->moments.mean);
		add_number(out, "sd", row->series->n > 1 ? moments_sd(&row->moments) : NAN);
		add_number(out, "noise_percent", measured_noise(row));
		if (row->series->n > 1)
			str_addf(out, ",\"ci95\":[%.15g,%.15g]", row->moments.mean - row->half,
			    row->moments.mean + row->half);
		str_addf(out, ",\"running_percent\":%.2f", 100 * row->running);
	}
	if (row->has_metric) {
		add_number(out, "metric", row->metric.value);
		str_addf(out, ",\"metric_unit\":\"%s%s\"", row->metric.percent ? "% " : "", row->metric.unit);
	}
	str_adds(out, ",\"runs\":[");
	for (size_t i = 0; i < row->series->n; i++)
		str_addf(out, "%s%.15g", i ? "," : "", row->series->values[i] * row->scale);
	str_adds(out, "]}");
}

static void add_json_side(const struct measured *m, size_t side, struct str *out)
{
	const struct measured_side *s = &m->sides[side];
	size_t n;
	struct measured_row *rows = measured_rows(m, side, &n);

	str_addf(out, "%s\n{\"name\":\"%s\",\"command\":", side ? "," : "", s->name);
	json_quote(out, span_of(s->command));
	str_addf(
	    out, ",\"runs\":%u,\"failed\":%u,\"status\":%d,\"events\":[", s->nruns, s->nfailed, s->status);
	for (size_t i = 0; i < n; i++) {
		str_adds(out, i ? ",\n" : "\n");
		add_json_row(&rows[i], out);
	}
	str_adds(out, "\n]}");
	free(rows);
}

void measured_print_json(const struct measured *m, struct str *out)
{
	str_addf(out, "{\"flamepipe\":\"measure\",\"version\":%d,\"user_only\":%s,\"sides\":[", JSON_VERSION,
	    m->user_only ? "true" : "false");
	for (size_t i = 0; i < m->nsides; i++)
		add_json_side(m, i, out);
	str_adds(out, "\n]}\n");
}

/* Intervals. */

static void add_interval_json(
    const struct event *e, const struct count *now, double delta, double at_s, struct str *out)
{
	str_addf(out, "{\"interval\":%.9f,\"event\":", at_s);
	json_quote(out, span_of(e->name));
	str_addf(out, ",\"unit\":\"%s\",\"status\":\"%s\"", event_is_clock(e) ? "msec" : "",
	    status_word(now->status));
	add_number(out, "value", now->status == COUNT_OK ? delta : NAN);
	str_adds(out, "}\n");
}

static void add_interval_row(const struct intervals *v, const struct event *e, const struct count *now,
    double delta, double at_s, struct str *out)
{
	bool clock = event_is_clock(e);
	char value[64];

	snprintf(value, sizeof value, clock ? "%.2f" : "%.0f", delta);
	if (now->status != COUNT_OK)
		snprintf(value, sizeof value, "%s", marker(now->status));
	if (v->form == FORM_TEXT) {
		str_addf(out, "%16.9f %18s %-4s %s\n", at_s, value, clock ? "msec" : "", e->name);
		return;
	}
	str_addf(out, "%16.9f%s%s%s%s%s", at_s, v->sep, value, v->sep, clock ? "msec" : "", v->sep);
	add_field(out, v->sep, e->name);
	str_addc(out, '\n');
}

void intervals_print(struct intervals *v, const struct count *counts, double at_s, struct str *out)
{
	if (v->form == FORM_TEXT && v->nrows++ % ROWS_A_HEADING == 0)
		str_addf(out, "#%15s %18s %-4s %s\n", "time", "counts", "unit", "events");
	if (!v->last)
		v->last = xcalloc(v->events->n + 1, sizeof *v->last);
	for (size_t i = 0; i < v->events->n; i++) {
		const struct event *e = &v->events->events[i];
		double delta = counts[i].value - v->last[i].value;

		delta *= event_is_clock(e) ? 1e-6 : 1;
		if (v->form == FORM_JSON)
			add_interval_json(e, &counts[i], delta, at_s, out);
		else
			add_interval_row(v, e, &counts[i], delta, at_s, out);
		v->last[i] = counts[i];
	}
}
