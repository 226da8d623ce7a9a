/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an object with call frame information, unwound with registers and a stack made of the same bytes. */
#include "lib/unwind.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHAIN = 64, NREGS = 33, STACK = 512 };

static bool find(void *ctx, uint64_t addr, struct unwind_code *code)
{
	*code = (struct unwind_code){ctx, addr};
	return addr < 1 << 20;
}

static void walk(const struct cfi *c, unsigned machine, uint64_t abi, uint64_t pc, struct span stack)
{
	struct unwinder *u = unwinder_open((enum elf_machine)machine);
	uint64_t regs[NREGS], chain[CHAIN];
	enum unwind_end end;

	for (int i = 0; i < NREGS; i++)
		regs[i] = i == 8 || i == 32 ? pc : 4096 + (uint64_t)i % 7 * 8;
	if (unwinder_run(u, &(struct unwind_input){abi, ((uint64_t)1 << NREGS) - 1, regs, stack}, find,
		(void *)(uintptr_t)c, chain, CHAIN, &end) > CHAIN)
		__builtin_trap();
	unwinder_close(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span image = {(const char *)data, size};
	struct elf *e = elf_open_memory(image);
	struct cfi *c = e ? cfi_open(e) : NULL;
	size_t n = size < STACK ? size : STACK;
	char *stack = malloc(n ? n : 1);

	memcpy(stack, data + size - n, n);
	/* Addresses where a small library has its code. */
	for (uint64_t pc = 0; c && pc < 8192; pc += 64) {
		struct cfi_row row;

		cfi_row(c, pc, &row);
		if (pc % 512 == 0) {
			walk(c, MACHINE_X86_64, 2, pc, (struct span){stack, n});
			walk(c, MACHINE_386, 1, pc, (struct span){stack, n});
			walk(c, MACHINE_AARCH64, 2, pc, (struct span){stack, n});
		}
	}
	free(stack);
	cfi_close(c);
	elf_close(e);
	return 0;
}
