/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one place where bytes become XML text. */
#include "render/xml.h"

/* Length of the UTF-8 sequence at the start of s, which is not empty, and its code point; 0 when there is none. */
static size_t decode(struct span s, uint32_t *point)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)s.p[0];
	size_t n = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 0;

	if (!n || n > s.n)
		return 0;
	*point = n == 1 ? c : c & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		c = (unsigned char)s.p[i];
		if ((c & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (c & 0x3f);
	}
	return *point >= smallest[n] && *point <= 0x10ffff ? n : 0;
}

static bool is_xml(uint32_t point)
{
	if (point < 0x20)
		return point == '\t' || point == '\n' || point == '\r';
	return !(point >= 0x7f && point < 0xa0) && !(point >= 0xd800 && point < 0xe000) && point != 0xfffe &&
	       point != 0xffff;
}

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\t':
	case '\n':
	case '\r':
		return " ";
	default:
		return NULL;
	}
}

void xml_escape(struct str *out, struct span s)
{
	while (s.n) {
		uint32_t point = 0;
		size_t n = decode(s, &point);
		const char *text = n == 1 ? entity(s.p[0]) : NULL;

		if (!n || !is_xml(point))
			str_adds(out, "\xef\xbf\xbd");
		else if (text)
			str_adds(out, text);
		else
			str_add(out, s.p, n);
		s.p += n ? n : 1;
		s.n -= n ? n : 1;
	}
}

struct span utf8_prefix(struct span s, size_t n)
{
	struct span rest = s;

	for (; n && rest.n; n--) {
		uint32_t point;
		size_t step = decode(rest, &point);

		rest.p += step ? step : 1;
		rest.n -= step ? step : 1;
	}
	return (struct span){s.p, s.n - rest.n};
}

size_t utf8_length(struct span s)
{
	size_t n = 0;

	while (s.n) {
		size_t step = utf8_prefix(s, 1).n;

		s.p += step;
		s.n -= step;
		n++;
	}
	return n;
}

uint32_t utf8_point(struct span s)
{
	uint32_t point = 0;

	decode(s, &point);
	return point;
}
