/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each distinct byte string once, known by a small number: open addressing, linear probing, at most 3/4 full. */
#include "lib/intern.h"

#include <stdlib.h>

#include "lib/die.h"
#include "lib/hash.h"

/* The slot that holds s, or the free one where it belongs. */
static size_t probe(const struct intern *t, struct span s, uint32_t hash)
{
	size_t i = hash & (t->nslots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		const struct intern_entry *e = &t->entries[t->slots[i] - 1];

		if (e->hash == hash && span_eq((struct span){e->p, e->n}, s))
			break;
	}
	return i;
}

static void rehash(struct intern *t)
{
	t->nslots = t->nslots ? t->nslots * 2 : 64;
	free(t->slots);
	t->slots = xcalloc(t->nslots, sizeof *t->slots);
	for (uint32_t id = 0; id < t->n; id++) {
		size_t i = t->entries[id].hash & (t->nslots - 1);

		while (t->slots[i])
			i = (i + 1) & (t->nslots - 1);
		t->slots[i] = id + 1;
	}
}

uint32_t intern(struct intern *t, struct span s)
{
	uint32_t hash = (uint32_t)hash64(s.p, s.n);
	size_t i;

	if ((size_t)t->n + t->n / 3 >= t->nslots)
		rehash(t);
	i = probe(t, s, hash);
	if (t->slots[i])
		return t->slots[i] - 1;
	if (s.n >= UINT32_MAX || t->n == UINT32_MAX - 1)
		die("out of room for names (%u names, %zu bytes)", t->n, s.n);
	t->entries = grow(t->entries, t->n, &t->cap, sizeof *t->entries);
	t->entries[t->n] = (struct intern_entry){arena_copy(&t->bytes, s.p, s.n), (uint32_t)s.n, hash};
	t->slots[i] = ++t->n;
	return t->n - 1;
}

uint32_t intern_find(const struct intern *t, struct span s)
{
	uint32_t slot = t->nslots ? t->slots[probe(t, s, (uint32_t)hash64(s.p, s.n))] : 0;

	return slot ? slot - 1 : UINT32_MAX;
}

void intern_release(struct intern *t)
{
	arena_release(&t->bytes);
	free(t->entries);
	free(t->slots);
	*t = (struct intern){0};
}
