/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zstd, in one piece: bodies of blocks, compressed records of perf.data, compressed sections. */
#ifndef FLAMEPIPE_COMPRESS_H
#define FLAMEPIPE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/str.h"

/* Appends in as one zstd frame; returns the bytes added. level as zstd's, 1 is the fastest that compresses well. */
size_t compress_zstd(struct str *out, struct span in, int level);

/* Appends what the zstd frames in hold. False, with *out as it was, when they are damaged or would give more than limit bytes. */
bool decompress_zstd(struct str *out, struct span in, size_t limit);

#endif
