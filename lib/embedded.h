/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a recording brings along in its SYMBOLS blocks. recording(5) is normative. */
#ifndef FLAMEPIPE_EMBEDDED_H
#define FLAMEPIPE_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/intern.h"
#include "lib/str.h"

enum { EMBEDDED_RUNNING_KERNEL = 1, EMBEDDED_FILE_OFFSETS = 2, EMBEDDED_JIT = 4 };

/* One function, ids in strings. */
struct embedded_frame {
	uint32_t name, file, line;
};

struct embedded_entry {
	uint64_t start, end;
	uint32_t group;
	uint32_t path; /* of the object, in strings */
	unsigned flags;
	uint32_t nframes; /* outermost first, at frames[first] */
	size_t first;
};

/* A zeroed struct is empty. */
struct embedded {
	struct intern strings;
	struct intern groups; /* of objects that are one: by build-id, or by path where there is none */
	struct intern paths;
	uint32_t *group_of_path;
	size_t paths_cap;
	struct embedded_entry *entries;
	size_t n, cap;
	struct embedded_frame *frames;
	size_t nframes, frames_cap;
	bool sorted;
};

/* Adds the body of a block; nothing of an object that is damaged. False when the body is. */
bool embedded_read(struct embedded *e, struct span body);

#define EMBEDDED_NONE UINT32_MAX

/* The group for an object: by build-id where both sides know one, else by path; with kernel, that of the running kernel. */
uint32_t embedded_group(const struct embedded *e, struct span path, struct span build_id, bool kernel);

/* The entry for a place, NULL when there is none. */
const struct embedded_entry *embedded_find(struct embedded *e, uint32_t group, uint64_t place);

void embedded_release(struct embedded *e);

#endif
