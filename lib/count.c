/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts: exact decimal fixed point in 128 bits. */
#include "lib/count.h"

enum { DECIMALS = 12 };

/* a * num / den through a 192-bit product held in three 64-bit limbs. */
u128 count_scale(u128 a, uint64_t num, uint64_t den)
{
	u128 low = (u128)(uint64_t)a * num;
	u128 high = (a >> 64) * num + (low >> 64);
	u128 q1 = high / den;
	u128 rest = (high % den) << 64 | (uint64_t)low;
	u128 q0 = rest / den;
	u128 half_up = rest % den >= den - rest % den;

	return q1 >> 64 ? COUNT_MAX : count_sum(q1 << 64 | q0, half_up);
}

/* Appends a digit to *v; false on overflow. */
static bool push_digit(u128 *v, unsigned digit)
{
	return !__builtin_mul_overflow(*v, (u128)10, v) && !__builtin_add_overflow(*v, (u128)digit, v);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* e[+-]DIGITS at s, the whole of it; an absent one is 0. */
static bool parse_exponent(struct span s, int *exponent)
{
	uint64_t e;
	bool minus;

	*exponent = 0;
	if (!s.n)
		return true;
	if (s.p[0] != 'e' && s.p[0] != 'E')
		return false;
	s.p++, s.n--;
	minus = s.n && s.p[0] == '-';
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s.p++, s.n--;
	if (!span_u64(s, 10, &e))
		return false;
	*exponent = (int)(e < 10000 ? e : 10000);
	if (minus)
		*exponent = -*exponent;
	return true;
}

/* mantissa * 10^shift, rounded to nearest; false on overflow. */
static bool shift_decimal(u128 *mantissa, long shift)
{
	unsigned last = 0;

	for (; shift > 0 && *mantissa; shift--)
		if (!push_digit(mantissa, 0))
			return false;
	for (; shift < 0 && (*mantissa || last); shift++) {
		last = (unsigned)(*mantissa % 10);
		*mantissa /= 10;
	}
	*mantissa += last >= 5;
	return true;
}

bool count_parse(struct span s, u128 *count)
{
	u128 v = 0;
	long fraction = 0;
	bool point = false, digits = false;
	size_t i = 0;
	int exponent;

	for (; i < s.n && (is_digit(s.p[i]) || (s.p[i] == '.' && !point)); i++) {
		if (s.p[i] == '.') {
			point = true;
			continue;
		}
		digits = true;
		if (fraction == 24) /* far past the last digit kept */
			continue;
		if (!push_digit(&v, (unsigned)(s.p[i] - '0')))
			return false;
		fraction += point;
	}
	if (!digits || !parse_exponent((struct span){s.p + i, s.n - i}, &exponent))
		return false;
	if (!shift_decimal(&v, DECIMALS + exponent - fraction))
		return false;
	*count = v;
	return true;
}

/* Writes digits of v backwards before end, at least min of them; a comma before each group of three where asked. */
static char *digits_before(char *end, u128 v, int min, bool commas)
{
	for (int n = 0; v || n < min; n++, v /= 10) {
		if (commas && n && n % 3 == 0)
			*--end = ',';
		*--end = (char)('0' + (int)(v % 10));
	}
	return end;
}

static void add(struct str *out, u128 count, bool commas)
{
	char text[80];
	char *end = text + sizeof text;
	char *start = end;
	u128 fraction = count % COUNT_ONE;

	if (fraction) {
		start = digits_before(end, fraction, DECIMALS, false);
		*--start = '.';
		while (end[-1] == '0')
			end--;
	}
	start = digits_before(start, count / COUNT_ONE, 1, commas);
	str_add(out, start, (size_t)(end - start));
}

void count_add(struct str *out, u128 count)
{
	if (count % COUNT_ONE == 0 && count / COUNT_ONE <= UINT64_MAX)
		str_addu(out, (uint64_t)(count / COUNT_ONE));
	else
		add(out, count, false);
}

void count_add_commas(struct str *out, u128 count)
{
	add(out, count, true);
}

u128 count_round(u128 count)
{
	u128 whole = count / COUNT_ONE;

	return (whole + (count % COUNT_ONE >= COUNT_ONE / 2)) * COUNT_ONE;
}

double count_double(u128 count)
{
	return (double)(count / COUNT_ONE) +
	       (double)(uint64_t)(count % COUNT_ONE) / (double)(uint64_t)COUNT_ONE;
}
