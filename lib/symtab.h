/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of address ranges: which symbol covers an address, of those that overlap, share a start or have no size. */
#ifndef FLAMEPIPE_SYMTAB_H
#define FLAMEPIPE_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is an empty table. Names are borrowed. */
struct symtab_entry {
	uint64_t addr,
	    end; /* end is exclusive; equal to addr for a symbol whose size is not known, until symtab_finish */
	uint64_t limit; /* a symbol without a size ends here at the latest */
	const char *name;
	uint32_t group; /* the caller's: a module, for instance */
	uint8_t rank; /* of aliases the lowest wins: see symtab_rank */
};

struct symtab {
	struct symtab_entry *items;
	size_t n, cap;
};

enum symtab_binding { SYMTAB_GLOBAL, SYMTAB_WEAK, SYMTAB_LOCAL };

/* Typed functions before labels, then global, weak, local. Among equals a name with fewer leading underscores wins, then the
   longer one, then the first in byte order. */
uint8_t symtab_rank(bool function, enum symtab_binding binding);

void symtab_add(struct symtab *t, const struct symtab_entry *e);

/* Makes the table ready for symtab_find: the innermost symbol with a size covers an address; one without a size reaches to the
   next symbol or its limit, and counts only where none with a size covers it. */
void symtab_finish(struct symtab *t);

/* The same for a list in which a later entry replaces the parts of earlier ones that it overlaps (perf-PID.map). */
void symtab_finish_latest(struct symtab *t);

/* NULL when nothing covers addr. Only after one of the above. */
const struct symtab_entry *symtab_find(const struct symtab *t, uint64_t addr);

void symtab_release(struct symtab *t);

#endif
