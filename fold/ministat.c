/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of FreeBSD's ministat (after r308329, with its two-pass variance and true median). */
#include "fold/ministat.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fold/points.h"
#include "lib/die.h"
#include "lib/stats.h"

enum { MAX_TABLE_DF = 100, LEAST_VALUES = 3 };

struct ministat {
	struct points_how how;
	struct plot plot;
	double confidence; /* in percent */
	bool no_plot, no_test, quiet;
	const char *names[PLOT_MAX_SETS];
	struct points sets[PLOT_MAX_SETS];
	size_t nsets;
};

/* The one-sided quantiles of the columns of its table. That of 99.5 is really 99.8 two-sided, which is ministat's fault. */
static const struct level {
	double confidence, one_sided;
} levels[] = {{80, .9}, {90, .95}, {95, .975}, {98, .99}, {99, .995}, {99.5, .999}};

/* Where the printed table that it took differs from Student's t to three decimals. */
static double misprint(double confidence, unsigned df)
{
	static const double wrong[] = {[1] = 318.313, [7] = 4.782, 4.499, 4.296, 4.143, 4.024, 3.929};

	return confidence == 99.5 && df < sizeof wrong / sizeof *wrong ? wrong[df] : 0;
}

/* t to three decimals; beyond 100 degrees of freedom the normal distribution's, as there. */
static double table(double confidence, size_t df)
{
	double one_sided = 0, t;

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (levels[i].confidence == confidence)
			one_sided = levels[i].one_sided;
	if (df > MAX_TABLE_DF)
		t = stats_z(2 * one_sided - 1);
	else if (misprint(confidence, (unsigned)df) > 0)
		t = misprint(confidence, (unsigned)df);
	else
		t = stats_t(2 * one_sided - 1, (double)df);
	return round(t * 1000) / 1000;
}

static void print_vitals(const struct points *s, char mark)
{
	printf("%c %3zu %13.8g %13.8g %13.8g %13.8g %13.8g\n", mark, s->n, s->sorted[0], s->sorted[s->n - 1],
	    s->median, s->mean, s->sd);
}

/* The relative error is the delta method's for a ratio of two means with a pooled variance. */
static void print_difference(const struct ministat *m, const struct points *reference, const struct points *s)
{
	double n = (double)s->n, nr = (double)reference->n, df = n + nr - 2;
	double v = s->sd * s->sd, vr = reference->sd * reference->sd;
	double t = table(m->confidence, s->n + reference->n - 2);
	double pooled = sqrt(((n - 1) * v + (nr - 1) * vr) / df);
	double difference = s->mean - reference->mean;
	double error = t * (pooled * sqrt(1 / n + 1 / nr));
	double relative =
	    (n - 1) * v + (nr - 1) * vr * (s->mean * s->mean) / (reference->mean * reference->mean);

	relative = t * sqrt(relative * ((n + nr) / (n * nr * df)));
	if (!(fabs(difference) > error)) {
		printf("No difference proven at %.1f%% confidence\n", m->confidence);
		return;
	}
	printf("Difference at %.1f%% confidence\n\t%g +/- %g\n", m->confidence, difference, error);
	printf("\t%g%% +/- %g%%\n", difference * 100 / reference->mean, relative * 100 / reference->mean);
	printf("\t(Student's t, pooled s = %g)\n", pooled);
}

static void print_plot(const struct ministat *m)
{
	const struct points *sets[PLOT_MAX_SETS];
	struct str text = {0};

	for (size_t i = 0; i < m->nsets; i++)
		sets[i] = &m->sets[i];
	plot_print(&m->plot, sets, m->nsets, &text);
	fputs(text.p, stdout);
	str_release(&text);
}

static void report(const struct ministat *m)
{
	for (size_t i = 0; !m->quiet && i < m->nsets; i++)
		printf("%c %s\n", plot_marks[i + 1], m->names[i]);
	if (!m->no_plot && !m->no_test)
		print_plot(m);
	if (!m->quiet)
		puts("    N           Min           Max        Median           Avg        Stddev");
	for (size_t i = 0; i < m->nsets; i++) {
		print_vitals(&m->sets[i], plot_marks[i + 1]);
		if (i && !m->no_test)
			print_difference(m, &m->sets[0], &m->sets[i]);
	}
}

/* False after a message. Names and statuses are ministat's. */
static bool read_set(struct ministat *m, const char *path)
{
	struct points *s = &m->sets[m->nsets];
	struct input in;
	bool ok;

	if (!input_open(&in, path)) {
		warn("Cannot open %s: %s", path, strerror(errno));
		return false;
	}
	m->names[m->nsets++] = path ? path : "<stdin>";
	ok = points_read(s, &m->how, &in);
	if (!ok)
		warn("Invalid data on line %llu in %s: %s", (unsigned long long)in.err.line, in.name,
		    in.error ? strerror(in.error) : in.err.what);
	else if (s->n < LEAST_VALUES)
		warn("Dataset %s must contain at least 3 data points", in.name);
	input_close(&in);
	points_finish(s);
	return ok && s->n >= LEAST_VALUES;
}

static unsigned long number(const char *text, unsigned long least, unsigned long most, const char *what)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || n < least || n > most || *text == '-')
		die_usage("--ministat: %s '%s'", what, text);
	return n;
}

static double confidence(const char *text)
{
	char *end;
	double c = strtod(text, &end);

	for (size_t i = 0; !*end && i < sizeof levels / sizeof *levels; i++)
		if (levels[i].confidence == c)
			return c;
	die_usage("--ministat: -c has to be 80, 90, 95, 98, 99 or 99.5");
}

static void parse(struct ministat *m, int argc, char **argv)
{
	int letter;

	optind = 0; /* start anew, behind --ministat */
	while ((letter = getopt(argc, argv, "+AC:c:d:nqsw:")) != -1) {
		switch (letter) {
		case 'A':
			m->no_plot = true;
			break;
		case 'C':
			m->how.column =
			    (unsigned)number(optarg, 1, 1000000, "-C has to be a column from 1 on, not");
			break;
		case 'c':
			m->confidence = confidence(optarg);
			break;
		case 'd':
			if (!*optarg)
				die_usage("--ministat: -d has to have a delimiter");
			m->how.delimiters = optarg;
			break;
		case 'n':
			m->no_test = true;
			break;
		case 'q':
			m->quiet = true;
			break;
		case 's':
			m->plot.separate = true;
			break;
		case 'w':
			m->plot.width = number(optarg, 0, 100000, "-w has to be a width, not");
			break;
		default:
			die_usage("--ministat: unknown option or missing argument");
		}
	}
}

int ministat(int argc, char **argv)
{
	struct ministat m = {.how = {1, " \t"}, .confidence = 95, .plot = {.faithful = true}};
	bool ok = true;

	m.plot.width = plot_width();
	parse(&m, argc, argv);
	if (argc - optind > PLOT_MAX_SETS)
		die_usage("--ministat: at most %d files", PLOT_MAX_SETS);
	if (optind == argc)
		ok = read_set(&m, NULL);
	for (int i = optind; ok && i < argc; i++)
		ok = read_set(&m, argv[i]);
	if (ok)
		report(&m);
	for (size_t i = 0; i < m.nsets; i++)
		points_release(&m.sets[i]);
	close_stdout();
	return ok ? 0 : EXIT_USAGE;
}
