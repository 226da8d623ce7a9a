/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a recording: blocks, and the samples inside them. Memory and time stay bounded by the input's size. */
#include "lib/input.h"
#include "lib/recording.h"
#include "lib/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t touched;

static void unpack(struct unpacker *u, const struct block *b)
{
	struct sample s;
	uint64_t sum = 0;
	bool bad;

	if (!unpacker_block(u, b))
		return;
	while (unpacker_next(u, &s, &bad)) {
		uint32_t n;
		const uint64_t *chain = unpacker_chain(u, s.chain_id, &n);

		for (uint32_t i = 0; i < n; i++)
			sum += chain[i];
		for (uint32_t i = 0; i < s.nextras; i++)
			for (size_t k = 0; k < s.extras[i].bytes.n; k++)
				sum += (unsigned char)s.extras[i].bytes.p[k];
	}
	touched = sum;
	if (unpacker_left(u) > b->nrecords)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unpacker *u = unpacker_open();
	struct input in;
	struct recording r;
	struct block b = {0};
	bool restart;

	/* The body alone too, so that a fuzzer need not find a checksum. */
	b.type = BLOCK_SAMPLES;
	b.flags = BLOCK_EPOCH;
	b.nrecords = 100000;
	b.body = (struct span){(const char *)data, size};
	unpack(u, &b);

	input_bytes(&in, "fuzz", (struct span){(const char *)data, size});
	if (recording_open(&r, &in))
		while (recording_next(&r, &b, &restart))
			if (b.type == BLOCK_SAMPLES)
				unpack(u, &b);
	recording_close(&r);
	input_close(&in);
	unpacker_close(u);
	return 0;
}
