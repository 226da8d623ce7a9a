/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every distinct stack of places as a node of a tree, whose frames get their names at the end. */
#ifndef FLAMEPIPE_PATHS_H
#define FLAMEPIPE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/sink.h"
#include "lib/frame.h"
#include "lib/places.h"
#include "lib/symbols.h"

struct paths;

/* With addrs, frames have the addresses that the profiler gave, and stacks that differ in these alone are distinct. */
struct paths *paths_open(bool addrs);
void paths_close(struct paths *p);

/* The node of a thread's callchain; 0 is the stack without frames. */
uint32_t paths_add(struct paths *p, const struct task *task, const struct callchain *chain);

/* Names every place. No paths_add after it. */
void paths_name(struct paths *p, struct symbols *symbols, struct sink *sink);

/* Nodes whose frames have the same names are one: its number. After paths_name. */
uint32_t paths_same(const struct paths *p, uint32_t node);

/* The frames of a node that paths_same gave, leaf first; valid until the next call. */
const struct frame *paths_frames(struct paths *p, uint32_t node, size_t *n);

#endif
