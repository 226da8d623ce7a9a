/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs as SVG, back into the stacks that they show: those of flamegraph.pl of any age, inferno, async-profiler and
   d3-flame-graph. A box's title has its name and inclusive count; its parent is the box of the next row that it stands on. */
#include <stdlib.h>

#include "fold/chain.h"
#include "fold/profile.h"
#include "fold/reader.h"
#include "fold/text.h"
#include "fold/xml.h"

/* Each box hands over one stack at most, as deep as its row: this bounds the work that a small file can ask for. */
enum { MAX_ROWS = 8192 };

#define NO_PARENT SIZE_MAX

/* Coordinates are in the document's own units, exact: pixels, percent, or samples. */
struct box {
	struct span name;
	u128 x1, x2, y;
	u128 count;
	u128 left; /* of count, not in boxes above */
	size_t parent; /* in the sorted boxes; NO_PARENT for the root row, and for what stands on no box */
	size_t order; /* in the document */
	bool has_count;
	bool placed; /* the way to the root row is known */
};

struct svg {
	struct input *in;
	struct sink *sink;
	struct work work;
	struct arena names;
	struct box *boxes;
	size_t n, cap;
	struct str title; /* of the group in hand, entities expanded */
	struct str unit; /* of the first title with one */
	struct box box; /* of the group in hand */
	u128 shift_x, shift_y; /* the same */
	unsigned groups; /* around this place */
	bool has_title, is_title, has_box;
	bool is_whole; /* </svg> has been seen */
};

static bool probe(struct span head)
{
	size_t at = text_find(head, SPAN("<svg"));
	struct span start = span_trim(head);

	/* The page that our own render writes brings its profile along in the same way. */
	if (span_starts(start, SPAN("<!DOCTYPE html>")))
		return text_find(head, SPAN("id=\"profile\"")) < head.n;
	return at < head.n &&
	       (span_starts(start, SPAN("<?xml")) || span_starts(start, SPAN("<svg")) ||
		   span_starts(start, SPAN("<!DOCTYPE svg")) || span_starts(start, SPAN("<!--")));
}

/* A coordinate: a decimal, with a unit or % after it. */
static u128 coordinate(struct span s)
{
	size_t n = 0;
	u128 v = 0;

	s = span_trim(s);
	while (n < s.n && ((s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == '.'))
		n++;
	return count_parse((struct span){s.p, n}, &v) ? v : 0;
}

static u128 number_attribute(const struct xml *x, struct span name)
{
	struct span value;

	return xml_attribute(x, name, &value) ? coordinate(value) : 0;
}

/* "1,234 samples, 5.67%; +1.23%" of flamegraph.pl, or "5.67%, 1234 samples" of d3. */
static bool parse_numbers(struct span s, u128 *count, struct span *unit)
{
	struct span word, weight;

	/* Differences of 2012 have the weight of the change first: "-2 sample weight, 2 samples, 0.65%". */
	text_cut(&s, SPAN(" sample weight, "), &weight);
	word = text_word(&s);
	if (span_ends(word, SPAN("%,")))
		word = text_word(&s);
	s = span_trim(s);
	*unit = (struct span){s.p, text_find(s, SPAN(","))};
	return text_count(word, count);
}

/* Takes "NAME (NUMBERS)" apart; a title that has been replaced is all name. */
static void parse_title(struct svg *v, struct box *box)
{
	struct span title = span_trim(str_span(&v->title)), numbers, unit;
	size_t at = text_rfind(title, SPAN(" ("));

	/* The root of old graphs has an empty name. */
	if (at == title.n && span_starts(title, SPAN("(")))
		numbers = text_from(title, 1), at = 0;
	else
		numbers = text_from(title, at + 2);
	box->name = title;
	if (!numbers.n || numbers.p[numbers.n - 1] != ')')
		return;
	numbers.n--;
	if (!parse_numbers(numbers, &box->count, &unit))
		return;
	box->has_count = true;
	box->name.n = at;
	if (!v->unit.n)
		str_add(&v->unit, unit.p, unit.n);
}

/* The group in hand has both its title and its rectangle. */
static void add_box(struct svg *v)
{
	struct box box = v->box;
	bool has_count = box.has_count;
	u128 count = box.count;

	parse_title(v, &box);
	if (has_count) {
		box.has_count = true;
		box.count = count;
	}
	box.parent = NO_PARENT;
	box.order = v->n;
	box.name = (struct span){arena_copy(&v->names, box.name.p, box.name.n), box.name.n};
	v->boxes = grow(v->boxes, v->n, &v->cap, sizeof *v->boxes);
	v->boxes[v->n++] = box;
	v->has_title = v->has_box = false;
}

/* Up to 2013 flamegraph.pl wrote no title, but onmouseover="s('NAME (NUMBERS)')" at the rectangle or its group. */
static void take_tooltip(struct svg *v, const struct xml *x)
{
	struct span value, part;

	if (!xml_attribute(x, SPAN("onmouseover"), &value) || !text_skip(&value, SPAN("s('")) ||
	    !span_ends(value, SPAN("')")))
		return;
	value.n -= 2;
	str_reset(&v->title);
	while (text_cut(&value, SPAN("\\'"), &part)) {
		xml_unescape(&v->title, part);
		str_addc(&v->title, '\'');
	}
	xml_unescape(&v->title, value);
	v->has_title = true;
}

/* inferno gives samples besides pixels: where its box begins and how many it has. */
static void parse_rectangle(struct svg *v, const struct xml *x)
{
	struct box *box = &v->box;
	struct span samples;

	take_tooltip(v, x);
	if (!v->groups && !v->has_title)
		return;
	*box = (struct box){0};
	box->x1 = count_sum(v->shift_x, number_attribute(x, SPAN("x")));
	box->x2 = count_sum(box->x1, number_attribute(x, SPAN("width")));
	box->y = count_sum(v->shift_y, number_attribute(x, SPAN("y")));
	if (xml_attribute(x, SPAN("fg:w"), &samples)) {
		box->x1 = number_attribute(x, SPAN("fg:x"));
		box->count = coordinate(samples);
		box->x2 = count_sum(box->x1, box->count);
		box->has_count = true;
	}
	v->has_box = true;
	if (v->has_title)
		add_box(v);
}

/* "translate(12.5,300)": where d3 puts a box. */
static void parse_transform(struct svg *v, const struct xml *x)
{
	struct span value, first;

	v->shift_x = v->shift_y = 0;
	if (!xml_attribute(x, SPAN("transform"), &value) || !text_skip(&value, SPAN("translate(")))
		return;
	if (!text_cut(&value, SPAN(","), &first))
		first = text_word(&value);
	v->shift_x = coordinate(first);
	v->shift_y = coordinate(value);
}

static bool is_group(struct span name)
{
	return span_eq(name, SPAN("g")) || span_eq(name, SPAN("a"));
}

static void open_tag(struct svg *v, const struct xml *x)
{
	if (is_group(x->name)) {
		v->groups++;
		parse_transform(v, x);
		take_tooltip(v, x);
	} else if (span_eq(x->name, SPAN("title")) && v->groups) {
		str_reset(&v->title);
		v->is_title = true;
	}
}

static void close_tag(struct svg *v, struct span name)
{
	if (v->is_title && span_eq(name, SPAN("title"))) {
		v->is_title = false;
		v->has_title = true;
		if (v->has_box)
			add_box(v);
	}
	if (is_group(name) && v->groups)
		v->groups--;
	if (span_eq(name, SPAN("g")))
		v->has_title = v->has_box = false;
	v->is_whole |= span_eq(name, SPAN("svg")) && !v->groups;
}

static void parse(struct svg *v, struct span text)
{
	struct xml x = {.rest = text};
	enum xml_kind kind;

	while ((kind = xml_next(&x)) != XML_END) {
		if (kind == XML_TEXT && v->is_title) {
			if (x.is_cdata)
				str_add(&v->title, x.text.p, x.text.n);
			else
				xml_unescape(&v->title, x.text);
		}
		if (kind == XML_OPEN)
			open_tag(v, &x);
		if ((kind == XML_OPEN || kind == XML_EMPTY) && span_eq(x.name, SPAN("rect")))
			parse_rectangle(v, &x);
		if (kind == XML_CLOSE)
			close_tag(v, x.name);
	}
}

static int order(u128 a, u128 b)
{
	return (a > b) - (a < b);
}

/* Row by row from the top of the picture, from left to right. */
static int compare(const void *pa, const void *pb)
{
	const struct box *a = pa, *b = pb;
	int c = order(a->y, b->y);

	c = c ? c : order(a->x1, b->x1);
	c = c ? c : order(a->x2, b->x2);
	return c ? c : (a->order > b->order) - (a->order < b->order);
}

static bool is_root_name(struct span name)
{
	return !name.n || span_eq(name, SPAN("all")) || span_eq(name, SPAN("root")) ||
	       span_eq(name, SPAN("all samples"));
}

/* The end of the row that begins at box `at`. */
static size_t row_end(const struct svg *v, size_t at)
{
	size_t end = at + 1;

	while (end < v->n && v->boxes[end].y == v->boxes[at].y)
		end++;
	return end;
}

/* The root is at the bottom, unless it is at the top: a box with the name of a root tells, or else being alone in a row. */
static bool is_inverted(const struct svg *v)
{
	const struct box *top = &v->boxes[0], *bottom = &v->boxes[v->n - 1];
	bool top_alone = row_end(v, 0) == 1, bottom_alone = v->n < 2 || v->boxes[v->n - 2].y != bottom->y;

	if (is_root_name(bottom->name))
		return false;
	if (top_alone && is_root_name(top->name))
		return true;
	return top_alone && !bottom_alone;
}

/* The root row first, each row from left to right. */
static void sort(struct svg *v)
{
	qsort(v->boxes, v->n, sizeof *v->boxes, compare);
	if (is_inverted(v))
		return;
	for (size_t i = 0; i < v->n; i++)
		v->boxes[i].y = COUNT_MAX - v->boxes[i].y;
	qsort(v->boxes, v->n, sizeof *v->boxes, compare);
}

/* Does the middle of box stand on other? Edges are rounded in some pictures. */
static bool stands_on(const struct box *box, const struct box *other)
{
	u128 middle = box->x1 + (box->x2 - box->x1) / 2;

	return other->x1 <= middle && middle <= other->x2;
}

/* A title that was replaced leaves only the width to tell the count. */
static void guess_count(struct box *box, const struct box *parent)
{
	double width = count_double(parent->x2 - parent->x1);
	double share = width > 0 ? count_double(box->x2 - box->x1) / width : 0;

	if (!box->has_count && share <= 1)
		box->count = count_round((u128)((double)parent->count * share)) * COUNT_ONE;
}

enum { MAX_CANDIDATES = 64 };

/* The box among parents[at..end) that box stands on. Boxes without a width may stand on several: the first that has enough left
   is it. NO_PARENT when it stands on none. */
static size_t find_parent(const struct svg *v, const struct box *box, size_t at, size_t end)
{
	size_t found = NO_PARENT;

	for (size_t i = at; i < end && i < at + MAX_CANDIDATES && v->boxes[i].x1 <= box->x2; i++) {
		if (!stands_on(box, &v->boxes[i]))
			continue;
		if (v->boxes[i].left >= box->count)
			return i;
		found = found == NO_PARENT ? i : found;
	}
	return found;
}

/* Finds the parents of the boxes [from, end) in the row [below, from). */
static void place_row(struct svg *v, size_t below, size_t from, size_t end)
{
	size_t at = below;

	for (size_t i = from; i < end; i++) {
		struct box *box = &v->boxes[i], *parent;

		while (at < from && v->boxes[at].x2 < box->x1)
			at++;
		box->parent = find_parent(v, box, at, from);
		if (box->parent == NO_PARENT)
			continue;
		parent = &v->boxes[box->parent];
		box->placed = parent->placed;
		guess_count(box, parent);
		box->left = box->count;
		parent->left -= box->count < parent->left ? box->count : parent->left;
	}
}

/* Finds every box's parent. Returns how many stand on no other box. */
static size_t place(struct svg *v)
{
	size_t below = 0, from = row_end(v, 0), rows = 1, lost = 0;

	for (size_t i = 0; i < from; i++) {
		v->boxes[i].placed = true;
		v->boxes[i].left = v->boxes[i].count;
	}
	while (from < v->n && rows++ < MAX_ROWS) {
		size_t end = row_end(v, from);

		place_row(v, below, from, end);
		below = from;
		from = end;
	}
	for (size_t i = 0; i < v->n; i++)
		lost += !v->boxes[i].placed;
	return lost;
}

/* Hands over the stack that ends in a box. What the root has left belongs to boxes too narrow to be drawn. */
static void add_stack(struct svg *v, size_t at, bool has_root, struct chain *chain)
{
	struct stack stack = stack_init();
	struct frame f = {.kind = FRAME_LABEL}, cut = {.name = SPAN("[truncated]"), .kind = FRAME_LABEL};
	size_t most = work_most(&v->work, MAX_ROWS);

	stack.verbatim = true;
	for (size_t i = at; i != NO_PARENT && !(has_root && i == 0); i = v->boxes[i].parent) {
		if (chain->n == most) {
			chain_refer(chain, &cut);
			break;
		}
		f.name = v->boxes[i].name;
		chain_refer(chain, &f);
	}
	if (!chain->n) {
		f.name = SPAN("[missing]");
		chain_refer(chain, &f);
	}
	v->work.frames += chain->n;
	chain_add(chain, v->sink, &stack, v->boxes[at].left);
	chain_reset(chain);
}

static void add_stacks(struct svg *v)
{
	struct chain chain = {0};
	bool has_root = v->n && row_end(v, 0) == 1 && is_root_name(v->boxes[0].name);

	for (size_t i = 0; i < v->n; i++)
		if (v->boxes[i].placed && v->boxes[i].left)
			add_stack(v, i, has_root, &chain);
	chain_release(&chain);
}

static bool read_boxes(struct svg *v)
{
	size_t lost;

	if (!v->n)
		return v->is_whole || input_fail(v->in, "the SVG is cut short");
	if (v->unit.n)
		sink_fact(v->sink, "weight", str_span(&v->unit));
	sort(v);
	lost = place(v);
	add_stacks(v);
	if (!v->is_whole)
		return input_fail(v->in, "the SVG is cut short");
	return !lost || input_fail(v->in, "%zu of %zu boxes stand on no other box", lost, v->n);
}

static bool read(struct input *in, struct sink *sink)
{
	struct svg v = {.in = in, .sink = sink, .work.in = in};
	struct span document = input_rest(in);
	bool good;

	/* Our own pictures bring every stack along, also those too narrow to be drawn. */
	if (profile_read(in, document, sink, &good))
		return good;
	parse(&v, document);
	good = read_boxes(&v);
	arena_release(&v.names);
	free(v.boxes);
	str_release(&v.title);
	str_release(&v.unit);
	return good;
}

const struct reader reader_svg = {"svg", "a flame graph drawn as SVG", probe, read};
