/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph as one SVG file with its script and style inside. Measures are those of flamegraph.pl, so that pictures of
   both can be laid side by side. */
#include "render/svg.h"

#include <math.h>
#include <stdio.h>

#include "lib/folded.h"
#include "render/embed.h"
#include "render/palettemap.h"
#include "render/xml.h"

static const unsigned char SCRIPT[] = {
#include "render/svg.js.bytes"
};

static const unsigned char STYLE[] = {
#include "render/svg.css.bytes"
};

/* Where things stand, in pixels. */
struct page {
	double width, height;
	double left, above, below; /* margins */
	double inner; /* width of the root's box */
};

struct writer {
	struct str *out;
	const struct tree *t;
	const struct layout *l;
	const struct options *o;
	struct page page;
	double max_delta; /* of the frames' own differences, absolute */
};

enum { SIDE_MARGIN = 10 };

static struct page page_of(const struct options *o, uint32_t depth, bool provenance)
{
	struct page p = {.width = o->width, .left = SIDE_MARGIN};

	p.above = o->font_size * 3 + (o->subtitle ? o->font_size * 2 : 0);
	p.below = o->font_size * 2 + 10 + (provenance ? o->font_size * 1.5 : 0);
	p.inner = o->width - 2 * SIDE_MARGIN;
	p.height = (depth + 1) * o->frame_height + p.above + p.below;
	return p;
}

static void add_colour(struct str *out, struct colour c)
{
	str_addf(out, "rgb(%d,%d,%d)", c.r, c.g, c.b);
}

/* A coordinate: two digits after the point, none where it is whole. */
static void add_px(struct str *out, double v)
{
	long hundredths = lround(v * 100);

	if (hundredths < 0) {
		str_addc(out, '-');
		hundredths = -hundredths;
	}
	str_addu(out, (uint64_t)(hundredths / 100));
	if (hundredths % 100)
		str_addf(out, hundredths % 10 ? ".%02ld" : ".%ld",
		    hundredths % 10 ? hundredths % 100 : hundredths % 100 / 10);
}

static const char *title_of(const struct options *o)
{
	if (o->title)
		return o->title;
	return o->chart ? "Flame Chart" : o->inverted ? "Icicle Graph" : "Flame Graph";
}

/* The name as people read it: without the annotation that only colours need. */
static struct span shown_name(const struct writer *w, const struct box *b)
{
	struct span name = b->node ? tree_name(w->t, b->node) : SPAN("all");

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
	v = roundl(
	    (long double)count / (long double)COUNT_ONE * (long double)o->factor / (long double)COUNT_ONE);
	return count_of((uint64_t)v);
}

/* The frame's own difference, second column less first. */
static double own_delta(const struct writer *w, uint32_t node)
{
	double d = count_double(tree_self(w->t, node, 1)) - count_double(tree_self(w->t, node, 0));

	return w->o->negate ? -d : d;
}

static void add_title(struct writer *w, const struct box *b)
{
	double percent = 100 * layout_share(w->l, b->count);

	str_adds(w->out, "<title>");
	xml_escape(w->out, shown_name(w, b));
	str_adds(w->out, " (");
	count_add_commas(w->out, shown_count(w->o, b->count));
	str_addc(w->out, ' ');
	xml_escape(w->out, span_of(w->o->count_name));
	if (!b->node)
		str_addf(w->out, percent == 100 ? ", 100%%" : ", %.2f%%", percent);
	else
		str_addf(w->out, ", %.2f%%", percent);
	if (w->t->ncolumns > 1 && b->node)
		str_addf(w->out, "; %+.2f%%", 100 * own_delta(w, b->node) / count_double(w->l->total));
	str_adds(w->out, ")</title>");
}

static struct colour colour_of(const struct writer *w, const struct box *b)
{
	struct span name = tree_name(w->t, b->node);
	struct colour c;

	if (w->t->ncolumns > 1)
		return difference_colour(own_delta(w, b->node), w->max_delta);
	if (w->o->map && palette_map_get(w->o->map, name, &c))
		return c;
	if (!b->node)
		name = SPAN("all");
	c = palette_colour(w->o->palette, name, w->o->seed);
	if (w->o->map)
		palette_map_put(w->o->map, tree_name(w->t, b->node), c);
	return c;
}

/* As much of the name as fits, with two full stops where it does not. */
static void add_label(struct writer *w, const struct box *b, double px)
{
	size_t fits = (size_t)(px / (w->o->font_size * w->o->font_width));
	struct span name = shown_name(w, b);

	if (fits < 3)
		return;
	if (utf8_length(name) <= fits) {
		xml_escape(w->out, name);
		return;
	}
	xml_escape(w->out, utf8_prefix(name, fits - 2));
	str_adds(w->out, "..");
}

static void add_frame(struct writer *w, const struct box *b)
{
	const struct page *p = &w->page;
	double x1 = p->left + p->inner * layout_share(w->l, b->start);
	double x2 = p->left + p->inner * layout_share(w->l, b->start + b->count);
	double y = w->o->inverted ? p->above + b->depth * w->o->frame_height
				  : p->height - p->below - (b->depth + 1) * w->o->frame_height + 1;

	x1 = round(x1 * 100) / 100;
	x2 = round(x2 * 100) / 100;
	str_adds(w->out, "<g data-s=\"");
	count_add(w->out, b->start);
	str_adds(w->out, "\" data-n=\"");
	count_add(w->out, b->count);
	str_adds(w->out, "\">");
	add_title(w, b);
	str_adds(w->out, "<rect x=\"");
	add_px(w->out, x1);
	str_adds(w->out, "\" y=\"");
	add_px(w->out, y);
	str_adds(w->out, "\" width=\"");
	add_px(w->out, x2 - x1);
	str_adds(w->out, "\" height=\"");
	add_px(w->out, w->o->frame_height - 1);
	str_adds(w->out, "\" fill=\"");
	add_colour(w->out, colour_of(w, b));
	str_adds(w->out, "\" rx=\"2\" ry=\"2\"/><text x=\"");
	add_px(w->out, x1 + 3);
	str_adds(w->out, "\" y=\"");
	add_px(w->out, y + w->o->frame_height / 2 + 3 - 0.5);
	str_adds(w->out, "\">");
	add_label(w, b, x2 - x1);
	str_adds(w->out, "</text></g>\n");
}

static void add_text(
    struct writer *w, const char *id, double x, double y, const char *anchor, struct span text)
{
	str_addf(w->out, "<text id=\"%s\" x=\"", id);
	add_px(w->out, x);
	str_adds(w->out, "\" y=\"");
	add_px(w->out, y);
	str_addf(w->out, "\"%s>", anchor);
	xml_escape(w->out, text);
	str_adds(w->out, "</text>\n");
}

/* "cpu-clock at 99 Hz, 3.0 s on HOST: 1,234 samples, 0 lost": what the header tells. */
static void provenance(struct str *out, struct span header)
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
		str_adds(out, parts[i].before);
		str_add(out, value.p, value.n);
		str_adds(out, parts[i].after);
	}
	str_release(&value);
}

static void add_style(struct str *out, const struct options *o)
{
	str_adds(out, "<style type=\"text/css\">\ntext{font-family:");
	/* A family's name is quoted, unless it is one of CSS's own. */
	if (strcmp(o->font_family, "monospace") == 0 || strcmp(o->font_family, "sans-serif") == 0 ||
	    strcmp(o->font_family, "serif") == 0) {
		str_adds(out, o->font_family);
	} else {
		str_addc(out, '\'');
		for (const char *c = o->font_family; *c; c++)
			if (*c != '\'' && *c != '\\' && *c != '<' && *c != '&' && (unsigned char)*c >= ' ')
				str_addc(out, *c);
		str_adds(out, "',sans-serif");
	}
	str_addf(out, ";font-size:%gpx}\n", o->font_size);
	str_add(out, (const char *)STYLE, sizeof STYLE);
	str_adds(out, "</style>\n");
}

/* What the script must know, as attributes of the frames' group. */
static void add_parameters(struct writer *w)
{
	str_addf(w->out, "<g id=\"frames\" data-total=\"");
	count_add(w->out, w->l->total);
	str_addf(w->out,
	    "\" data-left=\"%g\" data-width=\"%g\" data-char=\"%g\" data-inverted=\"%d\" data-search=\"",
	    w->page.left, w->page.inner, w->o->font_size * w->o->font_width, w->o->inverted);
	add_colour(w->out, w->o->search);
	str_adds(w->out, "\" data-type=\"");
	xml_escape(w->out, span_of(w->o->name_type));
	str_adds(w->out, "\" data-unit=\"");
	xml_escape(w->out, span_of(w->o->count_name));
	str_adds(w->out, "\">\n");
}

static void open_document(struct str *out, const struct options *o, double width, double height)
{
	str_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		      "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" "
		      "\"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n"
		      "<svg version=\"1.1\" xmlns=\"http://www.w3.org/2000/svg\" ");
	if (o->fluid)
		str_addf(out, "width=\"100%%\" ");
	else
		str_addf(out, "width=\"%g\" height=\"%g\" ", width, height);
	str_addf(out, "viewBox=\"0 0 %g %g\">\n", width, height);
}

/* "--" may not stand in a comment, nor "-" at its end. */
static void add_notes(struct str *out, const char *notes)
{
	struct str text = {0};

	xml_escape(&text, span_of(notes));
	str_adds(out, "<!-- NOTES: ");
	for (size_t i = 0; i < text.n; i++) {
		str_addc(out, text.p[i]);
		if (text.p[i] == '-')
			str_addc(out, ' ');
	}
	str_adds(out, " -->\n");
	str_release(&text);
}

static void add_background(struct str *out, const struct options *o, double width, double height)
{
	str_adds(out, "<defs><linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\"><stop "
		      "stop-color=\"");
	add_colour(out, o->top);
	str_adds(out, "\" offset=\"5%\"/><stop stop-color=\"");
	add_colour(out, o->bottom);
	str_addf(out,
	    "\" offset=\"95%%\"/></linearGradient></defs>\n"
	    "<rect id=\"paper\" x=\"0\" y=\"0\" width=\"%g\" height=\"%g\" fill=\"url(#background)\"/>\n",
	    width, height);
}

static void add_furniture(struct writer *w, struct span header)
{
	static const char right[] = " text-anchor=\"end\"", middle[] = " text-anchor=\"middle\"";
	const struct page *p = &w->page;
	double size = w->o->font_size;
	double details = w->o->inverted ? size * 2 : p->height - 10;
	struct str said = {0};

	add_text(w, "title", p->width / 2, size * 2, middle, span_of(title_of(w->o)));
	if (w->o->subtitle)
		add_text(w, "subtitle", p->width / 2, size * 4, middle, span_of(w->o->subtitle));
	provenance(&said, header);
	if (said.n)
		add_text(w, "provenance", p->left, p->height - size * 0.5, "", str_span(&said));
	add_text(
	    w, "details", p->left, said.n && !w->o->inverted ? details - size * 1.5 : details, "", SPAN(" "));
	add_text(w, "unzoom", p->left, size * 2, " class=\"hide\"", SPAN("Reset Zoom"));
	add_text(w, "search", p->width - p->left, size * 2, right, SPAN("Search"));
	add_text(w, "matched", p->width - p->left, said.n && !w->o->inverted ? details - size * 1.5 : details,
	    right, SPAN(" "));
	str_release(&said);
}

static double largest_delta(const struct writer *w)
{
	double max = 0;

	for (size_t i = 1; w->t->ncolumns > 1 && i < w->l->n; i++)
		max = fmax(max, fabs(own_delta(w, w->l->boxes[i].node)));
	return max;
}

void svg_write(struct str *out, const struct tree *t, const struct layout *l, const struct options *o,
    struct span header)
{
	struct writer w = {out, t, l, o, page_of(o, l->depth, header.n > 0), 0};

	w.max_delta = largest_delta(&w);
	open_document(out, o, w.page.width, w.page.height);
	str_adds(out, "<!-- Flame graph drawn by flamepipe. -->\n");
	if (o->notes)
		add_notes(out, o->notes);
	add_style(out, o);
	add_background(out, o, w.page.width, w.page.height);
	add_furniture(&w, header);
	str_addf(out, "<metadata id=\"profile\" data-columns=\"%u\" data-reverse=\"%d\" data-chart=\"%d\">\n",
	    t->ncolumns, o->reverse, o->chart);
	embed_profile(out, t, header);
	str_adds(out, "\n</metadata>\n");
	add_parameters(&w);
	for (size_t i = 0; i < l->n; i++)
		add_frame(&w, &l->boxes[i]);
	str_adds(out, "</g>\n");
	if (!o->no_script) {
		str_adds(out, "<script type=\"text/ecmascript\"><![CDATA[\n");
		str_add(out, (const char *)SCRIPT, sizeof SCRIPT);
		str_adds(out, "]]></script>\n");
	}
	str_adds(out, "</svg>\n");
}
