/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of --nameattr. A line is NAME TAB attribute=value TAB ...; a value may stand in double quotes. */
#include "render/nameattr.h"

#include <stdlib.h>

#include "lib/input.h"
#include "render/xml.h"

enum { MAX_ATTRIBUTES = 64 };

/* What one line says, before it is written down as text. */
struct pair {
	struct span name, value;
};

struct line {
	struct pair pairs[MAX_ATTRIBUTES];
	size_t n;
	struct nameattr_entry entry;
};

static bool cut(struct span *rest, char at, struct span *head)
{
	size_t end = span_find(*rest, 0, at);
	bool found = end < rest->n;

	*head = (struct span){rest->p, end};
	end += found;
	rest->p += end, rest->n -= end;
	return found;
}

static bool is_xml_name(struct span s)
{
	if (!s.n || (s.p[0] >= '0' && s.p[0] <= '9') || s.p[0] == '-' || s.p[0] == '.')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", s.p[i]) ||
		    !s.p[i])
			return false;
	return true;
}

/* The last one of a name counts. */
static void put(struct nameattr *a, struct line *l, struct span name, struct span value)
{
	if (span_eq(name, SPAN("href")))
		name = SPAN("xlink:href");
	for (size_t i = 0; i < l->n; i++) {
		if (!span_eq(l->pairs[i].name, name))
			continue;
		l->pairs[i].value = value;
		a->nbad++;
		return;
	}
	if (l->n == MAX_ATTRIBUTES)
		a->nbad++;
	else
		l->pairs[l->n++] = (struct pair){name, value};
}

static struct span unquote(struct span s)
{
	s = span_trim(s);
	if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		s.p++, s.n -= 2;
	return s;
}

/* name="value" name="value" ... */
static void put_extra(struct nameattr *a, struct line *l, struct span rest)
{
	struct span name, value;

	while ((rest = span_trim(rest)).n) {
		bool good = cut(&rest, '=', &name);

		rest = span_trim(rest);
		good = good && rest.n && rest.p[0] == '"' && is_xml_name(span_trim(name));
		if (good)
			rest.p++, rest.n--;
		if (!good || !cut(&rest, '"', &value)) {
			a->nbad++;
			return;
		}
		put(a, l, span_trim(name), value);
	}
}

static void take_pair(struct nameattr *a, struct line *l, struct span pair)
{
	struct span name;
	bool good = cut(&pair, '=', &name);
	struct span value = unquote(pair);

	name = span_trim(name);
	if (!name.n && !good)
		return;
	if (good && span_eq(name, SPAN("title"))) {
		l->entry.title = value;
		l->entry.has_title = true;
	} else if (good && (span_eq(name, SPAN("href")) || span_eq(name, SPAN("target")) ||
			       span_eq(name, SPAN("id")) || span_eq(name, SPAN("class")))) {
		put(a, l, name, value);
	} else if (good && (span_eq(name, SPAN("g_extra")) || span_eq(name, SPAN("a_extra")))) {
		put_extra(a, l, value);
	} else {
		a->nbad++;
	}
}

static void write_down(struct nameattr *a, struct line *l)
{
	struct str text = {0};
	bool target = false;

	for (size_t i = 0; i < l->n; i++) {
		l->entry.has_link |= span_eq(l->pairs[i].name, SPAN("xlink:href"));
		target |= span_eq(l->pairs[i].name, SPAN("target"));
	}
	if (l->entry.has_link && !target)
		put(a, l, SPAN("target"), SPAN("_top"));
	for (size_t i = 0; i < l->n; i++) {
		str_addc(&text, ' ');
		str_add(&text, l->pairs[i].name.p, l->pairs[i].name.n);
		str_adds(&text, "=\"");
		xml_escape(&text, l->pairs[i].value);
		str_addc(&text, '"');
	}
	l->entry.attributes = (struct span){arena_copy(&a->text, text.n ? text.p : "", text.n), text.n};
	l->entry.title.p = arena_copy(&a->text, l->entry.title.n ? l->entry.title.p : "", l->entry.title.n);
	str_release(&text);
}

static void take_line(struct nameattr *a, struct span text)
{
	struct line l = {0};
	struct span name, pair;
	uint32_t id;

	text = span_trim(text);
	if (!text.n)
		return;
	cut(&text, '\t', &name);
	while (text.n) {
		cut(&text, '\t', &pair);
		take_pair(a, &l, pair);
	}
	write_down(a, &l);
	id = intern(&a->names, span_trim(name));
	a->entries = grow(a->entries, id, &a->cap, sizeof *a->entries);
	a->entries[id] = l.entry;
}

bool nameattr_read(struct nameattr *a, const char *path)
{
	struct input in;
	struct span line;

	*a = (struct nameattr){0};
	if (!input_open(&in, path))
		return false;
	while (input_line(&in, &line))
		take_line(a, line);
	input_close(&in);
	return true;
}

const struct nameattr_entry *nameattr_get(const struct nameattr *a, struct span name)
{
	uint32_t id = a->names.n ? intern_find(&a->names, name) : UINT32_MAX;

	return id == UINT32_MAX ? NULL : &a->entries[id];
}

void nameattr_release(struct nameattr *a)
{
	intern_release(&a->names);
	free(a->entries);
	arena_release(&a->text);
}
