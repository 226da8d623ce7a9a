/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plain numbers in columns of text. */
#include "fold/points.h"

#include <math.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/stats.h"

void points_add(struct points *s, double value)
{
	s->values = grow(s->values, s->n, &s->cap, sizeof *s->values);
	s->values[s->n++] = value;
}

/* The next word of *rest; false when there is none or it begins with #. */
static bool next_word(struct span *rest, const char *delimiters, struct span *word)
{
	size_t start = 0, end;

	while (start < rest->n && rest->p[start] && strchr(delimiters, rest->p[start]))
		start++;
	for (end = start; end < rest->n && !(rest->p[end] && strchr(delimiters, rest->p[end])); end++)
		continue;
	*word = (struct span){rest->p + start, end - start};
	rest->p += end;
	rest->n -= end;
	return word->n && word->p[0] != '#';
}

/* The whole of word, as strtod reads it, and finite. */
static bool parse_number(struct span word, double *value)
{
	char text[64], *end;

	if (!word.n || word.n >= sizeof text || memchr(word.p, '\0', word.n))
		return false;
	memcpy(text, word.p, word.n);
	text[word.n] = '\0';
	*value = strtod(text, &end);
	return *end == '\0' && isfinite(*value);
}

bool points_read(struct points *s, const struct points_how *how, struct input *in)
{
	struct span line, word;
	double value;

	while (input_line(in, &line)) {
		bool there = true;

		line = span_trim(line);
		for (unsigned i = 0; there && i < how->column; i++)
			there = next_word(&line, how->delimiters, &word);
		if (!there)
			continue;
		if (!parse_number(word, &value))
			return input_fail(
			    in, "'%.*s' is no number", (int)(word.n < 40 ? word.n : 40), word.p);
		points_add(s, value);
	}
	return !in->error;
}

bool points_probe(struct span head)
{
	size_t whole = head.n;
	struct span line, word;
	double value;
	bool any = false;

	if (head.n >= 64 * 1024)
		while (whole && head.p[whole - 1] != '\n')
			whole--;
	head.n = whole;
	while (span_line(&head, &line)) {
		line = span_trim(line);
		if (!line.n || line.p[0] == '#')
			continue;
		if (!next_word(&line, " \t", &word) || !parse_number(word, &value))
			return false;
		any = true;
	}
	return any;
}

void points_finish(struct points *s)
{
	double sum = 0, squares = 0;

	s->sorted = xcalloc(s->n ? s->n : 1, sizeof *s->sorted);
	if (!s->n)
		return;
	memcpy(s->sorted, s->values, s->n * sizeof *s->values);
	s->median = stats_median(s->sorted, s->n);
	for (size_t i = 0; i < s->n; i++)
		sum += s->values[i];
	s->mean = sum / (double)s->n;
	for (size_t i = 0; i < s->n; i++)
		squares += (s->values[i] - s->mean) * (s->values[i] - s->mean);
	s->sd = s->n > 1 ? sqrt(squares / ((double)s->n - 1)) : 0;
}

void points_release(struct points *s)
{
	free(s->values);
	free(s->sorted);
	*s = (struct points){0};
}
