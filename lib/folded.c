/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded lines: parse, escape, print. */
#include "lib/folded.h"

#define HEADER "# flamepipe"

enum folded_kind folded_kind(struct span line)
{
	line = span_trim(line);
	if (!line.n)
		return FOLDED_BLANK;
	if (line.p[0] != '#' || (line.n > 1 && line.p[1] != ' '))
		return FOLDED_STACK;
	return span_starts(line, SPAN(HEADER " ")) ? FOLDED_HEADER : FOLDED_COMMENT;
}

static bool is_gap(char c)
{
	return c == ' ' || c == '\t';
}

/* Cuts the last word off *rest, and the blanks before it. */
static struct span last_word(struct span *rest)
{
	size_t end = rest->n, start, cut;

	while (end && is_gap(rest->p[end - 1]))
		end--;
	start = end;
	while (start && !is_gap(rest->p[start - 1]))
		start--;
	for (cut = start; cut && is_gap(rest->p[cut - 1]); cut--)
		;
	rest->n = cut;
	return (struct span){rest->p + start, end - start};
}

/* Takes "@SECONDS" off the end of the stack where it stands there as a word of its own. */
static struct span take_slice(struct span *stack)
{
	struct span rest = *stack;
	struct span word = last_word(&rest);
	u128 seconds;

	if (word.n < 2 || word.p[0] != '@' || !rest.n)
		return SPAN("");
	word.p++, word.n--;
	if (!count_parse(word, &seconds))
		return SPAN("");
	*stack = rest;
	return word;
}

bool folded_parse(struct span line, unsigned ncolumns, struct folded_line *out)
{
	struct span rest = span_trim(line);

	if (!ncolumns || ncolumns > FOLDED_MAX_COLUMNS)
		return false;
	for (unsigned i = ncolumns; i-- > 0;)
		if (!count_parse(last_word(&rest), &out->counts[i]))
			return false;
	out->ncounts = ncolumns;
	out->slice = take_slice(&rest);
	out->stack = rest;
	return true;
}

unsigned folded_count_words(struct span line)
{
	struct span rest = span_trim(line);
	unsigned n = 0;
	u128 count;

	while (n < FOLDED_MAX_COLUMNS && count_parse(last_word(&rest), &count))
		n++;
	return n;
}

void folded_frame(struct span *stack, struct span *frame)
{
	size_t end = span_find(*stack, 0, ';');

	*frame = (struct span){stack->p, end};
	if (end < stack->n)
		end++;
	stack->p += end;
	stack->n -= end;
}

/* What becomes a blank, and would be lost at the ends of a line. */
static bool is_edge(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

void folded_escape(struct str *out, struct span name)
{
	char *to;

	while (name.n && is_edge(name.p[name.n - 1]))
		name.n--;
	while (name.n && is_edge(name.p[0]))
		name.p++, name.n--;
	if (!name.n)
		name = SPAN("[unknown]");
	to = str_room(out, name.n);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c == ';')
			c = ':';
		else if (c == '\n' || c == '\r' || c == '\t' || c == '\0')
			c = ' ';
		to[i] = c;
	}
	to[name.n] = '\0';
	out->n += name.n;
}

static bool is_plain(unsigned char c)
{
	return c > ' ' && c != '%' && c != 0x7f;
}

void folded_header_add(struct folded_header *h, const char *key, struct span value)
{
	if (!h->text.n)
		str_adds(&h->text, HEADER);
	str_addf(&h->text, " %s=", key);
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if (is_plain(c))
			str_addc(&h->text, (char)c);
		else
			str_addf(&h->text, "%%%02X", c);
	}
}

void folded_header_print(const struct folded_header *h, struct str *out)
{
	str_add(out, h->text.n ? h->text.p : HEADER, h->text.n ? h->text.n : strlen(HEADER));
	str_adds(out, " .\n");
}

static void decode(struct span value, struct str *out)
{
	for (size_t i = 0; i < value.n; i++) {
		uint64_t byte;

		if (value.p[i] == '%' && value.n - i > 2 &&
		    span_u64((struct span){value.p + i + 1, 2}, 16, &byte)) {
			str_addc(out, (char)byte);
			i += 2;
		} else {
			str_addc(out, value.p[i]);
		}
	}
}

void folded_header_each(
    struct span line, void (*each)(void *ctx, struct span key, struct span value), void *ctx)
{
	struct str value = {0};

	line = span_trim(line);
	while (line.n) {
		size_t end = span_find(line, 0, ' ');
		struct span word = {line.p, end};
		size_t equals = span_find(word, 0, '=');

		if (equals < word.n) {
			str_reset(&value);
			decode((struct span){word.p + equals + 1, word.n - equals - 1}, &value);
			each(ctx, (struct span){word.p, equals}, str_span(&value));
		}
		line.p += end < line.n ? end + 1 : end;
		line.n -= end < line.n ? end + 1 : end;
	}
	str_release(&value);
}

struct wanted {
	struct span key;
	struct str *value;
	bool found;
};

static void pick(void *ctx, struct span key, struct span value)
{
	struct wanted *w = ctx;

	if (w->found || !span_eq(key, w->key))
		return;
	w->found = true;
	str_add(w->value, value.p, value.n);
}

bool folded_header_get(struct span line, const char *key, struct str *value)
{
	struct wanted w = {span_of(key), value, false};

	folded_header_each(line, pick, &w);
	return w.found;
}
