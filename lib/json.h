/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON (RFC 8259) that nobody has checked, with limits on depth and size; jansson does the parsing. A document that may be large
   is walked container by container, and only its small values are held as trees. */
#ifndef FLAMEPIPE_JSON_H
#define FLAMEPIPE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/count.h"
#include "lib/str.h"

enum {
	JSON_MAX_DEPTH = 512,
	JSON_MAX_BYTES = 16 << 20, /* of one value held as a tree, which takes up to 100 times its text */
};

/* A value in a tree. NULL stands for an absent value, in every function. */
struct json;

/* The whole of text. NULL when it is no JSON or exceeds a limit; *why (unless NULL) then says what is wrong, where. */
struct json *json_parse(struct span text, struct str *why);
void json_free(struct json *v);

/* A member of an object, NULL when there is none or v is no object. Borrowed from v, as all that follows. */
struct json *json_member(const struct json *v, const char *key);
/* Elements of an array, 0 when v is none; json_item gives NULL past the end. */
size_t json_length(const struct json *v);
struct json *json_item(const struct json *v, size_t i);

/* What a value is, as the byte its text begins with: { [ " t f n, or 0 for a number; NUL for an absent one. */
char json_kind(const struct json *v);
/* The UTF-8 of a string; empty when v is none. */
struct span json_text(const struct json *v);
/* False, with *n as it was, when v is no number that fits. A real number is cut to an integer. */
bool json_integer_of(const struct json *v, int64_t *n);
bool json_double_of(const struct json *v, double *n);
/* As a count: not negative. A decimal of up to 15 digits is exact. */
bool json_count_of(const struct json *v, u128 *n);

/* Appends s between quotes; what is not UTF-8 becomes U+FFFD. */
void json_quote(struct str *out, struct span s);

/* A place in JSON text, before a value. Failure sticks: every loop over members or items then ends. */
struct json_walk {
	struct span text;
	size_t at;
	const char *failed; /* what is wrong at text.p[at]; NULL while nothing is */
	unsigned long nbad; /* values that json_walk_load could not make a tree of */
};

/* The byte that tells what comes next: { [ " t f n - or a digit; NUL at the end. */
char json_walk_kind(struct json_walk *w);
/* Steps into the object or array that comes next; anything else is passed, and false returned. */
bool json_walk_enter(struct json_walk *w);
/* The next member of the object stepped into, as its key's bytes without the quotes, with the walk before its value, which has to
   be passed. False after the last one, with the walk after the object. */
bool json_walk_member(struct json_walk *w, struct span *key);
/* The same for the next item of an array. */
bool json_walk_item(struct json_walk *w);
/* Passes the value that comes next. */
void json_walk_skip(struct json_walk *w);
/* Passes the value that comes next and gives it as a tree, which the caller frees; NULL, counted, when jansson refuses it. */
struct json *json_walk_load(struct json_walk *w);
/* Passes the value that comes next; false unless it is a number that is not negative, which is read exactly. */
bool json_walk_count(struct json_walk *w, u128 *n);
/* The same for a 64-bit integer. */
bool json_walk_integer(struct json_walk *w, int64_t *n);
/* The same for a string, decoded into *out, which is emptied first. */
bool json_walk_text(struct json_walk *w, struct str *out);

#endif
