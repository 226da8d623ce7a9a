/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile as folded lines, as an indented tree, and for d3-flame-graph. */
#include "render/export.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/folded.h"
#include "lib/json.h"

void export_column_name(const struct export *e, unsigned column, struct str *name)
{
	struct str names = {0};
	struct span rest;
	unsigned i = 0;

	folded_header_get(e->header, "columns", &names);
	for (rest = str_span(&names); i < column && rest.n; i++) {
		size_t end = span_find(rest, 0, ',');

		end += end < rest.n;
		rest.p += end, rest.n -= end;
	}
	if (rest.n)
		str_add(name, rest.p, span_find(rest, 0, ','));
	else
		str_addu(name, column + 1);
	str_release(&names);
}

static bool has_self(const struct tree *t, uint32_t node)
{
	for (unsigned i = 0; i < t->ncolumns; i++)
		if (tree_self(t, node, i))
			return true;
	return false;
}

/* Cuts the last n frames off a folded stack. */
static void drop_frames(struct str *stack, uint32_t n)
{
	for (; n && stack->n; n--) {
		const char *semicolon = memrchr(stack->p, ';', stack->n);

		stack->n = semicolon ? (size_t)(semicolon - stack->p) : 0;
	}
}

static void add_line(struct str *out, const struct tree *t, uint32_t node, const struct str *stack)
{
	str_add(out, stack->n ? stack->p : "", stack->n);
	for (unsigned i = 0; i < t->ncolumns; i++) {
		str_addc(out, ' ');
		count_add(out, tree_self(t, node, i));
	}
	str_addc(out, '\n');
}

void export_folded(struct str *out, const struct export *e)
{
	struct str stack = {0};
	uint32_t node = 0, up = 0;

	if (e->header.n) {
		str_add(out, e->header.p, e->header.n);
		str_addc(out, '\n');
	}
	do {
		if (node) {
			drop_frames(&stack, up);
			if (stack.n)
				str_addc(&stack, ';');
			folded_escape(&stack, tree_name(e->t, node));
		}
		if (has_self(e->t, node))
			add_line(out, e->t, node, &stack);
		node = tree_next(e->t, node, &up);
	} while (node);
	str_release(&stack);
}

static double percent_of(const struct tree *t, u128 count, unsigned column)
{
	u128 all = tree_total(t, 0, column);

	return all ? 100 * count_double(count) / count_double(all) : 0;
}

/* Bytes that a terminal would act on are shown as question marks. */
static void add_printable(struct str *out, struct span name)
{
	for (size_t i = 0; i < name.n; i++)
		str_addc(out, (unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f ? '?' : name.p[i]);
}

/* For each column, the share of a node with what it calls and of itself. */
static void add_text_line(struct str *out, const struct tree *t, uint32_t node, uint32_t depth)
{
	for (unsigned i = 0; i < t->ncolumns; i++) {
		str_addf(out, "%6.2f%% %6.2f%%  ", percent_of(t, tree_total(t, node, i), i),
		    percent_of(t, tree_self(t, node, i), i));
	}
	for (uint32_t i = 0; i < depth; i++)
		str_adds(out, "  ");
	add_printable(out, node ? tree_name(t, node) : SPAN("all"));
	str_addc(out, '\n');
}

static bool is_wide_enough(const struct export *e, uint32_t node)
{
	double min = e->o->min_percent ? e->o->min_width : 0.1;

	for (unsigned i = 0; i < e->t->ncolumns; i++)
		if (percent_of(e->t, tree_total(e->t, node, i), i) >= min)
			return true;
	return false;
}

void export_text(struct str *out, const struct export *e)
{
	uint32_t node = 0, up = 0, depth = 0, hidden = UINT32_MAX;
	size_t nhidden = 0;

	str_adds(out, "  total    self   frame\n");
	do {
		depth = node ? depth - up + 1 : 0;
		if (depth <= hidden)
			hidden = is_wide_enough(e, node) ? UINT32_MAX : depth;
		if (hidden == UINT32_MAX)
			add_text_line(out, e->t, node, depth);
		else
			nhidden++;
		node = tree_next(e->t, node, &up);
	} while (node);
	if (nhidden)
		str_addf(out, "(%zu frames below the minimum width are not listed)\n", nhidden);
}

static void add_number(struct str *out, u128 count)
{
	count_add(out, count);
}

static void open_d3(struct str *out, const struct tree *t, uint32_t node)
{
	str_adds(out, "{\"name\":");
	json_quote(out, node ? tree_name(t, node) : SPAN("all"));
	str_adds(out, ",\"value\":");
	add_number(out, tree_total(t, node, t->ncolumns - 1));
	if (t->ncolumns > 1) {
		u128 a = tree_self(t, node, 0), b = tree_self(t, node, t->ncolumns - 1);

		str_adds(out, b < a ? ",\"delta\":-" : ",\"delta\":");
		add_number(out, b < a ? a - b : b - a);
	}
	if (t->nodes[node].child)
		str_adds(out, ",\"children\":[");
}

void export_d3(struct str *out, const struct export *e)
{
	uint32_t node = 0, up = 0, next;

	open_d3(out, e->t, 0);
	while ((next = tree_next(e->t, node, &up))) {
		if (up) {
			str_addc(out, '}');
			for (; up > 1; up--)
				str_adds(out, "]}");
			str_addc(out, ',');
		}
		node = next;
		open_d3(out, e->t, node);
	}
	str_addc(out, '}');
	for (; up > 1 && node; up--) {
		str_adds(out, "]}");
		node = e->t->nodes[node].parent;
	}
	str_addc(out, '\n');
}
