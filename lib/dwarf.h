/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug information of one object: the functions, inlined ones included, and the source lines at an address. DWARF 2 to 5, split
   units (.dwo, .dwp) and dwz's alternate files, through libdwarf. Units are read when an address in them is asked for. */
#ifndef FLAMEPIPE_DWARF_H
#define FLAMEPIPE_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/elf.h"
#include "lib/frame.h"

struct dwarf;

/* Where else to look for parts of the debug information. */
struct dwarf_search {
	const char *path; /* of the file that e is; NULL: not known */
	const char *debug_dir; /* NULL: /usr/lib/debug */
};

/* NULL when e, which must outlive what is returned, has no debug information. Texts of where are copied. */
struct dwarf *dwarf_open(struct elf *e, const struct dwarf_search *where);
void dwarf_close(struct dwarf *d);

/* What is at an address. */
struct dwarf_place {
	/* Innermost inlined function first, the function that has code of its own last, with name (the linker's where it has
	   one; empty: unknown), file, line and inlined; at least one. Valid until the next dwarf_look_up, names and files until
	   dwarf_close. */
	const struct frame *frames;
	size_t n;
	uint64_t start, end; /* the same answer holds for all addresses from start to before end */
};

/* False when debug information says nothing about vaddr; then only place->start and end are set. Not for several threads at once. */
bool dwarf_look_up(struct dwarf *d, uint64_t vaddr, struct dwarf_place *place);

#endif
