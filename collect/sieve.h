/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples are wanted, where the kernel cannot be told: those of some processes and what they start, or of threads of a
   name. */
#ifndef FLAMEPIPE_SIEVE_H
#define FLAMEPIPE_SIEVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/target.h"
#include "lib/str.h"

struct sieve {
	const char *comm; /* NULL: any name */
	bool by_pid, threads_only;
	uint64_t *pids, *named; /* a bit each: wanted processes (or threads), threads of the name */
};

void sieve_init(struct sieve *s, const struct target *t);

/* Takes note of a FORK, EXIT or COMM record, header included. */
void sieve_record(struct sieve *s, struct span record);

bool sieve_passes(const struct sieve *s, uint32_t pid, uint32_t tid);

static inline bool sieve_is_idle(const struct sieve *s)
{
	return !s->comm && !s->by_pid;
}

void sieve_release(struct sieve *s);

#endif
