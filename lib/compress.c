/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zstd and zlib. */
#include "lib/compress.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/arena.h"
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

/* Decompresses until the input is used up or limit is passed. *wanted is 0 where a frame ended. */
static bool run(ZSTD_DStream *zds, ZSTD_inBuffer *from, struct str *out, size_t limit, size_t *wanted)
{
	size_t start = out->n, chunk = ZSTD_DStreamOutSize();
	bool full = true;

	*wanted = 0;

	while (from->pos < from->size || full) {
		ZSTD_outBuffer to = {str_room(out, chunk), chunk, 0};

		*wanted = ZSTD_decompressStream(zds, &to, from);
		if (ZSTD_isError(*wanted))
			return false;
		out->n += to.pos;
		full = to.pos == to.size;
		if (out->n - start > limit)
			return false;
	}
	return true;
}

bool decompress_zstd(struct str *out, struct span in, size_t limit)
{
	ZSTD_DStream *zds = ZSTD_createDStream();
	ZSTD_inBuffer from = {in.p, in.n, 0};
	size_t start = out->n, wanted;
	bool good;

	if (!zds)
		die("out of memory (zstd)");
	good = run(zds, &from, out, limit, &wanted) && wanted == 0;
	ZSTD_freeDStream(zds);
	if (!good)
		out->n = start;
	str_room(out, 0)[0] = '\0';
	return good;
}

/* Appends what z gives until its stream ends or more than limit bytes came out. True when the stream has ended whole. */
static bool run_inflate(z_stream *z, struct str *out, size_t limit)
{
	size_t start = out->n;
	int state;

	do {
		size_t chunk = 128 * 1024;

		z->next_out = (unsigned char *)str_room(out, chunk);
		z->avail_out = (unsigned)chunk;
		state = inflate(z, Z_NO_FLUSH);
		out->n += chunk - z->avail_out;
	} while (state == Z_OK && out->n - start <= limit);
	str_room(out, 0)[0] = '\0';
	return state == Z_STREAM_END && out->n - start <= limit;
}

/* window is deflateInit2's: its size, and 16 more for a gzip header. */
static void deflate_all(struct str *out, struct span in, int level, int window)
{
	enum { MEMORY = 8, STEP = 1 << 30 };
	z_stream z = {0};
	int result;

	if (deflateInit2(&z, level, Z_DEFLATED, window, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		die("cannot compress: %s", z.msg ? z.msg : "out of memory");
	do {
		size_t room = in.n / 4 + 4096 < STEP ? in.n / 4 + 4096 : STEP;
		unsigned step = in.n < STEP ? (unsigned)in.n : STEP;

		z.next_in = (unsigned char *)(uintptr_t)in.p;
		z.avail_in = step;
		z.next_out = (unsigned char *)str_room(out, room);
		z.avail_out = (unsigned)room;
		result = deflate(&z, step == in.n ? Z_FINISH : Z_NO_FLUSH);
		out->n += room - z.avail_out;
		in.p += step - z.avail_in;
		in.n -= step - z.avail_in;
	} while (result != Z_STREAM_END);
	deflateEnd(&z);
	str_room(out, 0)[0] = '\0';
}

void compress_zlib(struct str *out, struct span in, int level)
{
	deflate_all(out, in, level, MAX_WBITS);
}

void compress_gzip(struct str *out, struct span in, int level)
{
	enum { GZIP = 16 };

	deflate_all(out, in, level, MAX_WBITS + GZIP);
}

bool decompress_zlib(struct str *out, struct span in, size_t limit)
{
	z_stream z = {.next_in = (unsigned char *)in.p, .avail_in = (unsigned)in.n};
	size_t start = out->n;
	bool good;

	if (in.n > UINT32_MAX || inflateInit(&z) != Z_OK)
		return false;
	good = run_inflate(&z, out, limit);
	inflateEnd(&z);
	if (!good)
		out->n = start;
	str_room(out, 0)[0] = '\0';
	return good;
}

bool decompress_gzip(struct str *out, struct span in, size_t limit)
{
	enum { GZIP = 16 }; /* added to the window's size: a gzip header is expected */
	z_stream z = {.next_in = (unsigned char *)in.p, .avail_in = (unsigned)in.n};
	size_t start = out->n;
	bool good;

	if (in.n > UINT32_MAX || inflateInit2(&z, MAX_WBITS + GZIP) != Z_OK)
		return false;
	do
		good = run_inflate(&z, out, limit - (out->n - start));
	while (good && z.avail_in && inflateReset(&z) == Z_OK);
	inflateEnd(&z);
	if (out->n - start > limit)
		out->n = start + limit;
	return good;
}

struct unzstd {
	ZSTD_DStream *zds;
};

struct unzstd *unzstd_open(void)
{
	struct unzstd *u = xmalloc(sizeof *u);

	u->zds = ZSTD_createDStream();
	if (!u->zds)
		die("out of memory (zstd)");
	return u;
}

bool unzstd_feed(struct unzstd *u, struct str *out, struct span in, size_t limit)
{
	ZSTD_inBuffer from = {in.p, in.n, 0};
	size_t wanted;

	return run(u->zds, &from, out, limit, &wanted);
}

void unzstd_close(struct unzstd *u)
{
	if (!u)
		return;
	ZSTD_freeDStream(u->zds);
	free(u);
}

uint32_t crc32_of(struct span bytes)
{
	return (uint32_t)crc32_z(0, (const unsigned char *)bytes.p, bytes.n);
}
