/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of JSON formats share. */
#ifndef FLAMEPIPE_JSONTEXT_H
#define FLAMEPIPE_JSONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/input.h"
#include "lib/json.h"
#include "lib/str.h"

/* Does head begin like a JSON object or array, and has it "key": somewhere? */
bool jsontext_is_json(struct span head);
bool jsontext_has_key(struct span head, const char *key);

/* Numbers of an array, with INT64_MIN for null and whatever else is none. A zeroed struct is empty. */
struct numbers {
	int64_t *items;
	size_t n, cap;
};

/* Passes the value that comes next; its numbers are appended when it is an array. */
void numbers_read(struct numbers *v, struct json_walk *w);
/* The number at i, INT64_MIN past the end. */
int64_t numbers_at(const struct numbers *v, size_t i);
void numbers_release(struct numbers *v);

/* Keeps the walk's failure as the input's, if there is one; false then. what names the document. */
bool jsontext_finish(const struct json_walk *w, struct input *in, const char *what);

#endif
