/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One frame of a stack, as a reader or the symbol look-up knows it, before it becomes text. */
#ifndef FLAMEPIPE_FRAME_H
#define FLAMEPIPE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/str.h"

/* Where the code of a frame comes from. Kept as a field; only the writer of folded lines turns it into _[k] and the like. */
enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_LABEL, /* not code: a separator such as "--", a state, a thread's name */
};

/* Spans are borrowed from whoever made the frame. */
struct frame {
	struct span name; /* empty: unknown */
	struct span module; /* path or [kernel.kallsyms], [vdso], ...; empty: unknown */
	struct span file; /* source file; empty: unknown */
	uint32_t line; /* in file, from 1; 0: unknown */
	enum frame_kind kind;
	bool inlined; /* inlined into the frame that is next towards the root */
	bool has_addr; /* addr is known */
	uint64_t addr; /* as the profiler gave it */
	uint32_t
	    same; /* frames with the same number have the same content (see sink_new_frame); 0: not known */
	uint64_t offset; /* of addr in the function, where the format gives one; 0 otherwise */
};

#endif
