/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/folded: lines, headers and the escape. */
#include "lib/folded.h"

#include "test/unit/check.h"

static int splits(const char *line, unsigned columns, const char *stack, const char *slice, const char *last)
{
	static struct folded_line f;
	struct str count = {0};
	int good;

	if (!folded_parse(span_of(line), columns, &f))
		return !stack;
	count_add(&count, f.counts[columns - 1]);
	good = stack && span_eq(f.stack, span_of(stack)) && span_eq(f.slice, span_of(slice)) &&
	       strcmp(count.p, last) == 0;
	str_release(&count);
	return good;
}

static int escapes(const char *name, const char *want)
{
	struct str s = {0};
	int good;

	folded_escape(&s, span_of(name));
	good = strcmp(s.p, want) == 0;
	str_release(&s);
	return good;
}

static int header_round_trip(void)
{
	struct folded_header h = {0};
	struct str line = {0}, value = {0};
	int good;

	folded_header_add(&h, "event", span_of("cpu-clock"));
	folded_header_add(&h, "command", span_of("make -j8 100%\n"));
	folded_header_add(&h, "empty", span_of(""));
	folded_header_print(&h, &line);
	good = folded_kind(str_span(&line)) == FOLDED_HEADER && strcmp(line.p + line.n - 3, " .\n") == 0;
	good = good && folded_count_words(str_span(&line)) == 0;
	good = good && folded_header_get(str_span(&line), "command", &value) &&
	       strcmp(value.p, "make -j8 100%\n") == 0;
	good = good && folded_header_get(str_span(&line), "empty", &value);
	good = good && !folded_header_get(str_span(&line), "absent", &value);
	str_release(&h.text);
	str_release(&line);
	str_release(&value);
	return good;
}

int main(void)
{
	struct span stack = SPAN("a;b c;;d"), frame;

	CHECK(splits("a;b 5", 1, "a;b", "", "5"));
	CHECK(splits("a;b\t 5 \r", 1, "a;b", "", "5"));
	CHECK(splits("a; b c  1.50", 1, "a; b c", "", "1.5"));
	CHECK(splits("a;worker 7 50", 1, "a;worker 7", "", "50"));
	CHECK(splits("a;worker 7 50", 2, "a;worker", "", "50"));
	CHECK(splits("a;b @0.02 5", 1, "a;b", "0.02", "5"));
	CHECK(splits("a;b@0.02 5", 1, "a;b@0.02", "", "5"));
	CHECK(splits("a;b @x 5", 1, "a;b @x", "", "5"));
	CHECK(splits(" 100", 1, "", "", "100"));
	CHECK(splits("100", 1, "", "", "100"));
	CHECK(splits("a;b", 1, NULL, "", ""));
	CHECK(splits("a;b -5", 1, NULL, "", ""));
	CHECK(splits("a;b 1", 2, NULL, "", ""));
	CHECK(splits("", 1, NULL, "", ""));
	CHECK(splits("x 1 2 3", 3, "x", "", "3"));
	CHECK(folded_count_words(SPAN("a;b 1 2.5 3")) == 3);
	CHECK(folded_count_words(SPAN("a;b x")) == 0);
	CHECK(folded_kind(SPAN("# comment 5")) == FOLDED_COMMENT);
	CHECK(folded_kind(SPAN("#")) == FOLDED_COMMENT);
	CHECK(folded_kind(SPAN("#include 5")) == FOLDED_STACK);
	CHECK(folded_kind(SPAN("# flamepipe a=b .")) == FOLDED_HEADER);
	CHECK(folded_kind(SPAN("# flamepiper .")) == FOLDED_COMMENT);
	CHECK(folded_kind(SPAN(" \t\r")) == FOLDED_BLANK);
	CHECK(escapes("a;b\nc", "a:b c"));
	CHECK(escapes("  x ", "x"));
	CHECK(escapes("", "[unknown]"));
	CHECK(escapes(" \n", "[unknown]"));
	CHECK(header_round_trip());
	folded_frame(&stack, &frame);
	CHECK(span_eq(frame, SPAN("a")));
	folded_frame(&stack, &frame);
	CHECK(span_eq(frame, SPAN("b c")));
	folded_frame(&stack, &frame);
	CHECK(frame.n == 0 && stack.n == 1);
	folded_frame(&stack, &frame);
	CHECK(span_eq(frame, SPAN("d")) && stack.n == 0);
	return check_done();
}
