/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory: arenas that are given back in one piece, and allocation that cannot return NULL. */
#ifndef FLAMEPIPE_ARENA_H
#define FLAMEPIPE_ARENA_H

#include <stddef.h>

/* Chunks of bytes handed out in order. A zeroed struct is an empty arena. */
struct arena {
	struct arena_chunk *head;
	size_t used; /* bytes handed out of the head chunk */
	size_t nbytes; /* bytes handed out in all since the last reset */
};

/* n bytes, zeroed, aligned for any object; valid until arena_reset or arena_release. Dies when memory is exhausted. */
void *arena_alloc(struct arena *a, size_t n);

/* A copy of the n bytes at p, with a NUL after them. */
char *arena_copy(struct arena *a, const char *p, size_t n);

/* Forgets everything handed out; keeps one chunk for reuse. */
void arena_reset(struct arena *a);

void arena_release(struct arena *a);

/* malloc, calloc and realloc that die ("out of memory") instead of returning NULL; nmemb * size is checked. */
void *xmalloc(size_t n);
void *xcalloc(size_t nmemb, size_t size);
void *xreallocarray(void *p, size_t nmemb, size_t size);
char *xstrdup(const char *s);

/* Makes room for at least one more element in a growing array: *cap doubles when n has reached it. Returns the array. */
void *grow(void *array, size_t n, size_t *cap, size_t size);

#endif
