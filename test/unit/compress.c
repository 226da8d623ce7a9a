/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/compress: what goes in comes out, in one piece and in many; damage and limits are noticed. */
#include "lib/compress.h"

#include "test/unit/check.h"

static void whole(struct span text)
{
	struct str packed = {0}, out = {0};

	compress_zstd(&packed, text, 1);
	CHECK(decompress_zstd(&out, str_span(&packed), text.n) && span_eq(str_span(&out), text));
	str_reset(&out);
	CHECK(!decompress_zstd(&out, str_span(&packed), text.n - 1) && out.n == 0);
	CHECK(!decompress_zstd(&out, (struct span){packed.p, packed.n - 1}, text.n) && out.n == 0);
	str_release(&packed);
	str_release(&out);
}

/* Two frames, fed byte by byte. */
static void pieces(struct span text)
{
	struct str packed = {0}, out = {0};
	struct unzstd *u = unzstd_open();
	bool good = true;

	compress_zstd(&packed, (struct span){text.p, 700}, 1);
	compress_zstd(&packed, (struct span){text.p + 700, text.n - 700}, 1);
	for (size_t i = 0; i < packed.n; i++)
		good = good && unzstd_feed(u, &out, (struct span){packed.p + i, 1}, 1 << 20);
	CHECK(good && span_eq(str_span(&out), text));
	CHECK(!unzstd_feed(u, &out, SPAN("no zstd here"), 1 << 20));
	unzstd_close(u);
	str_release(&packed);
	str_release(&out);
}

int main(void)
{
	static const unsigned char ZLIB[] = {
	    0x78, 0x9c, 0x4b, 0x4c, 0x4a, 0x06, 0x00, 0x02, 0x4d, 0x01, 0x27};
	struct str text = {0}, out = {0};

	for (int i = 0; i < 1000; i++)
		str_addf(&text, "line %d\n", i);
	whole(str_span(&text));
	pieces(str_span(&text));
	CHECK(decompress_zlib(&out, (struct span){(const char *)ZLIB, sizeof ZLIB}, 3) &&
	      span_eq(str_span(&out), SPAN("abc")));
	CHECK(!decompress_zlib(&out, (struct span){(const char *)ZLIB, sizeof ZLIB}, 2) && out.n == 3);
	CHECK(!decompress_zlib(&out, (struct span){(const char *)ZLIB, sizeof ZLIB - 1}, 3) && out.n == 3);
	str_release(&text);
	str_release(&out);
	return check_done();
}
