/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the registers and the copy of the stack in a sample to the user's side of its callchain, while recording. */
#ifndef FLAMEPIPE_UNWINDING_H
#define FLAMEPIPE_UNWINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/taken.h"
#include "lib/tasks.h"
#include "lib/unwind.h"

/* The call frame information of one object, opened when code of it is first met. */
struct unwinding_object {
	struct elf *elf;
	struct cfi *cfi;
	bool tried;
};

struct unwinding {
	struct unwinder *unwinder;
	const struct symbols *symbols; /* borrowed */
	struct unwinding_object *objects; /* by number in symbols */
	size_t nobjects;
	uint64_t regs_mask;
	const struct task *task; /* of the sample in hand */
	uint64_t nwhole, ncut, nlost; /* chains by how they end */
};

void unwinding_open(struct unwinding *u, const struct symbols *symbols, uint64_t regs_mask);

/* Appends the user's side of the chain of a sample of task to the n entries that are there; at most max in all. Returns how many there are then.
   *truncated tells whether its end is missing. */
uint32_t unwinding_chain(struct unwinding *u, const struct task *task, const struct taken *t, uint64_t *chain,
    uint32_t n, uint32_t max, bool *truncated);

void unwinding_close(struct unwinding *u);

#endif
