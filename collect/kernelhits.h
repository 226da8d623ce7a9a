/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's addresses that were hit, and their names for the end of the recording. */
#ifndef FLAMEPIPE_KERNELHITS_H
#define FLAMEPIPE_KERNELHITS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

/* A set of addresses. A zeroed struct is empty. */
struct kernelhits {
	uint64_t *slots; /* 0 = free; cap is a power of two */
	size_t n, cap;
};

/* Adds the kernel's entries of a chain. */
void kernelhits_add(struct kernelhits *k, const uint64_t *chain, uint32_t nchain);

void kernelhits_release(struct kernelhits *k);

#endif
