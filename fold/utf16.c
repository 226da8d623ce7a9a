/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte order marks, as Windows tools write them. */
#include "fold/utf16.h"

#include <stdlib.h>

#include "lib/str.h"

enum { REPLACEMENT = 0xfffd };

static void add_utf8(struct str *out, uint32_t c)
{
	if (c < 0x80) {
		str_addc(out, (char)c);
	} else if (c < 0x800) {
		str_addc(out, (char)(0xc0 | c >> 6));
		str_addc(out, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		str_addc(out, (char)(0xe0 | c >> 12));
		str_addc(out, (char)(0x80 | (c >> 6 & 63)));
		str_addc(out, (char)(0x80 | (c & 63)));
	} else {
		str_addc(out, (char)(0xf0 | c >> 18));
		str_addc(out, (char)(0x80 | (c >> 12 & 63)));
		str_addc(out, (char)(0x80 | (c >> 6 & 63)));
		str_addc(out, (char)(0x80 | (c & 63)));
	}
}

static uint32_t unit(struct span s, size_t i, bool big)
{
	unsigned char a = (unsigned char)s.p[i], b = (unsigned char)s.p[i + 1];

	return big ? (uint32_t)(a << 8 | b) : (uint32_t)(b << 8 | a);
}

static void convert(struct span s, bool big, struct str *out)
{
	size_t i;

	for (i = 0; i + 1 < s.n; i += 2) {
		uint32_t c = unit(s, i, big), low;

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < s.n && (low = unit(s, i + 2, big)) >= 0xdc00 &&
		    low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			i += 2;
		} else if (c >= 0xd800 && c < 0xe000) {
			c = REPLACEMENT;
		}
		add_utf8(out, c);
	}
	if (i < s.n)
		add_utf8(out, REPLACEMENT);
}

void utf16_convert(struct input *in)
{
	struct span head = input_peek(in, 3);
	struct str text = {0};
	bool big = span_starts(head, SPAN("\xfe\xff"));

	if (span_starts(head, SPAN("\xef\xbb\xbf")))
		input_consume(in, 3);
	if (!big && !span_starts(head, SPAN("\xff\xfe")))
		return;
	input_consume(in, 2);
	convert(input_rest(in), big, &text);
	str_addc(&text, '\0');
	free(in->buf);
	in->buf = text.p;
	in->pos = 0;
	in->len = text.n - 1;
	in->cap = text.cap;
}
