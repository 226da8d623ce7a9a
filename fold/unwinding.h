/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that come with registers and a copy of the stack: their callchains. */
#ifndef FLAMEPIPE_UNWINDING_H
#define FLAMEPIPE_UNWINDING_H

#include <stdint.h>

#include "lib/places.h"
#include "lib/str.h"
#include "lib/symbols.h"
#include "lib/tasks.h"

/* The user's registers and stack, borrowed. */
struct user_stack {
	uint64_t regs_abi, regs_mask;
	const uint64_t *regs;
	struct span stack;
};

/* A zeroed struct is a start. */
struct unwinding {
	struct unwinder *unwinder;
	unsigned machine; /* that unwinder is for */
	struct symbols *symbols; /* borrowed, as are all of the following; for the sample in hand */
	const struct task *task;
	uint64_t *entries; /* of the chain made last */
	size_t cap;
};

/* The chain with its user's part, if it has one, replaced by what the stack tells. What is returned is valid until the next
   call. The chain itself when nothing can be made of the stack. */
struct callchain unwinding_chain(struct unwinding *u, struct symbols *symbols, const struct task *task,
    const struct callchain *chain, const struct user_stack *stack);

void unwinding_release(struct unwinding *u);

#endif
