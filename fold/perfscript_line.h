/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of `perf script`: what it is and what it says. Spans are borrowed from the line. */
#ifndef FLAMEPIPE_PERFSCRIPT_LINE_H
#define FLAMEPIPE_PERFSCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/frame.h"
#include "lib/str.h"

struct perfscript_header {
	struct span comm; /* empty where the column is absent */
	struct span event; /* empty where absent */
	int32_t pid, tid, cpu; /* or NO_ID; a single number is the tid, as perf prints it by default */
	uint64_t period; /* 0 where absent */
	bool has_time;
	uint64_t time_ns;
	bool unsure; /* nothing but words: a header only if frames follow */
	bool sideband; /* a line of --show-mmap-events and the like, which is no sample */
	uint64_t lost; /* samples that such a line says were lost */
	struct span
	    rest; /* after the event: a tracepoint's fields, or the only frame of a sample without a call graph */
};

/* What was found in the lines before: tasks and events repeat. Zeroed is a start. */
enum { PERFSCRIPT_TASKS = 1024, PERFSCRIPT_EVENT = 64 };

struct perfscript_memo {
	struct perfscript_task {
		uint64_t key; /* hash of what stands before the time; 0: free */
		uint16_t comm_at, comm_n; /* in these bytes */
		int32_t pid, tid, cpu;
	} tasks[PERFSCRIPT_TASKS];
	char event[PERFSCRIPT_EVENT]; /* of the line before */
	size_t nevent;
};

/* "comm pid/tid [cpu] time: period event: ...": found by its time, which stands to the right of a comm that may hold anything. */
bool perfscript_header(struct span line, struct perfscript_memo *memo, struct perfscript_header *h);

/* The same without a time: words, the pid, the event, whatever perf script -F left. */
bool perfscript_bare_header(struct span line, struct perfscript_header *h);

/* "ADDRESS NAME+OFFSET (MODULE)" after blanks: address and name may be absent after a tab, the module where address and blanks
   are as wide as perf makes them. */
bool perfscript_frame(struct span line, struct frame *f);

/* A frame that stands behind the event on the header line. A tracepoint's fields may end in brackets too: the address is
   right-aligned in 16 columns. */
bool perfscript_inline_frame(struct span rest, struct frame *f);

/* "  FILE:LINE", or what stands in its place where it is not known (then *file is empty). */
bool perfscript_source(struct span line, struct span *file, uint32_t *number);

#endif
