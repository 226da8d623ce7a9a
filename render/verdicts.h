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

void verdicts_release(struct verdicts *v);

#endif
