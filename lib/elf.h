/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files: sections (decompressed), segments, notes and symbols, from a file or from memory. No size in the file is trusted. */
#ifndef FLAMEPIPE_ELF_H
#define FLAMEPIPE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

struct elf;

enum elf_machine {
	MACHINE_386 = 3,
	MACHINE_ARM = 40,
	MACHINE_X86_64 = 62,
	MACHINE_AARCH64 = 183,
	MACHINE_RISCV = 243
};

/* NULL when path is not a readable regular ELF file. The file is mapped, not read. */
struct elf *elf_open(const char *path);
/* As above from an open file, which stays the caller's and may be closed. */
struct elf *elf_open_fd(int fd);
/* From bytes that outlive what is returned. */
struct elf *elf_open_memory(struct span image);
void elf_close(struct elf *e);

bool elf_is64(const struct elf *e);
bool elf_big_endian(const struct elf *e);
unsigned elf_machine(const struct elf *e);
bool elf_is_relocatable(const struct elf *e); /* .o and .ko: addresses are relative to sections */

/* The GNU build-id; empty when there is none. */
struct span elf_build_id(const struct elf *e);

/* What a place in the file is called by symbols and debug information: false when no segment holds it. */
bool elf_vaddr(const struct elf *e, uint64_t offset, uint64_t *vaddr);
bool elf_offset(const struct elf *e, uint64_t vaddr, uint64_t *offset);
/* Address of the first segment rounded down to a page: what relative addresses (jitdump, perf maps of prelinked files) add to. */
uint64_t elf_base(const struct elf *e);

struct elf_section {
	const char *name; /* of a ".zdebug_x" section: ".debug_x" */
	uint64_t addr, offset, size, entsize, flags; /* size: after decompression */
	uint32_t type, link, info;
};

/* Section 0 is the empty one that ELF has there. */
size_t elf_nsections(const struct elf *e);
const struct elf_section *elf_section(const struct elf *e, size_t i);
/* Number of the first section of this name, 0 when there is none. */
size_t elf_section_named(const struct elf *e, const char *name);
/* The bytes, decompressed (zlib, zstd, .zdebug); valid until elf_close. False when there are none in this file (NOBITS, beyond
   the file's end) or they do not decompress to the size promised. */
bool elf_section_data(struct elf *e, size_t i, struct span *data);

/* .gnu_debuglink and .gnu_debugaltlink: name of the file and, for the former, its CRC, for the latter, its build-id. */
bool elf_debuglink(struct elf *e, struct span *name, uint32_t *crc);
bool elf_debugaltlink(struct elf *e, struct span *name, struct span *build_id);
/* The CRC of a debug file's bytes, as in .gnu_debuglink. */
uint32_t elf_crc(const struct elf *e);

enum elf_binding { BIND_LOCAL, BIND_GLOBAL, BIND_WEAK };

struct elf_symbol {
	const char *name;
	uint64_t addr, size;
	uint64_t section_end; /* the symbol's section ends here */
	enum elf_binding binding;
	bool function; /* typed as one; else a bare label in code */
};

typedef void elf_symbol_fn(void *ctx, const struct elf_symbol *sym);

/* Symbols that name code: functions and labels in executable sections, mapping symbols ($x, $d, .L) left out; first .symtab, or
   .dynsym where there is none, then the PLT's entries as "NAME@plt". Returns how many. Names are valid until elf_close. */
size_t elf_symbols(struct elf *e, elf_symbol_fn *each, void *ctx);
bool elf_has_symtab(const struct elf *e);

#endif
