/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole call tree as a short text. Nodes stand in the order of a walk from the root; what they have in common stands together,
   because deflate then finds it. */
#include "lib/packed.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/compress.h"
#include "lib/folded.h"

#define MAGIC "FP1\n"

enum {
	MAX_DECIMALS = 12,
	MAX_WORK = 1 << 30, /* frames handed over in all: a small file may ask for more by stacking nodes */
};

void packed_add_number(struct str *out, u128 v)
{
	char *to = str_room(out, 20);

	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	out->n = (size_t)(to - out->p);
	*to = '\0';
}

struct packer {
	const struct tree *t;
	struct str names, colours, ups, ids, counts[FOLDED_MAX_COLUMNS];
	uint32_t *number; /* of a name, from 1 in the order of the walk; 0 = not yet */
	uint32_t nnames;
	u128 unit; /* of the counts */
};

/* The largest power of ten that divides v, which is part of a sum of counts. */
static u128 common_unit(u128 unit, u128 v)
{
	while (v % unit)
		unit /= 10;
	return unit;
}

static u128 unit_of(const struct tree *t)
{
	u128 unit = COUNT_ONE;

	if (!t->wide)
		return unit;
	for (uint32_t node = 0; node < t->n; node++)
		for (unsigned i = 0; i < t->ncolumns; i++)
			unit = common_unit(unit, tree_total(t, node, i));
	return unit;
}

static uint32_t number_name(struct packer *p, uint32_t node, packed_colour_fn *colour, void *ctx)
{
	uint32_t *number = &p->number[p->t->nodes[node].name];
	struct span name = tree_name(p->t, node);
	uint8_t rgb[3];

	if (!*number) {
		*number = ++p->nnames;
		packed_add_number(&p->names, name.n);
		str_add(&p->names, name.p, name.n);
		colour(ctx, name, rgb);
		str_add(&p->colours, (const char *)rgb, sizeof rgb);
	}
	return *number - 1;
}

static void pack(struct packer *p, packed_colour_fn *colour, void *ctx)
{
	uint32_t node = 0, up = 0;

	do {
		if (node) {
			packed_add_number(&p->ups, up);
			packed_add_number(&p->ids, number_name(p, node, colour, ctx));
		}
		for (unsigned i = 0; i < p->t->ncolumns; i++)
			packed_add_number(&p->counts[i], tree_self(p->t, node, i) / p->unit);
		node = tree_next(p->t, node, &up);
	} while (node);
}

/* Puts the parts together, and gives them back. */
static void assemble(struct packer *p, struct str *out, struct span header)
{
	struct str *const parts[] = {&p->names, &p->colours, &p->ups, &p->ids};
	unsigned decimals = 0;

	for (u128 unit = p->unit; unit < COUNT_ONE; unit *= 10)
		decimals++;
	str_adds(out, MAGIC);
	packed_add_number(out, header.n);
	str_add(out, header.p, header.n);
	packed_add_number(out, p->t->ncolumns);
	packed_add_number(out, decimals);
	packed_add_number(out, p->nnames);
	packed_add_number(out, p->t->n - 1);
	for (size_t i = 0; i < 4; i++) {
		str_add(out, parts[i]->p ? parts[i]->p : "", parts[i]->n);
		str_release(parts[i]);
	}
	for (unsigned i = 0; i < p->t->ncolumns; i++) {
		str_add(out, p->counts[i].p, p->counts[i].n);
		str_release(&p->counts[i]);
	}
	free(p->number);
}

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void add_base64(struct str *out, struct span in)
{
	char *to = str_room(out, (in.n + 2) / 3 * 4);
	size_t n = 0;

	for (size_t i = 0; i < in.n; i += 3) {
		uint32_t v = 0;
		unsigned have = in.n - i < 3 ? (unsigned)(in.n - i) : 3;

		for (unsigned k = 0; k < 3; k++)
			v = v << 8 | (k < have ? (unsigned char)in.p[i + k] : 0);
		for (unsigned k = 0; k < 4; k++)
			to[n++] = k <= have ? DIGITS[v >> (18 - 6 * k) & 63] : '=';
	}
	to[n] = '\0';
	out->n += n;
}

void packed_add_text(struct str *out, struct span bytes, int level)
{
	struct str deflated = {0};

	compress_zlib(&deflated, bytes, level);
	add_base64(out, str_span(&deflated));
	str_release(&deflated);
}

void packed_write(
    struct str *out, const struct tree *t, struct span header, packed_colour_fn *colour, void *ctx, int level)
{
	struct packer *p = xcalloc(1, sizeof *p);
	struct str raw = {0}, deflated = {0};

	p->t = t;
	p->number = xcalloc(t->names.n, sizeof *p->number);
	p->unit = unit_of(t);
	pack(p, colour, ctx);
	assemble(p, &raw, header);
	/* Not by packed_add_text, so that a large tree is not there twice. */
	compress_zlib(&deflated, str_span(&raw), level);
	str_release(&raw);
	add_base64(out, str_span(&deflated));
	str_release(&deflated);
	free(p);
}

static bool decode_base64(struct str *out, struct span text)
{
	int8_t value[256];
	uint32_t v = 0;
	unsigned bits = 0;

	memset(value, -1, sizeof value);
	for (int8_t i = 0; i < 64; i++)
		value[(unsigned char)DIGITS[i]] = i;
	for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
		int8_t d = value[(unsigned char)text.p[i]];

		if (d < 0)
			return false;
		v = v << 6 | (uint32_t)d;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			str_addc(out, (char)(v >> bits));
		}
	}
	return true;
}

/* Bytes that nobody has checked. Failure sticks. */
struct unpacker {
	struct span rest;
	bool bad;
	struct span *names;
	uint32_t nnames;
	struct span *path;
	size_t depth, path_cap;
};

static u128 take_varint(struct unpacker *u)
{
	u128 v = 0;

	for (unsigned shift = 0; u->rest.n && shift < 128; shift += 7) {
		unsigned char c = (unsigned char)*u->rest.p;

		u->rest.p++, u->rest.n--;
		v |= (u128)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
	}
	u->bad = true;
	return 0;
}

/* A number of things of at least one byte each: no more than there are bytes. */
static size_t take_length(struct unpacker *u)
{
	u128 n = take_varint(u);

	u->bad |= n > u->rest.n;
	return u->bad ? 0 : (size_t)n;
}

static struct span take_bytes(struct unpacker *u, size_t n)
{
	struct span s = {u->rest.p, n};

	if (n > u->rest.n) {
		u->bad = true;
		return SPAN("");
	}
	u->rest.p += n, u->rest.n -= n;
	return s;
}

static void skip_varints(struct unpacker *u, size_t n)
{
	while (n-- && !u->bad)
		take_varint(u);
}

static void take_names(struct unpacker *u, size_t n)
{
	u->names = xcalloc(n + 1, sizeof *u->names);
	for (size_t i = 0; i < n && !u->bad; i++)
		u->names[i] = take_bytes(u, take_length(u));
	u->nnames = (uint32_t)n;
	take_bytes(u, 3 * n); /* colours */
}

/* Moves the path to the next node. */
static void take_step(struct unpacker *u, struct unpacker *ids)
{
	u128 up = take_varint(u), id = take_varint(ids);

	u->bad |= ids->bad || up > u->depth || id >= u->nnames;
	if (u->bad)
		return;
	u->depth -= (size_t)up;
	u->path = grow(u->path, u->depth, &u->path_cap, sizeof *u->path);
	u->path[u->depth++] = u->names[id];
}

static bool take_counts(struct unpacker *columns, unsigned ncolumns, u128 unit, u128 *counts)
{
	bool some = false;

	for (unsigned i = 0; i < ncolumns; i++) {
		u128 v = take_varint(&columns[i]);

		if (columns[i].bad || __builtin_mul_overflow(v, unit, &counts[i]))
			return false;
		some |= counts[i] != 0;
	}
	return some;
}

/* Cursors at the start of each part that follows the names; u's own is left at that of the steps. */
static void find_parts(struct unpacker *u, size_t n, unsigned ncolumns, struct unpacker *parts)
{
	struct unpacker at = *u;

	skip_varints(&at, n);
	parts[0] = at;
	for (unsigned i = 0; i < ncolumns; i++) {
		skip_varints(&at, i ? n + 1 : n);
		parts[1 + i] = at;
	}
	u->bad |= at.bad;
}

static void take_stacks(
    struct unpacker *u, size_t n, unsigned ncolumns, u128 unit, const struct packed_reader *reader)
{
	struct unpacker *parts = xcalloc(ncolumns + 1, sizeof *parts);
	u128 *counts = xcalloc(ncolumns, sizeof *counts);
	size_t work = 0;

	find_parts(u, n, ncolumns, parts);
	for (size_t i = 0; i <= n && !u->bad; i++) {
		if (i)
			take_step(u, parts);
		if (u->bad || !take_counts(parts + 1, ncolumns, unit, counts))
			continue;
		work += u->depth;
		u->bad |= work > MAX_WORK;
		if (!u->bad)
			reader->stack(reader->ctx, u->path, u->depth, counts, ncolumns);
	}
	for (unsigned i = 0; i < ncolumns; i++)
		u->bad |= parts[1 + i].bad;
	free(counts);
	free(parts);
}

static bool unpack(struct span raw, const struct packed_reader *reader)
{
	struct unpacker u = {.rest = raw};
	struct span magic = take_bytes(&u, sizeof MAGIC - 1), said = take_bytes(&u, take_length(&u));
	size_t ncolumns = take_length(&u), decimals = take_length(&u), nnames = take_length(&u);
	size_t n = take_length(&u);
	u128 unit = COUNT_ONE;

	u.bad |= !span_eq(magic, SPAN(MAGIC)) || !ncolumns || ncolumns > FOLDED_MAX_COLUMNS ||
		 decimals > MAX_DECIMALS || nnames > u.rest.n;
	if (u.bad)
		return false;
	for (; decimals; decimals--)
		unit /= 10;
	reader->header(reader->ctx, said);
	take_names(&u, nnames);
	take_stacks(&u, n, (unsigned)ncolumns, unit, reader);
	free(u.names);
	free(u.path);
	return !u.bad;
}

bool packed_read(struct span text, size_t limit, const struct packed_reader *reader)
{
	struct str deflated = {0}, raw = {0};
	bool good = decode_base64(&deflated, span_trim(text)) &&
		    decompress_zlib(&raw, str_span(&deflated), limit) && unpack(str_span(&raw), reader);

	str_release(&deflated);
	str_release(&raw);
	return good;
}
