/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zstd, in one piece. */
#include "lib/compress.h"

#include <zstd.h>

#include "lib/die.h"

size_t compress_zstd(struct str *out, struct span in, int level)
{
	size_t room = ZSTD_compressBound(in.n);
	size_t n = ZSTD_compress(str_room(out, room), room, in.p, in.n, level);

	if (ZSTD_isError(n))
		die("cannot compress %zu bytes: %s", in.n, ZSTD_getErrorName(n));
	out->n += n;
	out->p[out->n] = '\0';
	return n;
}

/* Decompresses until the input is used up or limit is passed. The last call's result is 0 where a frame ended. */
static bool run(ZSTD_DStream *zds, ZSTD_inBuffer *from, struct str *out, size_t limit)
{
	size_t start = out->n, chunk = ZSTD_DStreamOutSize(), wanted = 0;
	bool full = true;

	while (from->pos < from->size || full) {
		ZSTD_outBuffer to = {str_room(out, chunk), chunk, 0};

		wanted = ZSTD_decompressStream(zds, &to, from);
		if (ZSTD_isError(wanted))
			return false;
		out->n += to.pos;
		full = to.pos == to.size;
		if (out->n - start > limit)
			return false;
	}
	return wanted == 0;
}

bool decompress_zstd(struct str *out, struct span in, size_t limit)
{
	ZSTD_DStream *zds = ZSTD_createDStream();
	ZSTD_inBuffer from = {in.p, in.n, 0};
	size_t start = out->n;
	bool good;

	if (!zds)
		die("out of memory (zstd)");
	good = run(zds, &from, out, limit);
	ZSTD_freeDStream(zds);
	if (!good)
		out->n = start;
	str_room(out, 0)[0] = '\0';
	return good;
}
