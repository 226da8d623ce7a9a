/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording as it is written: blocks numbered per stream, compressed where asked, to a file or a pipe. */
#ifndef FLAMEPIPE_STREAM_H
#define FLAMEPIPE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/recording.h"
#include "lib/str.h"

struct stream {
	int fd;
	const char *name; /* for messages */
	int zstd_level; /* 0: not compressed */
	int error; /* errno of the first write that failed; nothing is written after it */
	uint64_t nbytes; /* written */
	uint64_t nbytes_of[BLOCK_NTYPES]; /* of these, by type of block, headers included */
	uint64_t *seq; /* next number of each stream, [type][cpu + 1] */
	uint32_t ncpus;
	struct str packed;
};

/* Opens path ("-" and NULL: standard output). Dies when it cannot be opened or is a terminal. */
void stream_open(struct stream *s, const char *path, uint32_t ncpus, int zstd_level);

void stream_preamble(struct stream *s);

/* Numbers, compresses and writes a block. False when this or an earlier write failed. A SAMPLES block keeps the number that
   its packer gave it. */
bool stream_block(struct stream *s, struct block *b);

/* Closes, and reports the first error in s->error. */
bool stream_close(struct stream *s);

#endif
