/* SPDX-License-Identifier: GPL-2.0-or-later */
/* palette.map: the colours that names had in an earlier picture. */
#include "render/palettemap.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/input.h"

/* "rgb(R,G,B)" */
static bool parse_rgb(struct span s, struct colour *c)
{
	uint8_t *channel[] = {&c->r, &c->g, &c->b};

	if (!span_starts(s, SPAN("rgb(")) || !span_ends(s, SPAN(")")))
		return false;
	s = (struct span){s.p + 4, s.n - 5};
	for (int i = 0; i < 3; i++) {
		size_t end = span_find(s, 0, ',');
		uint64_t v;

		if (!span_u64(span_trim((struct span){s.p, end}), 10, &v) || v > 255)
			return false;
		*channel[i] = (uint8_t)v;
		end += end < s.n;
		s = (struct span){s.p + end, s.n - end};
	}
	return s.n == 0;
}

/* A name may hold "->" itself: the last one counts. */
static bool parse_entry(struct span line, struct span *name, struct colour *c)
{
	for (size_t i = line.n; i-- > 1;) {
		if (line.p[i] != '>' || line.p[i - 1] != '-')
			continue;
		*name = (struct span){line.p, i - 1};
		return parse_rgb((struct span){line.p + i + 1, line.n - i - 1}, c);
	}
	return false;
}

void palette_map_put(struct palette_map *m, struct span name, struct colour c)
{
	uint32_t id = intern(&m->names, name);

	m->colours = grow(m->colours, id, &m->cap, sizeof *m->colours);
	m->colours[id] = c;
}

bool palette_map_get(const struct palette_map *m, struct span name, struct colour *c)
{
	uint32_t id = intern_find(&m->names, name);

	if (id == UINT32_MAX)
		return false;
	*c = m->colours[id];
	return true;
}

void palette_map_read(struct palette_map *m, const char *path, unsigned *nbad)
{
	struct input in;
	struct span line, name;
	struct colour c;

	*m = (struct palette_map){0};
	*nbad = 0;
	if (!input_open(&in, path))
		return;
	while (input_line(&in, &line)) {
		if (parse_entry(line, &name, &c))
			palette_map_put(m, name, c);
		else
			*nbad += line.n > 0;
	}
	input_close(&in);
}

static int by_name(const void *a, const void *b, void *names)
{
	return span_cmp(intern_span(names, *(const uint32_t *)a), intern_span(names, *(const uint32_t *)b));
}

bool palette_map_write(const struct palette_map *m, const char *path)
{
	uint32_t *order = xcalloc(m->names.n, sizeof *order);
	FILE *f = fopen(path, "we");
	bool good = f;

	for (uint32_t i = 0; i < m->names.n; i++)
		order[i] = i;
	qsort_r(order, m->names.n, sizeof *order, by_name, (void *)(uintptr_t)&m->names);
	for (uint32_t i = 0; f && i < m->names.n; i++) {
		struct span name = intern_span(&m->names, order[i]);
		struct colour c = m->colours[order[i]];

		good = fwrite(name.p, 1, name.n, f) == name.n && good;
		good = fprintf(f, "->rgb(%d,%d,%d)\n", c.r, c.g, c.b) > 0 && good;
	}
	free(order);
	return (!f || fclose(f) == 0) && good;
}

void palette_map_release(struct palette_map *m)
{
	intern_release(&m->names);
	free(m->colours);
}
