/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Range lists of DWARF 5. */
#include "lib/rnglist.h"

#include "lib/wire.h"

/* Sizes of headers, in the 32-bit and the 64-bit format. */
enum { HEADER_32 = 12, HEADER_64 = 20 };

/* DWARF 5, table 7.30. */
enum {
	END_OF_LIST,
	BASE_ADDRESSX,
	STARTX_ENDX,
	STARTX_LENGTH,
	OFFSET_PAIR,
	BASE_ADDRESS,
	START_END,
	START_LENGTH
};

static uint64_t address(struct wire *w, unsigned word)
{
	return word == 8 ? wire_u64(w) : wire_u32(w);
}

bool rnglist_address(const struct rnglists *r, uint64_t i, uint64_t *addr)
{
	struct wire w;

	if (i >= r->addrs.n / r->word)
		return false;
	w = wire_init(r->addrs.p + i * r->word, r->word, r->swap);
	*addr = address(&w, r->word);
	return true;
}

/* The address whose number is next. */
static uint64_t numbered(const struct rnglists *r, struct wire *w)
{
	uint64_t addr = 0;

	if (!rnglist_address(r, wire_varint(w), &addr))
		w->failed = true;
	return addr;
}

/* One entry. False at the list's end. A range is empty when the entry is none. */
static bool entry(const struct rnglists *r, struct wire *w, uint64_t *base, uint64_t *start, uint64_t *end)
{
	*start = *end = 0;
	switch (wire_u8(w)) {
	case BASE_ADDRESSX:
		*base = numbered(r, w);
		break;
	case BASE_ADDRESS:
		*base = address(w, r->word);
		break;
	case STARTX_ENDX:
		*start = numbered(r, w);
		*end = numbered(r, w);
		break;
	case STARTX_LENGTH:
		*start = numbered(r, w);
		*end = *start + wire_varint(w);
		break;
	case OFFSET_PAIR:
		*start = *base + wire_varint(w);
		*end = *base + wire_varint(w);
		break;
	case START_END:
		*start = address(w, r->word);
		*end = address(w, r->word);
		break;
	case START_LENGTH:
		*start = address(w, r->word);
		*end = *start + wire_varint(w);
		break;
	default: /* END_OF_LIST, or unknown */
		return false;
	}
	return !w->failed;
}

static struct wire at_offset(const struct rnglists *r, uint64_t offset)
{
	if (offset > r->lists.n)
		offset = r->lists.n;
	return wire_init(r->lists.p + offset, r->lists.n - offset, r->swap);
}

/* Is there a header of the 64-bit format before the table? */
static bool is_wide(const struct rnglists *r)
{
	struct wire w;

	if (r->table < HEADER_64)
		return false;
	w = at_offset(r, r->table - HEADER_64);
	return wire_u32(&w) == UINT32_MAX;
}

void rnglist_first_table(struct rnglists *r)
{
	struct wire w = at_offset(r, 0);

	r->table = wire_u32(&w) == UINT32_MAX ? HEADER_64 : HEADER_32;
}

bool rnglist_offset(const struct rnglists *r, uint64_t i, uint64_t *offset)
{
	bool wide = is_wide(r);
	struct wire w = at_offset(r, r->table), n = at_offset(r, r->table - 4);
	unsigned size = wide ? 8 : 4;

	if (r->table < HEADER_32 || i >= wire_u32(&n) || i >= wire_left(&w) / size)
		return false;
	wire_skip(&w, i * size);
	*offset = r->table + (wide ? wire_u64(&w) : wire_u32(&w));
	return *offset <= r->lists.n;
}

void rnglist_each(const struct rnglists *r, uint64_t offset, uint64_t base, rnglist_fn *each, void *ctx)
{
	struct wire w = at_offset(r, offset);
	uint64_t start, end;

	while (entry(r, &w, &base, &start, &end))
		if (start < end)
			each(ctx, start, end);
}
