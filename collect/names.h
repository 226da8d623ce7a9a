/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every place that a sample hit, and what it is called, for the end of the recording: so that it can be read elsewhere. */
#ifndef FLAMEPIPE_NAMES_H
#define FLAMEPIPE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/places.h"
#include "lib/str.h"
#include "lib/symbols.h"
#include "lib/tasks.h"

struct names {
	struct symbols *symbols;
	struct tasks *tasks; /* as the side-band has told so far */
	struct symbol_hit *hits; /* distinct */
	size_t nhits, cap;
	uint32_t *slots; /* number in hits + 1, 0 = free */
	size_t nslots; /* a power of two */
	struct place *places; /* of the chain in hand */
	size_t places_cap;
};

void names_open(struct names *n);

/* Takes note of a side-band record, header included. Records must come in order of time. */
void names_record(struct names *n, struct span record);

/* Notes the places of a chain that the thread has now. */
void names_hit(struct names *n, const struct task *task, const uint64_t *chain, uint32_t nchain);

/* Looks all of them up, and appends the body of a SYMBOLS block; returns how many objects it has. */
uint32_t names_export(struct names *n, struct str *body);

/* Forgets which places were hit. */
void names_reset(struct names *n);

void names_close(struct names *n);

#endif
