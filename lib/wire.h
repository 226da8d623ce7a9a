/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounded cursor over bytes that nobody has checked: reads never pass the end, and the first failure sticks. */
#ifndef FLAMEPIPE_WIRE_H
#define FLAMEPIPE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

/* Invariant: p <= end. After a failed read every further one returns 0 or an empty span. */
struct wire {
	const unsigned char *p;
	const unsigned char *end;
	bool swap; /* the bytes are of the other byte order than this machine's */
	bool failed; /* a read went past the end, or a varint was too long */
};

static inline struct wire wire_init(const void *p, size_t n, bool swap)
{
	return (struct wire){p, (const unsigned char *)p + n, swap, false};
}

static inline size_t wire_left(const struct wire *w)
{
	return (size_t)(w->end - w->p);
}

/* Integers in the byte order that swap says (of this machine, or the other one). */
uint8_t wire_u8(struct wire *w);
uint16_t wire_u16(struct wire *w);
uint32_t wire_u32(struct wire *w);
uint64_t wire_u64(struct wire *w);

/* LEB128, at most 10 bytes; zigzag for the signed one. The same in either byte order. */
uint64_t wire_varint(struct wire *w);
int64_t wire_zigzag(struct wire *w);
/* LEB128 as DWARF has it for signed numbers: two's complement; at most 10 bytes. */
int64_t wire_sleb(struct wire *w);

/* The next n bytes, not copied. */
struct span wire_bytes(struct wire *w, size_t n);

/* The bytes up to the next NUL, which is passed; failure when there is none. */
struct span wire_string(struct wire *w);

void wire_skip(struct wire *w, size_t n);

/* The writing side, for a buffer with room: each returns the place after what it wrote. */
unsigned char *put_varint(unsigned char *to, uint64_t v); /* at most 10 bytes */
unsigned char *put_zigzag(unsigned char *to, int64_t v);

#endif
