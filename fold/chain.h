/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks in the making: frame by frame, or as the way to a row of a call tree. */
#ifndef FLAMEPIPE_CHAIN_H
#define FLAMEPIPE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/sink.h"
#include "lib/arena.h"
#include "lib/count.h"
#include "lib/frame.h"
#include "lib/intern.h"

/* Of longer stacks, the last frame is [truncated]. */
enum { CHAIN_MAX_FRAMES = 65536 };

/* Frames in the order they were pushed, with copies of their texts. A zeroed struct is empty. */
struct chain {
	struct frame *frames;
	size_t n, cap;
	struct arena text;
};

void chain_push(struct chain *c, const struct frame *f);
/* The same for texts that outlive the chain: they are not copied. */
void chain_refer(struct chain *c, const struct frame *f);
/* A copy of s that lives until chain_reset. */
struct span chain_copy(struct chain *c, struct span s);
/* Turns the order of the frames around. */
void chain_reverse(struct chain *c);
void chain_reset(struct chain *c);
void chain_release(struct chain *c);

/* The chain, leaf first, counts as n samples: fills in stack's frames and amount and hands it over. */
void chain_add(struct chain *c, struct sink *sink, struct stack *stack, u128 n);

/* Small inputs can hold many deep stacks that differ only at their ends: nested rows. So that they don't take hours, an input has
   frames in proportion to its bytes, far more than profiles need; when it has handed these over, its further stacks are cut to
   the innermost frames and marked [truncated]. */
enum { WORK_BASE = 1 << 24, WORK_PER_BYTE = 8, WORK_SHORT = 64 };

struct work {
	const struct input *in; /* what has been read of it is what counts */
	uint64_t frames; /* handed over */
};

/* How many frames of a stack of n may be handed over: n, or at most WORK_SHORT when the input has used up what it has. */
size_t work_most(const struct work *w, size_t n);

/* A call tree that is written as nested rows. With inclusive counts (of a row and all rows nested in it) what a row's count
   exceeds those of its inner rows by is the count of the stack that ends there, and is handed over when the row is left. */
struct path {
	struct sink *sink;
	struct work work;
	struct stack stack; /* what all have in common; frames and amount are filled in */
	bool from_leaf; /* the outermost row is the leaf and its inner rows are callers */
	unsigned us; /* microseconds that a count of 1 is; 0: counts are samples */
	struct frame *frames; /* outermost first */
	struct frame *turned; /* the same, innermost first */
	u128 *left; /* of each row's count, not yet seen in inner rows */
	size_t n, frames_cap, turned_cap, left_cap;
	struct intern names; /* texts of all frames */
};

/* What a row's names are copied to; valid until path_release. */
struct span path_copy(struct path *p, struct span s);

/* Rows nested deeper are refused: each may hand over a stack as long as the way to it. */
enum { PATH_MAX_DEPTH = 8192 };

/* Steps to a row nested in depth others, leaving rows that are not around it. f is copied but for its texts. False, with only the
   leaving done, when there are not so many rows around it, its count is more than what is left of the row around it, or it is
   nested too deep. */
bool path_enter(struct path *p, size_t depth, const struct frame *f, u128 inclusive);

/* Counts the stack that ends at the present row, for formats that give each row its own count. */
void path_self(struct path *p, u128 count);

/* Leaves rows until depth of them are left. */
void path_leave(struct path *p, size_t depth);

void path_release(struct path *p);

#endif
