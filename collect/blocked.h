/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that are off the CPU: the sample that was taken when each left it, kept until it comes back. */
#ifndef FLAMEPIPE_BLOCKED_H
#define FLAMEPIPE_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

struct blocked_thread {
	uint32_t tid, cpu; /* cpu: index of the one that it left */
	uint64_t since_ns;
	struct str record; /* the sample, as the kernel wrote it */
	bool preempted; /* it did not block: another thread was preferred */
	bool sampled; /* record is there */
	bool exiting; /* it will not come back */
	struct blocked_thread *next;
};

enum { BLOCKED_SLOTS = 4096 };

/* A zeroed struct is empty. */
struct blocked {
	struct blocked_thread *slots[BLOCKED_SLOTS];
	struct blocked_thread *spare;
};

/* The thread's entry, made when there is none. */
struct blocked_thread *blocked_get(struct blocked *b, uint32_t tid);

/* NULL when there is none. */
struct blocked_thread *blocked_find(const struct blocked *b, uint32_t tid);

/* Forgets the thread; its memory is used again. */
void blocked_drop(struct blocked *b, uint32_t tid);

void blocked_release(struct blocked *b);

#endif
