/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof's profiles: profile.proto of github.com/google/pprof as protocol buffers, mostly within gzip. */
#include <stdlib.h>

#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/values.h"
#include "lib/wire.h"

enum wire_type { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* Numbers of the fields, as the schema has them. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	PROFILE_LAST = 15
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum { MAPPING_ID = 1, MAPPING_FILE = 5 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

struct field {
	uint64_t number;
	enum wire_type type;
	uint64_t value; /* of all but BYTES */
	struct span bytes;
};

/* The next field of a message; false at its end, or when it is damaged, which w->failed tells. */
static bool next_field(struct wire *w, struct field *f)
{
	uint64_t tag;

	if (!wire_left(w) || w->failed)
		return false;
	tag = wire_varint(w);
	*f = (struct field){.number = tag >> 3, .type = (enum wire_type)(tag & 7)};
	switch (f->type) {
	case VARINT:
		f->value = wire_varint(w);
		break;
	case FIXED64:
		f->value = wire_u64(w);
		break;
	case FIXED32:
		f->value = wire_u32(w);
		break;
	case BYTES:
		f->bytes = wire_bytes(w, wire_varint(w));
		break;
	default:
		w->failed = true;
	}
	return !w->failed;
}

static struct wire open_message(struct span s)
{
	return wire_init(s.n ? s.p : "", s.n, false);
}

/* More functions inlined into one address than this are damage: every sample may repeat them. */
enum { MAX_LINES = 64 };

/* A function, mapping or location known by its id. */
struct entry {
	uint64_t id;
	uint64_t name, file; /* of functions and mappings: numbers of strings */
	struct span message; /* of a location */
	size_t first, n; /* of a location: in pprof.frames */
};

struct table {
	struct entry *items;
	size_t n, cap;
};

struct pprof {
	struct sink *sink;
	struct table functions, mappings, locations;
	struct span *strings;
	size_t nstrings, strings_cap;
	struct frame *frames; /* of all locations, innermost first */
	size_t nframes, frames_cap;
	struct chain chain;
	struct values types;
	int64_t *values; /* of the sample in hand */
	size_t nvalues, values_cap;
	uint64_t default_type;
	uint64_t damaged;
};

static bool is_value_type(struct span s)
{
	struct wire w = open_message(s);
	struct field f;

	while (next_field(&w, &f))
		if (f.type != VARINT || (f.number != TYPE_TYPE && f.number != TYPE_UNIT))
			return false;
	return !w.failed && s.n > 0;
}

static bool is_profile_field(const struct field *f)
{
	if (f->number >= PROFILE_SAMPLE_TYPE && f->number <= PROFILE_STRING)
		return f->type == BYTES;
	return f->number <= PROFILE_LAST;
}

/* The head may end inside a field. */
static bool probe(struct span head)
{
	struct wire w = open_message(head);
	struct field f;
	bool types = false;

	while (next_field(&w, &f)) {
		if (!f.number || !is_profile_field(&f) ||
		    (f.number == PROFILE_SAMPLE_TYPE && !is_value_type(f.bytes)))
			return false;
		types |= f.number == PROFILE_SAMPLE_TYPE;
	}
	return types;
}

static struct span string_at(const struct pprof *p, uint64_t i)
{
	return i < p->nstrings ? p->strings[i] : SPAN("");
}

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct entry *)a)->id, y = ((const struct entry *)b)->id;

	return (x > y) - (x < y);
}

/* The entry of an id; the ids of most files count up from 1. */
static const struct entry *find(const struct table *t, uint64_t id)
{
	struct entry key = {.id = id};

	if (id && id <= t->n && t->items[id - 1].id == id)
		return &t->items[id - 1];
	return t->n ? bsearch(&key, t->items, t->n, sizeof key, compare) : NULL;
}

static void sort(struct table *t)
{
	if (t->n)
		qsort(t->items, t->n, sizeof *t->items, compare);
}

/* The field of that number in a message; false when it is absent. */
static bool find_field(struct span message, uint64_t number, struct field *f)
{
	struct wire w = open_message(message);

	while (next_field(&w, f))
		if (f->number == number)
			return true;
	return false;
}

static struct entry *add_entry(struct table *t, uint64_t id)
{
	t->items = grow(t->items, t->n, &t->cap, sizeof *t->items);
	t->items[t->n] = (struct entry){.id = id};
	return &t->items[t->n++];
}

static uint64_t number_of(struct span message, uint64_t number)
{
	struct field f;

	return find_field(message, number, &f) ? f.value : 0;
}

static void add_function(struct pprof *p, struct span message)
{
	struct entry *e = add_entry(&p->functions, number_of(message, FUNCTION_ID));

	e->name = number_of(message, FUNCTION_NAME);
	if (!e->name)
		e->name = number_of(message, FUNCTION_SYSTEM_NAME);
	e->file = number_of(message, FUNCTION_FILE);
}

static void add_type(struct pprof *p, struct span message)
{
	struct field f;

	if (p->types.n == VALUES_MAX)
		return;
	/* Texts follow later: their numbers are kept in the lengths until then. */
	if (find_field(message, TYPE_TYPE, &f))
		p->types.types[p->types.n].name.n = f.value;
	if (find_field(message, TYPE_UNIT, &f))
		p->types.types[p->types.n].unit.n = f.value;
	p->types.n++;
}

static void read_field(struct pprof *p, const struct field *f)
{
	switch (f->number) {
	case PROFILE_SAMPLE_TYPE:
		add_type(p, f->bytes);
		break;
	case PROFILE_MAPPING:
		add_entry(&p->mappings, number_of(f->bytes, MAPPING_ID))->file =
		    number_of(f->bytes, MAPPING_FILE);
		break;
	case PROFILE_LOCATION:
		add_entry(&p->locations, number_of(f->bytes, LOCATION_ID))->message = f->bytes;
		break;
	case PROFILE_FUNCTION:
		add_function(p, f->bytes);
		break;
	case PROFILE_STRING:
		p->strings = grow(p->strings, p->nstrings, &p->strings_cap, sizeof *p->strings);
		p->strings[p->nstrings++] = f->bytes;
		break;
	case PROFILE_DEFAULT_TYPE:
		p->default_type = f->value;
		break;
	default:
		break;
	}
}

static void name_types(struct pprof *p)
{
	struct span preferred = string_at(p, p->default_type);

	for (size_t i = 0; i < p->types.n; i++) {
		struct value_type *type = &p->types.types[i];

		type->name = string_at(p, type->name.n);
		type->unit = string_at(p, type->unit.n);
		if (preferred.n && span_eq(type->name, preferred))
			p->types.preferred = i;
	}
}

static struct span find_module(const struct pprof *p, struct span location)
{
	const struct entry *mapping = find(&p->mappings, number_of(location, LOCATION_MAPPING));

	return mapping ? string_at(p, mapping->file) : SPAN("");
}

static void add_frame(struct pprof *p, const struct frame *f)
{
	p->frames = grow(p->frames, p->nframes, &p->frames_cap, sizeof *p->frames);
	p->frames[p->nframes++] = *f;
}

static void read_line(struct pprof *p, struct frame f, struct span line)
{
	const struct entry *function = find(&p->functions, number_of(line, LINE_FUNCTION));
	uint64_t number = number_of(line, LINE_LINE);

	if (function) {
		f.name = string_at(p, function->name);
		f.file = string_at(p, function->file);
	}
	f.line = number <= UINT32_MAX ? (uint32_t)number : 0;
	add_frame(p, &f);
}

/* The lines of a location: the last one is the function, those before are inlined into the next one. */
static void read_location(struct pprof *p, struct entry *location)
{
	struct frame base = {.module = find_module(p, location->message)};
	struct wire w = open_message(location->message);
	struct field f;

	base.addr = number_of(location->message, LOCATION_ADDRESS);
	base.has_addr = base.addr != 0;
	if (span_starts(base.module, SPAN("[kernel")))
		base.kind = FRAME_KERNEL;
	location->first = p->nframes;
	while (next_field(&w, &f)) {
		if (f.number != LOCATION_LINE || f.type != BYTES)
			continue;
		if (p->nframes - location->first == MAX_LINES) {
			p->damaged++;
			break;
		}
		read_line(p, base, f.bytes);
	}
	if (p->nframes == location->first)
		add_frame(p, &base);
	location->n = p->nframes - location->first;
	for (size_t i = 0; i + 1 < location->n; i++)
		p->frames[location->first + i].inlined = true;
}

static void push_location(struct pprof *p, uint64_t id)
{
	const struct entry *location = find(&p->locations, id);
	struct frame unknown = {0};

	if (!location)
		chain_refer(&p->chain, &unknown);
	for (size_t i = 0; location && i < location->n; i++)
		chain_refer(&p->chain, &p->frames[location->first + i]);
}

static void push_value(struct pprof *p, uint64_t value)
{
	p->values = grow(p->values, p->nvalues, &p->values_cap, sizeof *p->values);
	p->values[p->nvalues++] = (int64_t)value;
}

/* A repeated number: one, or many packed into bytes. */
static void each_number(struct pprof *p, const struct field *f, void (*push)(struct pprof *, uint64_t))
{
	struct wire w = open_message(f->bytes);

	if (f->type == VARINT)
		push(p, f->value);
	while (wire_left(&w) && !w.failed) {
		uint64_t n = wire_varint(&w);

		if (!w.failed)
			push(p, n);
	}
}

/* Profilers of whole systems tell the task in labels. */
static void read_label(const struct pprof *p, struct stack *stack, struct span message)
{
	struct field f;
	struct span key = find_field(message, LABEL_KEY, &f) ? string_at(p, f.value) : SPAN("");
	bool has_number = find_field(message, LABEL_NUMBER, &f) && f.value <= INT32_MAX;

	if (has_number && span_eq(key, SPAN("pid")))
		stack->pid = (int32_t)f.value;
	else if (has_number && (span_eq(key, SPAN("tid")) || span_eq(key, SPAN("thread_id"))))
		stack->tid = (int32_t)f.value;
	else if (span_eq(key, SPAN("comm")) && find_field(message, LABEL_TEXT, &f))
		stack->comm = string_at(p, f.value);
}

static void add_sample(struct pprof *p, struct span message)
{
	struct stack stack = stack_init();
	struct wire w = open_message(message);
	struct field f;

	p->nvalues = 0;
	while (next_field(&w, &f)) {
		if (f.number == SAMPLE_LOCATION)
			each_number(p, &f, push_location);
		else if (f.number == SAMPLE_VALUE)
			each_number(p, &f, push_value);
		else if (f.number == SAMPLE_LABEL && f.type == BYTES)
			read_label(p, &stack, f.bytes);
	}
	if (!p->chain.n)
		push_location(p, 0);
	stack.frames = p->chain.frames;
	stack.nframes = p->chain.n;
	p->damaged += w.failed || p->nvalues != p->types.n;
	values_add(&p->types, p->sink, &stack, p->values, p->nvalues);
	chain_reset(&p->chain);
}

/* Samples stand before what their numbers refer to. */
static bool read_message(struct pprof *p, struct input *in, struct span bytes)
{
	struct wire w = open_message(bytes), again = w;
	struct field f;

	while (next_field(&w, &f))
		if (is_profile_field(&f))
			read_field(p, &f);
	sort(&p->functions);
	sort(&p->mappings);
	sort(&p->locations);
	name_types(p);
	for (size_t i = 0; i < p->locations.n; i++)
		read_location(p, &p->locations.items[i]);
	while (next_field(&again, &f))
		if (f.number == PROFILE_SAMPLE && f.type == BYTES)
			add_sample(p, f.bytes);
	if (!w.failed)
		return true;
	in->offset = (uint64_t)(w.p - (const unsigned char *)bytes.p);
	return input_fail(in, "the profile is damaged or cut short");
}

static bool read(struct input *in, struct sink *sink)
{
	struct pprof p = {.sink = sink};
	bool good = read_message(&p, in, input_rest(in));

	sink_tally(sink, TALLY_DAMAGED, p.damaged);
	free(p.functions.items);
	free(p.mappings.items);
	free(p.locations.items);
	free(p.strings);
	free(p.frames);
	free(p.values);
	chain_release(&p.chain);
	return good;
}

const struct reader reader_pprof = {"pprof", "pprof's profile.proto", probe, read};
