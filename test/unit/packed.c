/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/packed: what goes in comes out, and nothing that is damaged does harm. */
#include "lib/packed.h"

#include "test/unit/check.h"

static void no_colour(void *ctx, struct span name, uint8_t rgb[3])
{
	(void)ctx, (void)name;
	rgb[0] = rgb[1] = rgb[2] = 0;
}

static void take_header(void *ctx, struct span line)
{
	str_add(ctx, line.p, line.n);
	str_addc(ctx, '\n');
}

static void take_stack(void *ctx, const struct span *frames, size_t n, const u128 *counts, unsigned ncolumns)
{
	struct str *out = ctx;

	for (size_t i = 0; i < n; i++) {
		if (i)
			str_addc(out, ';');
		str_add(out, frames[i].p, frames[i].n);
	}
	for (unsigned i = 0; i < ncolumns; i++) {
		str_addc(out, ' ');
		count_add(out, counts[i]);
	}
	str_addc(out, '\n');
}

static void pack(struct str *text)
{
	static const struct {
		const char *stack;
		u128 counts[2];
	} lines[] = {{"a;b", {COUNT_ONE / 2, 0}}, {"a", {0, 3 * COUNT_ONE}}, {"", {COUNT_ONE, COUNT_ONE}},
	    {"a;b;b;c", {COUNT_MAX / 4, 1}}, {"d;\xff", {COUNT_ONE, 0}}};
	struct tree t;

	tree_init(&t, TREE_MERGED, 2);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		tree_add(&t, span_of(lines[i].stack), lines[i].counts, false);
	tree_finish(&t);
	packed_write(text, &t, SPAN("# flamepipe event=x ."), no_colour, NULL, 6);
	tree_release(&t);
}

static void test_round_trip(void)
{
	struct str text = {0}, out = {0};

	pack(&text);
	CHECK(packed_read(str_span(&text), 1 << 20, &(struct packed_reader){&out, take_header, take_stack}));
	CHECK(strcmp(out.p, "# flamepipe event=x .\n 1 1\na 0 3\na;b 0.5 0\na;b;b;c "
			    "85070591730234615865843651.857942052863 0.000000000001\nd;\xff 1 0\n") == 0);
	str_release(&text);
	str_release(&out);
}

static void test_limit_and_damage(void)
{
	struct str text = {0}, out = {0};
	struct packed_reader reader = {&out, take_header, take_stack};
	int whole = 0;

	pack(&text);
	CHECK(!packed_read(str_span(&text), 20, &reader));
	for (size_t n = 0; n < text.n && whole < 1; n += 4)
		whole += packed_read((struct span){text.p, n}, 1 << 20, &reader);
	CHECK(whole == 0);
	CHECK(!packed_read(SPAN("!"), 1 << 20, &reader));
	str_release(&text);
	str_release(&out);
}

int main(void)
{
	test_round_trip();
	test_limit_and_damage();
	return check_done();
}
