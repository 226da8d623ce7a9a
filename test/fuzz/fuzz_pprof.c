/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as pprof's protocol buffers. */
#include "test/fuzz/read_as.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_as("pprof", data, size);
	return 0;
}
