/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording is written: blocks numbered per stream, compressed where asked, to a file, a pipe or memory. */
#ifndef FLAMEPIPE_STREAM_H
#define FLAMEPIPE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/recording.h"
#include "lib/str.h"

/* How a file is written: by system calls with whole blocks, or through windows of it that are mapped. */
enum writer { WRITER_WRITE, WRITER_MMAP };

struct stream {
	int fd;
	const char *name; /* for messages */
	bool is_file; /* was opened by name, and is a regular file */
	enum writer writer;
	int zstd_level; /* 0: not compressed */
	int error; /* errno of the first write that failed; nothing is written after it */
	uint64_t nbytes; /* written, of all files together */
	uint64_t offset; /* of these, in the present file */
	uint64_t nbytes_of[BLOCK_NTYPES]; /* by type of block, headers included */
	uint64_t *seq; /* next number of each stream, [type][cpu + 1] */
	struct str packed;
	struct str *memory; /* not NULL: what is written goes here instead */
	unsigned char *window; /* of WRITER_MMAP; NULL: none is mapped */
	uint64_t window_start;
};

/* Opens path ("-" and NULL: standard output). Dies when it cannot be opened or is a terminal. */
void stream_open(struct stream *s, const char *path, enum writer writer, int zstd_level);

/* The preamble of a recording; blocks are numbered from 0 again. */
void stream_preamble(struct stream *s);

/* Numbers, compresses and writes a block. False when this or an earlier write failed. A SAMPLES block keeps the number that
   its packer gave it. */
bool stream_block(struct stream *s, struct block *b);

/* Writes bytes as they are. */
bool stream_bytes(struct stream *s, struct span bytes);

/* Goes on in a new file of the same name; the present one is renamed to the name with .number. */
bool stream_rotate(struct stream *s, unsigned number);

/* Closes; false with the first error in s->error. */
bool stream_close(struct stream *s);

#endif
