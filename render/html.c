/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph as one HTML page. */
#include "render/html.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/packed.h"
#include "render/xml.h"

static const unsigned char SCRIPT[] = {
#include "render/model.js.bytes"
#include "render/graph.js.bytes"
#include "render/heatmap.js.bytes"
#include "render/html.js.bytes"
};

static const unsigned char STYLE[] = {
#include "render/html.css.bytes"
};

/* Nothing is fetched: the page may run nothing but what is inside it. */
static const char HEAD[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"UTF-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'\"/>\n<title>";

static const char CONTROLS[] =
    "<header><button id=\"unzoom\" hidden=\"\">Reset Zoom</button><span id=\"details\" "
    "aria-live=\"polite\"></span>"
    "<button id=\"search\">Search</button><button id=\"menu\">Menu</button></header>\n";

static const char HEAT[] =
    "<div id=\"heat-holder\"><canvas id=\"heat\" role=\"img\" aria-label=\"Samples over "
    "time\"></canvas></div>\n"
    "<p>&#160; Drag over the map to choose a range of time. Shown: <b id=\"range\">all</b> "
    "<button id=\"whole\">all</button></p>\n";

static int by_time(const void *pa, const void *pb)
{
	const struct timed *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Where each node stands in a walk: how the packed profile numbers it. */
static uint32_t *walk_order(const struct tree *t)
{
	uint32_t *order = xcalloc(t->n, sizeof *order);
	uint32_t node = 0, up = 0, i = 0;

	do
		order[node] = i++;
	while ((node = tree_next(t, node, &up)));
	return order;
}

/* LEB128: the slice's width in microseconds and the number of entries; for each how many slices after the last one, which node, and
   its count in millionths. */
static void add_slices(struct str *out, const struct tree *t, const struct timed *timed, size_t n, u128 slice)
{
	enum { MILLIONTH = 1000000 };
	uint32_t *order = walk_order(t);
	struct timed *sorted = xcalloc(n, sizeof *sorted);
	struct str raw = {0};
	u128 last = 0;

	memcpy(sorted, timed, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_time);
	packed_add_number(&raw, slice / MILLIONTH);
	packed_add_number(&raw, n);
	for (size_t i = 0; i < n; i++) {
		u128 at = (sorted[i].time + slice / 2) / slice;

		packed_add_number(&raw, at - last);
		packed_add_number(&raw, order[sorted[i].node]);
		packed_add_number(&raw, sorted[i].count / MILLIONTH);
		last = at;
	}
	packed_add_text(out, str_span(&raw), 6);
	str_release(&raw);
	free(sorted);
	free(order);
}

static void add_head(struct str *out, const struct picture *pic, const struct options *o)
{
	struct str said = {0};

	str_adds(out, HEAD);
	xml_escape(out, span_of(picture_title(o)));
	str_adds(out, "</title>\n<style>\n");
	str_add(out, (const char *)STYLE, sizeof STYLE);
	str_adds(out, "</style>\n</head>\n<body>\n<h1>");
	xml_escape(out, span_of(picture_title(o)));
	str_adds(out, "</h1>\n");
	if (o->subtitle) {
		str_adds(out, "<p>");
		xml_escape(out, span_of(o->subtitle));
		str_adds(out, "</p>\n");
	}
	picture_provenance(&said, pic->header);
	str_adds(out, "<div id=\"provenance\">");
	xml_escape(out, str_span(&said));
	str_adds(out, "</div>\n");
	str_release(&said);
}

void html_write(struct str *out, const struct picture *pic, const struct options *o,
    const struct timed *timed, size_t n, u128 slice)
{
	add_head(out, pic, o);
	if (timed)
		str_adds(out, HEAT);
	str_adds(out, CONTROLS);
	str_adds(out, "<div id=\"frames\"");
	picture_parameters(out, pic, o);
	str_adds(out, "><canvas id=\"canvas\" role=\"img\" aria-label=\"Flame graph\"></canvas></div>\n"
		      "<footer><span></span><span id=\"matched\"></span></footer>\n");
	str_addf(out, "<script type=\"application/octet-stream\" id=\"profile\" data-reverse=\"%d\">\n",
	    o->reverse);
	picture_profile(out, pic, o);
	str_adds(out, "\n</script>\n");
	if (timed) {
		str_adds(out, "<script type=\"application/octet-stream\" id=\"slices\">\n");
		add_slices(out, pic->tree, timed, n, slice);
		str_adds(out, "\n</script>\n");
	}
	str_adds(out, "<script>\n");
	str_add(out, (const char *)SCRIPT, sizeof SCRIPT);
	str_adds(out, "</script>\n</body>\n</html>\n");
}
