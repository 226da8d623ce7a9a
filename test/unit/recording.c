/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/recording: every whole block is read, whatever stands between, and a recording cut anywhere ends cleanly. */
#include "lib/recording.h"

#include "lib/compress.h"
#include "test/unit/check.h"

static void add_block(struct str *out, uint16_t type, uint32_t cpu, uint64_t seq, const char *text, bool zstd)
{
	unsigned char header[BLOCK_HEADER_SIZE];
	struct str packed = {0};
	struct block b = {.type = type, .cpu = cpu, .seq = seq, .nrecords = 1, .body = span_of(text)};

	if (zstd) {
		b.flags = BLOCK_ZSTD;
		b.raw_size = (uint32_t)b.body.n;
		compress_zstd(&packed, b.body, 1);
		b.body = str_span(&packed);
	}
	block_header(&b, header);
	str_add(out, (char *)header, sizeof header);
	str_add(out, b.body.p, b.body.n);
	str_release(&packed);
}

static void make(struct str *out)
{
	unsigned char preamble[RECORDING_PREAMBLE_SIZE];

	recording_preamble(preamble);
	str_add(out, (char *)preamble, sizeof preamble);
	add_block(out, BLOCK_INFO, BLOCK_NO_CPU, 0, "about", false);
	add_block(out, BLOCK_SAMPLES, 0, 0, "one one one one one one one one one one", true);
	add_block(out, BLOCK_SAMPLES, 1, 0, "two FPBK", false);
	add_block(out, BLOCK_SAMPLES, 0, 1, "three", false);
	add_block(out, BLOCK_END, BLOCK_NO_CPU, 0, "", false);
}

/* Reads bytes as a recording; what the blocks held, joined by '|'. */
static bool read_all(struct span bytes, struct str *got, struct recording_damage *damage)
{
	struct input in;
	struct recording r;
	struct block b;
	bool restart, opened;

	input_bytes(&in, "test", bytes);
	str_reset(got);
	opened = recording_open(&r, &in);
	while (opened && recording_next(&r, &b, &restart)) {
		str_add(got, b.body.p, b.body.n);
		str_addc(got, '|');
	}
	*damage = r.damage;
	recording_close(&r);
	input_close(&in);
	return opened;
}

static const char *WHOLE = "about|one one one one one one one one one one|two FPBK|three||";

/* Every cut gives a beginning of the whole, and says so unless it fell between two blocks. */
static bool cuts_end_cleanly(struct span all)
{
	struct str got = {0};
	struct recording_damage d;
	bool good = true;
	int clean = 0;

	for (size_t n = 0; n < all.n; n++) {
		bool opened = read_all((struct span){all.p, n}, &got, &d);

		good = good && opened == (n >= RECORDING_PREAMBLE_SIZE);
		good = good && (!got.n || strncmp(WHOLE, got.p, got.n) == 0);
		clean += opened && !d.truncated;
	}
	str_release(&got);
	return good && clean == 5;
}

/* Every single flipped byte after the preamble costs at most one block. */
static bool flips_cost_one_block(struct span all)
{
	struct str got = {0}, bad = {0};
	struct recording_damage d;
	bool good = true;

	for (size_t n = RECORDING_PREAMBLE_SIZE; n < all.n; n++) {
		int blocks = 0;

		str_reset(&bad);
		str_add(&bad, all.p, all.n);
		bad.p[n] = (char)(bad.p[n] ^ 0x10);
		read_all(str_span(&bad), &got, &d);
		for (size_t i = 0; i < got.n; i++)
			blocks += got.p[i] == '|';
		good = good && blocks == 4 && d.skipped_bytes > 0;
	}
	str_release(&got);
	str_release(&bad);
	return good;
}

int main(void)
{
	struct str all = {0}, twice = {0}, got = {0}, old = {0};
	struct recording_damage d;

	make(&all);
	CHECK(read_all(str_span(&all), &got, &d) && strcmp(got.p, WHOLE) == 0);
	CHECK(!d.truncated && !d.skipped_bytes && !d.missing_blocks && !d.unknown_blocks);
	CHECK(cuts_end_cleanly(str_span(&all)));
	CHECK(flips_cost_one_block(str_span(&all)));

	/* Two recordings are one; a block of an unknown type is passed over; a gap in a stream is counted. */
	str_add(&twice, all.p, all.n);
	add_block(&twice, 77, 0, 0, "from the future", false);
	add_block(&twice, BLOCK_SAMPLES, 1, 5, "late", false);
	str_add(&twice, all.p, all.n);
	CHECK(read_all(str_span(&twice), &got, &d) && got.n == 2 * strlen(WHOLE) + 5);
	CHECK(d.unknown_blocks == 1 && d.missing_blocks == 4 && !d.skipped_bytes);

	str_add(&old, all.p, all.n);
	old.p[8] = 9;
	CHECK(!read_all(str_span(&old), &got, &d));
	str_release(&all);
	str_release(&twice);
	str_release(&got);
	str_release(&old);
	return check_done();
}
