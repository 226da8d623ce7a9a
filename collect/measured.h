/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What measure found: every event's values over the runs of a command, or of two, and how they are reported. */
#ifndef FLAMEPIPE_MEASURED_H
#define FLAMEPIPE_MEASURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/event.h"
#include "collect/metric.h"
#include "collect/trial.h"
#include "lib/stats.h"
#include "lib/str.h"

enum { MEASURED_MAX_SIDES = 2 };

/* One quantity in every run that counts. */
struct series {
	double *values;
	size_t n, cap;
	enum count_status status; /* COUNT_OK when any run has a value */
	uint64_t enabled, running; /* ns, of all runs */
};

/* A command. elapsed, user and sys are in seconds. */
struct measured_side {
	const char *name; /* "orig", "patched" */
	const char *command; /* as text */
	struct series *events;
	struct series elapsed, user, sys;
	unsigned nruns, nfailed;
	int status; /* the first that was not 0 */
};

struct measured {
	const struct event_list *events;
	struct measured_side sides[MEASURED_MAX_SIDES];
	size_t nsides;
	bool has_command, user_only;
	unsigned nwanted; /* runs asked for, of each side */
	double noise; /* half an interval may be this part of its mean before it is called too noisy */
};

void measured_init(struct measured *m, const struct event_list *events);
/* A side more; texts are borrowed. */
void measured_add_side(struct measured *m, const char *name, const char *command);
void measured_add(struct measured *m, size_t side, const struct trial *t);
void measured_release(struct measured *m);

/* A quantity of one side as it is reported: counts in units people read. */
struct measured_row {
	const char *name, *unit; /* "task-clock", "msec"; unit is "" for plain counts */
	double scale; /* of the values: 1e-6 for ns shown as ms */
	bool whole; /* values are whole numbers */
	const struct series *series;
	struct moments moments; /* scaled */
	double half; /* of the 95% interval of the mean; 0 for one run */
	double running; /* part of the time that it was counted; 1: all */
	bool has_metric;
	struct metric metric;
};

/* Rows of a side: the events, then elapsed, and user and sys where there was a command. The caller frees. */
struct measured_row *measured_rows(const struct measured *m, size_t side, size_t *n);

/* Standard error of the mean in percent of it, as perf prints it; NAN where it says nothing. */
double measured_noise(const struct measured_row *row);

/* How many runs would bring the interval down to what may be; 0 when it is so already, or one run tells nothing. */
double measured_runs_needed(const struct measured *m, const struct measured_row *row);

/* Reports. table adds every run's elapsed time. sep is what stands between fields. */
void measured_print(const struct measured *m, bool table, struct str *out);
void measured_print_versus(const struct measured *m, struct str *out);
void measured_print_csv(const struct measured *m, const char *sep, struct str *out);
void measured_print_json(const struct measured *m, struct str *out);

/* Deltas of counts since the last call, for -I. form is how. */
enum measured_form { FORM_TEXT, FORM_CSV, FORM_JSON };
struct intervals {
	const struct event_list *events;
	enum measured_form form;
	const char *sep;
	struct count *last;
	unsigned nrows; /* printed since the last heading */
};
void intervals_print(struct intervals *v, const struct count *counts, double at_s, struct str *out);

#endif
