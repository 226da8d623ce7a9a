/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as the text of perf script, in order of time. */
#ifndef FLAMEPIPE_SCRIPT_H
#define FLAMEPIPE_SCRIPT_H

#include <stdbool.h>

#include "fold/timeline.h"

struct script;

/* Where a reader pushes what it finds; the text goes to stdout. With lines, each frame is followed by its source line. */
struct script *script_open(struct symbols *symbols, bool lines);
struct timeline *script_timeline(struct script *s);
/* Samples printed so far. */
uint64_t script_nsamples(const struct script *s);
void script_close(struct script *s);

#endif
