/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the SVG and the HTML page have in common. */
#include "render/picture.h"

#include <stdlib.h>

#include "lib/folded.h"
#include "lib/packed.h"
#include "render/frames.h"
#include "render/xml.h"

enum { LEVEL = 6, FAST_LEVEL = 1, MANY_NODES = 500000 }; /* of compression */

const char *picture_title(const struct options *o)
{
	if (o->title)
		return o->title;
	return o->chart ? "Flame Chart" : o->inverted ? "Icicle Graph" : "Flame Graph";
}

void picture_provenance(struct str *out, struct span header)
{
	static const struct {
		const char *key, *before, *after;
	} parts[] = {{"event", "", ""}, {"freq_hz", " at ", " Hz"}, {"period", " every ", ""},
	    {"duration_s", ", ", " s"}, {"host", " on ", ""}, {"kernel", ", Linux ", ""},
	    {"samples", ": ", " samples"}, {"lost", ", ", " lost"}, {"excluded", ", ", " excluded"},
	    {"command", " — ", ""}};
	struct str value = {0};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		str_reset(&value);
		if (!folded_header_get(header, parts[i].key, &value) || !value.n)
			continue;
		/* What is known first begins the line. */
		str_adds(out, parts[i].before + (out->n ? 0 : strspn(parts[i].before, " ,:")));
		str_add(out, value.p, value.n);
		str_adds(out, parts[i].after);
	}
	str_release(&value);
}

/* Cuts the next name off *names; of a run, NAME/1, only what stands before the slash. */
static struct span next_side(struct span *names)
{
	size_t end = span_find(*names, 0, ',');
	struct span name = {names->p, end};

	end += end < names->n;
	names->p += end;
	names->n -= end;
	name.n = span_find(name, 0, '/');
	return name;
}

void picture_side(const struct picture *pic, unsigned side, struct str *name)
{
	struct str names = {0};
	struct span rest, first, found;

	folded_header_get(pic->header, "columns", &names);
	rest = str_span(&names);
	first = found = next_side(&rest);
	while (side && rest.n && span_eq(found, first))
		found = next_side(&rest);
	if (found.n)
		str_add(name, found.p, found.n);
	else
		str_adds(name, side ? "after" : "before");
	str_release(&names);
}

static void add_attribute(struct str *out, const char *name, struct span value)
{
	str_addf(out, " data-%s=\"", name);
	xml_escape(out, value);
	str_addc(out, '"');
}

static void add_count(struct str *out, const char *name, u128 count)
{
	struct str value = {0};

	count_add(&value, count);
	add_attribute(out, name, str_span(&value));
	str_release(&value);
}

static void add_colour(struct str *out, const char *name, struct colour c)
{
	struct str value = {0};

	frame_colour(&value, c);
	add_attribute(out, name, str_span(&value));
	str_release(&value);
}

static void add_sides(struct str *out, const struct picture *pic)
{
	struct str name = {0};

	picture_side(pic, 0, &name);
	add_attribute(out, "before", str_span(&name));
	str_reset(&name);
	picture_side(pic, 1, &name);
	add_attribute(out, "after", str_span(&name));
	str_release(&name);
}

/* One letter for each option that the script has to follow. */
static void add_flags(struct str *out, const struct picture *pic, const struct options *o)
{
	bool sides = pic->tree->ncolumns == 2 && o->difference == DIFF_SIDES;

	str_addf(out, " data-flags=\"%s%s%s%s%s%s%s%s\"", o->inverted ? "i" : "", o->reverse ? "r" : "",
	    o->no_sort ? "o" : "", o->negate ? "n" : "", o->fluid ? "f" : "", o->truncate_left ? "l" : "",
	    o->diffusion ? "w" : "", sides ? "s" : "");
}

/* The numbers of the nodes with a proven change, as the packed profile counts them. */
static void add_proven(struct str *out, const struct picture *pic)
{
	uint32_t node = 0, up = 0, number = 0;

	str_adds(out, " data-proven=\"");
	do {
		if (pic->proven[node])
			str_addf(out, "%u ", number);
		number++;
	} while ((node = tree_next(pic->tree, node, &up)));
	str_addc(out, '"');
}

/* What compare said of each node, for the tooltip: "NUMBER:TEXT|" by the same numbers. */
static void add_verdicts(struct str *out, const struct picture *pic)
{
	const struct verdict **verdicts = verdicts_by_node(pic->verdicts, pic->tree);
	uint32_t node = 0, up = 0, number = 0;
	struct str text = {0};

	str_adds(out, " data-verdicts=\"");
	do {
		if (verdicts[node]) {
			str_reset(&text);
			verdict_describe(verdicts[node], &text);
			str_addf(out, "%u:", number);
			xml_escape(out, str_span(&text));
			str_addc(out, '|');
		}
		number++;
	} while ((node = tree_next(pic->tree, node, &up)));
	str_addc(out, '"');
	str_release(&text);
	free(verdicts);
}

void picture_parameters(struct str *out, const struct picture *pic, const struct options *o)
{
	u128 all = tree_total(pic->tree, 0, pic->tree->ncolumns - 1);

	str_addf(out, " data-height=\"%g\" data-font=\"%g\" data-char=\"%g\" data-min=\"%g\"",
	    o->frame_height, o->font_size, o->font_size * o->font_width, o->min_percent ? 0.1 : o->min_width);
	add_flags(out, pic, o);
	add_count(out, "total", o->total > all ? o->total : all);
	add_count(out, "factor", o->factor);
	add_colour(out, "search", o->search);
	add_colour(
	    out, "root", pic->tree->ncolumns > 1 ? difference_colour(0, 1) : frame_plain_colour(o, SPAN("")));
	add_attribute(out, "type", span_of(o->name_type));
	add_attribute(out, "unit", span_of(o->count_name));
	if (pic->tree->ncolumns > 1)
		add_sides(out, pic);
	if (pic->proven) {
		add_proven(out, pic);
		add_verdicts(out, pic);
	}
}

static void colour_for_script(void *ctx, struct span name, uint8_t rgb[3])
{
	struct colour c = frame_plain_colour(ctx, name);

	rgb[0] = c.r, rgb[1] = c.g, rgb[2] = c.b;
}

void picture_profile(struct str *out, const struct picture *pic, const struct options *o)
{
	packed_write(out, pic->tree, pic->header, colour_for_script, (void *)(uintptr_t)o,
	    pic->tree->n > MANY_NODES ? FAST_LEVEL : LEVEL);
}
