/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames by the bytes of their lines. */
#include "fold/linecache.h"

#include <stdlib.h>

#include "lib/hash.h"

enum {
	SLOTS = 1 << 16,
	MAX_ENTRIES = SLOTS / 4 * 3,
	MAX_BYTES = 4 << 20,
};

struct linecache_entry {
	uint64_t key; /* hash of the line; 0: free */
	struct frame frame;
};

/* The slot of a key, or the free one where it belongs. */
static struct linecache_entry *find(const struct linecache *c, uint64_t key)
{
	size_t i = key >> 8 & (SLOTS - 1);

	while (c->slots[i].key && c->slots[i].key != key)
		i = (i + 1) & (SLOTS - 1);
	return &c->slots[i];
}

const struct frame *linecache_get(struct linecache *c, struct sink *sink, struct span line,
    bool (*parse)(struct span line, struct frame *f))
{
	uint64_t key = hash64(line.p, line.n) | 1;
	struct linecache_entry *e;
	struct frame f;

	if (!c->slots)
		c->slots = xcalloc(SLOTS, sizeof *c->slots);
	e = find(c, key);
	if (e->key)
		return &e->frame;
	line.p = arena_copy(&c->bytes, line.p, line.n);
	if (!parse(line, &f))
		return NULL;
	if (c->n == MAX_ENTRIES) {
		/* Too long a sample to make room in the middle of: its frames live as long as those in the table. */
		struct frame *extra = arena_alloc(&c->bytes, sizeof *extra);

		*extra = f;
		return extra;
	}
	c->n++;
	f.same = sink_new_frame(sink);
	*e = (struct linecache_entry){key, f};
	return &e->frame;
}

void linecache_trim(struct linecache *c)
{
	if (!c->slots || (c->n < MAX_ENTRIES && c->bytes.nbytes < MAX_BYTES))
		return;
	memset(c->slots, 0, SLOTS * sizeof *c->slots);
	c->n = 0;
	arena_reset(&c->bytes);
}

void linecache_release(struct linecache *c)
{
	free(c->slots);
	arena_release(&c->bytes);
	*c = (struct linecache){0};
}
