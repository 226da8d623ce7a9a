/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of input formats: which one an input is in, and reading it. */
#ifndef FLAMEPIPE_READER_H
#define FLAMEPIPE_READER_H

#include <stdbool.h>

#include "fold/sink.h"
#include "lib/input.h"
#include "lib/str.h"

/* One format, in a file read_NAME.c of its own. */
struct reader {
	const char *name; /* for --format and messages, as "perf-script" */
	const char *about; /* what it is, for --help and "taken for ..." */
	/* Does an input that starts with head (its first 64 KiB, fewer when it is shorter; a UTF-8 byte order mark is gone,
	   UTF-16 has been turned into UTF-8) look like this format? Strict: other readers are asked after a no. */
	bool (*probe)(struct span head);
	/* Hands every stack to the sink. False with input_fail() called when a binary or structured input is damaged; what was
	   whole has been handed over by then. Lines of text that are not understood go to sink_bad_line and the rest goes on. */
	bool (*read)(struct input *in, struct sink *sink);
};

/* Each defined in its read_NAME.c; their order, which is the order of probing, is in reader.c. */
extern const struct reader reader_perfdata;
extern const struct reader reader_recording;
extern const struct reader reader_perfsched;
extern const struct reader reader_perfscript;
extern const struct reader reader_bcc;
extern const struct reader reader_bpftrace;
extern const struct reader reader_callgrind;
extern const struct reader reader_chrome;
extern const struct reader reader_ghcprof;
extern const struct reader reader_instruments;
extern const struct reader reader_jfr;
extern const struct reader reader_vsprof;
extern const struct reader reader_vtune;
extern const struct reader reader_wcp;
extern const struct reader reader_xctrace;
extern const struct reader reader_xdebug;
extern const struct reader reader_cpuprofile;
extern const struct reader reader_d3;
extern const struct reader reader_dtrace;
extern const struct reader reader_firefox;
extern const struct reader reader_speedscope;
extern const struct reader reader_eustack;
extern const struct reader reader_faulthandler;
extern const struct reader reader_gdb;
extern const struct reader reader_goraw;
extern const struct reader reader_jstack;
extern const struct reader reader_lldb;
extern const struct reader reader_pmcstat;
extern const struct reader reader_pprof;
extern const struct reader reader_sample;
extern const struct reader reader_stap;
extern const struct reader reader_svg;
extern const struct reader reader_folded;

/* NULL at the end. */
const struct reader *reader_at(unsigned i);

/* By name (--format); NULL when there is none. */
const struct reader *reader_named(const char *name);

/* Reads the whole input into the sink; as reader->read. */
bool reader_read(const struct reader *reader, struct input *in, struct sink *sink);

/* gzip and byte order marks are dealt with, then every reader is asked. NULL when nobody claims the input. */
const struct reader *reader_detect(struct input *in);

#endif
