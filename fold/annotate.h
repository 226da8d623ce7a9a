/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a reader's stack to the names of a folded line: root frames, tidied names, suffixes, cuts. */
#ifndef FLAMEPIPE_ANNOTATE_H
#define FLAMEPIPE_ANNOTATE_H

#include "fold/options.h"
#include "fold/sink.h"
#include "lib/intern.h"
#include "lib/str.h"

/* Makes names; what it makes is a list of ids of *table, root first, valid until the next call. Zeroed apart from options and
   table is a start. */
struct annotator {
	const struct options *options;
	struct intern *table; /* escaped names */
	uint32_t *ids;
	size_t n, cap;
	size_t nroots; /* how many of them --by made */
	struct str name, escaped; /* in hand */
	struct annotator_cache *cache; /* what frames with a number became */
};

void annotate(struct annotator *a, const struct stack *stack);

void annotator_release(struct annotator *a);

#endif
