/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the addresses of a callchain to places in objects, by what the thread's process has mapped. */
#ifndef FLAMEPIPE_PLACES_H
#define FLAMEPIPE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/perfrec.h"
#include "lib/symbols.h"
#include "lib/tasks.h"

/* Entries as the kernel gives them, leaf first, with context entries. mode is whose those before the first context entry are;
   exact says that the first one is the sampled instruction itself and not where something returns to. */
struct callchain {
	const uint64_t *entries;
	uint32_t n;
	enum perfrec_mode mode;
	bool exact;
};

struct place {
	uint64_t place, addr; /* addr as the profiler gave it */
	uint32_t object;
	uint32_t kind; /* enum place_kind */
};

/* A frame of a chain before it is known what is mapped at its address. */
struct step {
	uint64_t addr;
	uint16_t mode; /* enum perfrec_mode */
	uint16_t kind; /* enum place_kind */
};

/* The entries of a chain that are frames, leaf first; steps has room for chain->n. Returns how many. */
uint32_t places_steps(const struct callchain *chain, struct step *steps);

struct place places_of_step(const struct task *task, const struct step *step);

/* Both in one. */
uint32_t places_of_chain(const struct task *task, const struct callchain *chain, struct place *places);

#endif
