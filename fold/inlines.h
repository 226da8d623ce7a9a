/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --inline and --context for text that has addresses: the functions that the compiler inlined there, from debug information of the
   files on this machine. */
#ifndef FLAMEPIPE_INLINES_H
#define FLAMEPIPE_INLINES_H

#include <stdbool.h>
#include <stddef.h>

#include "fold/options.h"
#include "lib/frame.h"

struct inlines;

/* NULL when the options do not ask for it. */
struct inlines *inlines_open(const struct options *o);
void inlines_close(struct inlines *in);

/* The frames, leaf first, that stand for f, whose address is an offset in the file of its module, as perf script prints it; leaf: the
   address is of the instruction itself and not where a call returns to. 0 when nothing is known, or when what is found there is
   another function: the file is not the one that was profiled. Valid until inlines_close. */
size_t inlines_at(struct inlines *in, const struct frame *f, bool leaf, const struct frame **frames);

#endif
