/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of JSON formats share. */
#include "fold/jsontext.h"

#include <stdlib.h>

#include "fold/text.h"
#include "lib/arena.h"

bool jsontext_is_json(struct span head)
{
	head = span_trim(head);
	return head.n && (head.p[0] == '{' || head.p[0] == '[');
}

bool jsontext_has_key(struct span head, const char *key)
{
	struct span name = span_of(key), rest, before;

	while (text_cut(&head, name, &before)) {
		rest = head;
		if (span_ends(before, SPAN("\"")) && text_skip(&rest, SPAN("\"")) &&
		    span_starts(span_trim(rest), SPAN(":")))
			return true;
	}
	return false;
}

void numbers_read(struct numbers *v, struct json_walk *w)
{
	if (!json_walk_enter(w))
		return;
	while (json_walk_item(w)) {
		int64_t n;

		if (!json_walk_integer(w, &n))
			n = INT64_MIN;
		v->items = grow(v->items, v->n, &v->cap, sizeof *v->items);
		v->items[v->n++] = n;
	}
}

int64_t numbers_at(const struct numbers *v, size_t i)
{
	return i < v->n ? v->items[i] : INT64_MIN;
}

void numbers_release(struct numbers *v)
{
	free(v->items);
	*v = (struct numbers){0};
}

bool jsontext_finish(const struct json_walk *w, struct input *in, const char *what)
{
	if (w->failed) {
		in->offset = w->at;
		in->line = 0;
		return input_fail(in, "%s: %s", what, w->failed);
	}
	if (w->nbad)
		return input_fail(in, "%s: %lu values are no JSON, or nested too deep", what, w->nbad);
	return true;
}
