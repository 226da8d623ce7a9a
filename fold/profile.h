/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole profile that render puts inside its pictures: "THE PROFILE INSIDE A PICTURE" of folded(5). */
#ifndef FLAMEPIPE_PROFILE_H
#define FLAMEPIPE_PROFILE_H

#include <stdbool.h>

#include "fold/sink.h"
#include "lib/input.h"
#include "lib/str.h"

/* Looks for the profile in a document. False when there is none; otherwise its stacks have been handed over, and *good says
   whether it was whole (input_fail has been called when not). */
bool profile_read(struct input *in, struct span document, struct sink *sink, bool *good);

#endif
