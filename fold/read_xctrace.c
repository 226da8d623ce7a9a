/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The XML of `xctrace export`: rows with backtraces, in which what has been said once is referred to by its number. */
#include <stdlib.h>

#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"
#include "fold/xml.h"

/* A backtrace that can be referred to. */
struct backtrace {
	size_t first, n; /* in xctrace.numbers */
	uint32_t handle; /* of the sink */
	bool has_handle;
	bool known; /* more than referred to */
};

struct xctrace {
	struct sink *sink;
	struct intern texts;
	struct intern frame_ids, backtrace_ids, weight_ids;
	struct frame *frames; /* by number of the id */
	size_t nframes, frames_cap;
	struct backtrace *backtraces; /* by number of the id; 0 is one without frames */
	size_t nbacktraces, backtraces_cap;
	uint64_t *weights; /* nanoseconds, by number of the id */
	size_t nweights, weights_cap;
	uint32_t *numbers; /* frames of all backtraces, leaf first */
	size_t nnumbers, numbers_cap;
	struct str text; /* of an element or attribute in hand */

	/* The row in hand. */
	uint32_t backtrace, frame, weight;
	bool in_row, in_backtrace, in_frame, in_weight, has_weight;
	struct chain chain;
};

static bool probe(struct span head)
{
	return text_has(head, SPAN("<trace-query-result"));
}

/* The text of an attribute with its entities expanded; valid until the next call. */
static bool get_attribute(struct xctrace *t, const struct xml *x, struct span name, struct span *value)
{
	struct span written;

	if (!xml_attribute(x, name, &written))
		return false;
	str_reset(&t->text);
	xml_unescape(&t->text, written);
	*value = str_span(&t->text);
	return true;
}

/* The number of what the tag defines or refers to. One without an id gets a number of its own. */
static uint32_t find_number(struct intern *ids, const struct xml *x, bool *refers)
{
	struct span id;
	uint32_t own = ids->n;

	*refers = xml_attribute(x, SPAN("ref"), &id);
	if (*refers || xml_attribute(x, SPAN("id"), &id))
		return intern(ids, id);
	return intern(ids, (struct span){(const char *)&own, sizeof own});
}

static uint32_t frame_at(struct xctrace *t, uint32_t number)
{
	if (number == t->nframes) {
		t->frames = grow(t->frames, t->nframes, &t->frames_cap, sizeof *t->frames);
		t->frames[t->nframes++] = (struct frame){0};
	}
	return number;
}

static uint32_t backtrace_at(struct xctrace *t, uint32_t number)
{
	if (number == t->nbacktraces) {
		t->backtraces =
		    grow(t->backtraces, t->nbacktraces, &t->backtraces_cap, sizeof *t->backtraces);
		t->backtraces[t->nbacktraces++] = (struct backtrace){0};
	}
	return number;
}

static uint32_t weight_at(struct xctrace *t, uint32_t number)
{
	if (number == t->nweights) {
		t->weights = grow(t->weights, t->nweights, &t->weights_cap, sizeof *t->weights);
		t->weights[t->nweights++] = 0;
	}
	return number;
}

static struct span keep(struct xctrace *t, struct span s)
{
	return s.n ? intern_span(&t->texts, intern(&t->texts, s)) : SPAN("");
}

/* <frame id="11" name="start" addr="0x18d3df0f1">; a name that is the address is none. */
static void open_frame(struct xctrace *t, const struct xml *x)
{
	bool refers;
	struct span value;
	struct frame *f;

	t->frame = frame_at(t, find_number(&t->frame_ids, x, &refers));
	if (t->in_backtrace) {
		t->numbers = grow(t->numbers, t->nnumbers, &t->numbers_cap, sizeof *t->numbers);
		t->numbers[t->nnumbers++] = t->frame;
	}
	if (refers)
		return;
	f = &t->frames[t->frame];
	*f = (struct frame){0};
	if (get_attribute(t, x, SPAN("addr"), &value))
		f->has_addr = text_cut_hex(&value, &f->addr);
	if (get_attribute(t, x, SPAN("name"), &value) && !span_starts(value, SPAN("0x")))
		f->name = keep(t, value);
}

static void open_binary(struct xctrace *t, const struct xml *x)
{
	struct span value;

	if (t->in_frame && get_attribute(t, x, SPAN("name"), &value))
		t->frames[t->frame].module = keep(t, value);
}

static void open_backtrace(struct xctrace *t, const struct xml *x, bool empty)
{
	bool refers;

	t->backtrace = backtrace_at(t, find_number(&t->backtrace_ids, x, &refers));
	if (refers || empty)
		return;
	t->in_backtrace = true;
	t->backtraces[t->backtrace] = (struct backtrace){.first = t->nnumbers, .known = true};
}

static void close_backtrace(struct xctrace *t)
{
	if (t->in_backtrace)
		t->backtraces[t->backtrace].n = t->nnumbers - t->backtraces[t->backtrace].first;
	t->in_backtrace = false;
}

/* <weight id="9" fmt="1.00 ms">1000000</weight> */
static void open_weight(struct xctrace *t, const struct xml *x, bool empty)
{
	bool refers;

	t->weight = weight_at(t, find_number(&t->weight_ids, x, &refers));
	t->in_weight = !empty && !refers;
	t->has_weight = true;
}

static void open_row(struct xctrace *t)
{
	t->in_row = true;
	t->has_weight = false;
	t->backtrace = 0;
}

/* One sample; a row without a backtrace is one of an unknown stack. */
static void close_row(struct xctrace *t)
{
	struct backtrace *b = &t->backtraces[t->backtrace];
	struct stack stack = stack_init();
	struct frame unknown = {0};

	if (!t->in_row)
		return;
	t->in_row = false;
	if (!b->has_handle) {
		for (size_t i = 0; i < b->n; i++)
			chain_refer(&t->chain, &t->frames[t->numbers[b->first + i]]);
		if (!t->chain.n)
			chain_refer(&t->chain, &unknown);
		stack.frames = t->chain.frames;
		stack.nframes = t->chain.n;
		b->handle = sink_stack(t->sink, &stack);
		b->has_handle = b->known;
		chain_reset(&t->chain);
	}
	stack.amount.weight = stack.amount.samples = COUNT_ONE;
	stack.amount.time_us = t->has_weight ? count_of(t->weights[t->weight]) / 1000 : 0;
	sink_count(t->sink, b->handle, &stack.amount);
}

static void open_tag(struct xctrace *t, const struct xml *x, bool empty)
{
	if (span_eq(x->name, SPAN("row"))) {
		open_row(t);
	} else if (!t->in_row) {
		return;
	} else if (span_eq(x->name, SPAN("backtrace"))) {
		open_backtrace(t, x, empty);
	} else if (span_eq(x->name, SPAN("frame"))) {
		open_frame(t, x);
		t->in_frame = !empty;
	} else if (span_eq(x->name, SPAN("binary"))) {
		open_binary(t, x);
	} else if (span_eq(x->name, SPAN("weight"))) {
		open_weight(t, x, empty);
	}
}

static void close_tag(struct xctrace *t, struct span name)
{
	if (span_eq(name, SPAN("row")))
		close_row(t);
	else if (span_eq(name, SPAN("backtrace")))
		close_backtrace(t);
	else if (span_eq(name, SPAN("frame")))
		t->in_frame = false;
	else if (span_eq(name, SPAN("weight")))
		t->in_weight = false;
}

static void read_text(struct xctrace *t, struct span text)
{
	uint64_t n;

	if (t->in_weight && span_u64(span_trim(text), 10, &n))
		t->weights[t->weight] = n;
}

static bool parse(struct xctrace *t, struct input *in)
{
	struct xml x = {.rest = input_rest(in)};
	enum xml_kind kind;
	bool whole = false;

	backtrace_at(t, intern(&t->backtrace_ids, SPAN("")));
	while ((kind = xml_next(&x)) != XML_END) {
		if (kind == XML_OPEN || kind == XML_EMPTY)
			open_tag(t, &x, kind == XML_EMPTY);
		else if (kind == XML_CLOSE)
			close_tag(t, x.name);
		else
			read_text(t, x.text);
		whole |= kind == XML_CLOSE && span_eq(x.name, SPAN("trace-query-result"));
	}
	return whole || input_fail(in, "the XML is cut short");
}

static bool read(struct input *in, struct sink *sink)
{
	struct xctrace t = {.sink = sink};
	bool good = parse(&t, in);

	sink_fact(sink, "weight", SPAN("samples"));
	intern_release(&t.texts);
	intern_release(&t.frame_ids);
	intern_release(&t.backtrace_ids);
	intern_release(&t.weight_ids);
	free(t.frames);
	free(t.backtraces);
	free(t.weights);
	free(t.numbers);
	str_release(&t.text);
	chain_release(&t.chain);
	return good;
}

const struct reader reader_xctrace = {"xctrace", "xctrace's XML", probe, read};
