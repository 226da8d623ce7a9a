/* SPDX-License-Identifier: GPL-2.0-or-later */
/* V8's call frames. */
#include "fold/callframe.h"

#include "fold/tidy.h"

/* Functions without a name would all be one: they are told apart by where they stand. */
static struct span name_anonymous(struct nodes *t, struct span url, uint32_t line)
{
	struct str name = {0};
	struct span file = tidy_module(url), copy;

	str_adds(&name, "(anonymous");
	if (file.n) {
		str_addc(&name, ' ');
		str_add(&name, file.p, file.n);
		str_addf(&name, ":%u", line);
	}
	str_addc(&name, ')');
	copy = nodes_copy(t, str_span(&name));
	str_release(&name);
	return copy;
}

void callframe_set(struct nodes *t, uint32_t node, const struct json *callframe)
{
	struct frame *f = &t->items[node].frame;
	struct span name = json_text(json_member(callframe, "functionName"));
	struct span url = json_text(json_member(callframe, "url"));
	int64_t line;

	*f = (struct frame){.kind = FRAME_JIT};
	/* Lines are counted from 0, and -1 is unknown. */
	if (json_integer_of(json_member(callframe, "lineNumber"), &line) && line >= 0 && line < UINT32_MAX)
		f->line = (uint32_t)line + 1;
	f->file = nodes_copy(t, url);
	f->name = name.n ? nodes_copy(t, name) : name_anonymous(t, url, f->line);
	t->items[node].is_root = span_eq(name, SPAN("(root)")) && !url.n;
}

void callframe_set_parent(struct nodes *t, uint32_t node, uint32_t parent)
{
	if (t->items[node].parent == NODE_NONE && node != parent)
		t->items[node].parent = parent;
}

int64_t callframe_later(int64_t now, int64_t delta)
{
	int64_t later;

	if (delta == INT64_MIN || __builtin_add_overflow(now, delta, &later))
		return now;
	return later;
}
