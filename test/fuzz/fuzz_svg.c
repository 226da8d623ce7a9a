/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an SVG flame graph. */
#include "test/fuzz/read_as.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_as("svg", data, size);
	return 0;
}
