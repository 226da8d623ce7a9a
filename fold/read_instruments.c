/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call tree copied out of Instruments (Edit > Deep Copy): tabs between the columns, the symbol indented by its depth. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

/* "Running Time	Self (ms)		Symbol Name", or "Weight	Self Weight		Symbol Name". */
static bool is_title(struct span line)
{
	return text_has(line, SPAN("\t")) && text_has(line, SPAN("Self")) &&
	       text_has(line, SPAN("Symbol Name"));
}

static bool probe(struct span head)
{
	struct span line;

	return span_line(&head, &line) && is_title(line);
}

/* Microseconds of a unit; 0 when it is none. */
static unsigned unit_us(struct span unit)
{
	if (span_eq(unit, SPAN("min")))
		return 60000000;
	if (span_eq(unit, SPAN("s")))
		return 1000000;
	if (span_eq(unit, SPAN("ms")) || !unit.n)
		return 1000;
	return span_eq(unit, SPAN("us")) || span_eq(unit, SPAN("\xc2\xb5s")) ||
	       span_eq(unit, SPAN("\xce\xbcs"));
}

/* "12.50 ms", or with a comma where that is the decimal point; nanoseconds are not shown. */
static bool parse_time(struct span text, u128 *us)
{
	struct span number = text_word(&text), unit = text_word(&text);
	char digits[32];
	bool point = span_find(number, 0, '.') < number.n;

	if (number.n >= sizeof digits || !unit_us(unit))
		return false;
	for (size_t i = 0; i < number.n; i++)
		digits[i] = number.p[i] == ',' && !point ? '.' : number.p[i];
	if (!count_parse((struct span){digits, number.n}, us))
		return false;
	*us = count_scale(*us, unit_us(unit), 1);
	return true;
}

/* "6.53 s  100.0%	0 s	 	   SYMBOL": total, own time, an empty column, the symbol. */
static bool add_row(struct path *path, struct span line)
{
	struct span total, own, empty;
	struct frame f = {0};
	size_t depth;
	u128 us;

	if (!text_cut(&line, SPAN("\t"), &total) || !text_cut(&line, SPAN("\t"), &own) ||
	    !text_cut(&line, SPAN("\t"), &empty))
		return false;
	depth = text_indent(line);
	f.name = path_copy(path, span_trim(line));
	if (!f.name.n || !parse_time(span_trim(own), &us) || !path_enter(path, depth, &f, 0))
		return false;
	path_self(path, us / 1000);
	return true;
}

static bool read(struct input *in, struct sink *sink)
{
	struct path path = {.sink = sink, .work.in = in, .stack = stack_init(), .us = 1000};
	struct span line;

	sink_fact(sink, "weight", SPAN("ms"));
	while (input_line(in, &line))
		if (span_trim(line).n && !is_title(line) && !add_row(&path, line))
			sink_bad_line(sink, in, line);
	path_release(&path);
	return true;
}

const struct reader reader_instruments = {"instruments", "a call tree copied from Instruments", probe, read};
