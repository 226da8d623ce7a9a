/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings: blocks written and read one after the other, as a stream. recording(5) is normative. */
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
	RECORDING_MAX_CPUS = 65536,
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
	BLOCK_NTYPES,
};

enum { BLOCK_ZSTD = 1, BLOCK_EPOCH = 2 };

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

/* Writing. */

/* The preamble of a recording made on this machine. */
void recording_preamble(unsigned char to[RECORDING_PREAMBLE_SIZE]);

/* Fills in sizes and checksum and lays the header out. b->body is the stored body (compressed already when BLOCK_ZSTD is set,
   with b->raw_size saying what it was; otherwise raw_size is set here). */
void block_header(struct block *b, unsigned char to[BLOCK_HEADER_SIZE]);

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
	uint64_t
	    *next_seq; /* [type][cpu + 1]: what the next block of a stream should be; slot 0 is for no CPU */
	uint64_t patience; /* bytes that may still be hashed in vain, so that damage costs linear time */
};

/* Does the input start like a recording? */
bool recording_probe(struct span head);

/* False, with in->err set, when the input does not start with a preamble of a known version. */
bool recording_open(struct recording *r, struct input *in);

/* The next whole block with a right checksum, its body decompressed and valid until the next call. *restart is set when a new
   preamble stood before it. False at the end of the input, or when a version is not known (in->err is set then). */
bool recording_next(struct recording *r, struct block *b, bool *restart);
void recording_close(struct recording *r);

/* For bodies of the other blocks: wire_varint, wire_zigzag, and a string. */
struct span wire_str(struct wire *w);

#endif
