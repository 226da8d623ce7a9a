/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph as one SVG file with its script and style inside. */
#include "render/svg.h"

#include "render/frames.h"
#include "render/xml.h"

static const unsigned char SCRIPT[] = {
#include "render/model.js.bytes"
#include "render/graph.js.bytes"
#include "render/svg.js.bytes"
};

static const unsigned char STYLE[] = {
#include "render/svg.css.bytes"
};

enum { SIDE_MARGIN = 10 };

struct writer {
	struct str *out;
	const struct picture *pic;
	const struct options *o;
	double width, height;
	double above, below; /* margins */
	double gap; /* between two panels */
	bool provenance;
};

static double rows(const struct layout *l, const struct options *o)
{
	return (l->depth + 1) * o->frame_height;
}

static void measure(struct writer *w)
{
	const struct options *o = w->o;

	w->width = o->width;
	w->above = o->font_size * 3 + (o->subtitle ? o->font_size * 2 : 0);
	w->below = o->font_size * 2 + 10 + (w->provenance ? o->font_size * 1.5 : 0);
	w->height = rows(w->pic->after, o) + w->above + w->below;
	w->gap = w->pic->before ? o->font_size * 2 : 0;
	if (w->pic->before)
		w->height += rows(w->pic->before, o) + 2 * w->gap;
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
			if (*c != '\'' && *c != '\\' && *c != '<' && *c != '>' && *c != '&' &&
			    (unsigned char)*c >= ' ')
				str_addc(out, *c);
		str_adds(out, "',sans-serif");
	}
	str_addf(out, ";font-size:%gpx;fill:rgb(%d,%d,%d)}\n", o->font_size, o->ui.r, o->ui.g, o->ui.b);
	if (o->has_stroke)
		str_addf(out, "#frames rect,#before rect{stroke:rgb(%d,%d,%d)}\n", o->stroke.r, o->stroke.g,
		    o->stroke.b);
	str_add(out, (const char *)STYLE, sizeof STYLE);
	str_adds(out, "</style>\n");
}

static void add_background(struct str *out, const struct options *o, double width, double height)
{
	str_adds(out, "<defs><linearGradient id=\"background\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\"><stop "
		      "stop-color=\"");
	frame_colour(out, o->top);
	str_adds(out, "\" offset=\"5%\"/><stop stop-color=\"");
	frame_colour(out, o->bottom);
	str_addf(out,
	    "\" offset=\"95%%\"/></linearGradient></defs>\n"
	    "<rect id=\"paper\" x=\"0\" y=\"0\" width=\"%g\" height=\"%g\" fill=\"url(#background)\"/>\n",
	    width, height);
}

static void open_document(struct writer *w)
{
	const struct options *o = w->o;

	str_adds(w->out, "<?xml version=\"1.0\" encoding=\"");
	str_adds(w->out, o->encoding ? o->encoding : "UTF-8");
	str_adds(w->out, "\" standalone=\"no\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" "
			 "\"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n"
			 "<svg version=\"1.1\" xmlns=\"http://www.w3.org/2000/svg\" "
			 "xmlns:xlink=\"http://www.w3.org/1999/xlink\" ");
	if (o->fluid)
		str_addf(w->out, "width=\"100%%\" ");
	else
		str_addf(w->out, "width=\"%g\" height=\"%g\" ", w->width, w->height);
	str_addf(
	    w->out, "viewBox=\"0 0 %g %g\" role=\"img\" aria-labelledby=\"title\">\n", w->width, w->height);
	str_adds(w->out, "<!-- Flame graph drawn by flamepipe. -->\n");
	if (o->notes)
		add_notes(w->out, o->notes);
}

static void add_text(
    struct writer *w, const char *id, double x, double y, const char *anchor, struct span text)
{
	str_addf(w->out, "<text id=\"%s\" x=\"", id);
	frame_px(w->out, x);
	str_adds(w->out, "\" y=\"");
	frame_px(w->out, y);
	str_addf(w->out, "\"%s>", anchor);
	xml_escape(w->out, text);
	str_adds(w->out, "</text>\n");
}

static void add_furniture(struct writer *w)
{
	static const char right[] = " text-anchor=\"end\"", middle[] = " text-anchor=\"middle\"";
	double size = w->o->font_size, left = SIDE_MARGIN, end = w->width - SIDE_MARGIN;
	double details = w->o->inverted ? size * 2 : w->height - 10 - (w->provenance ? size * 1.5 : 0);
	struct str said = {0};

	add_text(w, "title", w->width / 2, size * 2, middle, span_of(picture_title(w->o)));
	if (w->o->subtitle)
		add_text(w, "subtitle", w->width / 2, size * 4, middle, span_of(w->o->subtitle));
	picture_provenance(&said, w->pic->header);
	if (said.n)
		add_text(w, "provenance", left, w->height - size * 0.5, "", str_span(&said));
	str_release(&said);
	add_text(w, "details", left, details, " aria-live=\"polite\"", SPAN(" "));
	add_text(w, "unzoom", left, size * 2, " display=\"none\" role=\"button\" tabindex=\"0\"",
	    SPAN("Reset Zoom"));
	add_text(w, "menu", end - size * 6, size * 2,
	    " text-anchor=\"end\" display=\"none\" role=\"button\" tabindex=\"0\"", SPAN("Menu"));
	add_text(w, "search", end, size * 2,
	    " text-anchor=\"end\" display=\"none\" role=\"button\" tabindex=\"0\"", SPAN("Search"));
	add_text(w, "matched", end, details, right, SPAN(" "));
}

static void add_label(struct writer *w, const char *id, unsigned column, double y)
{
	struct str name = {0};

	picture_side(w->pic, column, &name);
	add_text(w, id, SIDE_MARGIN, y, " class=\"side\"", str_span(&name));
	str_release(&name);
}

static void add_legend(struct writer *w, double y)
{
	static const double steps[] = {-1, -0.25, 0, 0.25, 1};
	double x = w->width - SIDE_MARGIN - 270;

	str_adds(w->out, "<g id=\"legend\">");
	for (int i = 0; i < 5; i++) {
		str_addf(w->out, "<path d=\"M%g %gh20v10h-20z\" fill=\"", x + 55 + 20 * i, y - 10);
		frame_colour(w->out, difference_colour(steps[i], 1));
		str_adds(w->out, "\"/>");
	}
	str_addf(w->out,
	    "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">less</text><text x=\"%g\" "
	    "y=\"%g\">more</text>",
	    x + 50, y, x + 160, y);
	if (w->pic->proven) {
		str_addf(w->out, "<path d=\"M%g %gh20v10h-20z\" fill=\"", x + 195, y - 10);
		frame_colour(w->out, UNPROVEN);
		str_addf(w->out, "\"/><text x=\"%g\" y=\"%g\">may be chance</text>", x + 220 - 2, y);
	}
	str_adds(w->out, "</g>\n");
}

static void add_panels(struct writer *w)
{
	struct panel p = {.t = w->pic->tree,
	    .l = w->pic->after,
	    .o = w->o,
	    .attributes = w->pic->attributes,
	    .column = w->pic->tree->ncolumns - 1,
	    .difference = w->pic->tree->ncolumns > 1,
	    .left = SIDE_MARGIN,
	    .width = w->width - 2 * SIDE_MARGIN,
	    .top = w->height - w->below - rows(w->pic->after, w->o),
	    .bottom = w->height - w->below};
	struct panel before;

	p.proven = w->pic->proven;
	p.max_delta = p.difference ? frame_largest_change(p.t, p.proven != NULL) : 0;
	before = p;
	if (w->pic->before) {
		before.l = w->pic->before;
		before.column = 0;
		before.vanished_only = true;
		before.max_delta = p.max_delta;
		before.top = w->above + w->gap;
		before.bottom = before.top + rows(before.l, w->o);
		add_label(w, "before-label", 0, before.top - w->o->font_size * 0.6);
		add_label(w, "after-label", 1, p.top - w->o->font_size * 0.6);
		add_legend(w, before.top - w->o->font_size * 0.6);
		str_adds(w->out, "<g id=\"before\">\n");
		frames_write(w->out, &before);
		str_adds(w->out, "</g>\n");
	}
	str_addf(w->out, "<g id=\"frames\" data-above=\"%g\" data-below=\"%g\"", w->above, w->below);
	picture_parameters(w->out, w->pic, w->o);
	str_adds(w->out, ">\n");
	frames_write(w->out, &p);
	str_adds(w->out, "</g>\n");
}

void svg_write(struct str *out, const struct picture *pic, const struct options *o)
{
	struct writer w = {.out = out, .pic = pic, .o = o, .provenance = pic->header.n > 0};

	measure(&w);
	open_document(&w);
	add_style(out, o);
	add_background(out, o, w.width, w.height);
	add_furniture(&w);
	str_addf(out, "<metadata id=\"profile\" data-reverse=\"%d\">\n", o->reverse);
	picture_profile(out, pic, o);
	str_adds(out, "\n</metadata>\n");
	add_panels(&w);
	if (!o->no_script) {
		str_adds(out, "<script type=\"text/ecmascript\"><![CDATA[\n");
		str_add(out, (const char *)SCRIPT, sizeof SCRIPT);
		str_adds(out, "]]></script>\n");
	}
	str_adds(out, "</svg>\n");
}
