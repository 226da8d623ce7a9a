/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build-ids of mapped files. */
#include "collect/buildids.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/elf.h"

static size_t slot_of(const struct buildids *b, uint64_t device, uint64_t inode)
{
	size_t slot = ((inode ^ device << 40) * 0x9e3779b97f4a7c15u) >> 32 & (b->nslots - 1);

	while (b->slots[slot] &&
	       (b->v[b->slots[slot] - 1].inode != inode || b->v[b->slots[slot] - 1].device != device))
		slot = (slot + 1) & (b->nslots - 1);
	return slot;
}

static void enlarge(struct buildids *b)
{
	free(b->slots);
	b->nslots = b->nslots ? 2 * b->nslots : 256;
	b->slots = xcalloc(b->nslots, sizeof *b->slots);
	for (size_t i = 0; i < b->n; i++)
		b->slots[slot_of(b, b->v[i].device, b->v[i].inode)] = (uint32_t)i + 1;
}

static void look_into(struct buildid *id, pid_t pid, const char *path)
{
	struct str name = {0};
	struct elf *e;
	struct span bytes;

	str_addf(&name, "/proc/%d/root%s", (int)pid, path);
	e = elf_open(name.p);
	str_release(&name);
	if (!e)
		return;
	bytes = elf_build_id(e);
	if (bytes.n <= BUILD_ID_MAX) {
		id->n = (uint8_t)bytes.n;
		memcpy(id->bytes, bytes.p, bytes.n);
	}
	elf_close(e);
}

const struct buildid *buildids_get(
    struct buildids *b, uint64_t device, uint64_t inode, pid_t pid, const char *path)
{
	size_t slot;
	struct buildid *id;

	if (2 * b->n >= b->nslots)
		enlarge(b);
	slot = slot_of(b, device, inode);
	if (b->slots[slot])
		return &b->v[b->slots[slot] - 1];
	b->v = grow(b->v, b->n, &b->cap, sizeof *b->v);
	id = &b->v[b->n++];
	*id = (struct buildid){.device = device, .inode = inode};
	b->slots[slot] = (uint32_t)b->n;
	look_into(id, pid, path);
	return id;
}

void buildids_release(struct buildids *b)
{
	free(b->v);
	free(b->slots);
	*b = (struct buildids){0};
}
