/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/count: exact decimals in, the same decimals out. */
#include "lib/count.h"

#include "test/unit/check.h"

static int gives(const char *in, const char *out)
{
	struct str s = {0};
	u128 v;
	int same;

	if (!count_parse(span_of(in), &v))
		return !out;
	count_add(&s, v);
	same = out && strcmp(s.p, out) == 0;
	if (!same)
		printf("# %s -> %s\n", in, s.p);
	str_release(&s);
	return same;
}

static int commas(const char *in, const char *out)
{
	struct str s = {0};
	u128 v;
	int same = count_parse(span_of(in), &v);

	count_add_commas(&s, v);
	same = same && strcmp(s.p, out) == 0;
	str_release(&s);
	return same;
}

int main(void)
{
	CHECK(gives("0", "0"));
	CHECK(gives("007", "7"));
	CHECK(gives("1.5", "1.5"));
	CHECK(gives("5.", "5"));
	CHECK(gives(".5", "0.5"));
	CHECK(gives("1e3", "1000"));
	CHECK(gives("1.25E+2", "125"));
	CHECK(gives("25e-3", "0.025"));
	CHECK(gives("0.000000000001", "0.000000000001"));
	CHECK(gives("0.0000000000005", "0.000000000001"));
	CHECK(gives("0.0000000000004", "0"));
	CHECK(gives("0.30000000000000004", "0.3"));
	CHECK(gives("0.99999999999999999999999999999999999", "1"));
	CHECK(gives("18446744073709551616", "18446744073709551616"));
	CHECK(gives("300000000000000000000000000", "300000000000000000000000000"));
	CHECK(gives("1e26", "100000000000000000000000000"));
	CHECK(gives("1e-9999999", "0"));
	CHECK(gives("0e999999", "0"));
	CHECK(gives("1e27", NULL));
	CHECK(gives("1000000000000000000000000000000", NULL));
	CHECK(gives("", NULL));
	CHECK(gives(".", NULL));
	CHECK(gives("e5", NULL));
	CHECK(gives("1e", NULL));
	CHECK(gives("1e+", NULL));
	CHECK(gives("-5", NULL));
	CHECK(gives("+5", NULL));
	CHECK(gives("0x10", NULL));
	CHECK(gives("1.2.3", NULL));
	CHECK(gives("inf", NULL));
	CHECK(gives("12V", NULL));
	CHECK(commas("1234", "1,234"));
	CHECK(commas("999", "999"));
	CHECK(commas("1234567.25", "1,234,567.25"));
	CHECK(count_scale(count_of(10), 1, 3) == COUNT_ONE * 10 / 3);
	CHECK(count_scale(count_of(UINT64_MAX), UINT64_MAX, UINT64_MAX) == count_of(UINT64_MAX));
	CHECK(count_scale(2, 1, 3) == 1);
	CHECK(count_scale(1, 1, 2) == 1);
	CHECK(count_scale(1, 1, 3) == 0);
	CHECK(count_scale(COUNT_MAX, 2, 1) == COUNT_MAX);
	CHECK(count_scale(COUNT_MAX, 7, 7) == COUNT_MAX);
	CHECK(count_sum(COUNT_MAX, 1) == COUNT_MAX);
	CHECK(count_round(COUNT_ONE * 5 / 2) == count_of(3));
	CHECK(count_double(COUNT_ONE * 5 / 2) == 2.5);
	return check_done();
}
