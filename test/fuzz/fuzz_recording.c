/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the bodies of a recording's blocks, each of them given a right header: what lies behind the checksums. A block is a
   byte of type, one of flags and CPU, two of length, and its body. */
#include "fold/reader.h"
#include "lib/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_block(struct str *out, const uint8_t *p, size_t n)
{
	unsigned char header[BLOCK_HEADER_SIZE];
	struct block b = {
	    .type = p[0],
	    .flags = p[1] & BLOCK_EPOCH,
	    .cpu = p[1] & 4 ? BLOCK_NO_CPU : p[1] >> 6,
	    .nrecords = 100,
	    .last_ns = (uint64_t)p[1] << 8,
	    .body = {(const char *)p + 4, n},
	};

	block_header(&b, header);
	str_add(out, (const char *)header, sizeof header);
	str_add(out, b.body.p, b.body.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options o = {
	    .symbols = {.symfs = "/nonexistent", .debug_dir = "/nonexistent", .kallsyms = "/dev/null"}};
	struct sink *sink = sink_open(&o);
	unsigned char preamble[RECORDING_PREAMBLE_SIZE];
	struct str recording = {0};
	struct input in;

	recording_preamble(preamble);
	str_add(&recording, (const char *)preamble, sizeof preamble);
	while (size > 4) {
		size_t n = data[2] | (size_t)data[3] << 8;

		if (n > size - 4)
			n = size - 4;
		add_block(&recording, data, n);
		data += 4 + n;
		size -= 4 + n;
	}
	input_bytes(&in, "fuzz", str_span(&recording));
	reader_read(&reader_recording, &in, sink);
	input_close(&in);
	str_release(&recording);
	sink_close(sink);
	return 0;
}
