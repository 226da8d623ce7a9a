/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FreeBSD's `pmcstat -G`: call trees with the sampled function outermost, one section per event and CPU. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct pmcstat {
	struct path path;
	struct str event;
	struct span image; /* of the last row; a row that does not name its own is in the same */
	u128 expected; /* samples that the section's title still promises */
};

/* "@ EVENT [N samples]"; the event may be any bytes. */
static bool parse_title(struct span line, struct span *event, uint64_t *n)
{
	size_t at = text_rfind(line, SPAN(" ["));
	struct span rest = text_from(line, at + 2);

	if (!span_starts(line, SPAN("@ ")) || at == line.n || at < 2)
		return false;
	if (!text_cut_number(&rest, n) || !span_eq(rest, SPAN(" samples]")))
		return false;
	*event = (struct span){line.p + 2, at - 2};
	return true;
}

struct row {
	size_t depth;
	uint64_t count;
	struct span name, image;
};

/* "  99.76%  [417]        NAME @ IMAGE" with as many blanks in front as rows around it. */
static bool parse_row(struct span line, struct row *row)
{
	struct span percent;
	size_t at;

	row->depth = text_indent(line);
	line = text_from(line, row->depth);
	if (!text_cut(&line, SPAN("%  ["), &percent) || !count_parse(percent, &(u128){0}))
		return false;
	if (!text_cut_number(&line, &row->count) || !text_skip(&line, SPAN("] ")))
		return false;
	line = text_from(line, text_indent(line));
	at = text_rfind(line, SPAN(" @ /"));
	if (at == line.n)
		at = text_find(line, SPAN(" @ "));
	row->name = (struct span){line.p, at};
	row->image = text_from(line, at + 3);
	return row->name.n > 0;
}

static bool is_title(struct span line)
{
	struct span event;
	uint64_t n;

	return parse_title(line, &event, &n);
}

static bool is_row(struct span line)
{
	struct row row;

	return parse_row(line, &row) && row.depth == 0;
}

static bool probe(struct span head)
{
	return text_any_line(head, is_title) && text_any_line(head, is_row);
}

/* What a section's rows fall short of its title by was lost on the way: pmcstat prints a row for every sample it has. */
static void end_section(struct pmcstat *p)
{
	path_leave(&p->path, 0);
	if (p->expected)
		sink_tally(p->path.sink, TALLY_DAMAGED, (uint64_t)(p->expected / COUNT_ONE));
	p->expected = 0;
}

static void begin_section(struct pmcstat *p, struct span event, uint64_t n)
{
	end_section(p);
	str_reset(&p->event);
	str_add(&p->event, event.p, event.n);
	p->path.stack.event = str_span(&p->event);
	p->expected = count_of(n);
}

static struct frame make_frame(struct pmcstat *p, const struct row *row)
{
	struct frame f = {.name = row->name};
	struct span rest = row->name;

	if (row->image.n)
		p->image = path_copy(&p->path, row->image);
	else if (!row->depth)
		p->image = SPAN("");
	f.module = p->image;
	if (span_starts(f.module, SPAN("/boot/")))
		f.kind = FRAME_KERNEL;
	/* An address without a symbol is an unknown function of its image. */
	f.has_addr = text_cut_hex(&rest, &f.addr) && !rest.n;
	f.name = f.has_addr && f.module.n ? SPAN("") : path_copy(&p->path, row->name);
	return f;
}

static bool add_row(struct pmcstat *p, const struct row *row)
{
	struct frame f = make_frame(p, row);
	u128 count = count_of(row->count);

	if (!path_enter(&p->path, row->depth, &f, count))
		return false;
	if (!row->depth)
		p->expected -= count < p->expected ? count : p->expected;
	return true;
}

/* The lines of "CONVERSION STATISTICS:", which `-G -` prints into the same stream: " #exec/elf                3". */
static bool is_statistic(struct span line)
{
	struct span name, rest = line;

	if (span_eq(span_trim(line), SPAN("CONVERSION STATISTICS:")))
		return true;
	name = text_word(&rest);
	return span_starts(line, SPAN(" ")) && span_starts(name, SPAN("#")) &&
	       text_is_digits(span_trim(rest));
}

static bool read(struct input *in, struct sink *sink)
{
	struct pmcstat p = {.path = {.sink = sink, .work.in = in, .stack = stack_init(), .from_leaf = true}};
	struct span line, event;
	struct row row;
	uint64_t n;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line)) {
		if (parse_title(line, &event, &n))
			begin_section(&p, event, n);
		else if (parse_row(line, &row) ? !add_row(&p, &row)
					       : span_trim(line).n && !is_statistic(line))
			sink_bad_line(sink, in, line);
	}
	end_section(&p);
	str_release(&p.event);
	path_release(&p.path);
	return true;
}

const struct reader reader_pmcstat = {"pmcstat", "FreeBSD's pmcstat -G", probe, read};
