/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sides of runs in one table of stacks. */
#include "fold/runs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/arena.h"
#include "lib/die.h"
#include "lib/folded.h"

enum { HEAD_SIZE = 64 * 1024, PRINT_SIZE = 64 * 1024 };

const char *const side_names[NSIDES] = {"orig", "patched"};

/* An input in a sink of its own, so that what it says of itself is known of each run. */
struct load {
	struct runs *runs;
	const struct runs_how *how;
	unsigned column; /* of its first one */
	struct str name;
};

static bool complain(const struct input *in)
{
	struct str text = {0};

	input_describe(in, &text);
	warn("%s", text.p);
	str_release(&text);
	return false;
}

static void tell_bad_lines(const struct input *in, const struct sink *sink)
{
	struct str text = {0};

	sink_summary(sink, &text);
	warn("%s: %s", in->name, text.p);
	str_release(&text);
}

static bool read_input(const struct runs_how *how, struct input *in, struct sink *sink)
{
	const struct reader *reader = how->reader ? how->reader : reader_detect(in);

	if (!input_peek(in, 1).n && !in->error) {
		warn("%s: empty: a side that counts nothing", in->name);
		return true;
	}
	if (!reader && !in->error) {
		warn("%s: in no format that fold knows", in->name);
		return false;
	}
	if (in->error || !reader_read(reader, in, sink) || in->error)
		return complain(in);
	if (!sink_nstacks(sink))
		warn("%s: not one stack in it; it was taken for %s", in->name, reader->about);
	if (sink_nbad_lines(sink))
		tell_bad_lines(in, sink);
	return true;
}

/* 0x and hexadecimal digits become 0x..., as addresses differ between builds. */
static struct span strip_addresses(struct span name, struct str *to)
{
	str_reset(to);
	for (size_t i = 0; i < name.n;) {
		size_t end = i + 2;

		if (name.p[i] != '0' || end >= name.n || name.p[i + 1] != 'x' ||
		    !isxdigit((unsigned char)name.p[end])) {
			str_addc(to, name.p[i++]);
			continue;
		}
		while (end < name.n && isxdigit((unsigned char)name.p[end]))
			end++;
		str_adds(to, "0x...");
		i = end;
	}
	return str_span(to);
}

static void merge_stack(
    void *ctx, struct span stack, struct span slice, const u128 *counts, unsigned ncolumns)
{
	struct load *l = ctx;
	uint32_t node = STACKS_ROOT;

	(void)slice;
	while (stack.n) {
		struct span name;

		folded_frame(&stack, &name);
		if (l->how->strip)
			name = strip_addresses(name, &l->name);
		node = stacks_child(&l->runs->stacks, node, intern(&l->runs->stacks.names, name));
	}
	for (unsigned i = 0; i < ncolumns; i++)
		stacks_count(&l->runs->stacks, node, l->column + i, counts[i]);
}

static struct run *add_run(struct runs *r, enum side side, const char *name)
{
	r->items = grow(r->items, r->n, &r->cap, sizeof *r->items);
	r->items[r->n] = (struct run){.name = xstrdup(name), .side = side};
	r->nside[side]++;
	stacks_columns(&r->stacks, (unsigned)r->n + 1);
	return &r->items[r->n++];
}

static u128 header_count(struct span header, const char *key)
{
	struct str text = {0};
	u128 count = 0;

	if (folded_header_get(header, key, &text))
		count_parse(str_span(&text), &count);
	str_release(&text);
	return count;
}

static void take_fact(void *ctx, struct span key, struct span value)
{
	static const char *const per_run[] = {
	    "samples", "lost", "excluded", "columns", "damaged", "throttled_s"};
	struct facts *facts = ctx;

	for (size_t i = 0; i < sizeof per_run / sizeof *per_run; i++)
		if (span_eq(key, span_of(per_run[i])))
			return;
	facts_add(facts, key, value);
}

/* What the input's own header, as fold would write it, says. */
static void take_header(struct load *l, struct sink *sink, struct run *run)
{
	struct str header = {0};

	sink_print_header(sink, &header);
	run->samples = header_count(str_span(&header), "samples");
	run->lost = header_count(str_span(&header), "lost");
	run->excluded = header_count(str_span(&header), "excluded");
	if (sink_nstacks(sink))
		folded_header_each(str_span(&header), take_fact, &l->runs->facts);
	str_release(&header);
}

static void merge(struct load *l, struct sink *sink)
{
	sink_each(sink, merge_stack, l);
	str_release(&l->name);
}

static int64_t time_of_file(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

bool runs_add(struct runs *r, const struct runs_how *how, enum side side, const char *path)
{
	struct load l = {.runs = r, .how = how, .column = (unsigned)r->n};
	struct sink *sink;
	struct run *run;
	struct input in;
	bool ok;

	if (r->n == FOLDED_MAX_COLUMNS)
		die("more than %d runs", FOLDED_MAX_COLUMNS);
	if (!input_open(&in, path)) {
		warn("cannot open %s: %s", path, strerror(errno));
		return false;
	}
	sink = sink_open(how->options);
	ok = read_input(how, &in, sink);
	run = add_run(r, side, in.name);
	run->written_ns = time_of_file(in.fd);
	if (sink_ncolumns(sink) > 1) {
		warn("%s: has %u columns; give it alone", in.name, sink_ncolumns(sink));
		ok = false;
	} else {
		run->total = sink_total(sink, 0);
		take_header(&l, sink, run);
		merge(&l, sink);
	}
	sink_close(sink);
	input_close(&in);
	return ok;
}

/* Tables. */

/* The header line at the start of the input. */
static bool find_header(struct input *in, struct span *header)
{
	struct span head = input_peek(in, HEAD_SIZE);

	while (span_line(&head, header))
		if (folded_kind(*header) == FOLDED_HEADER)
			return true;
	return false;
}

/* Side and number of a column, by its name. */
static bool add_named(struct runs *r, struct span name)
{
	enum side side = span_starts(name, SPAN("patched/")) ? SIDE_PATCHED : SIDE_ORIG;
	struct str text = {0};

	if (side == SIDE_ORIG && (!span_starts(name, SPAN("orig/")) || r->nside[SIDE_PATCHED]))
		return false;
	str_add(&text, name.p, name.n);
	add_run(r, side, text.p);
	str_release(&text);
	return true;
}

static bool add_named_columns(struct runs *r, struct span names)
{
	while (names.n) {
		size_t end = span_find(names, 0, ',');

		if (!add_named(r, (struct span){names.p, end}))
			return false;
		end += end < names.n;
		names.p += end;
		names.n -= end;
	}
	return r->nside[SIDE_ORIG] && r->nside[SIDE_PATCHED];
}

/* The n'th part of a whole; the last one takes what is left over. */
static u128 part_of(u128 whole, size_t i, size_t n)
{
	return i + 1 < n ? whole / n : whole - whole / n * (n - 1);
}

/* A table does not tell samples and losses apart by run: unless counts are samples, they are spread evenly. */
static void fill_runs(struct runs *r, struct sink *sink)
{
	struct str header = {0};
	u128 samples, lost, excluded, sum = 0;

	sink_print_header(sink, &header);
	samples = header_count(str_span(&header), "samples");
	lost = header_count(str_span(&header), "lost");
	excluded = header_count(str_span(&header), "excluded");
	for (size_t i = 0; i < r->n; i++) {
		r->items[i].total = sink_total(sink, (unsigned)i);
		sum = count_sum(sum, r->items[i].total);
	}
	for (size_t i = 0; i < r->n; i++) {
		r->items[i].samples =
		    sum == samples || !samples ? r->items[i].total : part_of(samples, i, r->n);
		r->items[i].lost = part_of(lost, i, r->n);
		r->items[i].excluded = part_of(excluded, i, r->n);
	}
	str_release(&header);
}

static bool load_table(struct load *l, struct input *in, struct sink *sink)
{
	struct str columns = {0}, facts = {0};
	struct span header;
	bool ok;

	if (!find_header(in, &header) || !folded_header_get(header, "columns", &columns) ||
	    !add_named_columns(l->runs, str_span(&columns))) {
		warn("%s: one input has to be a table that compare wrote, with "
		     "columns=orig/1,...,patched/1,...",
		    in->name);
		str_release(&columns);
		return false;
	}
	str_add(&facts, header.p, header.n);
	ok = read_input(l->how, in, sink);
	folded_header_each(str_span(&facts), take_fact, &l->runs->facts);
	fill_runs(l->runs, sink);
	merge(l, sink);
	str_release(&columns);
	str_release(&facts);
	return ok;
}

bool runs_add_table(struct runs *r, const struct runs_how *how, const char *path)
{
	struct load l = {.runs = r, .how = how};
	struct sink *sink;
	struct input in;
	bool ok;

	if (!input_open(&in, path)) {
		warn("cannot open %s: %s", path, strerror(errno));
		return false;
	}
	sink = sink_open(how->options);
	ok = load_table(&l, &in, sink);
	sink_close(sink);
	input_close(&in);
	return ok;
}

bool runs_say(const struct runs *r, const char *key)
{
	for (size_t i = 0; i < r->facts.n; i++)
		if (strcmp(r->facts.items[i].key, key) == 0)
			return true;
	return false;
}

bool runs_are_fixed_work(const struct runs *r)
{
	const struct str *work = facts_get(&r->facts, "work"), *command = facts_get(&r->facts, "command");

	if (work && span_eq(str_span(work), SPAN("fixed")))
		return true;
	return runs_say(r, "command") && !(command && span_starts(str_span(command), SPAN("sleep")));
}

/* Normalising. */

static u128 mean_total(const struct runs *r, enum side side)
{
	u128 sum = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].side == side)
			sum = count_sum(sum, r->items[i].total);
	return r->nside[side] ? sum / r->nside[side] : 0;
}

/* num / den with both in 64 bits: exact where the fraction, reduced, fits, else to 64 bits. */
static void reduce(u128 *num, u128 *den)
{
	u128 a = *num, b = *den;

	while (b) {
		u128 rest = a % b;

		a = b;
		b = rest;
	}
	*num /= a;
	*den /= a;
	while (*num >> 64 || *den >> 64) {
		*num >>= 1;
		*den = *den >> 1 ? *den >> 1 : 1;
	}
}

/* The counts of one column, as the table holds them. */
static void scale_column(struct runs *r, size_t column, u128 num, u128 den)
{
	struct stacks *t = &r->stacks;

	reduce(&num, &den);
	for (size_t i = 0; i < t->ncells; i++) {
		u128 *count = &t->counts[i * t->ncolumns + column];

		*count = count_scale(*count, (uint64_t)num, (uint64_t)den);
	}
}

void runs_normalise(struct runs *r)
{
	u128 target = mean_total(r, SIDE_PATCHED);

	for (size_t i = 0; target && i < r->n; i++) {
		if (!r->items[i].total)
			continue;
		scale_column(r, i, target, r->items[i].total);
		r->items[i].total = target;
	}
}

/* Printing. */

static void add_count(struct folded_header *h, const char *key, u128 count)
{
	struct str text = {0};

	count_add(&text, count);
	folded_header_add(h, key, str_span(&text));
	str_release(&text);
}

static void add_columns(const struct runs *r, struct folded_header *h)
{
	struct str names = {0};
	size_t number[NSIDES] = {0};

	for (size_t i = 0; i < r->n; i++) {
		enum side side = r->items[i].side;

		str_addf(&names, "%s%s/%zu", i ? "," : "", side_names[side], ++number[side]);
	}
	folded_header_add(h, "columns", str_span(&names));
	str_release(&names);
}

static void add_header(struct runs *r, struct str *out)
{
	struct folded_header h = {0};
	u128 samples = 0, lost = 0, excluded = 0;

	facts_sort(&r->facts);
	for (size_t i = 0; i < r->facts.n; i++)
		if (!r->facts.items[i].differs)
			folded_header_add(&h, r->facts.items[i].key, str_span(&r->facts.items[i].value));
	for (size_t i = 0; i < r->n; i++) {
		samples = count_sum(samples, r->items[i].samples);
		lost = count_sum(lost, r->items[i].lost);
		excluded = count_sum(excluded, r->items[i].excluded);
	}
	if (runs_are_fixed_work(r) && !facts_get(&r->facts, "work")) /* the commands of two sides differ */
		folded_header_add(&h, "work", SPAN("fixed"));
	add_count(&h, "samples", samples);
	add_count(&h, "lost", lost);
	add_count(&h, "excluded", excluded);
	add_columns(r, &h);
	folded_header_print(&h, out);
	str_release(&h.text);
}

static void flush(struct str *text)
{
	if (text->n)
		fwrite(text->p, 1, text->n, stdout);
	str_reset(text);
}

struct printer {
	struct str text;
	unsigned ncolumns;
};

static void print_line(void *ctx, struct span stack, uint32_t slice, const u128 *counts)
{
	struct printer *p = ctx;

	(void)slice;
	str_add(&p->text, stack.p, stack.n);
	for (unsigned i = 0; i < p->ncolumns; i++) {
		if (stack.n || i)
			str_addc(&p->text, ' ');
		count_add(&p->text, counts[i]);
	}
	str_addc(&p->text, '\n');
	if (p->text.n > PRINT_SIZE)
		flush(&p->text);
}

void runs_print(struct runs *r, bool header, struct span extra)
{
	struct printer p = {.ncolumns = (unsigned)r->n};

	if (header)
		add_header(r, &p.text);
	str_add(&p.text, extra.p, extra.n);
	stacks_each(&r->stacks, print_line, &p);
	flush(&p.text);
	str_release(&p.text);
}

void runs_release(struct runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].name);
	free(r->items);
	stacks_release(&r->stacks);
	facts_release(&r->facts);
	*r = (struct runs){0};
}
