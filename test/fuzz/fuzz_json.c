/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as each of the JSON formats, whichever they look like. */
#include "fold/reader.h"
#include "lib/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const char *format, const uint8_t *data, size_t size)
{
	struct options options = {0};
	struct input in = {.name = "fuzz", .fd = -1, .eof = true};
	struct sink *sink = sink_open(&options);
	struct str summary = {0};

	in.buf = xmalloc(size + !size);
	memcpy(in.buf, data, size);
	in.len = in.cap = size;
	reader_read(reader_named(format), &in, sink);
	sink_summary(sink, &summary);
	str_release(&summary);
	sink_close(sink);
	input_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = {"cpuprofile", "chrome-trace", "speedscope", "firefox", "d3"};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		read_as(formats[i], data, size);
	return 0;
}
