/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of measure. */
#include "collect/measure_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"
#include "lib/usage.h"

enum { OPT_COLLECT = 256, OPT_DURATION, OPT_JSON, OPT_NOISE, OPT_TABLE, OPT_VERSION, OPT_VS, OPT_WARMUP };

static const struct option_help OPTIONS[] = {
    {{"repeat", required_argument, NULL, 'r'}, "N", "runs (1; 0: until Ctrl-C)"},
    {{"event", required_argument, NULL, 'e'}, "EVENT",
	"what to count, as perf list names it; may be repeated"},
    {{"detailed", no_argument, NULL, 'd'}, NULL,
	"also cache events; more of them the more often it is given"},
    {{"vs", required_argument, NULL, OPT_VS}, "COMMAND",
	"a second command, run in turn with the first in random order"},
    {{"warmup", required_argument, NULL, OPT_WARMUP}, "N", "runs before those that count"},
    {{"collect", required_argument, NULL, OPT_COLLECT}, "DIR",
	"also record a profile of every run into this folder"},
    {{"freq", required_argument, NULL, 'F'}, "HZ", "samples a second of these profiles"},
    {{"all", no_argument, NULL, 'a'}, NULL, "every process on the machine"},
    {{"cpu", required_argument, NULL, 'C'}, "CPUS", "every process on these CPUs, as 0,2-5"},
    {{"pid", required_argument, NULL, 'p'}, "PID[,PID]",
	"processes that run, with their threads and later children"},
    {{"tid", required_argument, NULL, 't'}, "TID[,TID]", "single threads"},
    {{"cgroup", required_argument, NULL, 'G'}, "NAME", "the processes of a cgroup"},
    {{"duration", required_argument, NULL, OPT_DURATION}, "SECONDS", "end after this time"},
    {{"interval", required_argument, NULL, 'I'}, "MS", "print what was counted every so many milliseconds"},
    {{"field-separator", required_argument, NULL, 'x'}, "SEP",
	"fields for other programs, as perf stat -x has them"},
    {{"json", no_argument, NULL, OPT_JSON}, NULL, "JSON, for compare"},
    {{"table", no_argument, NULL, OPT_TABLE}, NULL, "the time of every run"},
    {{"noise", required_argument, NULL, OPT_NOISE}, "PERCENT",
	"how wide half an interval may be before it is called too noisy (10)"},
    {{"output", required_argument, NULL, 'o'}, "FILE",
	"where results go (standard error; - is standard output)"},
    {{"version", no_argument, NULL, OPT_VERSION}, NULL, "print the version"},
    {{"help", no_argument, NULL, 'h'}, NULL, "print this text"},
};

enum { NOPTIONS = sizeof OPTIONS / sizeof *OPTIONS };

/* Counted unless -e says otherwise, and added by each -d. */
static const char default_events[] =
    "task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses";
static const char *const detailed_events[] = {
    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
    "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
    "L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static _Noreturn void print_help(void)
{
	printf(
	    "usage: measure [OPTION]... [--] COMMAND...\n"
	    "       measure [OPTION]... --vs 'OTHER COMMAND' -- COMMAND...\n"
	    "       measure [OPTION]... -a | -C CPUS | -p PIDS | -t TIDS | -G CGROUP [-- COMMAND...]\n\n"
	    "Counts events while a command runs, or a target does, with the error of what it counted.\n\n");
	usage_options(OPTIONS, NOPTIONS);
	close_stdout();
	exit(0);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most, const char *what)
{
	uint64_t v;

	if (!span_u64(span_of(text), 10, &v) || v < least || v > most)
		die_usage("%s has to be a number from %llu to %llu, not '%s'", what,
		    (unsigned long long)least, (unsigned long long)most, text);
	return v;
}

static double decimal(const char *text, double most, const char *what)
{
	char *end;
	double v = strtod(text, &end);

	if (*end || end == text || !(v > 0) || v > most)
		die_usage("%s has to be a number above 0 and up to %g, not '%s'", what, most, text);
	return v;
}

static void add_events(struct measure_options *o, const char *text)
{
	struct str why = {0};

	if (!event_list_add(&o->events, text, &why))
		die_usage("%s", why.p);
	str_release(&why);
}

/* Options that say whom to count; false when c is none. */
static bool take_target(struct measure_options *o, int c, const char *arg)
{
	switch (c) {
	case 'a':
		o->target.all = true;
		return true;
	case 'C':
		o->target.all = true;
		if (!target_add_cpus(&o->target, arg))
			die_usage("-C: not a list of CPUs: '%s'", arg);
		return true;
	case 't':
	case 'p':
		o->target.threads_only = c == 't';
		if (!target_add_pids(&o->target, arg))
			die_usage("-%c: not a list of numbers: '%s'", c, arg);
		return true;
	case 'G':
		if (!target_set_cgroup(&o->target, arg))
			die("no cgroup '%s': %s", arg, strerror(errno));
		return true;
	default:
		return false;
	}
}

/* Options of the report; false when c is none. */
static bool take_report(struct measure_options *o, int c, const char *arg)
{
	switch (c) {
	case 'x':
		if (!*arg)
			die_usage("-x has to have a separator");
		o->form = FORM_CSV;
		o->sep = arg;
		return true;
	case OPT_JSON:
		o->form = FORM_JSON;
		return true;
	case OPT_TABLE:
		o->table = true;
		return true;
	case OPT_NOISE:
		o->noise = decimal(arg, 1000, "--noise") / 100;
		return true;
	case 'o':
		o->output = arg;
		return true;
	default:
		return false;
	}
}

static void take(struct measure_options *o, int c, char *arg, unsigned *detail)
{
	if (take_target(o, c, arg) || take_report(o, c, arg))
		return;
	switch (c) {
	case 'r':
		o->runs = (unsigned)number(arg, 0, 1000000, "-r");
		break;
	case 'e':
		add_events(o, arg);
		break;
	case 'd':
		++*detail;
		break;
	case OPT_VS:
		o->versus = arg;
		break;
	case OPT_WARMUP:
		o->warmup = (unsigned)number(arg, 0, 1000000, "--warmup");
		break;
	case OPT_COLLECT:
		o->collect_dir = arg;
		break;
	case 'F':
		number(arg, 1, 1000000, "-F");
		o->collect_hz = arg;
		break;
	case OPT_DURATION:
		o->duration_ns = (uint64_t)(decimal(arg, 1e9, "--duration") * 1e9);
		break;
	case 'I':
		o->interval_ns = number(arg, 1, 86400000, "-I") * 1000000;
		break;
	case 'h':
		print_help();
	case OPT_VERSION:
		puts("measure (flamepipe) " VERSION);
		close_stdout();
		exit(0);
	default:
		die_usage("unknown option or missing argument");
	}
}

static void check(struct measure_options *o)
{
	bool target = o->target.all || o->target.npids || o->target.cgroup >= 0;

	if ((o->target.npids != 0) + o->target.all + (o->target.cgroup >= 0) > 1 &&
	    !(o->target.cgroup >= 0 && o->target.cpus))
		die_usage("-a, -C, -p, -t and -G exclude each other (but for -G with -C)");
	if (!o->command && (o->versus || o->collect_dir || o->warmup || o->runs != 1))
		die_usage("-r, --vs, --warmup and --collect need a command");
	if (o->interval_ns && (o->runs != 1 || o->versus))
		die_usage("-I is for one run");
	if (o->collect_dir && target)
		die_usage("--collect records the command, not -a, -C, -p, -t or -G");
	if (!o->command && !target)
		o->target.all = true; /* as collect: until Ctrl-C */
}

void measure_options_parse(struct measure_options *o, int argc, char **argv)
{
	struct option table[NOPTIONS + 1] = {0};
	unsigned detail = 0;
	int c;

	*o = (struct measure_options){.runs = 1, .noise = 0.1, .target.cgroup = -1};
	for (size_t i = 0; i < NOPTIONS; i++)
		table[i] = OPTIONS[i].option;
	while ((c = getopt_long(argc, argv, "+r:e:dF:aC:p:t:G:I:x:o:h", table, NULL)) != -1)
		take(o, c, optarg, &detail);
	if (optind < argc)
		o->command = argv + optind;
	if (!o->events.n)
		add_events(o, default_events);
	for (unsigned i = 0; i < detail && i < sizeof detailed_events / sizeof *detailed_events; i++)
		add_events(o, detailed_events[i]);
	check(o);
}

void measure_options_release(struct measure_options *o)
{
	event_list_release(&o->events);
	target_release(&o->target);
}
