/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that the compiler inlined, from debug information. */
#include "fold/inlines.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/symbols.h"

struct inlines {
	struct symbols_options options;
	struct symbols *symbols;
};

struct inlines *inlines_open(const struct options *o)
{
	struct inlines *in;

	if (!o->inlined)
		return NULL;
	in = xcalloc(1, sizeof *in);
	in->options = o->symbols;
	in->options.inlines = true;
	in->options.lines = o->context || o->srcline;
	in->symbols = symbols_open(&in->options);
	return in;
}

void inlines_close(struct inlines *in)
{
	if (!in)
		return;
	symbols_close(in->symbols);
	free(in);
}

/* Is it the same function, parameters aside? */
static bool is_same(struct span a, struct span b)
{
	a.n = span_find(a, 0, '(');
	b.n = span_find(b, 0, '(');
	return a.n && span_eq(a, b);
}

size_t inlines_at(struct inlines *in, const struct frame *f, bool leaf, const struct frame **frames)
{
	struct symbol_frames found;
	uint32_t object;

	if (!f->has_addr || f->kind != FRAME_USER || !f->module.n || f->module.p[0] != '/')
		return 0;
	object = symbols_object(in->symbols, f->module, SPAN(""), 0);
	if (object == OBJECT_UNKNOWN || symbols_by_address(in->symbols, object) || (!leaf && !f->addr))
		return 0;
	found = symbols_look_up(
	    in->symbols, object, leaf ? f->addr : f->addr - 1, leaf ? PLACE_EXACT : PLACE_RETURN);
	if (!is_same(found.frames[found.n - 1].name, f->name))
		return 0;
	if (found.n == 1 && !found.frames[0].file.n)
		return 0;
	*frames = found.frames;
	return found.n;
}
