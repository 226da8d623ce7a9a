/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of input formats. */
#include "fold/reader.h"

#include "fold/gunzip.h"
#include "fold/utf16.h"

enum { HEAD_SIZE = 64 * 1024 };

/* In the order in which they are asked: binary formats and those with an unmistakable start first, folded lines last. */
static const struct reader *const readers[] = {
    &reader_pprof,
    &reader_perfdata,
    &reader_recording,
    &reader_xctrace,
    &reader_svg,
    &reader_firefox,
    &reader_speedscope,
    &reader_cpuprofile,
    &reader_chrome,
    &reader_d3,
    &reader_pmcstat,
    &reader_jstack,
    &reader_faulthandler,
    &reader_jfr,
    &reader_vtune,
    &reader_vsprof,
    &reader_ghcprof,
    &reader_instruments,
    &reader_xdebug,
    &reader_wcp,
    &reader_callgrind,
    &reader_sample,
    &reader_goraw,
    &reader_lldb,
    &reader_eustack,
    &reader_gdb,
    &reader_stap,
    &reader_dtrace,
    &reader_bpftrace,
    &reader_bcc,
    &reader_perfsched,
    &reader_perfscript,
    &reader_folded,
    NULL,
};

const struct reader *reader_at(unsigned i)
{
	return readers[i];
}

const struct reader *reader_named(const char *name)
{
	for (unsigned i = 0; readers[i]; i++)
		if (strcmp(readers[i]->name, name) == 0)
			return readers[i];
	return NULL;
}

const struct reader *reader_detect(struct input *in)
{
	struct span head;

	gunzip_convert(in);
	utf16_convert(in);
	head = input_peek(in, HEAD_SIZE);
	if (head.n > HEAD_SIZE)
		head.n = HEAD_SIZE;
	for (unsigned i = 0; readers[i]; i++)
		if (readers[i]->probe(head))
			return readers[i];
	return NULL;
}

bool reader_read(const struct reader *reader, struct input *in, struct sink *sink)
{
	sink_begin(sink);
	gunzip_convert(in);
	utf16_convert(in);
	return reader->read(in, sink) && !in->err.what[0];
}
