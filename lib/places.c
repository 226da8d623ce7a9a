/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the addresses of a callchain to places in objects. */
#include "lib/places.h"

#include <stdlib.h>

#include "lib/arena.h"

/* Whose the entries after a context entry are; MODE_UNKNOWN for those that nothing can be said about. */
static enum perfrec_mode mode_of(uint64_t context)
{
	switch (context) {
	case CONTEXT_KERNEL:
		return MODE_KERNEL;
	case CONTEXT_USER:
		return MODE_USER;
	case CONTEXT_HYPERVISOR:
		return MODE_HYPERVISOR;
	case CONTEXT_GUEST_KERNEL:
		return MODE_GUEST_KERNEL;
	case CONTEXT_GUEST:
	case CONTEXT_GUEST_USER:
		return MODE_GUEST_USER;
	default:
		return MODE_UNKNOWN;
	}
}

uint32_t places_steps(const struct callchain *chain, struct step *steps)
{
	enum perfrec_mode mode = chain->mode;
	bool entered = false; /* the next entry is the first one of its context */
	uint32_t n = 0;

	for (uint32_t i = 0; i < chain->n; i++) {
		uint64_t entry = chain->entries[i];
		enum place_kind kind = n == 0 && chain->exact ? PLACE_EXACT
				       : entered	      ? PLACE_ENTRY
							      : PLACE_RETURN;

		if (entry >= CONTEXT_FIRST) {
			mode = mode_of(entry);
			entered = true;
			i += entry == CONTEXT_USER_DEFERRED; /* a cookie follows */
			continue;
		}
		steps[n++] = (struct step){entry, (uint16_t)mode, (uint16_t)(entry ? kind : PLACE_EXACT)};
		entered = false;
	}
	return n;
}

struct place places_of_step(const struct task *task, const struct step *step)
{
	struct place p = {.kind = step->kind, .addr = step->addr};
	uint64_t at = step->kind == PLACE_EXACT ? step->addr : step->addr - 1;

	if (step->mode == MODE_KERNEL) {
		p.object = OBJECT_KERNEL;
		p.place = at;
	} else if (step->mode == MODE_USER) {
		p.object = tasks_place(task, at, &p.place);
	} else {
		p.object = OBJECT_UNKNOWN;
		p.place = at;
	}
	return p;
}

uint32_t places_of_chain(const struct task *task, const struct callchain *chain, struct place *places)
{
	enum { AT_ONCE = 64 };
	struct step few[AT_ONCE],
	    *steps = chain->n <= AT_ONCE ? few : xreallocarray(NULL, chain->n, sizeof *steps);
	uint32_t n = places_steps(chain, steps);

	for (uint32_t i = 0; i < n; i++)
		places[i] = places_of_step(task, &steps[i]);
	if (steps != few)
		free(steps);
	return n;
}
