/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lowest modules of lib: arena, str, intern, wire, input. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/input.h"
#include "lib/intern.h"
#include "lib/str.h"
#include "lib/wire.h"
#include "test/unit/check.h"

static void test_arena(void)
{
	struct arena a = {0};
	char *first = arena_alloc(&a, 3);
	char *big = arena_alloc(&a, 1 << 20);
	char *copy = arena_copy(&a, "abc", 3);

	CHECK(((size_t)first & 15) == 0 && first[2] == 0);
	CHECK(big[(1 << 20) - 1] == 0);
	CHECK(strcmp(copy, "abc") == 0);
	arena_reset(&a);
	CHECK(a.nbytes == 0);
	CHECK(((char *)arena_alloc(&a, 64))[63] == 0);
	arena_release(&a);
}

static void test_span(void)
{
	struct span rest = SPAN("one\r\n\ntwo"), line;
	uint64_t v;

	CHECK(span_line(&rest, &line) && span_eq(line, SPAN("one")));
	CHECK(span_line(&rest, &line) && line.n == 0);
	CHECK(span_line(&rest, &line) && span_eq(line, SPAN("two")));
	CHECK(!span_line(&rest, &line));
	CHECK(span_cmp(SPAN("a"), SPAN("ab")) < 0 && span_cmp(SPAN("b"), SPAN("ab")) > 0);
	CHECK(span_u64(SPAN("18446744073709551615"), 10, &v) && v == UINT64_MAX);
	CHECK(!span_u64(SPAN("18446744073709551616"), 10, &v));
	CHECK(span_u64(SPAN("fF"), 16, &v) && v == 255);
	CHECK(!span_u64(SPAN(""), 10, &v) && !span_u64(SPAN("1a"), 10, &v));
	CHECK(span_eq(span_trim(SPAN(" \ta b\r\n")), SPAN("a b")));
	CHECK(span_starts(SPAN("abc"), SPAN("ab")) && !span_starts(SPAN("a"), SPAN("ab")));
	CHECK(span_ends(SPAN("abc"), SPAN("bc")) && !span_ends(SPAN("c"), SPAN("bc")));
}

static void test_str(void)
{
	struct str s = {0};

	str_addu(&s, 0);
	str_addc(&s, '-');
	str_addu(&s, UINT64_MAX);
	str_addf(&s, "-%s-%d", "x", -1);
	CHECK(strcmp(s.p, "0-18446744073709551615-x--1") == 0 && s.n == strlen(s.p));
	str_release(&s);
}

static void test_intern(void)
{
	struct intern t = {0};
	int good = 1;
	char name[16];

	for (uint32_t i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "n%u", i);
		good = good && intern(&t, span_of(name)) == i;
	}
	for (uint32_t i = 0; i < 5000; i += 7) {
		snprintf(name, sizeof name, "n%u", i);
		good = good && intern(&t, span_of(name)) == i && span_eq(intern_span(&t, i), span_of(name));
	}
	CHECK(good && t.n == 5000);
	CHECK(intern_find(&t, SPAN("absent")) == UINT32_MAX);
	CHECK(intern(&t, SPAN("")) == 5000);
	intern_release(&t);
	CHECK(intern_find(&t, SPAN("x")) == UINT32_MAX);
}

static void test_wire(void)
{
	unsigned char bytes[64], *to = bytes;
	struct wire w;

	to = put_varint(to, UINT64_MAX);
	to = put_zigzag(to, INT64_MIN);
	to = put_zigzag(to, -1);
	w = wire_init(bytes, (size_t)(to - bytes), false);
	CHECK(wire_varint(&w) == UINT64_MAX && wire_zigzag(&w) == INT64_MIN && wire_zigzag(&w) == -1);
	CHECK(!w.failed && wire_left(&w) == 0);
	CHECK(wire_u32(&w) == 0 && w.failed);
	w = wire_init("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, false);
	CHECK(wire_varint(&w) == 0 && w.failed);
	w = wire_init("\x01\x02\x03\x04name\0rest", 13, true);
	CHECK(wire_u32(&w) == __builtin_bswap32(0x04030201u) && span_eq(wire_string(&w), SPAN("name")));
	CHECK(wire_bytes(&w, 5).n == 0 && w.failed);
	w = wire_init("no end", 6, false);
	CHECK(wire_string(&w).n == 0 && w.failed);
}

/* Through a pipe, so that reads come short. */
static void test_input(void)
{
	int fd[2];
	struct input in = {.name = "test"};
	struct span line;
	struct str said = {0};
	size_t n = 0;

	CHECK(pipe(fd) == 0);
	CHECK(write(fd[1], "first\r\nsecond\n\nlast", 19) == 19);
	close(fd[1]);
	in.fd = fd[0];
	CHECK(span_eq(input_peek(&in, 5), SPAN("first\r\nsecond\n\nlast")));
	while (input_line(&in, &line))
		n += line.n;
	CHECK(n == 15 && in.line == 4 && in.offset == 19);
	input_fail(&in, "bad %d", 1);
	input_fail(&in, "worse");
	input_describe(&in, &said);
	CHECK(strcmp(said.p, "test: line 4: bad 1") == 0);
	str_release(&said);
	input_close(&in);
	CHECK(!input_open(&in, "/") && !input_open(&in, "/nonexistent"));
	/* A failed read is an error, not an end. */
	in = (struct input){.name = "test", .fd = open("/", O_RDONLY)};
	CHECK(!input_line(&in, &line) && in.error);
	input_close(&in);
}

int main(void)
{
	test_arena();
	test_span();
	test_str();
	test_intern();
	test_wire();
	test_input();
	return check_done();
}
