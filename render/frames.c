/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of one graph as SVG groups. Measures are those of flamegraph.pl, so that pictures of both can be laid side by side. */
#include "render/frames.h"

#include <math.h>

#include "render/palettemap.h"
#include "render/xml.h"

void frame_px(struct str *out, double v)
{
	long hundredths = lround(v * 100);

	if (hundredths < 0) {
		str_addc(out, '-');
		hundredths = -hundredths;
	}
	str_addu(out, (uint64_t)(hundredths / 100));
	hundredths %= 100;
	if (!hundredths)
		return;
	str_addc(out, '.');
	str_addc(out, (char)('0' + hundredths / 10));
	if (hundredths % 10)
		str_addc(out, (char)('0' + hundredths % 10));
}

void frame_colour(struct str *out, struct colour c)
{
	str_adds(out, "rgb(");
	str_addu(out, c.r);
	str_addc(out, ',');
	str_addu(out, c.g);
	str_addc(out, ',');
	str_addu(out, c.b);
	str_addc(out, ')');
}

/* Two digits after the point. */
static void add_percent(struct str *out, double percent)
{
	uint64_t hundredths = (uint64_t)llround(percent * 100);

	str_addu(out, hundredths / 100);
	str_addc(out, '.');
	str_addc(out, (char)('0' + hundredths / 10 % 10));
	str_addc(out, (char)('0' + hundredths % 10));
	str_addc(out, '%');
}

struct span frame_shown_name(const struct tree *t, uint32_t node)
{
	struct span name = node ? tree_name(t, node) : SPAN("all");

	if (name.n > 4 && name.p[name.n - 4] == '_' && name.p[name.n - 3] == '[' &&
	    name.p[name.n - 1] == ']' && strchr("kjiw", name.p[name.n - 2]))
		name.n -= 4;
	return name;
}

/* Counts are shown times the factor, rounded to whole ones when there is one. */
static u128 shown_count(const struct options *o, u128 count)
{
	long double v;

	if (o->factor == COUNT_ONE)
		return count;
	v = (long double)count / (long double)COUNT_ONE * (long double)o->factor;
	if (v >= (long double)COUNT_MAX)
		return COUNT_MAX;
	/* Whole numbers, but nothing that is there is shown as none. */
	return v < (long double)COUNT_ONE ? (u128)v : count_round((u128)v);
}

static double per_total(const struct tree *t, uint32_t node, unsigned column, bool by_share)
{
	double self = count_double(tree_self(t, node, column)),
	       total = count_double(tree_total(t, 0, column));

	return by_share && total > 0 ? self / total : self;
}

double frame_delta(const struct tree *t, uint32_t node, bool by_share)
{
	return per_total(t, node, 1, by_share) - per_total(t, node, 0, by_share);
}

static double share(const struct tree *t, uint32_t node, unsigned column)
{
	double total = count_double(tree_total(t, 0, column));

	return total > 0 ? count_double(tree_total(t, node, column)) / total : 0;
}

double frame_change(const struct tree *t, uint32_t node, bool own)
{
	return own ? frame_delta(t, node, true) : share(t, node, 1) - share(t, node, 0);
}

double frame_largest_change(const struct tree *t, bool own)
{
	double max = 0;

	for (uint32_t node = 1; t->ncolumns > 1 && node < t->n; node++)
		max = fmax(max, fabs(frame_change(t, node, own)));
	return max;
}

static double own_delta(const struct panel *p, uint32_t node, bool by_share)
{
	double d = frame_delta(p->t, node, by_share);

	return p->o->negate ? -d : d;
}

static void add_delta(const struct panel *p, struct str *out, uint32_t node)
{
	double total = count_double(tree_total(p->t, 0, 1));
	double percent = 100 * own_delta(p, node, false) / (total > 0 ? total : count_double(p->l->total));

	str_addf(out, percent > 0 ? "; +%.2f%%" : "; %.2f%%", percent == 0 ? 0 : percent);
}

/* "NAME (1,234 samples, 5.67%)" */
static void add_numbers(struct str *out, const struct panel *p, const struct box *b)
{
	double percent = 100 * layout_share(p->l, b->count);

	xml_escape(out, frame_shown_name(p->t, b->node));
	str_adds(out, " (");
	count_add_commas(out, shown_count(p->o, b->count));
	str_addc(out, ' ');
	xml_escape(out, span_of(p->o->count_name));
	str_adds(out, ", ");
	if (!b->node && percent == 100)
		str_adds(out, "100%");
	else
		add_percent(out, percent);
	if (p->difference && b->node)
		add_delta(p, out, b->node);
	str_addc(out, ')');
}

static void add_title(
    struct str *out, const struct panel *p, const struct box *b, const struct nameattr_entry *said)
{
	if (p->vanished_only && (!b->node || tree_total(p->t, b->node, 1)))
		return;
	str_adds(out, "<title>");
	if (said && said->has_title)
		xml_escape(out, said->title);
	else
		add_numbers(out, p, b);
	str_adds(out, "</title>");
}

struct colour frame_plain_colour(const struct options *o, struct span name)
{
	struct colour c;

	if (o->map && palette_map_get(o->map, name, &c))
		return c;
	c = palette_colour(o->palette, name.n ? name : SPAN("all"), o->seed);
	if (o->map)
		palette_map_put(o->map, name, c);
	return c;
}

static double painted_change(const struct panel *p, uint32_t node)
{
	double d = frame_change(p->t, node, p->proven != NULL);

	return p->o->negate ? -d : d;
}

static struct colour colour_of(const struct panel *p, const struct box *b)
{
	if (p->o->diffusion)
		return diffusion_colour(layout_share(p->l, b->count));
	if (p->difference && p->proven && b->node && !p->proven[b->node])
		return UNPROVEN;
	if (p->difference)
		return difference_colour(b->node ? painted_change(p, b->node) : 0, p->max_delta);
	return frame_plain_colour(p->o, tree_name(p->t, b->node));
}

/* As much of the name as fits, with two full stops where it does not. False when there is no room for three characters. */
static bool add_label(struct str *out, const struct panel *p, const struct box *b, double px)
{
	size_t fits = (size_t)(px / (p->o->font_size * p->o->font_width)), n;
	struct span name = frame_shown_name(p->t, b->node);

	if (fits < 3)
		return false;
	n = utf8_length(name);
	if (n <= fits) {
		xml_escape(out, name);
	} else if (p->o->truncate_left) {
		struct span head = utf8_prefix(name, n - (fits - 2));

		str_adds(out, "..");
		xml_escape(out, (struct span){name.p + head.n, name.n - head.n});
	} else {
		xml_escape(out, utf8_prefix(name, fits - 2));
		str_adds(out, "..");
	}
	return true;
}

static double row(const struct panel *p, uint32_t depth)
{
	double h = p->o->frame_height;

	return p->o->inverted ? p->top + depth * h : p->bottom - (depth + 1) * h + 1;
}

static double edge(const struct panel *p, u128 at)
{
	return round((p->left + p->width * layout_share(p->l, at)) * 100) / 100;
}

static void add_text(
    struct str *out, const struct panel *p, const struct box *b, double x, double y, double px)
{
	size_t before = out->n;

	str_adds(out, "<text x=\"");
	frame_px(out, x + 3);
	str_adds(out, "\" y=\"");
	frame_px(out, y + p->o->frame_height / 2 + 2.5);
	str_adds(out, "\">");
	if (add_label(out, p, b, px))
		str_adds(out, "</text>");
	else
		out->n = before;
}

static void add_rect(
    struct str *out, const struct panel *p, const struct box *b, double x, double y, double px)
{
	str_adds(out, "<rect x=\"");
	frame_px(out, x);
	str_adds(out, "\" y=\"");
	frame_px(out, y);
	str_adds(out, "\" width=\"");
	frame_px(out, px);
	str_adds(out, "\" height=\"");
	frame_px(out, p->o->frame_height - 1);
	str_adds(out, "\" fill=\"");
	frame_colour(out, colour_of(p, b));
	str_adds(out, "\"/>");
}

static void add_frame(struct str *out, const struct panel *p, const struct box *b)
{
	double x = edge(p, b->start), px = edge(p, b->start + b->count) - x, y = row(p, b->depth);
	const struct nameattr_entry *said =
	    p->attributes ? nameattr_get(p->attributes, tree_name(p->t, b->node)) : NULL;
	char element = said && said->has_link ? 'a' : 'g';

	str_addc(out, '<');
	str_addc(out, element);
	if (said) {
		/* The script finds them by these. */
		str_adds(out, " data-name=\"");
		xml_escape(out, frame_shown_name(p->t, b->node));
		str_adds(out, said->has_title ? "\" data-title=\"1\"" : "\"");
		str_add(out, said->attributes.p, said->attributes.n);
	}
	str_addc(out, '>');
	add_title(out, p, b, said);
	add_rect(out, p, b, x, y, px);
	add_text(out, p, b, x, y, px);
	str_adds(out, "</");
	str_addc(out, element);
	str_adds(out, ">\n");
}

/* What is too narrow to be drawn, as one path of thin bars. */
static void add_narrow(struct str *out, const struct panel *p)
{
	if (!p->l->nruns)
		return;
	str_adds(out, "<path class=\"narrow\" fill=\"none\" stroke=\"#888\" d=\"");
	for (size_t i = 0; i < p->l->nruns; i++) {
		const struct box *run = &p->l->runs[i];
		double x = edge(p, run->start), px = edge(p, run->start + run->count) - x;

		str_addc(out, 'M');
		frame_px(out, x);
		str_addc(out, ' ');
		frame_px(out, row(p, run->depth) + p->o->frame_height / 2);
		str_addc(out, 'h');
		frame_px(out, px);
	}
	str_adds(out, "\"/>\n");
}

void frames_write(struct str *out, const struct panel *p)
{
	for (size_t i = 0; i < p->l->n; i++)
		add_frame(out, p, &p->l->boxes[i]);
	add_narrow(out, p);
}
