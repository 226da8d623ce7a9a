/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of two sides, compared one quantity after the other. */
#include "fold/scalars.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fold/scalar.h"
#include "lib/arena.h"
#include "lib/die.h"
#include "lib/json.h"

enum { HEAD_SIZE = 64 * 1024, SCHEMA_VERSION = 1 };

enum scalars_kind scalars_probe(const char *path)
{
	enum scalars_kind kind = SCALARS_NONE;
	struct span head;
	struct input in;

	if (strcmp(path, "-") == 0 || !input_open(&in, path))
		return SCALARS_NONE;
	head = input_peek(&in, HEAD_SIZE);
	if (points_probe(head))
		kind = SCALARS_NUMBERS;
	else if (head.n && span_starts(span_trim(head), SPAN("{\"flamepipe\":\"measure\"")))
		kind = SCALARS_MEASURE;
	input_close(&in);
	return kind;
}

static enum scalars_result result_of(const struct effect *e, const struct scalars_how *how)
{
	return !isnan(how->fail_above) && e->has_ratio && e->ratio_low > how->fail_above ? SCALARS_SLOWER
											 : SCALARS_OK;
}

/* False, after a message, when the test cannot be made. */
static bool enough(const struct scalar *s, const struct scalars_how *how)
{
	if (how->proof.paired && s->sides[0]->n != s->sides[1]->n) {
		warn("--paired: %zu and %zu values make no pairs", s->sides[0]->n, s->sides[1]->n);
		return false;
	}
	for (int i = 0; i < 2; i++)
		if (s->sides[i]->n < EFFECT_LEAST_RUNS) {
			warn("%s%s%s: %zu %s: at least %d are needed to tell a difference from noise",
			    s->labels[i], s->name ? ": " : "", s->name ? s->name : "", s->sides[i]->n,
			    s->sides[i]->n == 1 ? "value" : "values", EFFECT_LEAST_RUNS);
			return false;
		}
	return true;
}

static enum scalars_result compare(const struct scalar *s, const struct scalars_how *how, struct str *out)
{
	struct effect e = scalar_test(s, &how->proof);

	if (how->json)
		scalar_print_json(s, &e, &how->proof, out);
	else
		scalar_print(s, &e, &how->proof, how->no_plot ? NULL : &how->plot, out);
	return result_of(&e, how);
}

/* Plain numbers. */

static bool complain(const struct input *in)
{
	struct str text = {0};

	input_describe(in, &text);
	warn("%s", text.p);
	str_release(&text);
	return false;
}

static bool read_file(struct points *p, const struct scalars_how *how, const char *path)
{
	struct input in;
	bool ok;

	if (!input_open(&in, path)) {
		warn("cannot open %s: %s", path, strerror(errno));
		return false;
	}
	ok = points_read(p, &how->points, &in) || complain(&in);
	input_close(&in);
	return ok;
}

static bool read_files(struct points *p, const struct scalars_how *how, char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!read_file(p, how, paths[i]))
			return false;
	points_finish(p);
	return true;
}

enum scalars_result scalars_numbers(
    const struct scalars_how *how, char *const *orig, size_t norig, char *const *patched, size_t npatched)
{
	struct points sides[2] = {{0}};
	struct scalar s = {.labels = {orig[0], patched[0]}, .sides = {&sides[0], &sides[1]}};
	enum scalars_result result = SCALARS_ERROR;
	struct str out = {0};

	if (read_files(&sides[0], how, orig, norig) && read_files(&sides[1], how, patched, npatched) &&
	    enough(&s, how))
		result = compare(&s, how, &out);
	if (out.n)
		printf("%s%s", out.p, how->json ? "\n" : "");
	points_release(&sides[0]);
	points_release(&sides[1]);
	str_release(&out);
	return result;
}

/* measure's JSON. */

/* The document of a file; NULL after a message. */
static struct json *load(const char *path)
{
	struct str why = {0};
	struct json *v = NULL;
	struct input in;
	int64_t version = 0;

	if (!input_open(&in, path)) {
		warn("cannot open %s: %s", path, strerror(errno));
		return NULL;
	}
	v = json_parse(input_rest(&in), &why);
	if (!v)
		warn("%s: no JSON: %s", path, why.p);
	json_integer_of(json_member(v, "version"), &version);
	if (v && version != SCHEMA_VERSION) {
		warn("%s: measure wrote it in version %lld, this compare reads version %d", path,
		    (long long)version, SCHEMA_VERSION);
		json_free(v);
		v = NULL;
	}
	input_close(&in);
	str_release(&why);
	return v;
}

static void take_runs(struct points *p, const struct json *event)
{
	const struct json *runs = json_member(event, "runs");
	double value;

	for (size_t i = 0; i < json_length(runs); i++)
		if (json_double_of(json_item(runs, i), &value) && isfinite(value))
			points_add(p, value);
	points_finish(p);
}

static const struct json *find_event(const struct json *side, struct span name)
{
	const struct json *events = json_member(side, "events");

	for (size_t i = 0; i < json_length(events); i++)
		if (span_eq(json_text(json_member(json_item(events, i), "event")), name))
			return json_item(events, i);
	return NULL;
}

static char *text_of(const struct json *v, const char *key)
{
	struct span text = json_text(json_member(v, key));
	char *copy;

	if (!text.n)
		return NULL;
	copy = xcalloc(1, text.n + 1);
	memcpy(copy, text.p, text.n);
	return copy;
}

/* One event; false when one side did not count it. */
static bool compare_event(const struct json *orig, const struct json *patched, const char *const labels[2],
    const struct scalars_how *how, struct str *out, enum scalars_result *result)
{
	struct points sides[2] = {{0}};
	char *name = text_of(orig, "event"), *unit = text_of(orig, "unit");
	struct scalar s = {name, unit, {labels[0], labels[1]}, {&sides[0], &sides[1]}};
	bool counted;

	take_runs(&sides[0], orig);
	take_runs(&sides[1], patched);
	counted = sides[0].n && sides[1].n && enough(&s, how);
	if (counted) {
		enum scalars_result one;

		str_adds(out, !out->n ? "" : how->json ? ",\n" : "\n");
		one = compare(&s, how, out);
		/* What makes a program slower is the time it takes, not each of its counters. */
		if (one == SCALARS_SLOWER && name && strcmp(name, "elapsed") == 0)
			*result = SCALARS_SLOWER;
	}
	points_release(&sides[0]);
	points_release(&sides[1]);
	free(name);
	free(unit);
	return counted;
}

static enum scalars_result compare_sides(const struct json *orig, const struct json *patched,
    const char *const labels[2], const struct scalars_how *how)
{
	const struct json *events = json_member(orig, "events");
	enum scalars_result result = SCALARS_OK;
	struct str out = {0};
	size_t n = 0;

	for (size_t i = 0; i < json_length(events); i++) {
		const struct json *event = json_item(events, i);
		const struct json *other = find_event(patched, json_text(json_member(event, "event")));

		n += other && compare_event(event, other, labels, how, &out, &result);
	}
	if (how->json)
		printf("[%s]\n", out.n ? out.p : "");
	else if (out.n)
		fputs(out.p, stdout);
	str_release(&out);
	if (!n)
		warn("no event that both sides counted in at least %d runs", EFFECT_LEAST_RUNS);
	return n ? result : SCALARS_ERROR;
}

static enum scalars_result compare_one(
    const struct scalars_how *how, const char *path, const struct json *sides)
{
	enum scalars_result result;
	char *labels[2] = {text_of(json_item(sides, 0), "command"), text_of(json_item(sides, 1), "command")};

	if (json_length(sides) == 2) {
		result = compare_sides(json_item(sides, 0), json_item(sides, 1),
		    (const char *const[]){labels[0] ? labels[0] : "orig", labels[1] ? labels[1] : "patched"},
		    how);
	} else {
		warn("%s: has one side; give two files, or one of measure --vs", path);
		result = SCALARS_ERROR;
	}
	free(labels[0]);
	free(labels[1]);
	return result;
}

enum scalars_result scalars_measure(const struct scalars_how *how, const char *orig, const char *patched)
{
	struct json *a = load(orig), *b = a && patched ? load(patched) : NULL;
	enum scalars_result result = SCALARS_ERROR;

	if (a && !patched)
		result = compare_one(how, orig, json_member(a, "sides"));
	else if (a && b)
		result = compare_sides(json_item(json_member(a, "sides"), 0),
		    json_item(json_member(b, "sides"), 0), (const char *const[]){orig, patched}, how);
	json_free(a);
	json_free(b);
	return result;
}
