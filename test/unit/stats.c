/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/stats: against closed forms, small enumerations and published examples. */
#include "lib/stats.h"

#include <math.h>

#include "test/unit/check.h"

#define NELEMS(x) (sizeof(x) / sizeof *(x))

static bool near(double got, double want, double relative)
{
	bool good = fabs(got - want) <= relative * fabs(want);

	if (!good)
		printf("# got %.12g, want %.12g\n", got, want);
	return good;
}

static void check_moments(void)
{
	/* 50 standard deviations apart at 10^9, where sums of squares lose everything. */
	double x[] = {1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.3}, even[] = {4, 1, 3, 2};
	struct moments m = moments_of(x, 3), one = moments_of(x, 1);

	CHECK(near(moments_sd(&m), 0.1, 1e-6));
	CHECK(near(moments_sem(&m), 0.1 / sqrt(3), 1e-6));
	CHECK(m.min == x[0] && m.max == x[2] && m.n == 3);
	CHECK(moments_variance(&one) == 0);
	CHECK(stats_median(even, 4) == 2.5);
	CHECK(stats_median(even, 3) == 2);
}

/* With one degree of freedom Student's t is Cauchy's, with two it has a closed form; F with 2 and 2 is 1/(1+x). */
static void check_distributions(void)
{
	CHECK(near(stats_t(0.95, 1), tan(M_PI * 0.475), 1e-12));
	CHECK(near(stats_t_p(3, 1), 1 - 2 * atan(3) / M_PI, 1e-12));
	CHECK(near(stats_t_p(-3, 2), 1 - 3 / sqrt(11), 1e-12));
	CHECK(near(stats_t(0.95, 18), 2.100922040, 1e-9));
	CHECK(near(stats_t(0.95, 3.5), 2.940088638, 1e-9));
	CHECK(near(stats_t(0.95, 9.007), 2.261889196, 1e-9));
	CHECK(near(stats_z(0.95), 1.959963985, 1e-9));
	CHECK(near(stats_z_p(2.76412063), 0.0057076434, 1e-7));
	CHECK(near(stats_f_p(19, 2, 2), 2 / 20.0, 1e-12));
	CHECK(near(stats_f_p(1 / 19.0, 2, 2), 2 / 20.0, 1e-12));
	CHECK(near(stats_f_p(1, 5, 5), 1, 1e-12));
}

/* The two animals of ministat's manual page. */
static void check_welch(void)
{
	double iguana[] = {50, 200, 150, 400, 750, 400, 150};
	double chameleon[] = {150, 400, 720, 500, 930};
	struct moments a = moments_of(iguana, 7), b = moments_of(chameleon, 5), flat = {.n = 3, .mean = 2};
	struct moments higher = {.n = 3, .mean = 3};
	struct difference d = stats_welch(&a, &b, 0, 0, 0.95), same = stats_welch(&flat, &flat, 0, 0, 0.95);

	CHECK(near(d.diff / d.se, 1.488839531, 1e-9));
	CHECK(near(d.df, 7.425428321, 1e-9));
	CHECK(near(d.p, 0.1777218415, 1e-9));
	CHECK(near(d.half, 376.7931758, 1e-9));
	CHECK(same.p == 1 && same.half == 0);
	CHECK(stats_welch(&flat, &higher, 0, 0, 0.95).p == 0);
	/* A floor of 3 a value makes the standard error sqrt(3/3 + 3/3), with 4 degrees of freedom. */
	d = stats_welch(&flat, &higher, 3, 3, 0.95);
	CHECK(near(d.se, sqrt(2), 1e-12) && near(d.df, 4, 1e-12));
}

static void check_fieller(void)
{
	struct moments a = {.n = 10, .mean = 88.577, .m2 = 9 * 15.100031 * 15.100031};
	struct moments b = {.n = 10, .mean = 60.179, .m2 = 9 * 0.29957192 * 0.29957192};
	struct moments sure = {.n = 10, .mean = 100}, wide = {.n = 10, .mean = 1, .m2 = 9 * 100};
	double low, high, t;

	CHECK(stats_fieller(&a, &b, 0, 0, 0.95, &low, &high));
	/* The ends solve (b - r a)^2 = t^2 (vb + r^2 va). */
	t = fabs(b.mean - (1 + low) * a.mean) /
	    sqrt(0.29957192 * 0.29957192 / 10 + (1 + low) * (1 + low) * 15.100031 * 15.100031 / 10);
	CHECK(near(t, stats_t(0.95, 9.03), 1e-3));
	CHECK(low < b.mean / a.mean - 1 && b.mean / a.mean - 1 < high);
	/* A reference without an error: the difference's interval divided by it. */
	CHECK(stats_fieller(&sure, &b, 0, 0, 0.95, &low, &high));
	CHECK(near(high - low, 2 * stats_t(0.95, 9) * 0.29957192 / sqrt(10) / 100, 1e-9));
	CHECK(!stats_fieller(&wide, &b, 0, 0, 0.95, &low, &high));
}

/* Student's sleep data, 1908: two drugs, ten patients, in pairs. */
static void check_paired(void)
{
	double a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
	double b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	double x[] = {19, 20, 21}, twice[] = {38, 40, 42}, low, high;
	struct difference d = stats_paired(a, b, 10, 0, 0, 0.95);

	CHECK(near(d.diff, 1.58, 1e-12) && d.df == 9);
	CHECK(near(d.diff / d.se, 4.0621277, 1e-7));
	CHECK(near(d.p, 0.0028328902, 1e-7));
	CHECK(near(d.diff - d.half, 0.70011, 1e-4) && near(d.diff + d.half, 2.45989, 1e-4));
	/* Twice as much in every pair, however they scatter: a ratio without an error. */
	CHECK(stats_fieller_paired(x, twice, 3, 0, 0, 0.95, &low, &high));
	CHECK(near(low, 1, 1e-6) && near(high, 1, 1e-6));
}

static void check_mann_whitney(void)
{
	double a[] = {.0412, .0398, .0421, .0405, .0417}, b[] = {.0447, .0439, .0461, .0452, .0433};
	double odd[] = {1, 3, 5}, even[] = {2, 4, 6}, tied[] = {1, 1, 2}, later[] = {2, 3, 3};
	double same[] = {7, 7, 7};

	CHECK(near(stats_mann_whitney(a, 5, b, 5), 2 / 252.0, 1e-12));
	CHECK(near(stats_mann_whitney_least(5, 5), 2 / 252.0, 1e-12));
	CHECK(near(stats_mann_whitney_least(10, 10), 1.0825e-5, 1e-4));
	/* Of the 20 ways to choose 3 of 6 ranks, 7 have a sum of at most 9: 123 124 125 134 126 135 234. */
	CHECK(near(stats_mann_whitney(odd, 3, even, 3), 14 / 20.0, 1e-12));
	/* Doubled mid-ranks 3 3 8 | 8 11 11: 3+3+8 in 2 of the 20 ways, nothing below. */
	CHECK(near(stats_mann_whitney(tied, 3, later, 3), 4 / 20.0, 1e-12));
	CHECK(stats_mann_whitney(same, 3, same, 3) == 1);
}

/* The textbook's normal approximation, with the pairs counted one by one. */
static double by_pairs(const double *a, size_t na, const double *b, size_t nb)
{
	double u = 0, n = (double)na, m = (double)nb;

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			u += a[i] > b[j];
	return stats_z_p((fabs(u - n * m / 2) - 0.5) / sqrt(n * m * (n + m + 1) / 12));
}

static void check_large(void)
{
	double a[61], b[60];

	for (int i = 0; i < 61; i++)
		a[i] = 2 * i;
	for (int i = 0; i < 60; i++)
		b[i] = 2 * i + 21;
	CHECK(near(stats_mann_whitney(a, 60, b, 60), by_pairs(a, 60, b, 60), 0.1)); /* exact */
	CHECK(near(stats_mann_whitney(a, 61, b, 60), by_pairs(a, 61, b, 60), 1e-12)); /* beyond it */
}

static void check_false_discovery(void)
{
	double p[] = {.001, .008, .039, .041, .042, .06, .074, .205, .212, .216, .222, .251, .269, .275, .34,
	    .341, .384, .569, .594, .696, .762, .94, .942, .975, .986};
	double want[] = {.025, .1, .21, .21, .21, .25, .264286, .491071};
	double q[NELEMS(p)], y[NELEMS(p)], harmonic = 0;
	bool good = true, dependent = true;

	stats_false_discovery(p, NELEMS(p), false, q);
	for (size_t i = 0; i < NELEMS(want); i++)
		good &= near(q[i], want[i], 2e-6);
	CHECK(good);
	stats_false_discovery(p, NELEMS(p), true, y);
	for (size_t i = 1; i <= NELEMS(p); i++)
		harmonic += 1 / (double)i;
	for (size_t i = 0; i < NELEMS(want); i++)
		dependent &= near(y[i], fmin(1, q[i] * harmonic), 1e-12);
	CHECK(dependent);
}

static void check_wilson(void)
{
	double low, high;

	stats_wilson(412 / 10000.0, 10000, 0.95, &low, &high);
	CHECK(near(low, .03747747, 1e-6) && near(high, .04527489, 1e-6));
	stats_wilson(0, 0, 0.95, &low, &high);
	CHECK(low == 0 && high == 1);
}

int main(void)
{
	check_moments();
	check_distributions();
	check_welch();
	check_fieller();
	check_paired();
	check_mann_whitney();
	check_large();
	check_false_discovery();
	check_wilson();
	return check_done();
}
