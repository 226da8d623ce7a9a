/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Range lists of DWARF 5, sections 2.17.3 and 7.28. Read here because libdwarf 20210528 frees them twice where they are damaged,
   and does not find those of split units. */
#ifndef FLAMEPIPE_RNGLIST_H
#define FLAMEPIPE_RNGLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/str.h"

struct rnglists {
	struct span lists; /* .debug_rnglists, or what the unit has in .debug_rnglists.dwo */
	uint64_t table; /* where in lists the unit's table of offsets is, after its header */
	struct span addrs; /* the addresses that the unit numbers: .debug_addr from its base on */
	unsigned word; /* size of an address, 4 or 8 */
	bool swap;
};

/* For a split unit, whose table is behind the first header: sets table. */
void rnglist_first_table(struct rnglists *r);

/* The offset of list number i. False when there is none. */
bool rnglist_offset(const struct rnglists *r, uint64_t i, uint64_t *offset);

/* Address number i. False when there is none. */
bool rnglist_address(const struct rnglists *r, uint64_t i, uint64_t *addr);

typedef void rnglist_fn(void *ctx, uint64_t start, uint64_t end);

/* Calls each for the ranges of the list at offset, relative to base. Stops at damage. */
void rnglist_each(const struct rnglists *r, uint64_t offset, uint64_t base, rnglist_fn *each, void *ctx);

#endif
