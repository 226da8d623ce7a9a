/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mapped where in a process, as it changes: mappings over older ones, shared after a fork until one side changes. */
#ifndef FLAMEPIPE_SPACE_H
#define FLAMEPIPE_SPACE_H

#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end; /* end is exclusive */
	uint64_t pgoff; /* of start in the object */
	uint32_t object; /* the caller's number */
};

/* Mappings in order of address, none overlapping another. Two states of one process never have the same generation, and
   processes that share a space share its generation. */
struct space {
	unsigned refs;
	uint32_t generation;
	struct mapping *maps;
	size_t n, cap;
};

/* Hands out generations; a zeroed struct is a start. */
struct spaces {
	uint32_t generations;
};

enum { SPACE_MAX_MAPPINGS = 1 << 18 }; /* four times what Linux allows; further ones are ignored */

/* An empty space with one reference. */
struct space *space_new(struct spaces *all);
struct space *space_ref(struct space *s);
void space_unref(struct space *s);

/* Adds m, which replaces what it overlaps. *s becomes a copy when others share it. An empty mapping is ignored. */
void space_map(struct spaces *all, struct space **s, const struct mapping *m);

/* NULL when nothing is mapped there. Valid until the next change. */
const struct mapping *space_find(const struct space *s, uint64_t addr);

#endif
