/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program or library that was mapped: finding the right file, the separate debug file that belongs to it, and its symbols. */
#ifndef FLAMEPIPE_BINARY_H
#define FLAMEPIPE_BINARY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/cfi.h"
#include "lib/dwarf.h"
#include "lib/elf.h"
#include "lib/str.h"

/* Where to look. Zeroed is the default. */
struct binary_search {
	const char *symfs; /* put before every path; NULL or "" is none */
	const char *debug_dir; /* NULL: /usr/lib/debug */
	bool
	    foreign; /* the processes did not run here: no /proc/PID and no files without a build-id that proves them */
};

struct binary;

/* The file that was mapped as path by pid (0: not known). With a build-id (n == 0: not known) only a file that has it will do.
   NULL when there is neither the file nor a debug file. */
struct binary *binary_open(
    const struct binary_search *where, struct span path, struct span build_id, uint32_t pid);
/* From memory that stays (the vdso). */
struct binary *binary_open_memory(struct span image);
void binary_close(struct binary *b);

/* The files, for debug information; either may be NULL. */
struct elf *binary_elf(const struct binary *b);
struct elf *binary_debug(const struct binary *b);
/* Where the debug information is: the debug file, else the file itself; and its path. */
const char *binary_path(const struct binary *b);
const char *binary_debug_path(const struct binary *b);

/* Call frame information of the file; NULL when there is none. */
const struct cfi *binary_cfi(struct binary *b);

/* The address by which symbols and debug information know a place in the file. */
uint64_t binary_vaddr(const struct binary *b, uint64_t offset);

/* The linker's name of the function at a vaddr, and the vaddrs it covers; NULL when no symbol does. */
const char *binary_symbol(struct binary *b, uint64_t vaddr, uint64_t *start, uint64_t *end);

/* Debug information of the debug file or of the file itself, opened when it is first asked for; NULL when there is none. */
struct dwarf *binary_dwarf(struct binary *b, const char *debug_dir);

#endif
