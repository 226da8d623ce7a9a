/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that a recording brings along in its SYMBOLS blocks. */
#include "lib/embedded.h"

#include <stdlib.h>

#include "lib/recording.h"
#include "lib/wire.h"

enum {
	FRAMES_MAX = 1024, /* inlined into one another at one place */
	OVERLAP_MAX = 16, /* entries looked at when several blocks name the same places */
};

#define KERNEL_KEY SPAN("K")

static bool read_frames(struct embedded *e, struct wire *w, struct embedded_entry *entry)
{
	uint64_t m = wire_varint(w);

	if (m == 0 || m > FRAMES_MAX)
		return false;
	entry->first = e->nframes;
	entry->nframes = (uint32_t)m;
	for (uint64_t i = 0; i < m && !w->failed; i++) {
		struct embedded_frame f;
		uint64_t line;

		f.name = intern(&e->strings, wire_str(w));
		f.file = intern(&e->strings, wire_str(w));
		line = wire_varint(w);
		f.line = line > UINT32_MAX ? 0 : (uint32_t)line;
		e->frames = grow(e->frames, e->nframes, &e->frames_cap, sizeof *e->frames);
		e->frames[e->nframes++] = f;
	}
	return !w->failed;
}

static bool read_entries(struct embedded *e, struct wire *w, const struct embedded_entry *object)
{
	uint64_t n = wire_varint(w), addr = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct embedded_entry entry = *object;

		addr += wire_varint(w);
		entry.start = addr;
		if (__builtin_add_overflow(addr, wire_varint(w), &entry.end))
			entry.end = UINT64_MAX;
		if (w->failed || !read_frames(e, w, &entry))
			return false;
		e->entries = grow(e->entries, e->n, &e->cap, sizeof *e->entries);
		e->entries[e->n++] = entry;
	}
	return !w->failed;
}

/* A group's key in scratch: its first byte says what the rest is. */
static struct span key_of(struct str *scratch, char kind, struct span s)
{
	str_reset(scratch);
	str_addc(scratch, kind);
	str_add(scratch, s.p, s.n);
	return str_span(scratch);
}

static uint32_t add_object(struct embedded *e, struct span path, struct span build_id, bool kernel)
{
	struct str key = {0};
	uint32_t group, known;

	if (kernel)
		return intern(&e->groups, KERNEL_KEY);
	group = intern(&e->groups, build_id.n ? key_of(&key, 'B', build_id) : key_of(&key, 'P', path));
	known = e->paths.n;
	if (intern(&e->paths, path) == known) {
		e->group_of_path = grow(e->group_of_path, known, &e->paths_cap, sizeof *e->group_of_path);
		e->group_of_path[known] = group;
	}
	str_release(&key);
	return group;
}

bool embedded_read(struct embedded *e, struct span body)
{
	struct wire w = wire_init(body.p, body.n, false);

	e->sorted = false;
	while (wire_left(&w)) {
		struct span path = wire_str(&w), build_id = wire_str(&w);
		uint64_t flags = wire_varint(&w);
		struct embedded_entry object = {.flags = (unsigned)flags};
		size_t had = e->n;

		object.group = add_object(e, path, build_id, flags & EMBEDDED_RUNNING_KERNEL);
		object.path = intern(&e->strings, path);
		if (w.failed || !read_entries(e, &w, &object)) {
			e->n = had;
			return false;
		}
	}
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct embedded_entry *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

uint32_t embedded_group(const struct embedded *e, struct span path, struct span build_id, bool kernel)
{
	struct str key = {0};
	uint32_t group = EMBEDDED_NONE, known;

	if (kernel)
		return intern_find(&e->groups, KERNEL_KEY);
	if (build_id.n)
		group = intern_find(&e->groups, key_of(&key, 'B', build_id));
	known = group == EMBEDDED_NONE ? intern_find(&e->paths, path) : EMBEDDED_NONE;
	if (known != EMBEDDED_NONE)
		group = e->group_of_path[known];
	/* A path that is known with another build-id is another file. */
	if (known != EMBEDDED_NONE && build_id.n && intern_span(&e->groups, group).p[0] == 'B')
		group = EMBEDDED_NONE;
	str_release(&key);
	return group;
}

const struct embedded_entry *embedded_find(struct embedded *e, uint32_t group, uint64_t place)
{
	size_t low = 0, high = e->n;

	if (!e->sorted && e->n)
		qsort(e->entries, e->n, sizeof *e->entries, by_place);
	e->sorted = true;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct embedded_entry *m = &e->entries[mid];

		if (m->group < group || (m->group == group && m->start <= place))
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = 1; i <= OVERLAP_MAX && i <= low && e->entries[low - i].group == group; i++)
		if (place < e->entries[low - i].end)
			return &e->entries[low - i];
	return NULL;
}

void embedded_release(struct embedded *e)
{
	intern_release(&e->strings);
	intern_release(&e->groups);
	intern_release(&e->paths);
	free(e->group_of_path);
	free(e->entries);
	free(e->frames);
	*e = (struct embedded){0};
}
