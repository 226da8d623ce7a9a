/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory: arenas that are given back in one piece, and allocation that cannot return NULL. */
#include "lib/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"

enum { CHUNK = 64 * 1024 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	alignas(max_align_t) char bytes[];
};

static void new_chunk(struct arena *a, size_t n)
{
	size_t size = n > CHUNK ? n : CHUNK;
	struct arena_chunk *c = xmalloc(sizeof *c + size);

	c->next = a->head;
	c->size = size;
	a->head = c;
	a->used = 0;
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p;

	n = (n + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!a->head || n > a->head->size - a->used)
		new_chunk(a, n);
	p = a->head->bytes + a->used;
	a->used += n;
	a->nbytes += n;
	return memset(p, 0, n);
}

char *arena_copy(struct arena *a, const char *p, size_t n)
{
	char *copy = arena_alloc(a, n + 1);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

static void free_chunks(struct arena_chunk *c)
{
	while (c) {
		struct arena_chunk *next = c->next;

		free(c);
		c = next;
	}
}

void arena_reset(struct arena *a)
{
	if (!a->head)
		return;
	free_chunks(a->head->next);
	a->head->next = NULL;
	a->used = 0;
	a->nbytes = 0;
}

void arena_release(struct arena *a)
{
	free_chunks(a->head);
	*a = (struct arena){0};
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		die("out of memory (%zu bytes wanted)", n);
	return p;
}

void *xcalloc(size_t nmemb, size_t size)
{
	void *p = calloc(nmemb ? nmemb : 1, size ? size : 1);

	if (!p)
		die("out of memory (%zu times %zu bytes wanted)", nmemb, size);
	return p;
}

void *xreallocarray(void *p, size_t nmemb, size_t size)
{
	p = reallocarray(p, nmemb ? nmemb : 1, size);
	if (!p)
		die("out of memory (%zu times %zu bytes wanted)", nmemb, size);
	return p;
}

char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xmalloc(n), s, n);
}

void *grow(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : 16;
	return xreallocarray(array, *cap, size);
}
