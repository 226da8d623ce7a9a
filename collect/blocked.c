/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that are off the CPU. */
#include "collect/blocked.h"

#include <stdlib.h>

#include "lib/arena.h"

struct blocked_thread *blocked_find(const struct blocked *b, uint32_t tid)
{
	struct blocked_thread *t = b->slots[tid % BLOCKED_SLOTS];

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

struct blocked_thread *blocked_get(struct blocked *b, uint32_t tid)
{
	struct blocked_thread *t = blocked_find(b, tid);
	struct str record;

	if (t)
		return t;
	t = b->spare;
	if (t)
		b->spare = t->next;
	else
		t = xcalloc(1, sizeof *t);
	record = t->record;
	str_reset(&record);
	*t = (struct blocked_thread){.tid = tid, .record = record, .next = b->slots[tid % BLOCKED_SLOTS]};
	b->slots[tid % BLOCKED_SLOTS] = t;
	return t;
}

void blocked_drop(struct blocked *b, uint32_t tid)
{
	struct blocked_thread **at = &b->slots[tid % BLOCKED_SLOTS];
	struct blocked_thread *t;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return;
	*at = t->next;
	t->next = b->spare;
	b->spare = t;
}

static void free_list(struct blocked_thread *t)
{
	while (t) {
		struct blocked_thread *next = t->next;

		str_release(&t->record);
		free(t);
		t = next;
	}
}

void blocked_release(struct blocked *b)
{
	for (size_t i = 0; i < BLOCKED_SLOTS; i++)
		free_list(b->slots[i]);
	free_list(b->spare);
}
