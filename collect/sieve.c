/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples are wanted, where the kernel cannot be told. */
#include "collect/sieve.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/perfrec.h"

enum { PIDS = 1 << 22, COMM_LEN = 15 }; /* the kernel's PID_MAX_LIMIT, and what it keeps of a name */

static void set(uint64_t *bits, uint32_t pid, bool on)
{
	uint64_t bit = (uint64_t)1 << (pid & 63);

	if (pid < PIDS)
		bits[pid / 64] = on ? bits[pid / 64] | bit : bits[pid / 64] & ~bit;
}

static bool has(const uint64_t *bits, uint32_t pid)
{
	return pid < PIDS && bits[pid / 64] >> (pid & 63) & 1;
}

void sieve_init(struct sieve *s, const struct target *t)
{
	*s = (struct sieve){.comm = t->comm, .by_pid = t->sieve, .threads_only = t->threads_only};
	if (s->by_pid)
		s->pids = xcalloc(PIDS / 64, sizeof *s->pids);
	if (s->comm)
		s->named = xcalloc(PIDS / 64, sizeof *s->named);
	for (size_t i = 0; s->by_pid && i < t->npids; i++)
		set(s->pids, (uint32_t)t->pids[i], true);
}

static bool is_named(const struct sieve *s, struct span comm)
{
	struct span wanted = span_of(s->comm);

	if (wanted.n > COMM_LEN)
		wanted.n = COMM_LEN;
	return span_eq(comm, wanted);
}

static void fork_record(struct sieve *s, const struct perfrec_task *t)
{
	if (s->by_pid && !s->threads_only)
		set(s->pids, t->pid, has(s->pids, t->ppid));
	if (s->comm)
		set(s->named, t->tid, has(s->named, t->ptid));
}

static void exit_record(struct sieve *s, const struct perfrec_task *t)
{
	if (s->comm)
		set(s->named, t->tid, false);
	if (s->by_pid && (s->threads_only || t->pid == t->tid))
		set(s->pids, t->tid, false);
}

void sieve_record(struct sieve *s, struct span record)
{
	struct perfrec rec;
	struct perfrec_task task;
	struct perfrec_comm comm;
	size_t size;

	if (sieve_is_idle(s) || !perfrec_parse(record, false, &rec, &size))
		return;
	if (rec.type == PERFREC_FORK && perfrec_task_parse(&rec, false, &task))
		fork_record(s, &task);
	else if (rec.type == PERFREC_EXIT && perfrec_task_parse(&rec, false, &task))
		exit_record(s, &task);
	else if (s->comm && rec.type == PERFREC_COMM && perfrec_comm_parse(&rec, false, &comm))
		set(s->named, comm.tid, is_named(s, comm.comm));
}

bool sieve_passes(const struct sieve *s, uint32_t pid, uint32_t tid)
{
	return (!s->by_pid || has(s->pids, s->threads_only ? tid : pid)) && (!s->comm || has(s->named, tid));
}

void sieve_release(struct sieve *s)
{
	free(s->pids);
	free(s->named);
}
