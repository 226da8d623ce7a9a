/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the addresses of a callchain to places in objects. */
#include "lib/places.h"

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

static struct place place_of(
    struct tasks *tasks, const struct task *task, uint64_t addr, enum perfrec_mode mode, enum place_kind kind)
{
	struct place p = {.kind = addr ? kind : PLACE_EXACT, .addr = addr};
	uint64_t at = p.kind == PLACE_EXACT ? addr : addr - 1;

	if (mode == MODE_KERNEL) {
		p.object = OBJECT_KERNEL;
		p.place = at;
	} else if (mode == MODE_USER) {
		p.object = tasks_place(tasks, task, at, &p.place);
	} else {
		p.object = OBJECT_UNKNOWN;
		p.place = at;
	}
	return p;
}

uint32_t places_of_chain(
    struct tasks *tasks, const struct task *task, const struct callchain *chain, struct place *places)
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
		places[n++] = place_of(tasks, task, entry, mode, kind);
		entered = false;
	}
	return n;
}
