/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole profile that render puts inside its pictures. */
#include "fold/profile.h"

#include <stdlib.h>

#include "fold/text.h"
#include "lib/arena.h"
#include "lib/compress.h"
#include "lib/folded.h"

enum {
	MAX_DEPTH = 8192
}; /* each line may hand over a stack as long as its depth: this bounds what a small file can ask for */

static const size_t MAX_TEXT = (size_t)4 << 30;

struct profile {
	struct input *in;
	struct sink *sink;
	uint64_t columns;
	bool reverse, declared; /* declared: the header says how many samples these are */
	struct frame *path; /* root first */
	struct frame *turned; /* leaf first */
	size_t depth, cap, turned_cap;
};

/* The value of an attribute in a start tag that this program's render wrote. */
static struct span attribute(struct span tag, struct span name)
{
	struct span value = text_from(tag, text_find(tag, name) + name.n);

	return (struct span){value.p, span_find(value, 0, '"')};
}

/* Base64 digits to bytes; anything else is passed over. */
static void decode_base64(struct span text, struct str *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	int nbits = 0;

	for (size_t i = 0; i < text.n; i++) {
		const char *digit = text.p[i] ? strchr(digits, text.p[i]) : NULL;

		if (!digit)
			continue;
		bits = bits << 6 | (uint32_t)(digit - digits);
		nbits += 6;
		if (nbits >= 8) {
			nbits -= 8;
			str_addc(out, (char)(bits >> nbits));
		}
	}
}

static void hand_over(struct profile *p, const u128 *counts)
{
	struct stack stack = stack_init();
	const struct frame *frames = p->path;

	if (!p->reverse) {
		if (p->depth >= p->turned_cap) {
			p->turned_cap = p->depth + 64;
			p->turned = xreallocarray(p->turned, p->turned_cap, sizeof *p->turned);
		}
		for (size_t i = 0; i < p->depth; i++)
			p->turned[i] = p->path[p->depth - 1 - i];
		frames = p->turned;
	}
	stack.verbatim = true;
	stack.frames = frames;
	stack.nframes = p->depth;
	stack.amount.weight = counts[0];
	stack.amount.samples = p->declared ? SAMPLES_DECLARED : counts[0];
	if (p->columns > 1)
		sink_add_columns(p->sink, &stack, counts, (unsigned)p->columns);
	else
		sink_add(p->sink, &stack);
}

/* "DEPTH COUNT... NAME" */
static bool take_line(struct profile *p, struct span line)
{
	static u128 counts[FOLDED_MAX_COLUMNS];
	uint64_t depth;
	bool any = false;

	if (!span_u64(text_word(&line), 10, &depth) || depth > MAX_DEPTH || depth > p->depth + 1)
		return false;
	for (uint64_t i = 0; i < p->columns; i++) {
		if (!count_parse(text_word(&line), &counts[i]))
			return false;
		any = any || counts[i];
	}
	p->depth = depth;
	if (depth) {
		p->path = grow(p->path, depth, &p->cap, sizeof *p->path);
		p->path[depth - 1] = (struct frame){.name = span_trim(line), .kind = FRAME_LABEL};
	}
	if (any)
		hand_over(p, counts);
	return true;
}

static bool take_text(struct profile *p, struct span text)
{
	struct str samples = {0};
	struct span line;

	p->declared = folded_kind(text) == FOLDED_HEADER &&
		      folded_header_get((struct span){text.p, span_find(text, 0, '\n')}, "samples", &samples);
	str_release(&samples);
	while (span_line(&text, &line)) {
		if (folded_kind(line) == FOLDED_HEADER)
			sink_header(p->sink, line);
		else if (!take_line(p, line))
			return input_fail(p->in, "the profile inside the picture is damaged");
	}
	return true;
}

/* Finds the element: its start tag and its text. */
static bool find(struct span document, struct span *tag, struct span *text)
{
	struct span rest = text_from(document, text_find(document, SPAN("id=\"profile\"")));

	if (!rest.n)
		return false;
	*tag = (struct span){rest.p, span_find(rest, 0, '>')};
	rest = text_from(rest, tag->n);
	*text = (struct span){rest.p, span_find(rest, 0, '<')};
	return span_find(*tag, 0, '<') == tag->n;
}

bool profile_read(struct input *in, struct span document, struct sink *sink, bool *good)
{
	struct profile p = {.in = in, .sink = sink};
	struct span tag, text;
	struct str packed = {0}, plain = {0};

	if (!find(document, &tag, &text) ||
	    !span_u64(attribute(tag, SPAN("data-columns=\"")), 10, &p.columns) || !p.columns ||
	    p.columns > FOLDED_MAX_COLUMNS)
		return false;
	p.reverse = span_eq(attribute(tag, SPAN("data-reverse=\"")), SPAN("1"));
	decode_base64(text, &packed);
	*good = decompress_zlib(&plain, str_span(&packed), MAX_TEXT)
		    ? take_text(&p, str_span(&plain))
		    : input_fail(in, "the profile inside the picture is damaged");
	free(p.path);
	free(p.turned);
	str_release(&packed);
	str_release(&plain);
	return true;
}
