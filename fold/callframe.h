/* SPDX-License-Identifier: GPL-2.0-or-later */
/* V8's call frames, as .cpuprofile files and traces of Chrome have them. */
#ifndef FLAMEPIPE_CALLFRAME_H
#define FLAMEPIPE_CALLFRAME_H

#include <stdint.h>

#include "fold/nodes.h"
#include "lib/json.h"

/* Fills in a node from {"functionName":"f","url":"file:///a.js","lineNumber":3}. */
void callframe_set(struct nodes *t, uint32_t node, const struct json *callframe);

/* Makes parent the node's parent, unless it has one. */
void callframe_set_parent(struct nodes *t, uint32_t node, uint32_t parent);

/* A moment in microseconds, delta later (INT64_MIN: none is known); stays as it was on overflow. */
int64_t callframe_later(int64_t now, int64_t delta);

#endif
