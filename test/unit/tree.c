/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/tree: the same tree for any order of lines, exact sums, time order where asked. */
#include "lib/tree.h"

#include "test/unit/check.h"

/* Frames in drawing order, as "name=total(" children ")". */
static void print(const struct tree *t, uint32_t node, struct str *out)
{
	struct span name = tree_name(t, node);

	str_add(out, name.p, name.n);
	str_addc(out, '=');
	count_add(out, tree_total(t, node, t->ncolumns - 1));
	for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].next) {
		str_addc(out, c == t->nodes[node].child ? '(' : ' ');
		print(t, c, out);
	}
	if (t->nodes[node].child)
		str_addc(out, ')');
}

static bool gives(enum tree_shape shape, bool reverse, const char *const *stacks, const char *const *counts,
    size_t n, const char *want)
{
	struct tree t;
	struct str out = {0};
	bool same;

	tree_init(&t, shape, 1);
	for (size_t i = 0; i < n; i++) {
		u128 count;

		count_parse(span_of(counts[i]), &count);
		tree_add(&t, span_of(stacks[i]), &count, reverse);
	}
	tree_finish(&t);
	print(&t, 0, &out);
	same = strcmp(out.p, want) == 0;
	if (!same)
		printf("# got %s\n", out.p);
	str_release(&out);
	tree_release(&t);
	return same;
}

/* Stacks deep enough to be found by their prefixes, with many siblings, in this order or the opposite. */
static void print_deep(bool backwards, struct str *out)
{
	enum { STACKS = 3000, DEPTH = 21 };
	struct tree t;

	tree_init(&t, TREE_MERGED, 1);
	for (int i = 0; i < STACKS; i++) {
		int k = backwards ? STACKS - 1 - i : i;
		struct str stack = {0};
		u128 one = COUNT_ONE;

		for (int d = 0; d < DEPTH; d++)
			str_addf(&stack, "%sf%d", d ? ";" : "", k % (d * d + 1));
		tree_add(&t, str_span(&stack), &one, false);
		str_release(&stack);
	}
	tree_finish(&t);
	print(&t, 0, out);
	tree_release(&t);
}

static bool any_order_is_one_tree(void)
{
	struct str a = {0}, b = {0};
	bool same;

	print_deep(false, &a);
	print_deep(true, &b);
	same = a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
	str_release(&a);
	str_release(&b);
	return same;
}

int main(void)
{
	static const char *const stacks[] = {"b;x", "a.cold;c", "a;d", "a", "", "b;x"};
	static const char *const ones[] = {"1", "1", "1", "1", "1", "1"};
	static const char *const huge[] = {
	    "18446744073709551615", "0.5", "18446744073709551615", "1", "1", "0"};
	struct tree t;
	u128 two[2] = {count_of(1), count_of(2)};

	CHECK(gives(TREE_MERGED, false, stacks, ones, 6, "=6(a=2(d=1) a.cold=1(c=1) b=2(x=2))"));
	CHECK(gives(TREE_ORDERED, false, stacks, ones, 6, "=6(b=2(x=2) a.cold=1(c=1) a=2(d=1))"));
	CHECK(gives(TREE_CHART, false, stacks, ones, 6, "=6(b=1(x=1) a.cold=1(c=1) a=2(d=1) b=1(x=1))"));
	CHECK(gives(TREE_MERGED, true, stacks, ones, 6, "=6(a=1 c=1(a.cold=1) d=1(a=1) x=2(b=2))"));
	CHECK(gives(TREE_MERGED, false, stacks, huge, 6,
	    "=36893488147419103232.5(a=18446744073709551616(d=18446744073709551615) a.cold=0.5(c=0.5) "
	    "b=18446744073709551615(x=18446744073709551615))"));
	CHECK(any_order_is_one_tree());
	CHECK(gives(TREE_MERGED, false, NULL, NULL, 0, "=0"));
	tree_init(&t, TREE_MERGED, 2);
	tree_add(&t, SPAN("a;b"), two, false);
	tree_add(&t, SPAN("a"), two, false);
	tree_finish(&t);
	CHECK(tree_total(&t, 0, 0) == count_of(2) && tree_total(&t, 0, 1) == count_of(4));
	CHECK(tree_self(&t, 1, 1) == count_of(2) && tree_self(&t, 0, 1) == 0 && t.depth == 2);
	tree_release(&t);
	return check_done();
}
