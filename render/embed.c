/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole profile as text that travels inside a picture. */
#include "render/embed.h"

#include <stdint.h>

#include "lib/compress.h"

enum { LEVEL = 6, LINE_BYTES = 57 };

void embed_base64(struct str *out, struct span bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)bytes.p;

	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t left = bytes.n - i;
		uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
			     (left > 2 ? p[i + 2] : 0);
		char quad[4] = {digits[v >> 18], digits[v >> 12 & 63], digits[v >> 6 & 63], digits[v & 63]};

		if (left < 3)
			quad[3] = '=';
		if (left < 2)
			quad[2] = '=';
		str_add(out, quad, 4);
		if ((i + 3) % LINE_BYTES == 0)
			str_addc(out, '\n');
	}
}

static void add_node(struct str *text, const struct tree *t, uint32_t node, uint32_t depth)
{
	struct span name = tree_name(t, node);

	str_addu(text, depth);
	for (unsigned i = 0; i < t->ncolumns; i++) {
		str_addc(text, ' ');
		count_add(text, tree_self(t, node, i));
	}
	str_addc(text, ' ');
	str_add(text, name.p, name.n);
	str_addc(text, '\n');
}

/* The node after this one in a walk, parents first; 0 at the end. *depth follows. */
static uint32_t next_node(const struct tree *t, uint32_t node, uint32_t *depth)
{
	if (t->nodes[node].child) {
		++*depth;
		return t->nodes[node].child;
	}
	while (node && !t->nodes[node].next) {
		node = t->nodes[node].parent;
		--*depth;
	}
	return node ? t->nodes[node].next : 0;
}

void embed_profile(struct str *out, const struct tree *t, struct span header)
{
	struct str text = {0}, packed = {0};
	uint32_t node = 0, depth = 0;

	if (header.n) {
		str_add(&text, header.p, header.n);
		str_addc(&text, '\n');
	}
	do
		add_node(&text, t, node, depth);
	while ((node = next_node(t, node, &depth)));
	compress_zlib(&packed, str_span(&text), LEVEL);
	embed_base64(out, str_span(&packed));
	str_release(&text);
	str_release(&packed);
}
