/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's addresses that were hit. */
#include "collect/kernelhits.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/arena.h"

enum { FIRST_CAP = 4096 };

static size_t slot_of(const struct kernelhits *k, uint64_t addr)
{
	size_t slot = (addr * 0x9e3779b97f4a7c15u) >> 24 & (k->cap - 1);

	while (k->slots[slot] && k->slots[slot] != addr)
		slot = (slot + 1) & (k->cap - 1);
	return slot;
}

static void enlarge(struct kernelhits *k)
{
	struct kernelhits old = *k;

	k->cap = old.cap ? old.cap * 2 : FIRST_CAP;
	k->slots = xcalloc(k->cap, sizeof *k->slots);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i])
			k->slots[slot_of(k, old.slots[i])] = old.slots[i];
	free(old.slots);
}

static void add(struct kernelhits *k, uint64_t addr)
{
	size_t slot;

	if (k->n * 2 >= k->cap)
		enlarge(k);
	slot = slot_of(k, addr);
	k->n += !k->slots[slot];
	k->slots[slot] = addr;
}

void kernelhits_add(struct kernelhits *k, const uint64_t *chain, uint32_t nchain)
{
	for (uint32_t i = 0; i < nchain; i++) {
		if (chain[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			if (chain[i] != (uint64_t)PERF_CONTEXT_KERNEL)
				return; /* the kernel's entries come first */
			continue;
		}
		if (chain[i] >> 63)
			add(k, chain[i]);
	}
}

void kernelhits_release(struct kernelhits *k)
{
	free(k->slots);
	*k = (struct kernelhits){0};
}
