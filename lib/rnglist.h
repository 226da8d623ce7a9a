/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Range lists of DWARF 5 in split units, which libdwarf 20210528 does not read. DWARF 5, sections 2.17.3 and 7.28. */
#ifndef FLAMEPIPE_RNGLIST_H
#define FLAMEPIPE_RNGLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/str.h"

struct rnglists {
	struct span lists; /* what the unit has in .debug_rnglists.dwo, header included */
	struct span addrs; /* the addresses that it numbers: .debug_addr from the unit's base on */
	unsigned word; /* size of an address, 4 or 8 */
	bool swap;
};

/* Address number i. False when there is none. */
bool rnglist_address(const struct rnglists *r, uint64_t i, uint64_t *addr);

typedef void rnglist_fn(void *ctx, uint64_t start, uint64_t end);

/* Calls each for the ranges of list number index, relative to base. Stops at damage. */
void rnglist_each(const struct rnglists *r, uint64_t index, uint64_t base, rnglist_fn *each, void *ctx);

#endif
