/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON that nobody has checked; the one includer of jansson.h. */
#include "lib/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *tree(const struct json *v)
{
	return (json_t *)(uintptr_t)v;
}

static struct json *value(json_t *v)
{
	return (struct json *)v;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void pass_blanks(struct json_walk *w)
{
	while (w->at < w->text.n && is_blank(w->text.p[w->at]))
		w->at++;
}

static bool fail(struct json_walk *w, const char *why)
{
	if (!w->failed)
		w->failed = why;
	return false;
}

char json_walk_kind(struct json_walk *w)
{
	pass_blanks(w);
	return !w->failed && w->at < w->text.n ? w->text.p[w->at] : '\0';
}

bool json_walk_enter(struct json_walk *w)
{
	char c = json_walk_kind(w);

	if (c != '{' && c != '[') {
		json_walk_skip(w);
		return false;
	}
	w->at++;
	return true;
}

/* Before an item or a member; false when the container ends here instead. */
static bool more(struct json_walk *w, char closing)
{
	char c = json_walk_kind(w);

	if (c == ',') {
		w->at++;
		c = json_walk_kind(w);
	}
	if (!c)
		return fail(w, "the text ends inside a value");
	if (c != closing)
		return true;
	w->at++;
	return false;
}

/* At a quote: passes the string. */
static bool pass_string(struct json_walk *w)
{
	size_t at = w->at + 1;

	while (at < w->text.n && w->text.p[at] != '"')
		at += w->text.p[at] == '\\' ? 2 : 1;
	if (at >= w->text.n)
		return fail(w, "the text ends inside a string");
	w->at = at + 1;
	return true;
}

bool json_walk_item(struct json_walk *w)
{
	if (!more(w, ']'))
		return false;
	if (w->text.p[w->at] == '}' || w->text.p[w->at] == ':')
		return fail(w, "a value is expected");
	return true;
}

bool json_walk_member(struct json_walk *w, struct span *key)
{
	size_t at;

	if (!more(w, '}'))
		return false;
	at = w->at;
	if (w->text.p[at] != '"')
		return fail(w, "a key in quotes is expected");
	if (!pass_string(w))
		return false;
	*key = (struct span){w->text.p + at + 1, w->at - at - 2};
	if (json_walk_kind(w) != ':')
		return fail(w, "a colon is expected");
	w->at++;
	return true;
}

static bool is_scalar_byte(char c)
{
	return c != ',' && c != ']' && c != '}' && c != ':' && c != '"' && c != '[' && c != '{' &&
	       !is_blank(c);
}

static void pass_scalar(struct json_walk *w)
{
	size_t at = w->at;

	while (w->at < w->text.n && is_scalar_byte(w->text.p[w->at]))
		w->at++;
	if (w->at == at)
		fail(w, "a value is expected");
}

/* Passes the value that comes next; returns how deep it is nested. */
static size_t pass_value(struct json_walk *w)
{
	size_t depth = 0, deepest = 0;

	do {
		char c = json_walk_kind(w);

		if (!c) {
			fail(w, "the text ends inside a value");
			break;
		}
		if (c == '"') {
			pass_string(w);
		} else if (c == '{' || c == '[') {
			w->at++;
			if (++depth > deepest)
				deepest = depth;
		} else if (depth && (c == '}' || c == ']')) {
			w->at++;
			depth--;
		} else if (depth && (c == ',' || c == ':')) {
			w->at++;
		} else {
			pass_scalar(w);
		}
	} while (depth && !w->failed);
	return deepest;
}

void json_walk_skip(struct json_walk *w)
{
	pass_value(w);
}

/* The text of the value that comes next, which is passed; *depth is how deep it is nested. Empty when the walk has failed. */
static struct span pass_text(struct json_walk *w, size_t *depth)
{
	size_t at;

	json_walk_kind(w);
	at = w->at;
	*depth = pass_value(w);
	return w->failed ? SPAN("") : (struct span){w->text.p + at, w->at - at};
}

static struct json *load(struct span text, struct str *why)
{
	json_error_t error;
	json_t *v = json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);

	if (!v && why)
		str_addf(why, "%s at offset %d", error.text, error.position);
	return value(v);
}

struct json *json_walk_load(struct json_walk *w)
{
	size_t depth;
	struct span text = pass_text(w, &depth);
	struct json *v = NULL;

	if (depth <= JSON_MAX_DEPTH && text.n <= JSON_MAX_BYTES)
		v = load(text, NULL);
	w->nbad += !v;
	return v;
}

struct json *json_parse(struct span text, struct str *why)
{
	struct json_walk w = {.text = text};
	size_t depth;

	if (text.n > JSON_MAX_BYTES) {
		if (why)
			str_adds(why, "more than 16 MiB of JSON");
		return NULL;
	}
	pass_text(&w, &depth);
	if (depth <= JSON_MAX_DEPTH)
		return load(text, why);
	if (why)
		str_addf(why, "nested %zu deep", depth);
	return NULL;
}

void json_free(struct json *v)
{
	json_decref(tree(v));
}

bool json_walk_count(struct json_walk *w, u128 *n)
{
	size_t depth;

	return count_parse(pass_text(w, &depth), n);
}

bool json_walk_integer(struct json_walk *w, int64_t *n)
{
	size_t depth;
	struct span text = pass_text(w, &depth);
	bool minus = text.n && text.p[0] == '-';
	uint64_t u;

	text.p += minus;
	text.n -= minus;
	if (!span_u64(text, 10, &u) || u > INT64_MAX)
		return false;
	*n = minus ? -(int64_t)u : (int64_t)u;
	return true;
}

/* A string without escapes is copied; jansson decodes the others. */
bool json_walk_text(struct json_walk *w, struct str *out)
{
	size_t depth;
	struct span text = pass_text(w, &depth);
	struct json *v;

	str_reset(out);
	if (text.n < 2 || text.p[0] != '"')
		return false;
	if (span_find(text, 0, '\\') == text.n) {
		str_add(out, text.p + 1, text.n - 2);
		return true;
	}
	v = text.n <= JSON_MAX_BYTES ? load(text, NULL) : NULL;
	if (!v) {
		w->nbad++;
		return false;
	}
	str_add(out, json_text(v).p, json_text(v).n);
	json_free(v);
	return true;
}

struct json *json_member(const struct json *v, const char *key)
{
	return value(json_object_get(tree(v), key));
}

size_t json_length(const struct json *v)
{
	return json_array_size(tree(v));
}

struct json *json_item(const struct json *v, size_t i)
{
	return value(json_array_get(tree(v), i));
}

char json_kind(const struct json *v)
{
	if (!v)
		return '\0';
	switch (json_typeof(tree(v))) {
	case JSON_OBJECT:
		return '{';
	case JSON_ARRAY:
		return '[';
	case JSON_STRING:
		return '"';
	case JSON_TRUE:
		return 't';
	case JSON_FALSE:
		return 'f';
	case JSON_NULL:
		return 'n';
	default:
		return '0';
	}
}

struct span json_text(const struct json *v)
{
	if (json_kind(v) != '"')
		return SPAN("");
	return (struct span){json_string_value(tree(v)), json_string_length(tree(v))};
}

bool json_double_of(const struct json *v, double *n)
{
	if (json_kind(v) != '0')
		return false;
	*n = json_number_value(tree(v));
	return true;
}

bool json_integer_of(const struct json *v, int64_t *n)
{
	double d;

	if (v && json_typeof(tree(v)) == JSON_INTEGER) {
		*n = json_integer_value(tree(v));
		return true;
	}
	/* 2^63 is no int64_t, -2^63 is one. */
	if (!json_double_of(v, &d) || !(d >= -0x1p63 && d < 0x1p63))
		return false;
	*n = (int64_t)d;
	return true;
}

/* jansson holds reals as doubles: the shortest decimal that is this double is what was written, up to 15 digits. */
static bool parse_double(double d, u128 *n)
{
	char text[40];
	int length = 0;

	for (int digits = 15; digits <= 17; digits++) {
		length = snprintf(text, sizeof text, "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return count_parse((struct span){text, (size_t)length}, n);
}

bool json_count_of(const struct json *v, u128 *n)
{
	double d;

	if (v && json_typeof(tree(v)) == JSON_INTEGER) {
		json_int_t i = json_integer_value(tree(v));

		if (i >= 0)
			*n = count_of((uint64_t)i);
		return i >= 0;
	}
	return json_double_of(v, &d) && !signbit(d) && parse_double(d, n);
}

/* The length of the UTF-8 sequence at s, 0 when there is none. */
static size_t utf8_length(struct span s)
{
	unsigned char c = (unsigned char)s.p[0];
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	unsigned char second = n > 1 && s.n > 1 ? (unsigned char)s.p[1] : 0;

	if (!n || n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and past U+10FFFF. */
	if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) || (c == 0xf0 && second < 0x90) ||
	    (c == 0xf4 && second > 0x8f))
		return 0;
	return n;
}

static void quote_byte(struct str *out, unsigned char c)
{
	if (c == '"' || c == '\\')
		str_addf(out, "\\%c", c);
	else if (c < ' ' || c == 0x7f)
		str_addf(out, "\\u%04x", c);
	else
		str_addc(out, (char)c);
}

void json_quote(struct str *out, struct span s)
{
	str_addc(out, '"');
	while (s.n) {
		size_t n = utf8_length(s);

		if (n == 1)
			quote_byte(out, (unsigned char)s.p[0]);
		else if (n)
			str_add(out, s.p, n);
		else
			str_adds(out, "\\ufffd");
		n = n ? n : 1;
		s.p += n;
		s.n -= n;
	}
	str_addc(out, '"');
}
