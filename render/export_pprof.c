/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile as pprof's profile.proto within gzip. A name is a string, a function and a location, all of one number. */
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/compress.h"
#include "lib/folded.h"
#include "render/export.h"

/* Field numbers of message Profile and of those inside it. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	LOCATION_ID = 1,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
};

static void add_varint(struct str *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		str_addc(out, (char)(v | 0x80));
	str_addc(out, (char)v);
}

static void add_number(struct str *out, unsigned field, uint64_t v)
{
	add_varint(out, field << 3);
	add_varint(out, v);
}

static void add_bytes(struct str *out, unsigned field, struct span bytes)
{
	add_varint(out, field << 3 | 2);
	add_varint(out, bytes.n);
	str_add(out, bytes.p, bytes.n);
}

/* pprof's values are whole numbers: decimals are rounded. */
static uint64_t value_of(u128 count)
{
	u128 whole = count_round(count) / COUNT_ONE;

	return whole > INT64_MAX ? INT64_MAX : (uint64_t)whole;
}

static void add_sample(struct str *out, const struct tree *t, uint32_t node)
{
	struct str sample = {0}, packed = {0};
	bool some = false;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		u128 self = tree_self(t, node, i);

		some |= self != 0;
		add_varint(&packed, value_of(self));
	}
	if (some) {
		struct str locations = {0};

		for (uint32_t up = node; up; up = t->nodes[up].parent)
			add_varint(&locations, t->nodes[up].name + 1);
		add_bytes(&sample, SAMPLE_LOCATION, str_span(&locations));
		add_bytes(&sample, SAMPLE_VALUE, str_span(&packed));
		add_bytes(out, PROFILE_SAMPLE, str_span(&sample));
		str_release(&locations);
	}
	str_release(&sample);
	str_release(&packed);
}

/* The string of a name is its number and 1: string 0 has to be empty. */
static void add_function(struct str *out, uint32_t name)
{
	struct str message = {0}, line = {0};

	add_number(&line, LINE_FUNCTION, name + 1);
	add_number(&message, LOCATION_ID, name + 1);
	add_bytes(&message, LOCATION_LINE, str_span(&line));
	add_bytes(out, PROFILE_LOCATION, str_span(&message));
	str_reset(&message);
	add_number(&message, FUNCTION_ID, name + 1);
	add_number(&message, FUNCTION_NAME, name + 1);
	add_bytes(out, PROFILE_FUNCTION, str_span(&message));
	str_release(&message);
	str_release(&line);
}

/* Strings after those of names: two for each column. */
static void add_types(struct str *out, const struct export *e)
{
	for (unsigned i = 0; i < e->t->ncolumns; i++) {
		struct str type = {0};

		add_number(&type, VALUE_TYPE, e->t->names.n + 1 + 2 * i);
		add_number(&type, VALUE_UNIT, e->t->names.n + 2 + 2 * i);
		add_bytes(out, PROFILE_SAMPLE_TYPE, str_span(&type));
		str_release(&type);
	}
}

static void add_type_strings(struct str *out, const struct export *e)
{
	for (unsigned i = 0; i < e->t->ncolumns; i++) {
		struct str name = {0};

		if (e->t->ncolumns > 1)
			export_column_name(e, i, &name);
		else if (!folded_header_get(e->header, "event", &name))
			str_adds(&name, e->o->count_name);
		add_bytes(out, PROFILE_STRING, str_span(&name));
		add_bytes(out, PROFILE_STRING, SPAN("count"));
		str_release(&name);
	}
}

void export_pprof(struct str *out, const struct export *e)
{
	struct str proto = {0};

	add_types(&proto, e);
	for (uint32_t node = 0; node < e->t->n; node++)
		add_sample(&proto, e->t, node);
	for (uint32_t name = 0; name < e->t->names.n; name++)
		add_function(&proto, name);
	add_bytes(&proto, PROFILE_STRING, SPAN(""));
	for (uint32_t name = 0; name < e->t->names.n; name++)
		add_bytes(&proto, PROFILE_STRING, intern_span(&e->t->names, name));
	add_type_strings(&proto, e);
	compress_gzip(out, str_span(&proto), 6);
	str_release(&proto);
}
