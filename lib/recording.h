/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings: blocks written and read one after the other, and the compact samples inside them. recording(5) is normative. */
#ifndef FLAMEPIPE_RECORDING_H
#define FLAMEPIPE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/input.h"
#include "lib/str.h"
#include "lib/wire.h"

enum {
	RECORDING_VERSION = 1,
	RECORDING_PREAMBLE_SIZE = 16,
	BLOCK_HEADER_SIZE = 64,
	BLOCK_MAX_SIZE = 64 << 20,
	CHAIN_MAX = 65536,
};

#define BLOCK_NO_CPU UINT32_MAX

enum block_type {
	BLOCK_INFO = 1,
	BLOCK_EVENTS,
	BLOCK_SIDEBAND,
	BLOCK_SAMPLES,
	BLOCK_ROUND,
	BLOCK_SYMBOLS,
	BLOCK_THROTTLE,
	BLOCK_END,
	BLOCK_RECORDS,
};

enum { BLOCK_ZSTD = 1, BLOCK_EPOCH = 2 };

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

struct block {
	uint16_t type;
	uint16_t flags;
	uint32_t cpu;
	uint32_t nrecords;
	uint64_t seq;
	uint64_t first_ns, last_ns;
	uint64_t lost;
	uint32_t raw_size, stored_size;
	struct span body; /* raw; while writing it may be compressed by block_finish */
};

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
	const uint64_t *chain;
	uint32_t nchain;
	uint32_t
	    chain_id; /* reading: number of the chain in its epoch; the same number in one epoch and CPU is the same chain */
	bool new_chain; /* reading: this sample defined chain_id */
	const struct sample_extra *extras;
	uint32_t nextras;
};

/* Writing. */

/* The preamble of a recording made on this machine. */
void recording_preamble(unsigned char to[RECORDING_PREAMBLE_SIZE]);

/* Fills in sizes and checksum and lays the header out. b->body is the stored body (compressed already when BLOCK_ZSTD is set,
   with b->raw_size saying what it was; otherwise raw_size is set here). */
void block_header(struct block *b, unsigned char to[BLOCK_HEADER_SIZE]);

/* Packs the samples of one CPU. Not shared between threads; no allocation once its tables have grown to an epoch's size.
   Zeroed apart from cpu is a start. */
struct packer;
struct packer *packer_open(
    uint32_t cpu, size_t epoch_bytes); /* a new epoch starts at the first block after that many bytes */
void packer_add(struct packer *p, const struct sample *s);
size_t packer_nbytes(const struct packer *p); /* in the present block; 0 when it has no sample */
/* The present block, raw, and a start of the next one. b->body is valid until the next packer_add. lost is set by the caller. */
void packer_take(struct packer *p, struct block *b);
void packer_close(struct packer *p);

/* Bodies of the other blocks are built with these. */
void put_string(struct str *out, struct span s);
void put_number(struct str *out, uint64_t v); /* varint */
void put_signed(struct str *out, int64_t v); /* zigzag */

/* Reading. */

/* What a reader found wrong or missing so far; none of it stops the reading. */
struct recording_damage {
	uint64_t skipped_bytes;
	uint64_t missing_blocks; /* from gaps in seq */
	uint64_t unknown_blocks;
	uint64_t unusable_samples; /* in blocks after a gap in their epoch, or that do not unpack */
	bool truncated; /* the last block is not whole */
};

struct recording {
	struct input *in;
	bool swap; /* verbatim records are of the other byte order than this machine */
	struct recording_damage damage;
	unsigned nrecordings; /* preambles seen */
	struct str raw; /* the body after decompression */
	struct recording_stream *streams;
	size_t nstreams, streams_cap;
};

/* Does the input start like a recording? */
bool recording_probe(struct span head);

/* False, with in->err set, when the input does not start with a preamble of a known version. */
bool recording_open(struct recording *r, struct input *in);

/* The next whole block with a right checksum, its body decompressed and valid until the next call. *restart is set when a new
   preamble stood before it. False at the end of the input, or when a version is not known (in->err is set then). */
bool recording_next(struct recording *r, struct block *b, bool *restart);
void recording_close(struct recording *r);

/* Unpacks SAMPLES blocks; one unpacker a CPU. */
struct unpacker;
struct unpacker *unpacker_open(void);
/* Starts on a block; false when it continues an epoch whose earlier blocks are missing (its samples are counted as unusable
   by the caller from b->nrecords). */
bool unpacker_block(struct unpacker *u, const struct block *b);
/* The next sample; false at the block's end, with *bad set when it ended before b->nrecords samples or with bytes left. */
bool unpacker_next(struct unpacker *u, struct sample *s, bool *bad);
void unpacker_close(struct unpacker *u);

/* For bodies of the other blocks: wire_varint, wire_zigzag, and a string. */
struct span wire_str(struct wire *w);

#endif
