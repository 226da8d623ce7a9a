/* SPDX-License-Identifier: GPL-2.0-or-later */
/* palette.map: the colours that names had in an earlier picture, one "NAME->rgb(R,G,B)" a line. */
#ifndef FLAMEPIPE_PALETTEMAP_H
#define FLAMEPIPE_PALETTEMAP_H

#include <stdbool.h>

#include "lib/intern.h"
#include "render/palette.h"

struct palette_map {
	struct intern names;
	struct colour *colours; /* by id */
	size_t cap;
};

/* Reads path; no file is an empty map. Lines that are no entries are counted in *nbad and left out. */
void palette_map_read(struct palette_map *m, const char *path, unsigned *nbad);

/* Writes it, sorted by name. False with errno set when it cannot be written. */
bool palette_map_write(const struct palette_map *m, const char *path);

bool palette_map_get(const struct palette_map *m, struct span name, struct colour *c);
void palette_map_put(struct palette_map *m, struct span name, struct colour c);
void palette_map_release(struct palette_map *m);

#endif
