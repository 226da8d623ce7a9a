/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as any text format: the first byte chooses the reader, 0xff lets it be found out. What is read may be anything, but
   the counts that come out are those that went in. */
#include <stdlib.h>

#include "fold/reader.h"
#include "lib/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_up(void *ctx, struct span stack, struct span slice, const u128 *counts, unsigned ncolumns)
{
	u128 *sum = ctx;

	(void)stack;
	(void)slice;
	if (ncolumns)
		*sum = count_sum(*sum, counts[0]);
}

static const struct reader *choose(unsigned char selector, struct input *in)
{
	unsigned n = 0;

	while (reader_at(n))
		n++;
	return selector == 0xff ? reader_detect(in) : reader_at(selector % n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options options = {0};
	struct input in = {.name = "fuzz", .fd = -1, .eof = true};
	const struct reader *reader;
	struct sink *sink;
	u128 sum = 0;

	if (!size)
		return 0;
	in.buf = xmalloc(size);
	memcpy(in.buf, data + 1, size - 1);
	in.len = in.cap = size - 1;
	reader = choose(data[0], &in);
	sink = sink_open(&options);
	if (reader)
		reader_read(reader, &in, sink);
	sink_each(sink, add_up, &sum);
	if (sum != sink_total(sink, 0))
		abort();
	sink_close(sink);
	input_close(&in);
	return 0;
}
