/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole profile that render puts inside its pictures. */
#include "fold/profile.h"

#include <stdlib.h>

#include "fold/text.h"
#include "lib/arena.h"
#include "lib/folded.h"
#include "lib/packed.h"

static const size_t MAX_BYTES = (size_t)1 << 30;

struct profile {
	struct sink *sink;
	bool reverse, declared; /* declared: the header says how many samples these are */
	struct frame *frames; /* leaf first */
	size_t cap;
};

/* The value of an attribute in a start tag that this program's render wrote. */
static struct span attribute(struct span tag, struct span name)
{
	struct span value = text_from(tag, text_find(tag, name) + name.n);

	return (struct span){value.p, span_find(value, 0, '"')};
}

static void hand_over(void *ctx, const struct span *frames, size_t n, const u128 *counts, unsigned ncolumns)
{
	struct profile *p = ctx;
	struct stack stack = stack_init();

	if (n >= p->cap) {
		p->cap = 2 * n + 64;
		p->frames = xreallocarray(p->frames, p->cap, sizeof *p->frames);
	}
	for (size_t i = 0; i < n; i++)
		p->frames[i] =
		    (struct frame){.name = frames[p->reverse ? i : n - 1 - i], .kind = FRAME_LABEL};
	stack.verbatim = true;
	stack.frames = p->frames;
	stack.nframes = n;
	stack.amount.weight = counts[0];
	stack.amount.samples = p->declared ? SAMPLES_DECLARED : counts[0];
	if (ncolumns > 1)
		sink_add_columns(p->sink, &stack, counts, ncolumns);
	else
		sink_add(p->sink, &stack);
}

/* Finds the element: its start tag and its text. */
static bool find(struct span document, struct span *tag, struct span *text)
{
	struct span rest = text_from(document, text_find(document, SPAN("id=\"profile\"")));

	if (!rest.n)
		return false;
	*tag = (struct span){rest.p, span_find(rest, 0, '>')};
	rest = text_from(rest, tag->n + 1);
	*text = (struct span){rest.p, span_find(rest, 0, '<')};
	return span_find(*tag, 0, '<') == tag->n;
}

/* Before the stacks: the header says whether it counts the samples. */
static void take_header(void *ctx, struct span line)
{
	struct profile *p = ctx;
	struct str samples = {0};

	if (!line.n)
		return;
	p->declared = folded_header_get(line, "samples", &samples);
	sink_header(p->sink, line);
	str_release(&samples);
}

bool profile_read(struct input *in, struct span document, struct sink *sink, bool *good)
{
	struct profile p = {.sink = sink};
	struct span tag, text;

	if (!find(document, &tag, &text))
		return false;
	p.reverse = span_eq(attribute(tag, SPAN("data-reverse=\"")), SPAN("1"));
	*good = packed_read(text, MAX_BYTES, &(struct packed_reader){&p, take_header, hand_over}) ||
		input_fail(in, "the profile inside the picture is damaged");
	free(p.frames);
	return true;
}
