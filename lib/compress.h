/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zstd and zlib: bodies of blocks, compressed records of perf.data, compressed sections. */
#ifndef FLAMEPIPE_COMPRESS_H
#define FLAMEPIPE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

/* Appends in as one zstd frame; returns the bytes added. level as zstd's, 1 is the fastest that compresses well. */
size_t compress_zstd(struct str *out, struct span in, int level);

/* Appends what the zstd frames in hold. False, with *out as it was, when they are damaged or would give more than limit bytes. */
bool decompress_zstd(struct str *out, struct span in, size_t limit);

/* Appends in as one zlib stream (RFC 1950), which browsers can unpack, or as one gzip member (RFC 1952). level as zlib's, 1 to 9. */
void compress_zlib(struct str *out, struct span in, int level);
void compress_gzip(struct str *out, struct span in, int level);

/* The same for a zlib stream. */
bool decompress_zlib(struct str *out, struct span in, size_t limit);

/* The same for the members of a gzip file (RFC 1952), one after the other; but when they are damaged or give more than limit bytes,
   what came before that stays in *out. */
bool decompress_gzip(struct str *out, struct span in, size_t limit);

/* A zstd stream that comes in pieces, frames and pieces being cut independently of each other. */
struct unzstd;
struct unzstd *unzstd_open(void);
/* Appends what the next piece gives. False when it is damaged or would give more than limit bytes. */
bool unzstd_feed(struct unzstd *u, struct str *out, struct span in, size_t limit);
void unzstd_close(struct unzstd *u);

/* CRC-32 of RFC 1952, as .gnu_debuglink has it. */
uint32_t crc32_of(struct span bytes);

#endif
