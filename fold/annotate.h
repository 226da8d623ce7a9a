/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a reader's stack to the names of a folded line: root frames, tidied names, suffixes, cuts. */
#ifndef FLAMEPIPE_ANNOTATE_H
#define FLAMEPIPE_ANNOTATE_H

#include "fold/options.h"
#include "fold/sink.h"
#include "lib/str.h"

/* A list of escaped names, root first, in one buffer. A zeroed struct is empty. */
struct names {
	struct str text;
	struct names_place {
		size_t at, n; /* in text */
	} * places;
	size_t n, cap;
};

static inline struct span names_at(const struct names *names, size_t i)
{
	return (struct span){names->text.p + names->places[i].at, names->places[i].n};
}

/* Replaces what is in *names by those of the stack, as the options want them. */
void annotate(struct names *names, const struct options *o, const struct stack *stack);

void names_release(struct names *names);

#endif
