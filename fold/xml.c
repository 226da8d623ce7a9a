/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lenient and bounded pull parser for XML. */
#include "fold/xml.h"

#include "fold/text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Passes everything up to and with mark, or all that is left. Returns what is before the mark. */
static struct span pass(struct span *rest, struct span mark)
{
	struct span before;

	if (!text_cut(rest, mark, &before)) {
		before = *rest;
		*rest = text_from(*rest, rest->n);
	}
	return before;
}

/* After "<!": a declaration up to its ">", with an internal subset in brackets and quoted parts passed over. */
static void pass_declaration(struct span *rest)
{
	size_t at = 0, depth = 0;

	while (at < rest->n && (rest->p[at] != '>' || depth)) {
		char c = rest->p[at];

		if (c == '"' || c == '\'')
			at = span_find(*rest, at + 1, c);
		else if (c == '[')
			depth++;
		else if (c == ']' && depth)
			depth--;
		at++;
	}
	*rest = text_from(*rest, at + 1);
}

/* The length of a tag up to its ">", which may stand in a quoted value. */
static size_t tag_length(struct span s)
{
	size_t at = 0;

	while (at < s.n && s.p[at] != '>') {
		if (s.p[at] == '"' || s.p[at] == '\'')
			at = span_find(s, at + 1, s.p[at]);
		at++;
	}
	return at < s.n ? at : s.n;
}

/* After "<". */
static enum xml_kind parse_tag(struct xml *x)
{
	struct span tag = {x->rest.p, tag_length(x->rest)};
	enum xml_kind kind = XML_OPEN;
	size_t n = 0;

	x->rest = text_from(x->rest, tag.n + 1);
	if (text_skip(&tag, SPAN("/"))) {
		kind = XML_CLOSE;
	} else if (span_ends(tag, SPAN("/"))) {
		kind = XML_EMPTY;
		tag.n--;
	}
	while (n < tag.n && !is_blank(tag.p[n]))
		n++;
	x->name = (struct span){tag.p, n};
	x->attributes = text_from(tag, n);
	return kind;
}

static enum xml_kind give_text(struct xml *x, struct span text, bool is_cdata)
{
	x->text = text;
	x->is_cdata = is_cdata;
	return XML_TEXT;
}

enum xml_kind xml_next(struct xml *x)
{
	while (x->rest.n) {
		size_t text = span_find(x->rest, 0, '<');

		if (text) {
			struct span s = {x->rest.p, text};

			x->rest = text_from(x->rest, text);
			return give_text(x, s, false);
		}
		if (text_skip(&x->rest, SPAN("<!--")))
			pass(&x->rest, SPAN("-->"));
		else if (text_skip(&x->rest, SPAN("<![CDATA[")))
			return give_text(x, pass(&x->rest, SPAN("]]>")), true);
		else if (text_skip(&x->rest, SPAN("<?")))
			pass(&x->rest, SPAN("?>"));
		else if (text_skip(&x->rest, SPAN("<!")))
			pass_declaration(&x->rest);
		else if (text_skip(&x->rest, SPAN("<")))
			return parse_tag(x);
	}
	return XML_END;
}

/* Cuts the next NAME="VALUE" off *rest. */
static bool cut_attribute(struct span *rest, struct span *name, struct span *value)
{
	size_t equals, end;

	*rest = span_trim(*rest);
	equals = span_find(*rest, 0, '=');
	*name = span_trim((struct span){rest->p, equals});
	*rest = span_trim(text_from(*rest, equals + 1));
	if (!rest->n || (rest->p[0] != '"' && rest->p[0] != '\''))
		return false;
	end = span_find(*rest, 1, rest->p[0]);
	*value = (struct span){rest->p + 1, end - 1};
	*rest = text_from(*rest, end + 1);
	return true;
}

bool xml_attribute(const struct xml *x, struct span name, struct span *value)
{
	struct span rest = x->attributes, found;

	while (cut_attribute(&rest, &found, value))
		if (span_eq(found, name))
			return true;
	return false;
}

static void add_utf8(struct str *out, uint64_t c)
{
	if (c < 0x80) {
		str_addc(out, (char)c);
		return;
	}
	if (c >= 0x10000) {
		str_addc(out, (char)(0xf0 | c >> 18));
		str_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		str_addc(out, (char)(0xe0 | c >> 12));
	}
	if (c >= 0x800)
		str_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
	else
		str_addc(out, (char)(0xc0 | c >> 6));
	str_addc(out, (char)(0x80 | (c & 0x3f)));
}

/* "#38" or "#x26" of "&#38;". */
static bool parse_reference(struct span s, uint64_t *c)
{
	int base = 10;

	if (!text_skip(&s, SPAN("#")))
		return false;
	if (text_skip(&s, SPAN("x")) || text_skip(&s, SPAN("X")))
		base = 16;
	return span_u64(s, base, c) && *c && *c <= 0x10ffff && (*c < 0xd800 || *c > 0xdfff);
}

/* Appends what the entity called name stands for; false when it is none of XML's own. */
static bool add_entity(struct str *out, struct span name)
{
	static const struct {
		struct span name;
		char c;
	} known[] = {{SPAN("amp"), '&'}, {SPAN("lt"), '<'}, {SPAN("gt"), '>'}, {SPAN("quot"), '"'},
	    {SPAN("apos"), '\''}};
	uint64_t c;

	if (parse_reference(name, &c)) {
		add_utf8(out, c);
		return true;
	}
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (span_eq(name, known[i].name)) {
			str_addc(out, known[i].c);
			return true;
		}
	}
	return false;
}

enum { MAX_ENTITY = 12 };

void xml_unescape(struct str *out, struct span text)
{
	while (text.n) {
		size_t at = span_find(text, 0, '&');
		struct span name = text_from(text, at + 1);

		str_add(out, text.p, at);
		text = text_from(text, at);
		if (!text.n)
			break;
		name.n = span_find((struct span){name.p, name.n < MAX_ENTITY ? name.n : MAX_ENTITY}, 0, ';');
		if (name.n < text.n - 1 && name.p[name.n] == ';' && add_entity(out, name)) {
			text = text_from(text, name.n + 2);
		} else {
			str_addc(out, '&');
			text = text_from(text, 1);
		}
	}
}
