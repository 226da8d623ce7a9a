/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of text formats share: cutting lines into their parts. */
#include "fold/text.h"

struct span text_from(struct span s, size_t n)
{
	n = n < s.n ? n : s.n;
	return (struct span){s.p + n, s.n - n};
}

size_t text_find(struct span s, struct span needle)
{
	const char *at = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

size_t text_rfind(struct span s, struct span needle)
{
	if (s.n < needle.n)
		return s.n;
	for (size_t at = s.n - needle.n + 1; at-- > 0;)
		if (memcmp(s.p + at, needle.p, needle.n) == 0)
			return at;
	return s.n;
}

bool text_has(struct span s, struct span needle)
{
	return text_find(s, needle) < s.n;
}

bool text_skip(struct span *s, struct span prefix)
{
	if (!span_starts(*s, prefix))
		return false;
	*s = text_from(*s, prefix.n);
	return true;
}

bool text_cut(struct span *rest, struct span mark, struct span *before)
{
	size_t at = text_find(*rest, mark);

	if (at == rest->n)
		return false;
	*before = (struct span){rest->p, at};
	*rest = text_from(*rest, at + mark.n);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

size_t text_indent(struct span s)
{
	size_t n = 0;

	while (n < s.n && is_blank(s.p[n]))
		n++;
	return n;
}

struct span text_word(struct span *rest)
{
	struct span word = text_from(*rest, text_indent(*rest));
	size_t n = 0;

	while (n < word.n && !is_blank(word.p[n]))
		n++;
	*rest = text_from(word, n);
	word.n = n;
	return word;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t count_digits(struct span s)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n;
}

bool text_is_digits(struct span s)
{
	return s.n && count_digits(s) == s.n;
}

bool text_cut_number(struct span *rest, uint64_t *n)
{
	struct span digits = {rest->p, count_digits(*rest)};

	if (!span_u64(digits, 10, n))
		return false;
	*rest = text_from(*rest, digits.n);
	return true;
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool text_cut_hex(struct span *rest, uint64_t *n)
{
	struct span s = *rest;
	size_t length = 0;

	if (!text_skip(&s, SPAN("0x")))
		return false;
	while (length < s.n && is_hex(s.p[length]))
		length++;
	if (!span_u64((struct span){s.p, length}, 16, n))
		return false;
	*rest = text_from(s, length);
	return true;
}

bool text_count(struct span s, u128 *count)
{
	char digits[64];
	size_t n = 0;

	s = span_trim(s);
	if (s.n > 1 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		s = (struct span){s.p + 1, s.n - 2};
	s = text_word(&s);
	for (size_t i = 0; i < s.n && n < sizeof digits; i++)
		if (s.p[i] != ',' || i + 1 == s.n)
			digits[n++] = s.p[i];
	return n < sizeof digits && count_parse((struct span){digits, n}, count);
}

uint64_t text_cut_offset(struct span *name)
{
	size_t at = text_rfind(*name, SPAN("+"));
	struct span rest = text_from(*name, at + 1);
	uint64_t offset;

	if (at == name->n || at == 0)
		return 0;
	if (!(text_cut_hex(&rest, &offset) || text_cut_number(&rest, &offset)) || rest.n)
		return 0;
	name->n = at;
	return offset;
}

bool text_any_line(struct span head, bool (*is)(struct span line))
{
	struct span line;

	while (span_line(&head, &line))
		if (is(line))
			return true;
	return false;
}
