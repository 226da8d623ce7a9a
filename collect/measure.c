/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure: counts events over the runs of a command, with error bars. */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/measure_options.h"
#include "collect/measured.h"
#include "collect/trial.h"
#include "lib/arena.h"
#include "lib/die.h"

struct session {
	struct measure_options options;
	struct measured measured;
	struct trial_how how;
	struct intervals intervals;
	FILE *out;
	char **commands[MEASURED_MAX_SIDES];
	char *texts[MEASURED_MAX_SIDES];
	char *collect; /* path of the program; NULL: no profiles */
	int signal; /* that ended it; 0: none */
	int not_run; /* status, when a command could not be executed */
};

/* Commands. */

static char *join(char **argv)
{
	struct str text = {0};

	for (char **word = argv; *word; word++)
		str_addf(&text, "%s%s", word == argv ? "'" : " ", *word);
	str_addc(&text, '\'');
	return text.p;
}

static const char *target_text(const struct target *t)
{
	if (t->cgroup >= 0)
		return "the cgroup";
	if (t->npids)
		return t->threads_only ? "the threads" : "the processes";
	return t->cpus ? "the CPUs" : "system wide";
}

static void add_sides(struct session *s)
{
	struct measure_options *o = &s->options;
	static char shell[] = "/bin/sh", minus_c[] = "-c";

	s->commands[0] = o->command;
	s->texts[0] = o->command ? join(o->command) : xstrdup(target_text(&o->target));
	measured_add_side(&s->measured, "orig", s->texts[0]);
	if (!o->versus)
		return;
	s->commands[1] = xcalloc(4, sizeof *s->commands[1]);
	s->commands[1][0] = shell;
	s->commands[1][1] = minus_c;
	s->commands[1][2] = o->versus;
	s->texts[1] = xcalloc(1, strlen(o->versus) + 3);
	sprintf(s->texts[1], "'%s'", o->versus);
	measured_add_side(&s->measured, "patched", s->texts[1]);
}

/* Profiles. */

/* Makes an empty folder; runs of before must not be taken for those of now. */
static void make_folder(const char *path)
{
	DIR *dir;
	struct dirent *entry;
	int n = 0;

	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		die_errno("cannot make %s", path);
	dir = opendir(path);
	if (!dir)
		die_errno("cannot open %s", path);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	if (n)
		die("%s is not empty: runs of before would mix with these", path);
}

static void prepare_collect(struct session *s)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	struct str path = {0};

	if (n < 0)
		die_errno("cannot find where this program is");
	self[n] = '\0';
	str_addf(&path, "%s/collect", dirname(self));
	if (access(path.p, X_OK) < 0)
		die_errno("--collect needs %s", path.p);
	s->collect = path.p;
	make_folder(s->options.collect_dir);
	for (size_t i = 0; s->measured.nsides > 1 && i < s->measured.nsides; i++) {
		struct str side = {0};

		str_addf(&side, "%s/%s", s->options.collect_dir, s->measured.sides[i].name);
		make_folder(side.p);
		str_release(&side);
	}
}

/* "collect -q -o DIR/SIDE/NUMBER -- COMMAND"; the caller frees it and its *file. */
static char **collect_command(const struct session *s, size_t side, unsigned number, struct str *file)
{
	static char quiet[] = "-q", output[] = "-o", freq[] = "-F", end[] = "--";
	size_t n = 0, nwords = 0;
	char **argv;

	while (s->commands[side][nwords])
		nwords++;
	argv = xcalloc(nwords + 8, sizeof *argv);
	str_addf(file, "%s/%s%s%u", s->options.collect_dir,
	    s->measured.nsides > 1 ? s->measured.sides[side].name : "", s->measured.nsides > 1 ? "/" : "",
	    number);
	argv[n++] = s->collect;
	argv[n++] = quiet;
	argv[n++] = output;
	argv[n++] = file->p;
	if (s->options.collect_hz) {
		argv[n++] = freq;
		argv[n++] = (char *)(uintptr_t)s->options.collect_hz;
	}
	argv[n++] = end;
	memcpy(argv + n, s->commands[side], nwords * sizeof *argv);
	return argv;
}

/* Runs. */

static void flush_out(struct session *s, struct str *text)
{
	if (text->n)
		fwrite(text->p, 1, text->n, s->out);
	fflush(s->out);
	str_release(text);
}

static void print_interval(void *ctx, const struct count *counts, double at_s)
{
	struct session *s = ctx;
	struct str text = {0};

	intervals_print(&s->intervals, counts, at_s, &text);
	flush_out(s, &text);
}

/* An interrupted run is not one of those that were asked for, unless it is the only one. */
static bool counts(const struct session *s, const struct trial *t)
{
	return !t->signal || (s->options.runs == 1 && !s->options.versus);
}

/* False when there shall be no further run. */
static bool run_once(struct session *s, size_t side, unsigned number, bool warmup)
{
	struct trial t;
	struct str file = {0};
	char **argv = s->collect && !warmup ? collect_command(s, side, number, &file) : NULL;

	s->how.argv = argv ? argv : s->commands[side];
	trial_run(&s->how, &t);
	if (t.not_run)
		s->not_run = t.status;
	else if (!warmup && counts(s, &t))
		measured_add(&s->measured, side, &t);
	if (t.signal && argv)
		unlink(file.p);
	if (!t.not_run && s->options.interval_ns)
		print_interval(s, t.counts, t.elapsed_s);
	s->signal = t.signal;
	free(t.counts);
	free(argv);
	str_release(&file);
	return !s->signal && !s->not_run;
}

/* Every round has each side once; which comes first is left to chance, as what the machine does meanwhile is too. */
static bool run_round(struct session *s, unsigned number, bool warmup)
{
	unsigned char coin = 0;
	size_t n = s->measured.nsides;

	if (n > 1 && getrandom(&coin, sizeof coin, 0) != (ssize_t)sizeof coin)
		coin = (unsigned char)number;
	for (size_t i = 0; i < n; i++)
		if (!run_once(s, (i + coin) % n, number, warmup))
			return false;
	return true;
}

static void run_all(struct session *s)
{
	const struct measure_options *o = &s->options;
	unsigned n;

	for (n = 0; n < o->warmup; n++)
		if (!run_round(s, n, true))
			return;
	for (n = 1; !o->runs || n <= o->runs; n++)
		if (!run_round(s, n, false))
			return;
}

/* Results. */

static void open_output(struct session *s)
{
	const char *path = s->options.output;

	s->out = stderr;
	if (path && strcmp(path, "-") == 0)
		s->out = stdout;
	else if (path && !(s->out = fopen(path, "we")))
		die_errno("cannot open %s", path);
}

static void report(struct session *s)
{
	const struct measure_options *o = &s->options;
	struct str text = {0};

	if (s->not_run || (o->interval_ns && o->form != FORM_TEXT))
		return;
	if (!s->measured.sides[0].nruns) {
		warn("interrupted before the first run had ended");
		return;
	}
	if (s->signal && (o->runs != 1 || o->versus))
		warn("interrupted: the run in progress is left out");
	if (o->form == FORM_CSV)
		measured_print_csv(&s->measured, o->sep, &text);
	else if (o->form == FORM_JSON)
		measured_print_json(&s->measured, &text);
	else if (o->versus)
		measured_print_versus(&s->measured, &text);
	else if (!o->interval_ns)
		measured_print(&s->measured, o->table, &text);
	flush_out(s, &text);
}

static void close_output(struct session *s)
{
	if (s->out == stdout)
		close_stdout();
	else if (s->out != stderr && (ferror(s->out) | fclose(s->out)))
		die_errno("cannot write %s", s->options.output);
}

static int status_of(const struct session *s)
{
	if (s->not_run)
		return s->not_run;
	if (s->signal)
		return 128 + s->signal;
	for (size_t i = 0; i < s->measured.nsides; i++)
		if (s->measured.sides[i].status)
			return s->measured.sides[i].status;
	return 0;
}

int main(int argc, char **argv)
{
	struct session s = {0};
	int status;

	measure_options_parse(&s.options, argc, argv);
	measured_init(&s.measured, &s.options.events);
	s.measured.has_command = s.options.command != NULL;
	s.measured.nwanted = s.options.runs;
	s.measured.noise = s.options.noise;
	add_sides(&s);
	if (s.options.collect_dir)
		prepare_collect(&s);
	open_output(&s);
	s.how = (struct trial_how){.events = &s.options.events,
	    .target = &s.options.target,
	    .output_to_stderr = s.out == stdout,
	    .duration_ns = s.options.duration_ns,
	    .interval_ns = s.options.interval_ns,
	    .tick = print_interval,
	    .ctx = &s,
	    .signals = trial_signals()};
	s.intervals =
	    (struct intervals){.events = &s.options.events, .form = s.options.form, .sep = s.options.sep};
	run_all(&s);
	report(&s);
	close_output(&s);
	status = status_of(&s);
	measured_release(&s.measured);
	measure_options_release(&s.options);
	free(s.intervals.last);
	free(s.collect);
	free(s.commands[1]);
	free(s.texts[0]);
	free(s.texts[1]);
	return status;
}
