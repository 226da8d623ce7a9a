/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ring buffer that the kernel fills with records: mapping it, and taking records out in order. */
#ifndef FLAMEPIPE_RING_H
#define FLAMEPIPE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

struct perf_event_mmap_page;

/* fd is borrowed. Invariant: everything before tail has been given back to the kernel. */
struct ring {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	size_t size; /* of data: a power of two */
	uint64_t head, tail;
	unsigned char *scratch; /* a record that wraps around the end */
};

enum { RING_MIN = 64 * 1024, RECORD_MAX = 65536 };

/* Maps a ring of size bytes (rounded up to a power of two of pages) for the event fd; halves the size while the kernel refuses
   it for its size (EPERM, ENOMEM), down to RING_MIN. False with errno set. */
bool ring_open(struct ring *r, int fd, size_t size);

/* Looks at what the kernel has written by now; ring_next then goes up to there. */
void ring_refresh(struct ring *r);

/* The next record, header included, not copied where it does not wrap; valid until ring_release. False when there is none. */
bool ring_next(struct ring *r, struct span *record);

/* Gives everything that ring_next has returned back to the kernel. */
void ring_release(struct ring *r);

/* Fraction of the ring that is filled, 0 to 1. */
double ring_fill(const struct ring *r);

void ring_close(struct ring *r);

#endif
