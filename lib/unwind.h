/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a thread's registers and a copy of the upper end of its stack to its callchain. */
#ifndef FLAMEPIPE_UNWIND_H
#define FLAMEPIPE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cfi.h"
#include "lib/str.h"

/* What the kernel samples with PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER. All is borrowed. */
struct unwind_input {
	uint64_t abi; /* 0 none, 1 32-bit, 2 64-bit */
	uint64_t mask; /* which registers there are, by perf's numbers */
	const uint64_t *regs; /* one a bit of mask */
	struct span stack; /* from the stack pointer upwards */
};

/* The registers to ask the kernel for: those that unwinding follows. 0 for a machine that is not supported. */
uint64_t unwind_regs_mask(enum elf_machine machine);

/* Where an address is. */
struct unwind_code {
	const struct cfi *cfi; /* NULL: code without call frame information; it must outlive the unwinder */
	uint64_t vaddr; /* the address as cfi knows it */
};

/* False when there is no code at addr. */
typedef bool unwind_find_fn(void *ctx, uint64_t addr, struct unwind_code *code);

enum unwind_end {
	UNWIND_WHOLE, /* up to where the process or thread began */
	UNWIND_CUT, /* the next caller stands above the bytes that were copied, or there was no more room in the chain */
	UNWIND_LOST /* the next caller can not be told */
};

/* One thread's unwinder: it remembers rows, so keep it. Not to be shared between threads. Takes no lock and allocates nothing
   after it was opened (about 1.4 MB). */
struct unwinder;
struct unwinder *unwinder_open(enum elf_machine machine);
void unwinder_close(struct unwinder *u);

/* Fills chain, leaf first, with up to max addresses: the instruction pointer, then return addresses (after a signal trampoline,
   the address interrupted). Returns how many; 0 only when there are no registers. Where code has no call frame information the
   frame pointer is followed. Ends after max steps whatever the stack holds, and reads nothing outside of it. */
size_t unwinder_run(struct unwinder *u, const struct unwind_input *in, unwind_find_fn *find, void *ctx,
    uint64_t *chain, size_t max, enum unwind_end *end);

#endif
