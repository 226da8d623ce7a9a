/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user asked of the sink and of the readers. A zeroed struct is the default of everything. */
#ifndef FLAMEPIPE_OPTIONS_H
#define FLAMEPIPE_OPTIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"
#include "lib/symbols.h"

enum weight { WEIGHT_DEFAULT, WEIGHT_SAMPLES, WEIGHT_PERIOD, WEIGHT_TIME };
enum by { BY_PID = 1, BY_TID, BY_CPU, BY_COMM, BY_EVENT };

enum { OPTIONS_MAX_BY = 5 };

/* A growing list of texts, numbers or expressions given with one option after the other. */
struct span_list {
	struct span *items;
	size_t n, cap;
};

struct range_list { /* -p 12,15 and -C 0-3 */
	struct range {
		int64_t first, last;
	} * items;
	size_t n, cap;
};

struct regex_list {
	regex_t *items;
	size_t n, cap;
};

struct options {
	/* The root frames. */
	bool pid, tid; /* comm-PID, comm-PID/TID */
	enum by by[OPTIONS_MAX_BY]; /* root frames in this order */
	unsigned nby;

	/* The frames. */
	bool kernel, jit,
	    inlined; /* write _[k], _[j] (--all sets both); _[i] for inlined frames from debug information */
	bool addrs, srcline, context, includeoffset, no_modules, no_tidy, merge_recursive;
	struct span_list skip_after;
	size_t max_depth; /* 0: no limit */

	/* Which stacks. */
	struct range_list pids, tids, cpus;
	struct span_list comms, events;
	bool has_time;
	uint64_t time_from_ns, time_to_ns; /* [from, to) since the first sample */
	struct regex_list include, exclude;

	/* How they are counted and written. */
	enum weight weight;
	bool timed;
	uint64_t slice_ns; /* width of a slice of --timed */
	bool no_header;

	/* Where the names of binary profiles come from; inlines and lines are set by what frames are to show. */
	struct symbols_options symbols;
};

/* The options that every program reading profiles shares, for getopt_long and --help. Codes are short option letters, or above
   every char. */
struct option_row {
	const char *name;
	int code;
	const char *arg; /* what --help calls it, "[...]" where it may be absent; NULL: none */
	const char *help;
};

extern const struct option_row options_rows[];
extern const size_t options_nrows;

/* Takes one option that getopt_long returned; false when it is none of options_rows. *why is set to what is wrong with its
   argument, or NULL. Texts are borrowed. */
bool options_take(struct options *o, int code, const char *arg, const char **why);

void options_release(struct options *o);

/* Builds the tables of getopt_long from rows: *longs has n rows and an end, *shorts the letters. The caller frees both. */
struct option;
void options_tables(const struct option_row *rows, size_t n, struct option **longs, char **shorts);

/* Prints rows as --help does. */
void options_help(const struct option_row *rows, size_t n);

#endif
