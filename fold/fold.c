/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold: stacks of any format in, folded lines out. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fold/options.h"
#include "fold/reader.h"
#include "fold/sink.h"
#include "lib/arena.h"
#include "lib/die.h"
#include "lib/input.h"

enum { OPT_FORMAT = 1024, OPT_QUIET = 'q', OPT_HELP = 'h', OPT_VERSION = 'V' };

static const struct option_row own_rows[] = {
    {"format", OPT_FORMAT, "NAME", "what the input is (found out from its content)"},
    {"quiet", OPT_QUIET, NULL, "no summary on standard error"},
    {"help", OPT_HELP, NULL, "this text"},
    {"version", OPT_VERSION, NULL, "the version"},
};

struct fold {
	struct options options;
	const struct reader *reader; /* --format, or NULL */
	bool quiet;
};

enum { NOWN = sizeof own_rows / sizeof *own_rows };

/* The shared rows and our own in one array, which the caller frees. */
static struct option_row *all_rows(void)
{
	struct option_row *rows = xcalloc(options_nrows + NOWN, sizeof *rows);

	memcpy(rows, options_rows, options_nrows * sizeof *rows);
	memcpy(rows + options_nrows, own_rows, sizeof own_rows);
	return rows;
}

static void print_formats(void)
{
	for (unsigned i = 0; reader_at(i); i++)
		printf("  %-26s %s\n", reader_at(i)->name, reader_at(i)->about);
}

static _Noreturn void help(const struct option_row *rows)
{
	printf("usage: fold [OPTION...] [FILE...]\n"
	       "Reads profiles of any format (standard input without a FILE, or for -) and prints each "
	       "distinct\n"
	       "stack once: its frames from the root joined by ';', and its count.\n\n");
	options_help(rows, options_nrows + NOWN);
	printf("\nFormats:\n");
	print_formats();
	close_stdout();
	exit(0);
}

static _Noreturn void version(void)
{
	printf("fold (flamepipe) %s\n", VERSION);
	close_stdout();
	exit(0);
}

static void take_own(struct fold *f, int code, const struct option_row *rows)
{
	switch (code) {
	case OPT_FORMAT:
		f->reader = reader_named(optarg);
		if (!f->reader)
			die_usage("--format: there is no format '%s' (--help lists them)", optarg);
		break;
	case OPT_QUIET:
		f->quiet = true;
		break;
	case OPT_HELP:
		help(rows);
	case OPT_VERSION:
		version();
	default:
		die_usage("unknown option or missing argument");
	}
}

static const char *name_of(int code)
{
	for (size_t i = 0; i < options_nrows; i++)
		if (options_rows[i].code == code)
			return options_rows[i].name;
	return "";
}

static void parse(struct fold *f, int argc, char **argv)
{
	struct option_row *rows = all_rows();
	struct option *longs;
	char *shorts;
	const char *why;
	int code;

	options_tables(rows, options_nrows + NOWN, &longs, &shorts);
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (!options_take(&f->options, code, optarg, &why))
			take_own(f, code, rows);
		else if (why && code < 256)
			die_usage("-%c %s: %s", code, optarg, why);
		else if (why)
			die_usage("--%s %s: %s", name_of(code), optarg, why);
	}
	free(longs);
	free(shorts);
	free(rows);
}

/* Says what is wrong with an input and goes on with the others. */
static bool complain(const struct input *in)
{
	struct str text = {0};

	input_describe(in, &text);
	warn("%s", text.p);
	str_release(&text);
	return false;
}

/* False, after a message, when the input is unreadable, damaged, or has not one stack. */
static bool fold_input(struct fold *f, struct input *in, struct sink *sink)
{
	const struct reader *reader = f->reader ? f->reader : reader_detect(in);
	u128 before = sink_seen(sink);
	bool whole;

	if (!reader) {
		if (in->error)
			return complain(in);
		warn(input_peek(in, 1).n ? "%s: in no format that fold knows (--help lists them)"
					 : "%s: empty",
		    in->name);
		return false;
	}
	whole = reader_read(reader, in, sink);
	if (!whole || in->error)
		return complain(in);
	if (sink_seen(sink) == before) {
		warn("%s: not one stack in it; it was taken for %s", in->name, reader->about);
		return false;
	}
	return true;
}

static bool fold_path(struct fold *f, const char *path, struct sink *sink)
{
	struct input in;
	bool ok;

	if (!input_open(&in, path)) {
		warn("cannot open %s: %s", path, strerror(errno));
		return false;
	}
	ok = fold_input(f, &in, sink);
	input_close(&in);
	return ok;
}

static void summarize(const struct sink *sink)
{
	struct str text = {0};

	sink_summary(sink, &text);
	warn("%s", text.p);
	str_release(&text);
}

int main(int argc, char **argv)
{
	struct fold f = {0};
	struct sink *sink;
	bool ok = true;

	parse(&f, argc, argv);
	input_outlive_interrupt();
	if (optind == argc && isatty(STDIN_FILENO))
		die_usage("nothing to read: give a FILE, or pipe a profile in");
	sink = sink_open(&f.options);
	if (optind == argc)
		ok = fold_path(&f, "-", sink);
	for (int i = optind; i < argc; i++)
		ok &= fold_path(&f, argv[i], sink);
	if (sink_nstacks(sink))
		sink_print(sink);
	if (sink_seen(sink) && !f.quiet)
		summarize(sink);
	if (sink_seen(sink) && !sink_nstacks(sink)) {
		warn("every stack was left out");
		ok = false;
	}
	close_stdout();
	sink_close(sink);
	options_release(&f.options);
	return !ok;
}
