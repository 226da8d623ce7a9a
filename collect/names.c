/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every place that a sample hit, and what it is called. */
#include "collect/names.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/perfrec.h"

enum { FIRST_SLOTS = 16384 };

void names_open(struct names *n)
{
	const struct symbols_options options = {.inlines = true, .lines = true, .no_demangle = true};

	*n = (struct names){.symbols = symbols_open(&options)};
	n->tasks = tasks_open(n->symbols);
}

void names_record(struct names *n, struct span record)
{
	struct perfrec rec;
	size_t size;

	if (perfrec_parse(record, false, &rec, &size))
		tasks_record(n->tasks, &rec, false);
}

static size_t slot_of(const struct names *n, const struct symbol_hit *hit)
{
	uint64_t key =
	    hit->place * 0x9e3779b97f4a7c15u ^ ((uint64_t)hit->object << 2 | hit->kind) * 0xc2b2ae3d27d4eb4fu;
	size_t slot = (key >> 20) & (n->nslots - 1);

	while (n->slots[slot]) {
		const struct symbol_hit *h = &n->hits[n->slots[slot] - 1];

		if (h->place == hit->place && h->object == hit->object && h->kind == hit->kind)
			break;
		slot = (slot + 1) & (n->nslots - 1);
	}
	return slot;
}

static void enlarge(struct names *n)
{
	free(n->slots);
	n->nslots = n->nslots ? 2 * n->nslots : FIRST_SLOTS;
	n->slots = xcalloc(n->nslots, sizeof *n->slots);
	for (size_t i = 0; i < n->nhits; i++)
		n->slots[slot_of(n, &n->hits[i])] = (uint32_t)i + 1;
}

static void add(struct names *n, struct symbol_hit hit)
{
	size_t slot;

	if (2 * n->nhits >= n->nslots)
		enlarge(n);
	slot = slot_of(n, &hit);
	if (n->slots[slot])
		return;
	n->hits = grow(n->hits, n->nhits, &n->cap, sizeof *n->hits);
	n->hits[n->nhits++] = hit;
	n->slots[slot] = (uint32_t)n->nhits;
	symbols_hold(n->symbols, hit.object);
}

void names_hit(struct names *n, const struct task *task, const uint64_t *chain, uint32_t nchain)
{
	const struct callchain entries = {chain, nchain, MODE_UNKNOWN, true};
	uint32_t nplaces;

	if (n->places_cap < nchain) {
		n->places_cap = nchain;
		n->places = xreallocarray(n->places, nchain, sizeof *n->places);
	}
	nplaces = places_of_chain(task, &entries, n->places);
	for (uint32_t i = 0; i < nplaces; i++)
		if (n->places[i].object != OBJECT_UNKNOWN)
			add(n, (struct symbol_hit){n->places[i].object, (enum place_kind)n->places[i].kind,
				   n->places[i].place});
}

uint32_t names_export(struct names *n, struct str *body)
{
	return symbols_export(n->symbols, n->hits, n->nhits, body);
}

void names_reset(struct names *n)
{
	n->nhits = 0;
	if (n->nslots)
		memset(n->slots, 0, n->nslots * sizeof *n->slots);
}

void names_close(struct names *n)
{
	tasks_close(n->tasks);
	symbols_close(n->symbols);
	free(n->hits);
	free(n->places);
	free(n->slots);
}
