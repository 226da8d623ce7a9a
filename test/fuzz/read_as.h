/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For fuzz targets of fold's readers: the bytes read in one format, and everything thrown away. */
#ifndef FLAMEPIPE_READ_AS_H
#define FLAMEPIPE_READ_AS_H

#include "fold/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void read_as(const char *format, const uint8_t *data, size_t size)
{
	struct options options = {0};
	struct input in;
	struct sink *sink = sink_open(&options);
	struct str summary = {0};

	input_bytes(&in, "fuzz", (struct span){(const char *)data, size});
	reader_read(reader_named(format), &in, sink);
	sink_summary(sink, &summary);
	str_release(&summary);
	sink_close(sink);
	input_close(&in);
}

#endif
