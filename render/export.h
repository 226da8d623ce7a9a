/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile in the formats of other tools, and as text. Each function appends a whole document. */
#ifndef FLAMEPIPE_EXPORT_H
#define FLAMEPIPE_EXPORT_H

#include "lib/str.h"
#include "lib/tree.h"
#include "render/options.h"

/* What every format needs. */
struct export
{
	const struct tree *t;
	const struct options *o;
	struct span header; /* the input's "# flamepipe" line, or empty */
};

typedef void export_fn(struct str *out, const struct export *e);

export_fn export_folded; /* folded(5) */
export_fn export_text; /* an indented tree with percentages */
export_fn export_d3; /* d3-flame-graph: {name, value, children}, values with what is called */
export_fn export_speedscope; /* speedscope's file format, one sampled profile for each column */
export_fn export_firefox; /* Firefox Profiler's processed profile */
export_fn export_pprof; /* pprof's profile.proto, gzipped */
export_fn export_term; /* a coloured flame graph for a terminal of o->width columns */

/* The name of a column: from the header, else its number from 1. Appended to *name. */
void export_column_name(const struct export *e, unsigned column, struct str *name);

#endif
