/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings with a length: a borrowed range of bytes (span) and a growing buffer (str). */
#ifndef FLAMEPIPE_STR_H
#define FLAMEPIPE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that belong to somebody else; any byte may occur, no NUL at the end is promised. */
struct span {
	const char *p;
	size_t n;
};

#define SPAN(literal) ((struct span){"" literal, sizeof(literal) - 1})

static inline struct span span_of(const char *s)
{
	return (struct span){s, strlen(s)};
}

static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Byte order, the shorter first when one is the other's prefix: <0, 0, >0. */
int span_cmp(struct span a, struct span b);

bool span_starts(struct span s, struct span prefix);
bool span_ends(struct span s, struct span suffix);

/* Without blanks, tabs, CR and LF at both ends. */
struct span span_trim(struct span s);

/* Cuts the line up to the next LF (or the end) off *rest into *line, without the LF and a CR before it.
   False when *rest is empty. */
bool span_line(struct span *rest, struct span *line);

/* Offset of the first needle in s at or after from; s.n when there is none. */
size_t span_find(struct span s, size_t from, char needle);

/* The whole of s as an unsigned number: false when empty, not all digits of the base (10 or 16, no 0x), or over 64 bits. */
bool span_u64(struct span s, int base, uint64_t *value);

/* A growing buffer. A zeroed struct is empty; p is NULL until something is added, then always has a NUL after n bytes. */
struct str {
	char *p;
	size_t n;
	size_t cap;
};

void str_add(struct str *s, const char *p, size_t n);
void str_adds(struct str *s, const char *text);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Decimal digits of v; much faster than str_addf. */
void str_addu(struct str *s, uint64_t v);
/* Makes room for n more bytes and returns where they go; the caller then adds to s->n what it wrote. */
char *str_room(struct str *s, size_t n);
void str_reset(struct str *s);
void str_release(struct str *s);

static inline struct span str_span(const struct str *s)
{
	return (struct span){s->p ? s->p : "", s->n};
}

#endif
