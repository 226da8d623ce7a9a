/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles that are compressed with gzip. */
#include "fold/gunzip.h"

#include <stdlib.h>

#include "lib/compress.h"

void gunzip_convert(struct input *in)
{
	struct str plain = {0};
	struct span packed;
	bool good;

	if (!span_starts(input_peek(in, 3), SPAN("\x1f\x8b\x08")))
		return;
	packed = input_rest(in);
	good = decompress_gzip(&plain, packed, packed.n * GUNZIP_MULTIPLE + GUNZIP_MORE);
	str_room(&plain, 0);
	free(in->buf);
	in->buf = plain.p;
	in->pos = 0;
	in->len = plain.n;
	in->cap = plain.cap;
	if (!good)
		input_fail(in, "gzip: damaged, cut short, or more than %d times its size", GUNZIP_MULTIPLE);
}
