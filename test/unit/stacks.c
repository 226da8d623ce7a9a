/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distinct stacks: what is counted comes out once, in the order of frames. */
#include "fold/stacks.h"

#include "test/unit/check.h"

static uint32_t node_of(struct stacks *t, const char *stack)
{
	struct span rest = span_of(stack);
	uint32_t node = STACKS_ROOT;

	while (rest.n) {
		size_t end = span_find(rest, 0, ';');

		node = stacks_child(t, node, intern(&t->names, (struct span){rest.p, end}));
		end += end < rest.n;
		rest.p += end;
		rest.n -= end;
	}
	return node;
}

static void print(void *ctx, struct span stack, uint32_t slice, const u128 *counts)
{
	struct str *out = ctx;

	str_add(out, stack.p, stack.n);
	if (slice != UINT32_MAX)
		str_addf(out, "@%u", slice);
	str_addc(out, '=');
	count_add(out, counts[0]);
	str_addc(out, ' ');
}

static bool prints(const struct stacks *t, const char *want)
{
	struct str out = {0};
	bool same;

	stacks_each(t, print, &out);
	same = span_eq(str_span(&out), span_of(want));
	if (!same)
		printf("# %s\n", out.p);
	str_release(&out);
	return same;
}

static void test_order(void)
{
	struct stacks t = {0};

	CHECK(prints(&t, ""));
	stacks_count(&t, node_of(&t, "foo;bar"), 0, count_of(3));
	stacks_count(&t, node_of(&t, "foo.cold;c"), 0, count_of(2));
	stacks_count(&t, node_of(&t, "foo"), 0, count_of(1));
	stacks_count(&t, node_of(&t, "foo;bar"), 0, count_of(4));
	stacks_count(&t, node_of(&t, "foo;bar;baz"), 0, count_of(5));
	stacks_count(&t, node_of(&t, "a"), 0, count_of(6));
	CHECK(prints(&t, "a=6 foo=1 foo;bar=7 foo;bar;baz=5 foo.cold;c=2 "));
	stacks_count(&t, STACKS_ROOT, 0, count_of(9));
	CHECK(prints(&t, "=9 a=6 foo=1 foo;bar=7 foo;bar;baz=5 foo.cold;c=2 "));
	stacks_release(&t);
}

static void test_slices(void)
{
	struct stacks t = {0};
	uint32_t node = node_of(&t, "a;b");

	stacks_count(&t, stacks_slice(&t, node, 10), 0, count_of(1));
	stacks_count(&t, stacks_slice(&t, node, 9), 0, count_of(2));
	stacks_count(&t, stacks_slice(&t, node, 10), 0, count_of(3));
	stacks_count(&t, stacks_slice(&t, node_of(&t, "a"), STACKS_MAX_SLICE), 0, count_of(4));
	stacks_count(&t, stacks_slice(&t, node_of(&t, "a;b;c"), 0), 0, count_of(5));
	CHECK(prints(&t, "a@2147483646=4 a;b@9=2 a;b@10=4 a;b;c@0=5 "));
	stacks_release(&t);
}

static void test_columns(void)
{
	struct stacks t = {0};

	stacks_count(&t, node_of(&t, "a"), 0, count_of(1));
	stacks_count(&t, node_of(&t, "b"), 2, count_of(2));
	stacks_count(&t, node_of(&t, "a"), 1, count_of(3));
	CHECK(t.ncolumns == 3);
	CHECK(t.ncells == 2);
	CHECK(t.counts[0] == count_of(1) && t.counts[1] == count_of(3) && t.counts[2] == 0);
	CHECK(t.counts[3] == 0 && t.counts[4] == 0 && t.counts[5] == count_of(2));
	stacks_release(&t);
}

/* Deep enough to break a walk that recurses. */
static void test_deep(void)
{
	struct stacks t = {0};
	uint32_t name = intern(&t.names, SPAN("f")), node = STACKS_ROOT;
	struct str text = {0};

	for (int i = 0; i < 1000000; i++)
		node = stacks_child(&t, node, name);
	stacks_count(&t, node, 0, count_of(1));
	stacks_each(&t, print, &text);
	CHECK(text.n == 2 * 1000000 - 1 + 3);
	str_reset(&text);
	stacks_text(&t, node, &text);
	CHECK(text.n == 2 * 1000000 - 1);
	str_release(&text);
	stacks_release(&t);
}

int main(void)
{
	test_order();
	test_slices();
	test_columns();
	test_deep();
	return check_done();
}
