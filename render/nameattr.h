/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of --nameattr: what users want to say of frames by name, such as a link. */
#ifndef FLAMEPIPE_NAMEATTR_H
#define FLAMEPIPE_NAMEATTR_H

#include <stdbool.h>

#include "lib/arena.h"
#include "lib/intern.h"

/* One frame's: title replaces the tooltip where it is set; attributes are XML text, ready to be written, each with a blank
   before it. */
struct nameattr_entry {
	struct span title;
	struct span attributes;
	bool has_title, has_link;
};

struct nameattr {
	struct intern names;
	struct nameattr_entry *entries; /* by id */
	size_t cap;
	struct arena text;
	unsigned nbad; /* attributes that are not known, not well-formed, or there twice */
};

/* False with errno set when path cannot be read. */
bool nameattr_read(struct nameattr *a, const char *path);

/* NULL when there is none for this name. */
const struct nameattr_entry *nameattr_get(const struct nameattr *a, struct span name);

void nameattr_release(struct nameattr *a);

#endif
