/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ring buffer that the kernel fills with records: mapping it, and taking records out in order. */
#ifndef FLAMEPIPE_RING_H
#define FLAMEPIPE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

struct perf_event_mmap_page;

/* fd is borrowed. Invariant: everything before the tail that the kernel sees has been given back to it. */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	unsigned char *data;
	size_t size; /* of data: a power of two */
	int fd;
	uint64_t head, tail, released;
	unsigned char *scratch; /* a record that wraps around the end */
};

enum { RING_MIN = 32 * 1024, RECORD_MAX = 65536 };

/* Maps a ring of size bytes (a power of two of pages) for the event fd. False with errno set. */
bool ring_open(struct ring *r, int fd, size_t size);

/* Looks at what the kernel has written by now; ring_peek then goes up to there. Returns how many bytes are waiting. */
size_t ring_refresh(struct ring *r);

/* The next record, header included, not copied where it does not wrap; valid until ring_release. False when there is none. */
bool ring_peek(struct ring *r, struct span *record);

/* Gives everything that was skipped back to the kernel. */
void ring_release(struct ring *r);

/* Goes past the record that was peeked at; now and then gives back what was skipped, so that the kernel has room meanwhile. */
static inline void ring_skip(struct ring *r, size_t nbytes)
{
	r->tail += nbytes;
	if (r->tail - r->released >= r->size / 16)
		ring_release(r);
}

void ring_close(struct ring *r);

#endif
