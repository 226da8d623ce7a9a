/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump: a recording or a perf.data as the text of perf script. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fold/options.h"
#include "fold/perfdata.h"
#include "fold/recorded.h"
#include "fold/script.h"
#include "lib/arena.h"
#include "lib/die.h"
#include "lib/recording.h"

enum { OPT_SYMFS = 256, OPT_DEBUG_DIR, OPT_KALLSYMS, OPT_VMLINUX, OPT_NO_DEMANGLE, OPT_INLINE, OPT_SRCLINE };

static const struct option_row rows[] = {
    {"inline", OPT_INLINE, NULL, "show functions that the compiler inlined"},
    {"srcline", OPT_SRCLINE, NULL, "show source files and lines"},
    {"symfs", OPT_SYMFS, "DIR", "look for binaries and debug files below DIR"},
    {"debug-dir", OPT_DEBUG_DIR, "DIR", "look for separate debug files in DIR (/usr/lib/debug)"},
    {"kallsyms", OPT_KALLSYMS, "FILE", "the recorded kernel's symbols, as /proc/kallsyms has them"},
    {"vmlinux", OPT_VMLINUX, "FILE", "the recorded kernel with its symbols"},
    {"no-demangle", OPT_NO_DEMANGLE, NULL, "leave C++, Rust and D names as the linker has them"},
    {"quiet", 'q', NULL, "no summary on standard error"},
    {"help", 'h', NULL, "this text"},
    {"version", 'V', NULL, "the version"},
};

enum { NROWS = sizeof rows / sizeof *rows };

struct dump {
	struct symbols_options symbols;
	bool quiet;
	uint64_t nsamples, lost, damaged;
};

static _Noreturn void help(void)
{
	printf(
	    "usage: dump [OPTION...] [FILE...]\n"
	    "Prints the samples of recordings and perf.data files (standard input without a FILE, or for -)\n"
	    "as the text that perf script prints.\n\n");
	options_help(rows, NROWS);
	close_stdout();
	exit(0);
}

static _Noreturn void version(void)
{
	printf("dump (flamepipe) %s\n", VERSION);
	close_stdout();
	exit(0);
}

static void take(struct dump *d, int code)
{
	switch (code) {
	case OPT_INLINE:
		d->symbols.inlines = true;
		break;
	case OPT_SRCLINE:
		d->symbols.lines = true;
		break;
	case OPT_SYMFS:
		d->symbols.symfs = optarg;
		break;
	case OPT_DEBUG_DIR:
		d->symbols.debug_dir = optarg;
		break;
	case OPT_KALLSYMS:
		d->symbols.kallsyms = optarg;
		break;
	case OPT_VMLINUX:
		d->symbols.vmlinux = optarg;
		break;
	case OPT_NO_DEMANGLE:
		d->symbols.no_demangle = true;
		break;
	case 'q':
		d->quiet = true;
		break;
	case 'h':
		help();
	case 'V':
		version();
	default:
		die_usage("unknown option or missing argument");
	}
}

static void parse(struct dump *d, int argc, char **argv)
{
	struct option *longs;
	char *shorts;
	int code;

	options_tables(rows, NROWS, &longs, &shorts);
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1)
		take(d, code);
	free(longs);
	free(shorts);
}

/* Names come at the end of a stream, and are printed from its start on: a pipe is kept in an unnamed file first. */
static int spool(int from)
{
	const char *dir = getenv("TMPDIR");
	struct str path = {0}, buf = {0};
	ssize_t got;
	int fd;

	str_addf(&path, "%s/dump.XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkstemp(path.p);
	if (fd < 0)
		die_errno("cannot make a temporary file %s", path.p);
	unlink(path.p);
	while ((got = read(from, str_room(&buf, 1 << 18), 1 << 18)) != 0) {
		if (got < 0 && errno != EINTR)
			die_errno("cannot read standard input");
		if (got > 0 && write(fd, buf.p, (size_t)got) != got)
			die_errno("cannot write to a temporary file in %s", dir && *dir ? dir : "/tmp");
	}
	str_release(&path);
	str_release(&buf);
	if (lseek(fd, 0, SEEK_SET) != 0)
		die_errno("cannot rewind the temporary file");
	return fd;
}

/* The bodies of the SYMBOLS blocks of each recording in a file, in order. */
struct names {
	struct str *bodies;
	unsigned *recordings; /* which recording a body is of */
	size_t n, cap, recordings_cap;
};

static void find_names(struct names *names, const char *path)
{
	struct input in;
	struct recording r;
	struct block b;
	bool restart, opened;
	unsigned number = 0;

	if (!input_open(&in, path))
		return;
	opened = recording_open(&r, &in);
	while (opened && recording_next(&r, &b, &restart)) {
		number += restart;
		if (b.type != BLOCK_SYMBOLS)
			continue;
		names->bodies = grow(names->bodies, names->n, &names->cap, sizeof *names->bodies);
		names->recordings =
		    grow(names->recordings, names->n, &names->recordings_cap, sizeof *names->recordings);
		names->bodies[names->n] = (struct str){0};
		str_add(&names->bodies[names->n], b.body.p, b.body.n);
		names->recordings[names->n++] = number;
	}
	recording_close(&r);
	input_close(&in);
}

static void release_names(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		str_release(&names->bodies[i]);
	free(names->bodies);
	free(names->recordings);
}

static bool dump_recordings(struct dump *d, struct input *in, const char *path)
{
	struct names names = {0};
	struct recorded *recorded = recorded_open(in);
	bool good = recorded != NULL, more = good;

	find_names(&names, path);
	for (unsigned number = 0; more; number++) {
		struct symbols *symbols = symbols_open(&d->symbols);
		struct script *script = script_open(symbols, d->symbols.lines);
		struct recorded_losses losses;

		for (size_t i = 0; i < names.n; i++)
			if (names.recordings[i] == number)
				symbols_embed(symbols, str_span(&names.bodies[i]));
		good = recorded_read(recorded, script_timeline(script), &losses, &more) && good;
		d->nsamples += script_nsamples(script);
		d->lost += losses.lost;
		d->damaged += losses.damaged;
		script_close(script);
	}
	recorded_close(recorded);
	release_names(&names);
	return good;
}

static bool dump_perfdata(struct dump *d, struct input *in)
{
	struct script *script = script_open(symbols_open(&d->symbols), d->symbols.lines);
	struct perfdata_losses losses = {0};
	bool good = perfdata_read(in, script_timeline(script), &losses);

	d->nsamples += script_nsamples(script);
	d->lost += losses.lost;
	d->damaged += losses.damaged;
	script_close(script);
	return good;
}

static bool dump_input(struct dump *d, struct input *in, const char *path)
{
	struct str text = {0};
	struct span head = input_peek(in, 16);
	bool good;

	if (recording_probe(head))
		good = dump_recordings(d, in, path);
	else if (perfdata_probe(head))
		good = dump_perfdata(d, in);
	else
		good = in->error ? false
				 : input_fail(in, head.n ? "neither a recording nor a perf.data" : "empty");
	if (good && !in->error)
		return true;
	input_describe(in, &text);
	warn("%s", text.p);
	str_release(&text);
	return false;
}

/* A file is read where it is; everything else is spooled. */
static bool dump_path(struct dump *d, const char *path)
{
	struct str spooled = {0};
	struct input in;
	struct stat st;
	bool good;

	if (!input_open(&in, path)) {
		warn("cannot open %s: %s", path, strerror(errno));
		return false;
	}
	if (fstat(in.fd, &st) != 0 || !S_ISREG(st.st_mode))
		in.fd = spool(in.fd);
	str_addf(&spooled, "/proc/self/fd/%d", in.fd);
	good = dump_input(d, &in, spooled.p);
	str_release(&spooled);
	input_close(&in);
	return good;
}

int main(int argc, char **argv)
{
	struct dump d = {0};
	bool good = true;

	parse(&d, argc, argv);
	if (optind == argc && isatty(STDIN_FILENO))
		die_usage("nothing to read: give a FILE, or pipe a recording in");
	if (optind == argc)
		good = dump_path(&d, "-");
	for (int i = optind; i < argc; i++)
		good &= dump_path(&d, argv[i]);
	close_stdout();
	if (!d.quiet && (good || d.nsamples))
		warn("%llu samples; %llu lost; %llu damaged", (unsigned long long)d.nsamples,
		    (unsigned long long)d.lost, (unsigned long long)d.damaged);
	return !good;
}
