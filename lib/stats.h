/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of repeated runs: moments, tests of two samples, intervals, many tests at once. */
#ifndef FLAMEPIPE_STATS_H
#define FLAMEPIPE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mean and spread of what was added, by Welford's method: no cancellation. A zeroed struct is empty. */
struct moments {
	size_t n;
	double mean;
	double m2; /* sum of squared distances from the mean */
	double min, max;
};

void moments_add(struct moments *m, double x);
struct moments moments_of(const double *x, size_t n);
double moments_variance(const struct moments *m); /* over n - 1; 0 for fewer than two */
double moments_sd(const struct moments *m);
double moments_sem(const struct moments *m); /* standard error of the mean */

/* The middle one, or the mean of the two in the middle; sorts x. n > 0. */
double stats_median(double *x, size_t n);

/* Quantiles that leave (1 - confidence) / 2 on each side, confidence in (0, 1): Student's t, and the normal one. */
double stats_t(double confidence, double df);
double stats_z(double confidence);

/* Probability of a value at least as far from 0, on either side. */
double stats_t_p(double t, double df);
double stats_z_p(double z);
/* The same for a ratio of variances with these degrees of freedom, which is 1 when nothing differs. */
double stats_f_p(double ratio, double df1, double df2);

/* b's mean less a's. */
struct difference {
	double diff;
	double se;
	double df;
	double p; /* two-sided; 1 when neither side varies and they are equal, 0 when they are not */
	double half; /* half the width of the interval */
};

/* Welch's test: the two variances need not be equal. Neither variance is taken to be less than its floor (0: none), which keeps
   a few runs that agree by chance from proving anything. a->n, b->n >= 2. */
struct difference stats_welch(
    const struct moments *a, const struct moments *b, double floor_a, double floor_b, double confidence);

/* Interval of b's mean / a's mean - 1 by Fieller's theorem, with the floors as above; false when a's mean cannot be told
   from 0, so that the interval has no ends. */
bool stats_fieller(const struct moments *a, const struct moments *b, double floor_a, double floor_b,
    double confidence, double *low, double *high);

/* The same two for runs made in pairs, so that what changes on the machine meanwhile changes both: Student's test of the
   differences, n - 1 degrees of freedom, and Fieller's interval with the covariance of the pairs. n >= 2. */
struct difference stats_paired(
    const double *a, const double *b, size_t n, double floor_a, double floor_b, double confidence);
bool stats_fieller_paired(const double *a, const double *b, size_t n, double floor_a, double floor_b,
    double confidence, double *low, double *high);

/* Mann and Whitney's test, two-sided and exact, ties included (the permutation distribution of the mid-ranks); beyond
   STATS_EXACT values in all by the normal approximation with corrections for ties and continuity. */
enum { STATS_EXACT = 120 };
double stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb);

/* The smallest p that na values against nb can give. */
double stats_mann_whitney_least(size_t na, size_t nb);

/* Benjamini and Hochberg 1995: q[i] = min over p[j] >= p[i] of p[j] * n / rank(j). dependent: times 1 + 1/2 + ... + 1/n, which
   holds for any dependence (Benjamini and Yekutieli 2001). */
void stats_false_discovery(const double *p, size_t n, bool dependent, double *q);

/* Wilson's interval of a proportion of which share was seen in n independent samples, which may be a fraction of the real
   number where they are not independent. */
void stats_wilson(double share, double n, double confidence, double *low, double *high);

#endif
