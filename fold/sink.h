/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where every reader's stacks go: one place that filters, tidies names, annotates, merges, and counts what it leaves out. */
#ifndef FLAMEPIPE_SINK_H
#define FLAMEPIPE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/options.h"
#include "lib/count.h"
#include "lib/frame.h"
#include "lib/input.h"
#include "lib/str.h"

#define NO_ID INT32_MIN /* a pid, tid or CPU that the format does not tell */

/* For amount.samples: the input's header line has said how many samples there are (sink_header). */
#define SAMPLES_DECLARED COUNT_MAX

/* How much one stack counts. A reader fills in what its format knows. */
struct amount {
	u128
	    weight; /* what the format itself counts by: the default of --weight; the reader names it: sink_fact(s, "weight", ...) */
	u128 samples; /* how many samples this is; 0 stands for COUNT_ONE; see SAMPLES_DECLARED */
	u128 period; /* their periods' sum; 0: not known, then samples are taken for it */
	u128
	    time_us; /* microseconds they stand for; 0: not known, then the period of a clock event is taken for it */
	bool has_time;
	uint64_t time_ns; /* when it was taken, on any clock */
};

/* What a reader hands over. Everything is borrowed for the length of the call. Start from stack_init(). */
struct stack {
	struct span comm; /* becomes the root frame; empty: no such frame */
	struct span event; /* as the format writes it; empty: the format has no events */
	int32_t pid, tid, cpu; /* or NO_ID */
	const struct frame *frames; /* leaf first; names as the format has them, without an offset */
	size_t nframes; /* 0 is a stack that has only its root frames */
	bool
	    verbatim; /* names are final (folded lines, scripting languages): they are escaped and not tidied */
	bool modules; /* this format's habit is MODULE`NAME, which the sink writes unless --no-modules */
	struct amount amount;
};

static inline struct stack stack_init(void)
{
	return (struct stack){.pid = NO_ID, .tid = NO_ID, .cpu = NO_ID};
}

/* What is left out or lost, by reason. All appear in the summary line and the header. */
enum tally {
	TALLY_EVENT, /* of another event */
	TALLY_TASK, /* by -p, -t, -C, --comm */
	TALLY_TIME, /* by --time */
	TALLY_REGEX, /* by --include and --exclude */
	TALLY_COLUMNS, /* with another number of columns */
	TALLY_WEIGHT, /* without the weight that was asked for */
	TALLY_IDLE, /* of a thread that waits, where a format shows all threads */
	TALLY_EARLIER, /* by an earlier fold, as its header line says */
	TALLY_OWN, /* taken of the profiler itself; excluded like those above */
	TALLY_LOST, /* by the kernel, before the recording */
	TALLY_DAMAGED, /* in parts of the input that cannot be read */
	NTALLIES,
};

struct sink;

/* options are borrowed until sink_close. */
struct sink *sink_open(const struct options *options);
void sink_close(struct sink *s);
const struct options *sink_options(const struct sink *s);

/* A new input begins; called by reader_read. */
void sink_begin(struct sink *s);

/* When the input begins, for --timed and --time; without it the time of the first stack is taken. */
void sink_start(struct sink *s, uint64_t time_ns);

/* Counts one stack. */
void sink_add(struct sink *s, const struct stack *stack);

/* The same in two steps, for a reader that recognises a stack as one it has handed over before: sink_stack does the work and
   gives a handle (stack->amount is ignored), which sink_count counts as often as wanted; the handle of a stack that a filter
   leaves out counts it as left out. Two stacks may share a handle only if comm, event, frames and the fields that
   sink_needs names are the same. */
uint32_t sink_stack(struct sink *s, const struct stack *stack);
void sink_count(struct sink *s, uint32_t handle, const struct amount *amount);

/* A number for frame.same, for a reader that meets the same frame again and again: frames that carry it have the same content, and
   their names are made once. Never 0. */
uint32_t sink_new_frame(struct sink *s);

enum { SINK_NEEDS_PID = 1, SINK_NEEDS_TID = 2, SINK_NEEDS_CPU = 4, SINK_NEEDS_TIME = 8 };
unsigned sink_needs(const struct sink *s);

/* Counts a stack in n columns at once, for folded lines with several; stack->amount.weight is ignored. The first stack of all decides how
   many columns there are; stacks with another number are left out, since no column of theirs is known to be the same. */
void sink_add_columns(struct sink *s, const struct stack *stack, const u128 *counts, unsigned n);

/* A fact for the header line (keys in folded(5)). A second, different value drops the key. samples, lost, excluded and event
   are the sink's own; lost and the like are added with sink_tally. */
void sink_fact(struct sink *s, const char *key, struct span value);
void sink_tally(struct sink *s, enum tally which, uint64_t n);
/* Time during which the kernel held sampling back, in ns; added up. */
void sink_throttled(struct sink *s, uint64_t ns);
/* Facts of a header line of another fold: those it adds (lost, excluded, throttled_s) are added, the others are as sink_fact. */
void sink_header(struct sink *s, struct span line);

/* A line of text that is nothing the format knows: counted, the first one is kept to be quoted with its place. */
void sink_bad_line(struct sink *s, const struct input *in, struct span line);
/* The same for a line before the present one. */
void sink_bad_line_at(struct sink *s, const struct input *in, uint64_t number, struct span line);

uint64_t sink_nbad_lines(const struct sink *s);

/* Samples handed over so far, kept or not. */
u128 sink_seen(const struct sink *s);
/* Samples of a tally. */
u128 sink_left_out(const struct sink *s, enum tally which);
/* How many distinct stacks are held. */
size_t sink_nstacks(const struct sink *s);
/* The total of a column. */
u128 sink_total(const struct sink *s, unsigned column);
unsigned sink_ncolumns(const struct sink *s);

/* Every distinct stack in the order of folded(5): frames joined by ';' (escaped), the slice's start in seconds as text (empty
   unless --timed), and one count per column. Spans are valid during the call. */
typedef void sink_each_fn(
    void *ctx, struct span stack, struct span slice, const u128 *counts, unsigned ncolumns);
void sink_each(struct sink *s, sink_each_fn *each, void *ctx);

/* The header line, LF included. */
void sink_print_header(struct sink *s, struct str *out);

/* Header (unless --no-header) and lines to stdout, which the caller closes. */
void sink_print(struct sink *s);

/* One line, without LF, about what was folded and what was not: "1,234 samples in 56 stacks; 7 lost; left out: ...". */
void sink_summary(const struct sink *s, struct str *out);

#endif
