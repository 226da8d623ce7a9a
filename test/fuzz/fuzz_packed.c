/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the profile inside a picture: as its text, and as what that unpacks to. */
#include "lib/packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_header(void *ctx, struct span line)
{
	*(size_t *)ctx += line.n;
}

/* Looks at every byte that is handed over. */
static void take_stack(void *ctx, const struct span *frames, size_t n, const u128 *counts, unsigned ncolumns)
{
	size_t *sum = ctx;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < frames[i].n; k++)
			*sum += (unsigned char)frames[i].p[k];
	*sum += counts[ncolumns - 1] != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sum = 0;
	struct packed_reader reader = {&sum, take_header, take_stack};
	struct span bytes = {(const char *)data, size};
	struct str text = {0};

	packed_read(bytes, 1 << 24, &reader);
	packed_add_text(&text, bytes, 1);
	packed_read(str_span(&text), 1 << 24, &reader);
	str_release(&text);
	return 0;
}
