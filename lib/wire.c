/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bounded cursor over bytes that nobody has checked. */
#include "lib/wire.h"

static const unsigned char *take(struct wire *w, size_t n)
{
	const unsigned char *p = w->p;

	if (w->failed || n > wire_left(w)) {
		w->failed = true;
		w->p = w->end;
		return NULL;
	}
	w->p += n;
	return p;
}

uint8_t wire_u8(struct wire *w)
{
	const unsigned char *p = take(w, 1);

	return p ? *p : 0;
}

uint16_t wire_u16(struct wire *w)
{
	const unsigned char *p = take(w, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return w->swap ? __builtin_bswap16(v) : v;
}

uint32_t wire_u32(struct wire *w)
{
	const unsigned char *p = take(w, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return w->swap ? __builtin_bswap32(v) : v;
}

uint64_t wire_u64(struct wire *w)
{
	const unsigned char *p = take(w, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return w->swap ? __builtin_bswap64(v) : v;
}

uint64_t wire_varint(struct wire *w)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = wire_u8(w);

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return w->failed ? 0 : v;
	}
	w->failed = true;
	w->p = w->end;
	return 0;
}

int64_t wire_zigzag(struct wire *w)
{
	uint64_t v = wire_varint(w);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

int64_t wire_sleb(struct wire *w)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = wire_u8(w);

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (shift < 57 && byte & 0x40)
			v |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)v;
	}
	w->failed = true;
	return 0;
}

struct span wire_bytes(struct wire *w, size_t n)
{
	const unsigned char *p = take(w, n);

	return p ? (struct span){(const char *)p, n} : SPAN("");
}

struct span wire_string(struct wire *w)
{
	const unsigned char *nul = wire_left(w) ? memchr(w->p, 0, wire_left(w)) : NULL;
	struct span s;

	if (!nul) {
		take(w, wire_left(w) + 1);
		return SPAN("");
	}
	s = (struct span){(const char *)w->p, (size_t)(nul - w->p)};
	w->p = nul + 1;
	return s;
}

void wire_skip(struct wire *w, size_t n)
{
	take(w, n);
}

unsigned char *put_varint(unsigned char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (unsigned char)(v | 0x80);
	*to++ = (unsigned char)v;
	return to;
}

unsigned char *put_zigzag(unsigned char *to, int64_t v)
{
	return put_varint(to, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}
