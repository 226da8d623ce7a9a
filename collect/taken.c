/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One PERF_RECORD_SAMPLE taken apart. */
#include "collect/taken.h"

#include <linux/perf_event.h>

#include "lib/sample.h"
#include "lib/wire.h"

/* The array of nr u64 that comes next. */
static bool take_chain(struct wire *w, struct taken *t)
{
	uint64_t nr = wire_u64(w);

	if (nr > CHAIN_MAX || nr > wire_left(w) / 8)
		return false;
	t->nchain = (uint32_t)nr;
	t->chain = (const uint64_t *)(const void *)wire_bytes(w, nr * 8).p;
	return true;
}

static void take_raw(struct wire *w, struct taken *t)
{
	uint32_t n = wire_u32(w);

	t->raw = wire_bytes(w, n);
}

static void take_branches(struct wire *w, struct taken *t)
{
	uint64_t nr = wire_u64(w);

	if (nr <= wire_left(w) / 24)
		t->branches = wire_bytes(w, nr * 24);
}

/* Registers, absent when abi is 0, then the stack: size asked for, bytes, and how many of them are good. */
static void take_user(struct wire *w, struct taken *t, unsigned nregs)
{
	const char *regs = (const char *)w->p;
	uint64_t abi = wire_u64(w), size, good;
	struct span stack;

	wire_skip(w, abi ? nregs * 8 : 0);
	if (w->failed)
		return;
	t->regs = (struct span){regs, 8 + (abi ? nregs * 8 : 0)};
	size = wire_u64(w);
	if (!size)
		return;
	stack = wire_bytes(w, size);
	good = wire_u64(w);
	if (!w->failed && good <= size)
		t->stack = (struct span){stack.p, good};
}

/* The fields that every sample has, in one step; where the others begin, or 0 when the record is too short. */
static size_t take_fixed(struct taken *t, struct span record, const struct layout *layout)
{
	size_t at = sizeof(struct perf_event_header) + (layout->identifier ? 8 : 0);
	size_t end = at + 24 + (layout->period ? 8 : 0);
	struct perf_event_header header;

	if (record.n < end)
		return 0;
	memcpy(&header, record.p, sizeof header);
	t->misc = header.misc;
	memcpy(&t->ip, record.p + at, 8);
	memcpy(&t->pid, record.p + at + 8, 4);
	memcpy(&t->tid, record.p + at + 12, 4);
	memcpy(&t->time_ns, record.p + at + 16, 8);
	if (layout->period)
		memcpy(&t->period, record.p + at + 24, 8);
	return end;
}

bool taken_parse(struct taken *t, struct span record, const struct layout *layout)
{
	struct wire w;
	size_t at;

	*t = (struct taken){0};
	at = take_fixed(t, record, layout);
	w = wire_init(record.p + at, record.n - at, false);
	if (!at || (layout->chain && !take_chain(&w, t)))
		return false;
	if (layout->raw)
		take_raw(&w, t);
	if (layout->branches)
		take_branches(&w, t);
	if (layout->user)
		take_user(&w, t, layout->nregs);
	return !w.failed;
}

uint32_t taken_lbr_chain(const struct taken *t, uint64_t *chain, uint32_t n, uint32_t max)
{
	size_t nbranches = t->branches.n / 24;
	uint64_t branch[3] = {0};

	if (!nbranches || n + 2 > max)
		return n;
	chain[n++] = (uint64_t)PERF_CONTEXT_USER;
	if ((t->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
		chain[n++] = t->ip;
	for (size_t i = 0; i < nbranches && n + 1 < max; i++) {
		memcpy(branch, t->branches.p + 24 * i, sizeof branch);
		chain[n++] = branch[0];
	}
	if (n < max)
		chain[n++] = branch[1]; /* where the oldest call went: the outermost function that is known */
	return n;
}
