/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof's samples have one value for each of the profile's sample types: a count, or an amount of time or memory. */
#ifndef FLAMEPIPE_VALUES_H
#define FLAMEPIPE_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "fold/sink.h"
#include "lib/arena.h"
#include "lib/str.h"

enum { VALUES_MAX = 64 };

/* A zeroed struct has no types. */
struct values {
	struct value_type {
		struct span name, unit;
	} types[VALUES_MAX];
	size_t n;
	size_t preferred; /* the type that is counted unless another is asked for by --event */
	bool begun;
};

/* Hands the stack over with these n values. Types of the same samples that are a count and nanoseconds make one event with both;
   any other type is an event of its own. Values below 0 (of a difference) are counted as damaged. */
void values_add(struct values *v, struct sink *sink, struct stack *stack, const int64_t *values, size_t n);

#endif
