/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callchains of samples that come with registers and a copy of the stack. */
#include "fold/unwinding.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/unwind.h"

enum { ADDRESSES_MAX = 4096 };

/* An unwind_find_fn. */
static bool find(void *ctx, uint64_t addr, struct unwind_code *code)
{
	struct unwinding *u = ctx;
	uint64_t place;
	uint32_t object = tasks_place(u->task, addr, &place);

	if (object == OBJECT_UNKNOWN)
		return false;
	code->cfi = symbols_cfi(u->symbols, object, place, &code->vaddr);
	return true;
}

/* What the recording's machine is, by the mask of registers that it sampled: this machine and its 32-bit kin have the
   instruction pointer where x86 has it, AArch64 has 33 registers. */
static unsigned machine_of(uint64_t regs_mask)
{
	return regs_mask >> 32 & 1 ? MACHINE_AARCH64 : MACHINE_X86_64;
}

static struct unwinder *unwinder_for(struct unwinding *u, unsigned machine)
{
	if (u->unwinder && u->machine != machine) {
		unwinder_close(u->unwinder);
		u->unwinder = NULL;
	}
	if (!u->unwinder)
		u->unwinder = unwinder_open((enum elf_machine)machine);
	u->machine = machine;
	return u->unwinder;
}

/* How many entries of a chain stand before the user's. */
static uint32_t count_others(const struct callchain *chain)
{
	enum perfrec_mode mode = chain->mode;
	uint32_t n = 0;

	while (n < chain->n && chain->entries[n] != CONTEXT_USER &&
	       chain->entries[n] != CONTEXT_USER_DEFERRED &&
	       (mode != MODE_USER || chain->entries[n] >= CONTEXT_FIRST)) {
		if (chain->entries[n] >= CONTEXT_FIRST)
			mode = MODE_UNKNOWN;
		n++;
	}
	return n;
}

struct callchain unwinding_chain(struct unwinding *u, struct symbols *symbols, const struct task *task,
    const struct callchain *chain, const struct user_stack *stack)
{
	struct unwind_input in = {stack->regs_abi, stack->regs_mask, stack->regs, stack->stack};
	uint32_t n = count_others(chain);
	enum unwind_end end;
	size_t got;

	if (u->cap < (size_t)n + 1 + ADDRESSES_MAX) {
		u->cap = (size_t)n + 1 + ADDRESSES_MAX;
		u->entries = xreallocarray(u->entries, u->cap, sizeof *u->entries);
	}
	u->symbols = symbols;
	u->task = task;
	got = unwinder_run(
	    unwinder_for(u, machine_of(in.mask)), &in, find, u, u->entries + n + 1, ADDRESSES_MAX, &end);
	if (!got)
		return *chain;
	if (n)
		memcpy(u->entries, chain->entries, n * sizeof *u->entries);
	u->entries[n] = CONTEXT_USER;
	return (struct callchain){u->entries, n + 1 + (uint32_t)got, chain->mode, chain->exact || n == 0};
}

void unwinding_release(struct unwinding *u)
{
	if (u->unwinder)
		unwinder_close(u->unwinder);
	free(u->entries);
}
