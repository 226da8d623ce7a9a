/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an ELF file: sections, notes, links, symbols, PLT, and what a binary makes of them. */
#include "lib/binary.h"
#include "lib/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t touched;

static void touch(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		touched += (unsigned char)s.p[i];
}

static void see(void *ctx, const struct elf_symbol *sym)
{
	(void)ctx;
	touch(span_of(sym->name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span image = {(const char *)data, size}, a, b;
	struct elf *e = elf_open_memory(image);
	struct binary *bin = binary_open_memory(image);
	uint64_t start, end;
	uint32_t crc;

	if (e) {
		touch(elf_build_id(e));
		if (elf_debuglink(e, &a, &crc))
			touch(a);
		if (elf_debugaltlink(e, &a, &b)) {
			touch(a);
			touch(b);
		}
		for (size_t i = 0; i < elf_nsections(e); i++)
			if (elf_section_data(e, i, &a))
				touch(a);
		elf_symbols(e, see, NULL);
		elf_vaddr(e, 4096, &start);
		elf_offset(e, 4096, &start);
	}
	for (uint64_t at = 0; bin && at < 65536; at += 100) {
		const char *name = binary_symbol(bin, binary_vaddr(bin, at), &start, &end);

		if (name && (start >= end || binary_vaddr(bin, at) < start || binary_vaddr(bin, at) >= end))
			__builtin_trap();
	}
	binary_close(bin);
	elf_close(e);
	return 0;
}
