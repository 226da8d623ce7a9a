/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of collect. */
#include "collect/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/tap.h"
#include "lib/arena.h"
#include "lib/die.h"
#include "lib/usage.h"

enum { DEFAULT_HZ = 99, STACK_DEFAULT = 8192, STACK_MAX = 65528 };

enum {
	OPT_COMM = 256,
	OPT_CONTROL,
	OPT_DELAY,
	OPT_DURATION,
	OPT_FILTER,
	OPT_FLIGHT,
	OPT_KEEP,
	OPT_LIST,
	OPT_MAX_SIZE,
	OPT_OFF_CPU,
	OPT_RAW,
	OPT_RING,
	OPT_ROTATE,
	OPT_UNWIND,
	OPT_VERSION,
	OPT_WRITER,
	OPT_ZSTD,
};

static const struct option_help OPTIONS[] = {
    {{"freq", required_argument, NULL, 'F'}, "HZ", "samples a second on each CPU (default: 99)"},
    {{"count", required_argument, NULL, 'c'}, "PERIOD", "a sample every PERIOD events (clocks: ns)"},
    {{"event", required_argument, NULL, 'e'}, "EVENT",
	"what to sample, as perf list names it; may be repeated"},
    {{"filter", required_argument, NULL, OPT_FILTER}, "EXPR",
	"only hits of the tracepoints before it for which this holds"},
    {{"raw", no_argument, NULL, OPT_RAW}, NULL, "keep the fields of tracepoints"},
    {{"list", no_argument, NULL, OPT_LIST}, NULL, "print the events that can be used here"},
    {{"off-cpu", no_argument, NULL, OPT_OFF_CPU}, NULL,
	"also where threads block, and for how many microseconds"},
    {{"call-graph", required_argument, NULL, 'g'}, "HOW",
	"callchains: fp (default), dwarf[,BYTES], lbr, none"},
    {{"unwind", required_argument, NULL, OPT_UNWIND}, "WHEN", "of dwarf: live (default), or later, by fold"},
    {{"all", no_argument, NULL, 'a'}, NULL, "every process on the machine"},
    {{"pid", required_argument, NULL, 'p'}, "PID[,PID]",
	"processes that run, with their threads and later children"},
    {{"tid", required_argument, NULL, 't'}, "TID[,TID]", "single threads"},
    {{"cpu", required_argument, NULL, 'C'}, "CPUS", "every process on these CPUs, as 0,2-5"},
    {{"cgroup", required_argument, NULL, 'G'}, "NAME", "every process of a cgroup"},
    {{"comm", required_argument, NULL, OPT_COMM}, "NAME", "only threads of this name"},
    {{"duration", required_argument, NULL, OPT_DURATION}, "SECONDS", "end sampling after this time"},
    {{"delay", required_argument, NULL, OPT_DELAY}, "MS",
	"begin after this time; -1: when told to (SIGUSR1, --control)"},
    {{"control", required_argument, NULL, OPT_CONTROL}, "FIFO",
	"read from it: enable, disable, snapshot, ping, stop"},
    {{"output", required_argument, NULL, 'o'}, "FILE",
	"where the recording goes (default: standard output, a pipe)"},
    {{"writer", required_argument, NULL, OPT_WRITER}, "HOW", "write a file by write (default) or mmap"},
    {{"zstd", optional_argument, NULL, OPT_ZSTD}, "LEVEL", "compress the recording (level 1 unless given)"},
    {{"max-size", required_argument, NULL, OPT_MAX_SIZE}, "SIZE",
	"end sampling when so much has been written"},
    {{"rotate", required_argument, NULL, OPT_ROTATE}, "LIMIT",
	"a new file after so many bytes (10M) or seconds (60s)"},
    {{"keep", required_argument, NULL, OPT_KEEP}, "N",
	"with --rotate: remove all but the last N files before"},
    {{"flight", required_argument, NULL, OPT_FLIGHT}, "SECONDS",
	"keep the last SECONDS in memory; write on SIGUSR2 and at the end"},
    {{"ring", required_argument, NULL, OPT_RING}, "SIZE",
	"buffer of each CPU (default: 2M; 8M for dwarf, tracepoints)"},
    {{"verbose", no_argument, NULL, 'v'}, NULL, "a line for each CPU at the end"},
    {{"quiet", no_argument, NULL, 'q'}, NULL, "no progress and no summary"},
    {{"version", no_argument, NULL, OPT_VERSION}, NULL, "print the version"},
    {{"help", no_argument, NULL, 'h'}, NULL, "print this text"},
};

enum { NOPTIONS = sizeof OPTIONS / sizeof *OPTIONS };

static const char LETTERS[] = "+F:c:e:g:ap:t:C:G:o:vqh";

static _Noreturn void print_help(void)
{
	printf("usage: collect [OPTION]... [-- COMMAND...]\n\n"
	       "Samples callchains of COMMAND, of processes (-p), or of the whole machine (-a) into a "
	       "recording for fold:\n"
	       "collect -a -- ./workload | fold | render > pf1.svg\n\n");
	usage_options(OPTIONS, NOPTIONS);
	close_stdout();
	exit(0);
}

static _Noreturn void print_and_exit(const char *text)
{
	fputs(text, stdout);
	close_stdout();
	exit(0);
}

static uint64_t number(const char *text, const char *what)
{
	uint64_t v;

	if (!span_u64(span_of(text), 10, &v) || !v)
		die_usage("%s is not a number above 0: '%s'", what, text);
	return v;
}

/* "4096", "64K", "10M", "2G" */
static uint64_t size(const char *text, const char *what)
{
	static const char units[] = "KMGT";
	struct span s = span_of(text);
	const char *unit = s.n ? strchr(units, s.p[s.n - 1] & ~0x20) : NULL;
	unsigned shift = unit && *unit ? 10 * (unsigned)(unit - units + 1) : 0;
	uint64_t v;

	s.n -= shift != 0;
	if (!span_u64(s, 10, &v) || !v || v > UINT64_MAX >> (shift + 1))
		die_usage("%s is not a size (4096, 64K, 10M, 2G): '%s'", what, text);
	return v << shift;
}

static uint64_t seconds(const char *text, const char *what)
{
	char *end;
	double s = strtod(text, &end);

	if (*end == 's')
		end++;
	if (*end || !(s > 0) || s > 1e9)
		die_usage("%s is not a number of seconds above 0: '%s'", what, text);
	return (uint64_t)(s * 1e9);
}

static void set_delay(struct options *o, const char *text)
{
	o->plan.delayed = true;
	if (strcmp(text, "-1") != 0)
		o->delay_ns = number(text, "--delay") * 1000000;
}

static void set_rotate(struct options *o, const char *text)
{
	if (text[0] && text[strlen(text) - 1] == 's')
		o->rotate_ns = seconds(text, "--rotate");
	else
		o->rotate_bytes = size(text, "--rotate");
}

static void set_call_graph(struct plan *p, const char *text)
{
	struct span s = span_of(text);
	size_t comma = span_find(s, 0, ',');
	struct span how = {s.p, comma};
	uint64_t bytes = STACK_DEFAULT;

	if (span_eq(how, SPAN("fp")))
		p->callgraph = CALLGRAPH_FP;
	else if (span_eq(how, SPAN("none")))
		p->callgraph = CALLGRAPH_NONE;
	else if (span_eq(how, SPAN("lbr")))
		p->callgraph = CALLGRAPH_LBR;
	else if (span_eq(how, SPAN("dwarf")))
		p->callgraph = CALLGRAPH_DWARF;
	else
		die_usage("callchains are made by fp, dwarf[,BYTES], lbr or none, not by '%s'", text);
	if (comma < s.n)
		bytes = size(text + comma + 1, "the size of stack copies");
	if (bytes == 65536)
		bytes = STACK_MAX;
	if (bytes > STACK_MAX || (comma < s.n && p->callgraph != CALLGRAPH_DWARF))
		die_usage("stacks can be copied up to %d bytes, with dwarf only: '%s'", STACK_MAX, text);
	p->stack_bytes = (uint32_t)(bytes + 7) & ~7u;
}

static void set_unwind(struct plan *p, const char *text)
{
	if (strcmp(text, "later") != 0 && strcmp(text, "live") != 0)
		die_usage("stacks are unwound live or later, not '%s'", text);
	p->unwind_later = text[1] == 'a';
}

static void set_writer(struct options *o, const char *text)
{
	if (strcmp(text, "write") != 0 && strcmp(text, "mmap") != 0)
		die_usage("a file is written by write or mmap, not by '%s'", text);
	o->writer = text[0] == 'm' ? WRITER_MMAP : WRITER_WRITE;
}

static void add_event(struct plan *p, const char *text)
{
	struct str why = {0};

	if (!event_list_add(&p->events, text, &why))
		die_usage("%s", why.p);
	str_release(&why);
}

/* For the tracepoints of the -e before it. */
static void set_filter(struct plan *p, const char *text, size_t first)
{
	bool any = false;

	for (size_t i = first; i < p->events.n; i++) {
		if (p->events.events[i].attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		p->events.events[i].filter = text;
		any = true;
	}
	if (!any)
		die_usage("--filter stands after the -e of a tracepoint");
}

static void set_ring(struct plan *p, const char *text)
{
	uint64_t wanted = size(text, "--ring");

	p->ring_bytes = (size_t)sysconf(_SC_PAGESIZE);
	while (p->ring_bytes < wanted && p->ring_bytes < (size_t)1 << 30)
		p->ring_bytes *= 2;
}

/* Options that say whom to sample. */
static bool take_target(struct target *t, int c, char *arg)
{
	switch (c) {
	case 'a':
		t->all = true;
		return true;
	case 't':
	case 'p':
		t->threads_only = c == 't';
		if (!target_add_pids(t, arg))
			die_usage("not a list of process numbers: '%s'", arg);
		return true;
	case 'C':
		t->all = true;
		if (!target_add_cpus(t, arg))
			die_usage("not a list of CPUs: '%s'", arg);
		return true;
	case 'G':
		t->all = true;
		if (!target_set_cgroup(t, arg))
			die("cannot open the cgroup %s: %s", arg, strerror(errno));
		return true;
	case OPT_COMM:
		t->comm = arg;
		return true;
	default:
		return false;
	}
}

/* Options that say what to sample. */
static bool take_plan(struct plan *p, int c, char *arg, size_t *last_event)
{
	switch (c) {
	case 'F':
		p->freq_hz = number(arg, "a frequency");
		return true;
	case 'c':
		p->period = number(arg, "a period");
		return true;
	case 'e':
		*last_event = p->events.n;
		add_event(p, arg);
		return true;
	case OPT_FILTER:
		set_filter(p, arg, *last_event);
		return true;
	case OPT_RAW:
		p->raw = true;
		return true;
	case OPT_OFF_CPU:
		p->off_cpu = true;
		return true;
	case 'g':
		set_call_graph(p, arg);
		return true;
	case OPT_UNWIND:
		set_unwind(p, arg);
		return true;
	case OPT_RING:
		set_ring(p, arg);
		return true;
	default:
		return false;
	}
}

/* Options that say how to write. */
static bool take_output(struct options *o, int c, char *arg)
{
	switch (c) {
	case 'o':
		o->output = arg;
		return true;
	case OPT_WRITER:
		set_writer(o, arg);
		return true;
	case OPT_ZSTD:
		o->zstd_level = arg ? (int)number(arg, "a level") : 1;
		return true;
	case OPT_MAX_SIZE:
		o->max_bytes = size(arg, "--max-size");
		return true;
	case OPT_ROTATE:
		set_rotate(o, arg);
		return true;
	case OPT_KEEP:
		o->keep = (unsigned)number(arg, "--keep");
		return true;
	case OPT_FLIGHT:
		o->flight_ns = seconds(arg, "--flight");
		return true;
	default:
		return false;
	}
}

static void take_rest(struct options *o, int c, char *arg)
{
	switch (c) {
	case OPT_DURATION:
		o->duration_ns = seconds(arg, "--duration");
		break;
	case OPT_DELAY:
		set_delay(o, arg);
		break;
	case OPT_CONTROL:
		o->control = arg;
		break;
	case 'v':
		o->verbose = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case OPT_LIST:
		event_print_all();
		print_and_exit("");
	case OPT_VERSION:
		print_and_exit("collect (flamepipe) " VERSION "\n");
	case 'h':
		print_help();
	default:
		die_usage("no such option, or its value is missing");
	}
}

/* Cycles where the machine counts them, else the CPU clock; says which. */
static void choose_event(struct options *o)
{
	bool cycles = tap_probe(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	add_event(&o->plan, cycles ? "cycles" : "cpu-clock");
	if (!cycles && !o->quiet)
		warn("no hardware counters here: sampling cpu-clock");
}

/* The kernel's answer to a rate that is too high is a bare EINVAL. */
static void check_rate(uint64_t freq_hz)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned long long max = 0;

	if (f && fscanf(f, "%llu", &max) == 1 && freq_hz > max)
		die("%llu Hz is more than the kernel allows (%llu): raise it with: sudo sysctl "
		    "kernel.perf_event_max_sample_rate=%llu",
		    (unsigned long long)freq_hz, max, (unsigned long long)freq_hz);
	if (f)
		fclose(f);
}

static void check(struct options *o)
{
	struct plan *p = &o->plan;
	struct target *t = &p->target;
	bool named = o->output && strcmp(o->output, "-") != 0;

	if (p->freq_hz && p->period)
		die_usage("-F and -c exclude each other");
	if (!p->freq_hz && !p->period)
		p->freq_hz = DEFAULT_HZ;
	check_rate(p->freq_hz);
	if (!o->command && !t->npids)
		t->all = true;
	if (t->all && t->npids)
		die_usage("-a, -C and -G exclude -p and -t");
	if ((o->rotate_bytes || o->rotate_ns || o->flight_ns) && !named)
		die_usage("--rotate and --flight need -o FILE");
	if ((o->rotate_bytes || o->rotate_ns) && o->flight_ns)
		die_usage("--rotate and --flight exclude each other");
}

void options_parse(struct options *o, int argc, char **argv)
{
	struct option table[NOPTIONS + 1] = {0};
	size_t last_event = 0;
	int c;

	*o = (struct options){.plan.target.cgroup = -1, .plan.stack_bytes = STACK_DEFAULT};
	for (size_t i = 0; i < NOPTIONS; i++)
		table[i] = OPTIONS[i].option;
	while ((c = getopt_long(argc, argv, LETTERS, table, NULL)) != -1)
		if (!take_target(&o->plan.target, c, optarg) &&
		    !take_plan(&o->plan, c, optarg, &last_event) && !take_output(o, c, optarg))
			take_rest(o, c, optarg);
	if (optind < argc)
		o->command = argv + optind;
	check(o);
	if (!o->plan.events.n)
		choose_event(o);
	if (o->plan.off_cpu)
		plan_add_off_cpu(&o->plan);
}

void options_release(struct options *o)
{
	event_list_release(&o->plan.events);
	target_release(&o->plan.target);
}
