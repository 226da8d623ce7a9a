/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text whose records end in an empty line, cut into pieces and looked over ahead of the reader, on a thread of its own where
   the machine has a second CPU: reading, finding and hashing blocks is half of the work. */
#ifndef FLAMEPIPE_PIECES_H
#define FLAMEPIPE_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/input.h"

/* Lines that begin with a tab and those after them, up to an empty line. */
struct piece_block {
	size_t at, n; /* in the piece; the empty line follows */
	uint64_t hash; /* of these bytes */
};

/* Whole lines; the last one of the input may lack its end. */
struct piece {
	char *bytes;
	size_t n, cap;
	struct piece_block *blocks; /* in order; not every record has one here */
	size_t nblocks, blocks_cap;
};

struct pieces;

/* Takes over reading what is left of in, until pieces_close. */
struct pieces *pieces_open(struct input *in);

/* The next piece, valid until the next call; NULL at the end. Its bytes may be changed. */
struct piece *pieces_next(struct pieces *p);

void pieces_close(struct pieces *p);

#endif
