/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as each of the JSON formats, whichever they look like. */
#include "test/fuzz/read_as.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = {"cpuprofile", "chrome-trace", "speedscope", "firefox", "d3"};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		read_as(formats[i], data, size);
	return 0;
}
