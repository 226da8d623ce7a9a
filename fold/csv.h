/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of tables with commas, as RFC 4180 has them within one line. */
#ifndef FLAMEPIPE_CSV_H
#define FLAMEPIPE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/str.h"

enum { CSV_MAX_FIELDS = 64 };

/* The fields of a line; what is beyond the last place is left out. Quotes around a field are taken off, blanks before them stay in
   front; doubled quotes inside stay doubled. */
struct csv {
	struct span fields[CSV_MAX_FIELDS];
	size_t indent[CSV_MAX_FIELDS]; /* blanks before and just inside the quotes */
	size_t n;
};

void csv_split(struct csv *csv, struct span line);

/* The field at i, empty when there is none. */
struct span csv_field(const struct csv *csv, size_t i);

#endif
