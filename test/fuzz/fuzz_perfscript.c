/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as perf script text or folded lines, with options that the first two bytes choose. Every sample handed over is counted
   or left out for a reason, and what is printed folds to itself. */
#include <stdio.h>
#include <stdlib.h>

#include "fold/reader.h"
#include "lib/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct options choose(unsigned bits)
{
	struct options o = {.weight = WEIGHT_SAMPLES};

	o.pid = bits & 1;
	o.tid = bits & 2;
	o.kernel = o.jit = o.inlined = bits & 4;
	o.addrs = bits & 8;
	o.srcline = o.includeoffset = bits & 16;
	o.no_tidy = bits & 32;
	o.merge_recursive = bits & 64;
	o.max_depth = bits & 128 ? 3 : 0;
	o.timed = bits & 256;
	o.slice_ns = 1000000;
	if (bits & 512)
		o.by[o.nby++] = BY_EVENT;
	if (bits & 1024)
		o.by[o.nby++] = BY_CPU;
	return o;
}

static void read_text(const struct reader *reader, struct sink *sink, struct span text)
{
	struct input in = {.name = "fuzz", .fd = -1, .eof = true};

	in.buf = xmalloc(text.n + 1);
	memcpy(in.buf, text.p, text.n);
	in.len = in.cap = text.n;
	reader_read(reader, &in, sink);
	input_close(&in);
}

static void add_line(void *ctx, struct span stack, struct span slice, const u128 *counts, unsigned ncolumns)
{
	struct str *text = ctx;

	str_add(text, stack.p, stack.n);
	if (slice.n && stack.n) {
		str_adds(text, " @");
		str_add(text, slice.p, slice.n);
	}
	for (unsigned i = 0; i < ncolumns; i++) {
		str_addc(text, ' ');
		count_add(text, counts[i]);
	}
	str_addc(text, '\n');
}

static struct str print(struct sink *sink)
{
	struct str text = {0};

	sink_print_header(sink, &text);
	sink_each(sink, add_line, &text);
	return text;
}

static void check_round_trip(struct sink *sink, const struct options *o)
{
	struct options again = {.timed = o->timed, .slice_ns = o->slice_ns};
	struct sink *second = sink_open(&again);
	struct str first = print(sink), text;

	read_text(&reader_folded, second, str_span(&first));
	text = print(second);
	if (!span_eq(str_span(&first), str_span(&text))) {
		fprintf(stderr, "folded once:\n%stwice:\n%s", first.p, text.p);
		abort();
	}
	str_release(&first);
	str_release(&text);
	sink_close(second);
}

static u128 left_out(const struct sink *sink)
{
	u128 n = 0;

	for (int i = 0; i < TALLY_OWN; i++)
		n = count_sum(n, sink_left_out(sink, (enum tally)i));
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options o;
	struct sink *sink;
	unsigned bits;

	if (size < 2)
		return 0;
	bits = (unsigned)(data[0] | data[1] << 8);
	o = choose(bits);
	sink = sink_open(&o);
	read_text(bits >> 15 ? &reader_folded : &reader_perfscript, sink,
	    (struct span){(const char *)data + 2, size - 2});
	if (!(bits >> 15) && count_sum(sink_total(sink, 0), left_out(sink)) != sink_seen(sink))
		abort();
	check_round_trip(sink, &o);
	sink_close(sink);
	return 0;
}
