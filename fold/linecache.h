/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames by the bytes of their lines: text profiles print the same frame thousands of times, and parsing it once is enough. */
#ifndef FLAMEPIPE_LINECACHE_H
#define FLAMEPIPE_LINECACHE_H

#include <stdbool.h>

#include "fold/sink.h"
#include "lib/arena.h"
#include "lib/frame.h"
#include "lib/str.h"

/* Zeroed is a start. */
struct linecache {
	struct linecache_entry *slots;
	size_t n;
	struct arena bytes; /* the lines, to which the frames refer */
};

/* The frame that parse makes of the line; NULL when it says that it is none. Valid until linecache_trim. */
const struct frame *linecache_get(struct linecache *c, struct sink *sink, struct span line,
    bool (*parse)(struct span line, struct frame *f));

/* Forgets everything once it has become too much; to be called while no frame is in hand. */
void linecache_trim(struct linecache *c);

void linecache_release(struct linecache *c);

#endif
