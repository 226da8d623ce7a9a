/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each distinct byte string once, known by a small number. */
#ifndef FLAMEPIPE_INTERN_H
#define FLAMEPIPE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/str.h"

/* Numbers are handed out from 0 upwards in order of first appearance. A zeroed struct is an empty table. */
struct intern {
	struct arena bytes;
	struct intern_entry *entries; /* by id */
	uint32_t n;
	size_t cap;
	uint32_t *slots; /* id + 1, 0 = free; nslots is a power of two */
	size_t nslots;
};

struct intern_entry {
	const char *p;
	uint32_t n;
	uint32_t hash;
};

/* The id of s, which is copied when it is new. Strings of 4 GiB or more, or more than 2^32 - 2 of them, die. */
uint32_t intern(struct intern *t, struct span s);

/* As intern, but UINT32_MAX instead of adding. */
uint32_t intern_find(const struct intern *t, struct span s);

/* The bytes of an id, NUL-terminated; valid until the table is released. */
static inline struct span intern_span(const struct intern *t, uint32_t id)
{
	return (struct span){t->entries[id].p, t->entries[id].n};
}

void intern_release(struct intern *t);

#endif
