/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a perf.data: records, features, order, mappings and the names of what is not there. */
#include "fold/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* No file of this machine is to be opened, whatever the input names. */
	struct options o = {.timed = size & 1,
	    .slice_ns = 1000,
	    .addrs = size & 2,
	    .symbols = {.symfs = "/nonexistent", .debug_dir = "/nonexistent", .kallsyms = "/dev/null"}};
	struct sink *sink = sink_open(&o);
	struct input in;

	input_bytes(&in, "fuzz", (struct span){(const char *)data, size});
	if (reader_perfdata.probe((struct span){(const char *)data, size}))
		reader_read(&reader_perfdata, &in, sink);
	if (sink_total(sink, 0) && !sink_nstacks(sink))
		__builtin_trap();
	input_close(&in);
	sink_close(sink);
	return 0;
}
