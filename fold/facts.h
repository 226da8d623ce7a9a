/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the inputs said about themselves, merged: a fact on which two inputs differ is no fact about both. */
#ifndef FLAMEPIPE_FACTS_H
#define FLAMEPIPE_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/str.h"

/* A zeroed struct is empty. */
struct facts {
	struct fact {
		char *key;
		struct str value;
		bool differs;
	} * items;
	size_t n, cap;
};

void facts_add(struct facts *f, struct span key, struct span value);

/* The value of a key; NULL when it is unknown or the inputs differ. */
const struct str *facts_get(const struct facts *f, const char *key);

/* Sorts by the order of folded(5), other keys after those by name, so that the order of the inputs does not show. */
void facts_sort(struct facts *f);

void facts_release(struct facts *f);

#endif
