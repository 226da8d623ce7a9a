/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded lines as render reads them: how many columns they have, the header's facts, and the tree they make. */
#ifndef FLAMEPIPE_LINES_H
#define FLAMEPIPE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/str.h"
#include "lib/tree.h"
#include "render/verdicts.h"

/* What a timed line adds. */
struct timed {
	uint32_t node;
	u128 time; /* of its slice's start, in seconds times 10^12 */
	u128 count; /* of the first column */
};

struct lines {
	struct tree tree;
	uint64_t nlines; /* stacks read */
	uint64_t nbad; /* lines that are neither stacks, comments nor blank */
	struct str first_bad; /* "FILE: line 3: text" */
	uint64_t nwithout; /* stacks that had none of the bases */
	struct timed *timed; /* of timed lines, where they are asked for */
	size_t ntimed, timed_cap;
	struct verdicts verdicts;
	uint8_t *
	    proven; /* by node: whether compare's verdict on it is a change; NULL where the input has no verdicts */
	struct str header; /* the first "# flamepipe" line */
};

struct lines_options {
	enum tree_shape shape;
	bool reverse;
	const char *const *bases; /* keep only stacks with one of these frames, from the last of them on */
	unsigned nbases;
	bool keep_times;
};

/* Reads all files ("-" is standard input). Dies when one cannot be read. */
void lines_read(struct lines *l, char **files, int nfiles, const struct lines_options *o);
void lines_release(struct lines *l);

#endif
