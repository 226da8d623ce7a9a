/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of repeated runs; the one includer of Rmath.h. */
#include "lib/stats.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "lib/arena.h"

void moments_add(struct moments *m, double x)
{
	double distance = x - m->mean;

	m->min = m->n == 0 || x < m->min ? x : m->min;
	m->max = m->n == 0 || x > m->max ? x : m->max;
	m->n++;
	m->mean += distance / (double)m->n;
	m->m2 += distance * (x - m->mean);
}

struct moments moments_of(const double *x, size_t n)
{
	struct moments m = {0};

	for (size_t i = 0; i < n; i++)
		moments_add(&m, x[i]);
	return m;
}

double moments_variance(const struct moments *m)
{
	return m->n < 2 ? 0 : m->m2 / (double)(m->n - 1);
}

double moments_sd(const struct moments *m)
{
	return sqrt(moments_variance(m));
}

double moments_sem(const struct moments *m)
{
	return m->n ? sqrt(moments_variance(m) / (double)m->n) : 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(double *x, size_t n)
{
	qsort(x, n, sizeof *x, by_value);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

double stats_t(double confidence, double df)
{
	return qt((1 - confidence) / 2, df, 0, 0);
}

double stats_z(double confidence)
{
	return qnorm((1 - confidence) / 2, 0, 1, 0, 0);
}

double stats_t_p(double t, double df)
{
	return 2 * pt(-fabs(t), df, 1, 0);
}

double stats_z_p(double z)
{
	return 2 * pnorm(-fabs(z), 0, 1, 1, 0);
}

double stats_f_p(double ratio, double df1, double df2)
{
	double below = pf(ratio, df1, df2, 1, 0), above = pf(ratio, df1, df2, 0, 0);

	return 2 * fmin(fmin(below, above), 0.5);
}

/* The variance of a mean, and what Welch and Satterthwaite make of two of them. */
static double variance_of_mean(const struct moments *m, double least)
{
	return fmax(moments_variance(m), least) / (double)m->n;
}

static double satterthwaite(double va, size_t na, double vb, size_t nb)
{
	double v = va + vb;

	if (v <= 0)
		return (double)(na + nb - 2);
	return v * v / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
}

struct difference stats_welch(
    const struct moments *a, const struct moments *b, double floor_a, double floor_b, double confidence)
{
	double va = variance_of_mean(a, floor_a), vb = variance_of_mean(b, floor_b);
	struct difference d = {.diff = b->mean - a->mean, .se = sqrt(va + vb)};

	d.df = satterthwaite(va, a->n, vb, b->n);
	if (d.se > 0)
		d.p = stats_t_p(d.diff / d.se, d.df);
	else
		d.p = d.diff == 0;
	d.half = stats_t(confidence, d.df) * d.se;
	return d;
}

/* Two means with the variances and the covariance of these means. */
struct ratio {
	double a, b, va, vb, cov;
};

/* The ends r solve (b - r a)^2 = t^2 (vb - 2 r cov + r^2 va). */
static bool fieller(const struct ratio *m, double t, double *low, double *high)
{
	double square = m->a * m->a - t * t * m->va;
	double product = m->a * m->b - t * t * m->cov;
	double root = product * product - square * (m->b * m->b - t * t * m->vb);

	if (square <= 0 || root < 0)
		return false;
	*low = (product - sqrt(root)) / square - 1;
	*high = (product + sqrt(root)) / square - 1;
	return true;
}

/* With t at the degrees of freedom of b - r a at the ratio seen. */
bool stats_fieller(const struct moments *a, const struct moments *b, double floor_a, double floor_b,
    double confidence, double *low, double *high)
{
	struct ratio m = {a->mean, b->mean, variance_of_mean(a, floor_a), variance_of_mean(b, floor_b), 0};
	double ratio = b->mean / a->mean;

	if (a->mean == 0)
		return false;
	return fieller(
	    &m, stats_t(confidence, satterthwaite(ratio * ratio * m.va, a->n, m.vb, b->n)), low, high);
}

/* Pairs. */

struct difference stats_paired(
    const double *a, const double *b, size_t n, double floor_a, double floor_b, double confidence)
{
	struct moments m = {0};
	struct difference d = {.df = (double)(n - 1)};

	for (size_t i = 0; i < n; i++)
		moments_add(&m, b[i] - a[i]);
	d.diff = m.mean;
	d.se = sqrt(variance_of_mean(&m, floor_a + floor_b));
	d.p = d.se > 0 ? stats_t_p(d.diff / d.se, d.df) : d.diff == 0;
	d.half = stats_t(confidence, d.df) * d.se;
	return d;
}

bool stats_fieller_paired(const double *a, const double *b, size_t n, double floor_a, double floor_b,
    double confidence, double *low, double *high)
{
	struct moments ma = moments_of(a, n), mb = moments_of(b, n);
	struct ratio m = {
	    ma.mean, mb.mean, variance_of_mean(&ma, floor_a), variance_of_mean(&mb, floor_b), 0};

	for (size_t i = 0; i < n; i++)
		m.cov += (a[i] - ma.mean) * (b[i] - mb.mean) / (double)(n - 1) / (double)n;
	return ma.mean != 0 && fieller(&m, stats_t(confidence, (double)(n - 1)), low, high);
}

/* Mann and Whitney. Ranks are doubled, so that mid-ranks are whole numbers. */

struct ranked {
	double x;
	bool from_a;
	unsigned rank2;
};

static int by_x(const void *a, const void *b)
{
	return by_value(&((const struct ranked *)a)->x, &((const struct ranked *)b)->x);
}

/* Sorted values with their doubled mid-ranks; *ties is the sum of t^3 - t over groups of t equal ones. */
static struct ranked *rank(const double *a, size_t na, const double *b, size_t nb, double *ties)
{
	struct ranked *r = xcalloc(na + nb, sizeof *r);

	*ties = 0;
	for (size_t i = 0; i < na + nb; i++)
		r[i] = (struct ranked){i < na ? a[i] : b[i - na], i < na, 0};
	qsort(r, na + nb, sizeof *r, by_x);
	for (size_t i = 0, end; i < na + nb; i = end) {
		for (end = i + 1; end < na + nb && r[end].x == r[i].x; end++)
			continue;
		*ties += pow((double)(end - i), 3) - (double)(end - i);
		for (size_t j = i; j < end; j++)
			r[j].rank2 = (unsigned)(i + 1 + end);
	}
	return r;
}

/* ways[k * width + s]: in how many ways k of the ranks add up to s. */
static double *count_sums(const struct ranked *r, size_t n, size_t take, size_t width)
{
	double *ways = xcalloc((take + 1) * width, sizeof *ways);

	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1 < take ? i + 1 : take; k > 0; k--)
			for (size_t s = width - 1; s >= r[i].rank2; s--)
				ways[k * width + s] += ways[(k - 1) * width + s - r[i].rank2];
	return ways;
}

/* Twice the smaller tail, as for every test here. */
static double exact_p(const struct ranked *r, size_t n, size_t na, unsigned sum)
{
	size_t width = n * (n + 1) + 1;
	double *ways = count_sums(r, n, na, width);
	const double *of_na = ways + na * width;
	double below = 0, above = 0, all = 0;

	for (size_t s = 0; s < width; s++) {
		all += of_na[s];
		below += s <= sum ? of_na[s] : 0;
		above += s >= sum ? of_na[s] : 0;
	}
	free(ways);
	return fmin(1, 2 * fmin(below, above) / all);
}

static double approximate_p(double u, double na, double nb, double ties)
{
	double n = na + nb;
	double variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = fmax(0, fabs(u - na * nb / 2) - 0.5);

	return variance > 0 ? stats_z_p(distance / sqrt(variance)) : 1;
}

double stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb)
{
	double ties, p;
	struct ranked *r = rank(a, na, b, nb, &ties);
	unsigned sum = 0;

	for (size_t i = 0; i < na + nb; i++)
		sum += r[i].from_a ? r[i].rank2 : 0;
	if (na + nb <= STATS_EXACT)
		p = exact_p(r, na + nb, na, sum);
	else
		p = approximate_p(
		    sum / 2.0 - (double)na * (double)(na + 1) / 2, (double)na, (double)nb, ties);
	free(r);
	return p;
}

double stats_mann_whitney_least(size_t na, size_t nb)
{
	return fmin(1, 2 / choose((double)(na + nb), (double)na));
}

/* Many tests. */

struct ordered {
	double p;
	size_t i;
};

static int by_p(const void *a, const void *b)
{
	return by_value(&((const struct ordered *)a)->p, &((const struct ordered *)b)->p);
}

void stats_false_discovery(const double *p, size_t n, bool dependent, double *q)
{
	struct ordered *o = xcalloc(n, sizeof *o);
	double least = 1, factor = dependent ? 0 : 1;

	for (size_t i = 0; i < n; i++) {
		o[i] = (struct ordered){p[i], i};
		factor += dependent ? 1 / (double)(i + 1) : 0;
	}
	qsort(o, n, sizeof *o, by_p);
	for (size_t i = n; i-- > 0;) {
		least = fmin(least, o[i].p * factor * (double)n / (double)(i + 1));
		q[o[i].i] = least;
	}
	free(o);
}

void stats_wilson(double share, double n, double confidence, double *low, double *high)
{
	double z = stats_z(confidence), z2 = z * z;
	double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	double half = z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));

	*low = n > 0 ? fmax(0, middle - half) : 0;
	*high = n > 0 ? fmin(1, middle + half) : 1;
}
