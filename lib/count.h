/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts: exact decimal fixed point in 128 bits, 12 digits after the point, so that sums past 2^64 and decimals lose nothing. */
#ifndef FLAMEPIPE_COUNT_H
#define FLAMEPIPE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/str.h"

/* A count in units of 10^-12; the largest is about 3.4 * 10^26. */
__extension__ typedef unsigned __int128 u128;

#define COUNT_ONE ((u128)1000000000000u)
#define COUNT_MAX (~(u128)0)

static inline u128 count_of(uint64_t n)
{
	return n * COUNT_ONE;
}

/* a + b, or COUNT_MAX where that would overflow. */
static inline u128 count_sum(u128 a, u128 b)
{
	u128 s;

	return __builtin_add_overflow(a, b, &s) ? COUNT_MAX : s;
}

/* a * num / den rounded to nearest, exact as long as the result fits, COUNT_MAX where not. den must not be 0. */
u128 count_scale(u128 a, uint64_t num, uint64_t den);

/* The whole of s: DIGITS[.DIGITS][e[+-]DIGITS], or .DIGITS: no sign, no blanks, no inf or nan. Digits past the twelfth
   after the point are rounded to nearest. False when s is not such a number or does not fit. */
bool count_parse(struct span s, u128 *count);

/* Shortest exact decimal form: "7", "0.5"; with commas between groups of three digits before the point: "1,234.5". */
void count_add(struct str *out, u128 count);
void count_add_commas(struct str *out, u128 count);

/* Nearest whole number, halves up: what titles show. */
u128 count_round(u128 count);

/* For layout and statistics only. */
double count_double(u128 count);

#endif
