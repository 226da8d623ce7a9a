/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of tables with commas. */
#include "fold/csv.h"

#include "fold/text.h"

/* The length of a field in quotes, with them: up to the quote that a comma or the end follows. */
static size_t quoted_length(struct span s)
{
	size_t at = 1;

	while (at < s.n && !(s.p[at] == '"' && (at + 1 == s.n || s.p[at + 1] == ',')))
		at++;
	return at < s.n ? at + 1 : s.n;
}

/* Cuts the next field off *rest, and the comma. */
static struct span cut_field(struct span *rest, size_t *indent)
{
	struct span s = text_from(*rest, text_indent(*rest)), field;
	bool quoted = s.n && s.p[0] == '"';
	size_t n = quoted ? quoted_length(s) : span_find(s, 0, ',');

	*indent = rest->n - s.n;
	field = (struct span){s.p, n};
	*rest = text_from(s, n + 1);
	if (quoted) {
		field = text_from(field, 1);
		field.n -= span_ends(field, SPAN("\""));
		*indent += text_indent(field);
	}
	return span_trim(field);
}

void csv_split(struct csv *csv, struct span line)
{
	for (csv->n = 0; line.n && csv->n < CSV_MAX_FIELDS; csv->n++)
		csv->fields[csv->n] = cut_field(&line, &csv->indent[csv->n]);
}

struct span csv_field(const struct csv *csv, size_t i)
{
	return i < csv->n ? csv->fields[i] : SPAN("");
}
