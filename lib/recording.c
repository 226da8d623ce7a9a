/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as a stream of blocks: the preamble, headers, checksums, and what is skipped after damage. */
#include "lib/recording.h"

#include <stdlib.h>

#include "lib/compress.h"
#include "lib/hash.h"

enum {
	HEADER_CHECKSUM = 56, /* offset of the checksum in the header */
	STORED_SLACK = 1024, /* zstd may make a body that does not shrink this much larger */
	NSEQS = BLOCK_NTYPES * (RECORDING_MAX_CPUS + 1),
	PATIENCE_START = 256 << 20,
	PATIENCE_PER_BYTE = 16,
};

static const unsigned char MAGIC[8] = {0x89, 'F', 'L', 'P', 0x0d, 0x0a, 0x1a, 0x0a};
static const unsigned char BLOCK_MAGIC[4] = {'F', 'P', 'B', 'K'};
static const uint32_t BYTE_ORDER_MARK = 0x01020304;

/* Little-endian on every machine. */
static void put_le(unsigned char *to, uint64_t v, int nbytes)
{
	for (int i = 0; i < nbytes; i++)
		to[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t get_le(const unsigned char *from, int nbytes)
{
	uint64_t v = 0;

	for (int i = nbytes; i-- > 0;)
		v = v << 8 | from[i];
	return v;
}

void recording_preamble(unsigned char to[RECORDING_PREAMBLE_SIZE])
{
	memcpy(to, MAGIC, sizeof MAGIC);
	put_le(to + 8, RECORDING_VERSION, 4);
	memcpy(to + 12, &BYTE_ORDER_MARK, 4);
}

static uint64_t checksum(const unsigned char header[BLOCK_HEADER_SIZE], struct span body)
{
	unsigned char zeroed[BLOCK_HEADER_SIZE];

	memcpy(zeroed, header, sizeof zeroed);
	memset(zeroed + HEADER_CHECKSUM, 0, 8);
	return hash64_seed(body.p, body.n, hash64(zeroed, sizeof zeroed));
}

void block_header(struct block *b, unsigned char to[BLOCK_HEADER_SIZE])
{
	b->stored_size = (uint32_t)b->body.n;
	if (!(b->flags & BLOCK_ZSTD))
		b->raw_size = b->stored_size;
	memset(to, 0, BLOCK_HEADER_SIZE);
	memcpy(to, BLOCK_MAGIC, sizeof BLOCK_MAGIC);
	put_le(to + 4, b->type, 2);
	put_le(to + 6, b->flags, 2);
	put_le(to + 8, b->cpu, 4);
	put_le(to + 12, b->nrecords, 4);
	put_le(to + 16, b->seq, 8);
	put_le(to + 24, b->first_ns, 8);
	put_le(to + 32, b->last_ns, 8);
	put_le(to + 40, b->lost, 8);
	put_le(to + 48, b->raw_size, 4);
	put_le(to + 52, b->stored_size, 4);
	put_le(to + HEADER_CHECKSUM, checksum(to, b->body), 8);
}

static struct block parse_header(const unsigned char *from)
{
	return (struct block){
	    .type = (uint16_t)get_le(from + 4, 2),
	    .flags = (uint16_t)get_le(from + 6, 2),
	    .cpu = (uint32_t)get_le(from + 8, 4),
	    .nrecords = (uint32_t)get_le(from + 12, 4),
	    .seq = get_le(from + 16, 8),
	    .first_ns = get_le(from + 24, 8),
	    .last_ns = get_le(from + 32, 8),
	    .lost = get_le(from + 40, 8),
	    .raw_size = (uint32_t)get_le(from + 48, 4),
	    .stored_size = (uint32_t)get_le(from + 52, 4),
	};
}

void put_number(struct str *out, uint64_t v)
{
	unsigned char bytes[10];

	str_add(out, (char *)bytes, (size_t)(put_varint(bytes, v) - bytes));
}

void put_signed(struct str *out, int64_t v)
{
	unsigned char bytes[10];

	str_add(out, (char *)bytes, (size_t)(put_zigzag(bytes, v) - bytes));
}

void put_string(struct str *out, struct span s)
{
	put_number(out, s.n);
	str_add(out, s.p, s.n);
}

struct span wire_str(struct wire *w)
{
	return wire_bytes(w, wire_varint(w));
}

bool recording_probe(struct span head)
{
	return span_starts(head, (struct span){(const char *)MAGIC, sizeof MAGIC});
}

/* Takes a preamble that stands at the present place. */
static bool take_preamble(struct recording *r)
{
	struct span head = input_peek(r->in, RECORDING_PREAMBLE_SIZE);
	uint32_t mark;
	uint64_t version;

	if (head.n < RECORDING_PREAMBLE_SIZE)
		return input_fail(r->in, "the recording ends in its preamble");
	version = get_le((const unsigned char *)head.p + 8, 4);
	if (version != RECORDING_VERSION)
		return input_fail(r->in, "recording version %llu is not known, only %d",
		    (unsigned long long)version, RECORDING_VERSION);
	memcpy(&mark, head.p + 12, sizeof mark);
	if (mark != BYTE_ORDER_MARK && mark != __builtin_bswap32(BYTE_ORDER_MARK))
		return input_fail(r->in, "the recording's byte order mark is damaged");
	r->swap = mark != BYTE_ORDER_MARK;
	memset(r->next_seq, 0, NSEQS * sizeof *r->next_seq);
	r->nrecordings++;
	input_consume(r->in, RECORDING_PREAMBLE_SIZE);
	return true;
}

bool recording_open(struct recording *r, struct input *in)
{
	*r = (struct recording){.in = in, .patience = PATIENCE_START};
	r->next_seq = xcalloc(NSEQS, sizeof *r->next_seq);
	if (!recording_probe(input_peek(in, sizeof MAGIC)))
		return input_fail(in, "not a recording");
	return take_preamble(r);
}

/* Looks at what stands at the present place. True when it is a whole block with a right checksum. */
static bool whole_block(struct recording *r, struct block *b, struct span *stored)
{
	struct span s = input_peek(r->in, BLOCK_HEADER_SIZE);
	const unsigned char *header = (const unsigned char *)s.p;

	if (s.n < BLOCK_HEADER_SIZE || memcmp(header, BLOCK_MAGIC, sizeof BLOCK_MAGIC) != 0)
		return false;
	*b = parse_header(header);
	if (b->raw_size > BLOCK_MAX_SIZE || b->stored_size > BLOCK_MAX_SIZE + STORED_SLACK ||
	    (b->cpu >= RECORDING_MAX_CPUS && b->cpu != BLOCK_NO_CPU) || b->stored_size > r->patience)
		return false;
	s = input_peek(r->in, BLOCK_HEADER_SIZE + (size_t)b->stored_size);
	if (s.n < BLOCK_HEADER_SIZE + (size_t)b->stored_size)
		return false;
	header = (const unsigned char *)s.p;
	*stored = (struct span){s.p + BLOCK_HEADER_SIZE, b->stored_size};
	if (get_le(header + HEADER_CHECKSUM, 8) == checksum(header, *stored))
		return true;
	r->patience -= b->stored_size;
	return false;
}

/* Counts the blocks that are missing before b in its stream. */
static void note_gap(struct recording *r, const struct block *b)
{
	size_t slot = b->cpu == BLOCK_NO_CPU ? 0 : (size_t)b->cpu + 1;
	uint64_t *next = &r->next_seq[b->type * (RECORDING_MAX_CPUS + 1) + slot];

	if (b->seq > *next)
		r->damage.missing_blocks += b->seq - *next;
	*next = b->seq + 1;
}

/* The body as it was before compression, in b->body. */
static bool unpack_body(struct recording *r, struct block *b, struct span stored)
{
	b->body = stored;
	if (!(b->flags & BLOCK_ZSTD))
		return b->raw_size == b->stored_size;
	str_reset(&r->raw);
	if (!decompress_zstd(&r->raw, stored, b->raw_size) || r->raw.n != b->raw_size)
		return false;
	b->body = str_span(&r->raw);
	return true;
}

/* Goes to the next place where a block or a preamble may begin. */
static void skip_damage(struct recording *r)
{
	struct span s = input_peek(r->in, 64 * 1024);
	size_t next = 1;

	while (next < s.n && s.p[next] != (char)BLOCK_MAGIC[0] && s.p[next] != (char)MAGIC[0])
		next++;
	if (next > s.n)
		next = s.n;
	r->damage.skipped_bytes += next;
	r->patience += PATIENCE_PER_BYTE * next;
	input_consume(r->in, next);
}

/* What is to be done with a whole block: true when the caller gets it. */
static bool accept(struct recording *r, struct block *b, struct span stored)
{
	input_consume(r->in, BLOCK_HEADER_SIZE + stored.n);
	if (b->type == 0 || b->type >= BLOCK_NTYPES) {
		r->damage.unknown_blocks++;
		return false;
	}
	note_gap(r, b);
	if (unpack_body(r, b, stored))
		return true;
	r->damage.missing_blocks++;
	return false;
}

bool recording_next(struct recording *r, struct block *b, bool *restart)
{
	bool damaged = false;

	*restart = false;
	for (;;) {
		struct span stored;
		struct span head = input_peek(r->in, RECORDING_PREAMBLE_SIZE);

		if (!head.n) {
			r->damage.truncated = damaged;
			return false;
		}
		if (recording_probe(head)) {
			if (!take_preamble(r))
				return false;
			*restart = true;
			damaged = false;
		} else if (whole_block(r, b, &stored)) {
			if (accept(r, b, stored))
				return true;
			damaged = false;
		} else {
			skip_damage(r);
			damaged = true;
		}
	}
}

void recording_close(struct recording *r)
{
	str_release(&r->raw);
	free(r->next_seq);
	r->next_seq = NULL;
}
