/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other forms of an XML document that this program has written: every '<' outside of CDATA and comments begins a tag. */
#include "render/pretty.h"

#include <stdbool.h>

#include "render/xml.h"

/* How much of s, which begins with '<', is one piece of markup. */
static size_t markup(struct span s)
{
	static const struct {
		struct span start, end;
	} whole[] = {{{"<![CDATA[", 9}, {"]]>", 3}}, {{"<!--", 4}, {"-->", 3}}};

	for (size_t i = 0; i < 2; i++) {
		const char *end;

		if (!span_starts(s, whole[i].start))
			continue;
		end = memmem(s.p, s.n, whole[i].end.p, whole[i].end.n);
		return end ? (size_t)(end - s.p) + whole[i].end.n : s.n;
	}
	return span_find(s, 0, '>') + (span_find(s, 0, '>') < s.n);
}

/* What stands between two tags is blank? */
static size_t blank(struct span s)
{
	size_t n = 0;

	while (n < s.n && (s.p[n] == '\n' || s.p[n] == ' '))
		n++;
	return n < s.n && s.p[n] == '<' ? n : 0;
}

static void break_line(struct str *out, size_t depth)
{
	str_addc(out, '\n');
	for (size_t i = 0; i < 4 * depth; i++)
		str_addc(out, ' ');
}

void xml_indent(struct str *document)
{
	struct span rest = str_span(document);
	struct str out = {0};
	size_t depth = 0;
	bool after_text = true; /* no line may be broken here */

	while (rest.n) {
		bool tag = rest.p[0] == '<', end = span_starts(rest, SPAN("</"));
		size_t n = tag ? markup(rest) : span_find(rest, 0, '<');

		depth -= end;
		if (tag && !after_text)
			break_line(&out, depth);
		str_add(&out, rest.p, n);
		if (tag && !end && rest.p[1] != '!' && rest.p[1] != '?' && rest.p[n - 2] != '/')
			depth++;
		after_text = !tag;
		rest.p += n, rest.n -= n;
		n = tag ? blank(rest) : 0;
		rest.p += n, rest.n -= n;
	}
	str_addc(&out, '\n');
	str_release(document);
	*document = out;
}

void xml_to_ascii(struct str *document)
{
	struct span rest = str_span(document);
	struct str out = {0};

	while (rest.n) {
		size_t n = utf8_prefix(rest, 1).n;

		if (n == 1)
			str_addc(&out, rest.p[0]);
		else
			str_addf(&out, "&#%u;", utf8_point(rest));
		rest.p += n, rest.n -= n;
	}
	str_release(document);
	*document = out;
}
