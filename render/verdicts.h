/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What compare says of places in a difference: "VERDICTS" of folded(5). */
#ifndef FLAMEPIPE_VERDICTS_H
#define FLAMEPIPE_VERDICTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"
#include "lib/tree.h"

/* A zeroed struct is empty. */
struct verdicts {
	struct verdict *items;
	size_t n, cap;
};

/* Takes a "# verdict" line. */
void verdicts_take(struct verdicts *v, struct span line);

/* For each node of a finished tree, whether a change is proven there. The caller frees it. */
uint8_t *verdicts_mark(const struct verdicts *v, const struct tree *t);

/* For each node of a finished tree the verdict on it, NULL where there is none. The caller frees the array. */
const struct verdict **verdicts_by_node(const struct verdicts *v, const struct tree *t);

/* What a verdict says, for people: "slower: +1.2 [0.5, 1.9], q 0.003, 10+10 runs; by itself: slower". */
void verdict_describe(const struct verdict *v, struct str *out);

void verdicts_release(struct verdicts *v);

#endif
