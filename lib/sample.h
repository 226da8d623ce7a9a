/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compact samples inside SAMPLES blocks: packing on the collecting side, unpacking on the reading one. recording(5) is
   normative. */
#ifndef FLAMEPIPE_SAMPLE_H
#define FLAMEPIPE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/recording.h"
#include "lib/str.h"

enum { CHAIN_MAX = 65536 };

enum extra_kind {
	EXTRA_RAW = 1,
	EXTRA_BRANCHES,
	EXTRA_REGS_USER,
	EXTRA_STACK_USER,
	EXTRA_OFFCPU_NS,
	EXTRA_WAKER,
	EXTRA_MARKS,
};

enum { MARK_TRUNCATED = 1, MARK_UNWOUND = 2 };

/* One sample, in either direction. chain is leaf first with PERF_CONTEXT_* entries; it and extras are borrowed. */
struct sample_extra {
	uint64_t kind;
	struct span bytes;
};

struct sample {
	uint64_t time_ns;
	uint32_t pid, tid;
	uint32_t event;
	uint64_t period; /* 0: the event's nominal one */
	const uint64_t *chain; /* reading: NULL unless new_chain; unpacker_chain gives it for chain_id */
	uint32_t nchain;
	uint32_t chain_id; /* reading: counts up from 0 in each epoch; one number is one chain there */
	bool new_chain; /* reading: this sample defined chain_id */
	const struct sample_extra *extras;
	uint32_t nextras;
};

/* Packs the samples of one CPU. Not shared between threads; no allocation once its tables have grown to an epoch's size.
   Zeroed apart from cpu is a start. */
struct packer;
struct packer *packer_open(
    uint32_t cpu, size_t epoch_bytes); /* a new epoch starts at the first block after that many bytes */
/* True when the sample's callchain was new in this epoch. */
bool packer_add(struct packer *p, const struct sample *s);
/* The number in the epoch of the callchain of the sample added last. */
uint32_t packer_chain(const struct packer *p);
size_t packer_nbytes(const struct packer *p); /* in the present block; 0 when it has no sample */
/* The present block, raw, and a start of the next one. b->body is valid until the next packer_add. lost is set by the caller. */
void packer_take(struct packer *p, struct block *b);
void packer_close(struct packer *p);

/* Unpacks SAMPLES blocks; one unpacker a CPU. */
struct unpacker;
struct unpacker *unpacker_open(void);
/* Starts on a block; false when it continues an epoch whose earlier blocks are missing (its samples are counted as unusable
   by the caller from b->nrecords). */
bool unpacker_block(struct unpacker *u, const struct block *b);
/* The next sample; false at the block's end, with *bad set when it ended before b->nrecords samples or with bytes left (the
   epoch cannot be used from there on). */
bool unpacker_next(struct unpacker *u, struct sample *s, bool *bad);
/* The entries of a chain of the present epoch, leaf first; valid until the next call on u. */
const uint64_t *unpacker_chain(struct unpacker *u, uint32_t chain_id, uint32_t *nchain);
/* Samples of the block that were not handed out: what *bad cost. */
uint32_t unpacker_left(const struct unpacker *u);
void unpacker_close(struct unpacker *u);

#endif
