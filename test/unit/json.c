/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/json: trees with limits, and the walk over large documents. */
#include "lib/json.h"

#include "lib/arena.h"
#include "test/unit/check.h"
#include <stdlib.h>

static struct json_walk walk(const char *text)
{
	return (struct json_walk){.text = span_of(text)};
}

static int refuses(const char *text, const char *expected)
{
	struct str why = {0};
	struct json *v = json_parse(span_of(text), &why);
	int good = !v && why.n && strstr(why.p, expected);

	if (!good)
		printf("# %s: %s\n", text, why.n ? why.p : "accepted");
	json_free(v);
	str_release(&why);
	return good;
}

static struct str nested(size_t depth)
{
	struct str s = {0};

	for (size_t i = 0; i < depth; i++)
		str_addc(&s, '[');
	for (size_t i = 0; i < depth; i++)
		str_addc(&s, ']');
	return s;
}

static void check_limits(void)
{
	struct str good = nested(JSON_MAX_DEPTH), deep = nested(JSON_MAX_DEPTH + 1), bomb = nested(1000000);
	struct json *v = json_parse(str_span(&good), NULL);
	struct json_walk w = {.text = str_span(&bomb)};

	CHECK(v);
	CHECK(refuses(deep.p, "nested 513 deep"));
	CHECK(!json_walk_load(&w) && w.nbad == 1 && !w.failed && w.at == bomb.n);
	json_free(v);
	str_release(&good);
	str_release(&deep);
	str_release(&bomb);
}

static int counts(const char *text, const char *expected)
{
	struct json *v = json_parse(span_of(text), NULL);
	struct json_walk w = walk(text);
	struct str a = {0}, b = {0};
	u128 n;
	int good;

	if (json_count_of(v, &n))
		count_add(&a, n);
	if (json_walk_count(&w, &n))
		count_add(&b, n);
	good = expected ? a.n && b.n && !strcmp(a.p, expected) && !strcmp(b.p, expected) : !a.n && !b.n;
	json_free(v);
	str_release(&a);
	str_release(&b);
	return good;
}

static void check_tree(void)
{
	struct json *v = json_parse(SPAN("{\"a\":[1,2.5,\"x\\u0000y\",true],\"b\":{}}"), NULL);
	struct json *a = json_member(v, "a");
	int64_t n = 7;
	double d;

	CHECK(json_kind(v) == '{' && json_kind(a) == '[' && json_length(a) == 4 && json_length(v) == 0);
	CHECK(json_integer_of(json_item(a, 0), &n) && n == 1);
	CHECK(json_integer_of(json_item(a, 1), &n) && n == 2);
	CHECK(json_double_of(json_item(a, 1), &d) && d == 2.5);
	CHECK(span_eq(json_text(json_item(a, 2)), SPAN("x\0y")) && json_kind(json_item(a, 2)) == '"');
	CHECK(json_kind(json_item(a, 3)) == 't' && json_kind(json_item(a, 0)) == '0' && !json_kind(NULL));
	CHECK(!json_item(a, 4) && !json_member(NULL, "a") && !json_integer_of(NULL, &n) && n == 2);
	json_free(v);
	v = json_parse(SPAN("[1e300,-1]"), NULL);
	CHECK(!json_integer_of(json_item(v, 0), &n) && json_integer_of(json_item(v, 1), &n) && n == -1);
	json_free(v);
}

static void check_walk(void)
{
	struct json_walk w =
	    walk(" { \"skip\" : [ 1 , {\"]\":\"}\\\"\"} ] , \"list\":[3,-4,null,\"a\\nb\"],\"o\":{} } ");
	struct span key;
	struct str text = {0};
	int64_t n;

	CHECK(json_walk_enter(&w) && json_walk_member(&w, &key) && span_eq(key, SPAN("skip")));
	json_walk_skip(&w);
	CHECK(json_walk_member(&w, &key) && span_eq(key, SPAN("list")) && json_walk_kind(&w) == '[');
	CHECK(json_walk_enter(&w));
	CHECK(json_walk_item(&w) && json_walk_integer(&w, &n) && n == 3);
	CHECK(json_walk_item(&w) && json_walk_integer(&w, &n) && n == -4);
	CHECK(json_walk_item(&w) && !json_walk_integer(&w, &n));
	CHECK(json_walk_item(&w) && json_walk_text(&w, &text) && span_eq(str_span(&text), SPAN("a\nb")));
	CHECK(!json_walk_item(&w));
	CHECK(json_walk_member(&w, &key) && json_walk_enter(&w) && !json_walk_member(&w, &key));
	CHECK(!json_walk_member(&w, &key) && !w.failed && json_walk_kind(&w) == '\0');
	str_release(&text);
}

/* Every cut of a document ends the walk with a failure, and the walk of the whole with none. */
static void check_cuts(void)
{
	struct span text = SPAN("{\"a\":[1,\"x\",[true]],\"b\":{\"c\":null}}");

	for (size_t n = 0; n <= text.n; n++) {
		char *copy = malloc(n ? n : 1);
		struct json_walk w = {.text = {copy, n}};
		struct span key;

		memcpy(copy, text.p, n);
		json_walk_enter(&w);
		while (json_walk_member(&w, &key))
			json_walk_skip(&w);
		check_that(!w.failed == (n == text.n), __FILE__, __LINE__, "a cut document fails");
		free(copy);
	}
}

int main(void)
{
	struct str s = {0};

	check_tree();
	check_limits();
	check_walk();
	check_cuts();
	CHECK(refuses("", "expected"));
	CHECK(refuses("{\"a\":}", "unexpected"));
	CHECK(refuses("[1] x", "end of file"));
	CHECK(counts("18446744073709551615", NULL) == 0); /* the walk is exact, a tree refuses it */
	CHECK(counts("9007199254740993", "9007199254740993"));
	CHECK(
	    counts("0.1", "0.1") && counts("123456789.123456", "123456789.123456") && counts("1e3", "1000"));
	CHECK(counts("-1", NULL) && counts("-0.5", NULL) && counts("\"1\"", NULL) && counts("null", NULL));
	json_quote(&s, SPAN("a\"\\\n\x7f\xc3\xa9\xed\xa0\x80\xff"));
	CHECK(span_eq(str_span(&s), SPAN("\"a\\\"\\\\\\u000a\\u007f\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffd\"")));
	str_release(&s);
	return check_done();
}
