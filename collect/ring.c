/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ring buffer that the kernel fills with records. */
#include "collect/ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/arena.h"

bool ring_open(struct ring *r, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*r = (struct ring){0};
	if (p == MAP_FAILED)
		return false;
	r->page = p;
	r->data = (unsigned char *)p + page;
	r->size = size;
	r->fd = fd;
	r->scratch = xmalloc(RECORD_MAX);
	return true;
}

size_t ring_refresh(struct ring *r)
{
	r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	return (size_t)(r->head - r->tail);
}

/* Makes one piece of a record that goes on at the ring's start. */
static void unwrap(struct ring *r, size_t at, struct span *record)
{
	size_t first = r->size - at;

	memcpy(r->scratch, r->data + at, first);
	memcpy(r->scratch + first, r->data, record->n - first);
	record->p = (const char *)r->scratch;
}

bool ring_peek(struct ring *r, struct span *record)
{
	size_t at = r->tail & (r->size - 1);
	struct perf_event_header header;

	if (r->tail >= r->head)
		return false;
	/* Records are multiples of 8 bytes, so a header never wraps. */
	memcpy(&header, r->data + at, sizeof header);
	if (header.size < sizeof header || header.size > r->head - r->tail) {
		r->tail = r->head; /* cannot happen; not to loop if it does */
		return false;
	}
	*record = (struct span){(const char *)r->data + at, header.size};
	if (at + header.size > r->size)
		unwrap(r, at, record);
	return true;
}

void ring_release(struct ring *r)
{
	if (r->released != r->tail)
		__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
	r->released = r->tail;
}

void ring_close(struct ring *r)
{
	if (r->page)
		munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->size);
	free(r->scratch);
	*r = (struct ring){0};
}
