/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold/xml: tags, attributes and texts in order; nothing that is not well-formed stops or expands. */
#include "fold/xml.h"

#include "test/unit/check.h"

/* The document as one line: "+name -name /name 'text'". */
static int gives(const char *document, const char *expected)
{
	static const char marks[] = {[XML_OPEN] = '+', [XML_EMPTY] = '=', [XML_CLOSE] = '-'};
	struct xml x = {.rest = span_of(document)};
	struct str out = {0};
	enum xml_kind kind;
	int same;

	while ((kind = xml_next(&x)) != XML_END) {
		str_addc(&out, kind == XML_TEXT ? '\'' : marks[kind]);
		if (kind == XML_TEXT && !x.is_cdata)
			xml_unescape(&out, x.text);
		else
			str_add(&out, kind == XML_TEXT ? x.text.p : x.name.p,
			    kind == XML_TEXT ? x.text.n : x.name.n);
		str_addc(&out, ' ');
	}
	str_addc(&out, '\0');
	same = strcmp(out.p, expected) == 0;
	if (!same)
		printf("# %s -> %s\n", document, out.p);
	str_release(&out);
	return same;
}

static int has(const char *tag, const char *name, const char *expected)
{
	struct xml x = {.rest = span_of(tag)};
	struct span value;

	xml_next(&x);
	if (!xml_attribute(&x, span_of(name), &value))
		return !expected;
	return expected && span_eq(value, span_of(expected));
}

int main(void)
{
	CHECK(gives("<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a \"b>\">]><a><b/>t</a>", "+a =b 't -a "));
	CHECK(gives("<a><!-- <b> -- ]]> --><![CDATA[<&amp;>]]>&lt;&#65;&#x42;&amp;lt;</a>",
	    "+a '<&amp;> '<AB&lt; -a "));
	CHECK(gives("&a;&;&#0;&#xd800;&#x110000;&amp", "'&a;&;&#0;&#xd800;&#x110000;&amp "));
	CHECK(gives("&#233;&#x20ac;&#128512;", "'\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 "));
	CHECK(gives("<a b='>' c=\"/>\"/><d", "=a +d "));
	CHECK(gives("<![CDATA[cut", "'cut "));
	CHECK(gives("<!-- cut", "") && gives("<!DOCTYPE [[[", "") && gives("<", "+ ") && gives("", ""));
	CHECK(has("<a x = \"1\" y='2' xy=\"3\"/>", "x", "1") &&
	      has("<a x = \"1\" y='2' xy=\"3\"/>", "xy", "3"));
	CHECK(has("<a x=1 y='2'>", "y", NULL) && has("<a x=\"", "x", "") && has("<a>", "x", NULL));
	return check_done();
}
