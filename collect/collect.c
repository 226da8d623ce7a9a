/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect: samples callchains into a recording. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collect/child.h"
#include "collect/event.h"
#include "collect/sampler.h"
#include "collect/stream.h"
#include "lib/die.h"

enum { DEFAULT_HZ = 99, FLUSH_MS = 1000 };

struct options {
	struct rate rate;
	struct event_list events;
	struct target target;
	pid_t *pids;
	const char *output;
	double duration_s; /* 0: none */
	int zstd_level;
	bool verbose, quiet;
	char **command; /* NULL: none */
};

struct option_help {
	struct option option; /* val is the letter, or a number past 255 */
	const char *arg, *help;
};

enum { OPT_DURATION = 256, OPT_LIST, OPT_VERSION, OPT_ZSTD };

static const struct option_help OPTIONS[] = {
    {{"freq", required_argument, NULL, 'F'}, "HZ", "samples a second on each CPU (default: 99)"},
    {{"count", required_argument, NULL, 'c'}, "PERIOD", "a sample every PERIOD events (clocks: ns)"},
    {{"event", required_argument, NULL, 'e'}, "EVENT",
	"what to sample, as perf list names it; may be repeated"},
    {{"all", no_argument, NULL, 'a'}, NULL, "every process on the machine"},
    {{"pid", required_argument, NULL, 'p'}, "PID[,PID]",
	"processes that run, with their threads and later children"},
    {{"tid", required_argument, NULL, 't'}, "TID[,TID]", "single threads"},
    {{"cpu", required_argument, NULL, 'C'}, "CPUS", "only these CPUs, as 0,2-5"},
    {{"output", required_argument, NULL, 'o'}, "FILE",
	"where the recording goes (default: standard output, a pipe)"},
    {{"duration", required_argument, NULL, OPT_DURATION}, "SECONDS", "end after this time"},
    {{"zstd", optional_argument, NULL, OPT_ZSTD}, "LEVEL", "compress the recording (level 1 unless given)"},
    {{"list", no_argument, NULL, OPT_LIST}, NULL, "print the events that can be used here"},
    {{"verbose", no_argument, NULL, 'v'}, NULL, "a line for each CPU at the end"},
    {{"quiet", no_argument, NULL, 'q'}, NULL, "no summary"},
    {{"version", no_argument, NULL, OPT_VERSION}, NULL, "print the version"},
    {{"help", no_argument, NULL, 'h'}, NULL, "print this text"},
};

enum { NOPTIONS = sizeof OPTIONS / sizeof *OPTIONS };

static void print_help(void)
{
	printf("usage: collect [OPTION]... [-- COMMAND...]\n\n"
	       "Samples callchains of COMMAND, of processes (-p), or of the whole machine (-a) into a "
	       "recording for fold:\n"
	       "collect -a -- ./workload | fold | render > pf1.svg\n\n");
	for (size_t i = 0; i < NOPTIONS; i++) {
		const struct option_help *o = &OPTIONS[i];
		char letter[8] = "    ", left[64];

		if (o->option.val < 256)
			snprintf(letter, sizeof letter, "-%c, ", o->option.val);
		snprintf(left, sizeof left, "%s--%s%s%s", letter, o->option.name, o->arg ? "=" : "",
		    o->arg ? o->arg : "");
		printf("  %-28s %s\n", left, o->help);
	}
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

static void add_pids(struct options *o, char *list)
{
	char *save = NULL;

	for (char *p = strtok_r(list, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
		o->pids = xreallocarray(o->pids, o->target.npids + 1, sizeof *o->pids);
		o->pids[o->target.npids++] = (pid_t)number(p, "a process number");
	}
	o->target.pids = o->pids;
}

/* "0,2-5" */
static void add_cpus(struct options *o, const char *list)
{
	o->target.cpus = xcalloc(RECORDING_MAX_CPUS, sizeof *o->target.cpus);
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == list || (*end && *end != ',') || last < first || last >= RECORDING_MAX_CPUS)
			die_usage("not a list of CPUs: '%s'", list);
		for (unsigned long c = first; c <= last; c++)
			o->target.cpus[c] = true;
		list = *end ? end + 1 : end;
	}
}

static double seconds(const char *text)
{
	char *end;
	double s = strtod(text, &end);

	if (*end || !(s > 0) || s > 1e9)
		die_usage("not a number of seconds above 0: '%s'", text);
	return s;
}

static void add_event(struct options *o, const char *text)
{
	struct str why = {0};

	if (!event_list_add(&o->events, text, &why))
		die_usage("%s", why.p);
	str_release(&why);
}

static void print_and_exit(const char *text)
{
	fputs(text, stdout);
	close_stdout();
	exit(0);
}

static void take_option(struct options *o, int c, char *arg)
{
	switch (c) {
	case 'F':
		o->rate.freq_hz = number(arg, "a frequency");
		break;
	case 'c':
		o->rate.period = number(arg, "a period");
		break;
	case 'e':
		add_event(o, arg);
		break;
	case 'a':
		o->target.all = true;
		break;
	case 't':
		o->target.threads_only = true;
		add_pids(o, arg);
		break;
	case 'p':
		add_pids(o, arg);
		break;
	case 'C':
		o->target.all = true;
		add_cpus(o, arg);
		break;
	case 'o':
		o->output = arg;
		break;
	case OPT_DURATION:
		o->duration_s = seconds(arg);
		break;
	case OPT_ZSTD:
		o->zstd_level = arg ? (int)number(arg, "a level") : 1;
		break;
	case OPT_LIST:
		event_print_all();
		close_stdout();
		exit(0);
	case OPT_VERSION:
		print_and_exit("collect (flamepipe) " VERSION "\n");
		break;
	case 'v':
		o->verbose = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'h':
		print_help();
		break;
	default:
		die_usage("see above");
	}
}

static void parse(struct options *o, int argc, char **argv)
{
	struct option table[NOPTIONS + 1] = {0};
	int c;

	for (size_t i = 0; i < NOPTIONS; i++)
		table[i] = OPTIONS[i].option;
	while ((c = getopt_long(argc, argv, "+F:c:e:ap:t:C:o:vqh", table, NULL)) != -1)
		take_option(o, c, optarg);
	if (optind < argc)
		o->command = argv + optind;
	if (o->rate.freq_hz && o->rate.period)
		die_usage("-F and -c exclude each other");
	if (!o->rate.freq_hz && !o->rate.period)
		o->rate.freq_hz = DEFAULT_HZ;
	if (!o->command && !o->target.npids)
		o->target.all = true;
	if (o->target.all && o->target.npids)
		die_usage("-a and -p exclude each other");
}

/* Cycles where the machine counts them, else the CPU clock; says which. */
static void default_event(struct options *o)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
	    .size = sizeof attr,
	    .config = PERF_COUNT_HW_CPU_CYCLES,
	    .exclude_kernel = 1,
	    .exclude_hv = 1,
	    .disabled = 1};
	int fd = sampler_probe(&attr);

	if (fd >= 0)
		close(fd);
	add_event(o, fd >= 0 ? "cycles" : "cpu-clock");
	if (fd < 0 && !o->quiet)
		warn("no hardware counters here: sampling cpu-clock");
}

static void put_pair(struct str *body, const char *key, struct span value)
{
	put_string(body, span_of(key));
	put_string(body, value);
}

static void put_first_line(struct str *body, const char *key, const char *path)
{
	char line[256] = "";
	FILE *f = fopen(path, "re");

	if (f && fgets(line, sizeof line, f))
		put_pair(body, key, span_trim(span_of(line)));
	if (f)
		fclose(f);
}

static void put_figure(struct str *body, const char *key, long long value)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", value);
	put_pair(body, key, span_of(text));
}

static void write_info(struct stream *out, const struct options *o)
{
	struct str body = {0}, command = {0};
	struct utsname u;
	struct block b = {.type = BLOCK_INFO, .cpu = BLOCK_NO_CPU, .nrecords = 1};

	uname(&u);
	put_pair(&body, "host", span_of(u.nodename));
	put_pair(&body, "kernel", span_of(u.release));
	put_pair(&body, "arch", span_of(u.machine));
	put_figure(&body, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	for (char **w = o->command; w && *w; w++)
		str_addf(&command, "%s%s", w == o->command ? "" : " ", *w);
	put_pair(&body, "command", str_span(&command));
	put_pair(&body, "clock", SPAN("monotonic"));
	put_figure(&body, "started", (long long)time(NULL));
	put_first_line(&body, "boot_id", "/proc/sys/kernel/random/boot_id");
	put_figure(&body, "collector_pid", getpid());
	put_figure(&body, "page_size", sysconf(_SC_PAGESIZE));
	put_pair(&body, "version", SPAN(VERSION));
	b.body = str_span(&body);
	stream_block(out, &b);
	str_release(&body);
	str_release(&command);
}

static void write_end(struct sampler *s)
{
	struct str body = {0};
	struct block b = {.type = BLOCK_END, .cpu = BLOCK_NO_CPU, .nrecords = (uint32_t)s->ncpus};

	put_number(&body, s->ncpus);
	for (size_t i = 0; i < s->ncpus; i++) {
		const struct cpu *c = &s->cpus[i];

		put_number(&body, c->number);
		put_number(&body, c->kept);
		put_number(&body, c->lost);
		put_number(&body, c->own);
		put_number(&body, c->throttled_ns);
	}
	put_figure(&body, "duration_ns", (long long)(s->end_ns - s->start_ns));
	b.body = str_span(&body);
	stream_block(s->out, &b);
	str_release(&body);
}

/* SIGINT, SIGTERM and SIGCHLD as a descriptor; SIGPIPE becomes an error of write. */
static int watch_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die_errno("cannot watch signals");
	return fd;
}

/* Takes note of signals; true when one asks to end. */
static bool asked_to_end(int signals, struct child *child)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
		end = end || info.ssi_signo != SIGCHLD;
	return child_reap(child) || end;
}

/* Until the command, the target or the time ends, or a signal comes. */
static void run(struct sampler *s, const struct options *o, struct child *child, int signals)
{
	uint64_t now = sampler_now();
	uint64_t until = o->duration_s > 0 ? now + (uint64_t)(o->duration_s * 1e9) : UINT64_MAX;
	uint64_t flush = now + (uint64_t)FLUSH_MS * 1000000;
	struct pollfd *fds = xcalloc(2 * s->ncpus + 1, sizeof *fds);

	for (bool going = true; going;) {
		size_t n = sampler_pollfds(s, fds);
		uint64_t next = flush < until ? flush : until;
		int wait_ms = next > now ? (int)((next - now + 999999) / 1000000) : 0;

		fds[n] = (struct pollfd){signals, POLLIN, 0};
		if (poll(fds, n + 1, wait_ms) < 0 && errno != EINTR)
			die_errno("cannot wait for samples");
		now = sampler_now();
		going = !(fds[n].revents && asked_to_end(signals, child)) && now < until;
		if (now >= flush) {
			sampler_read_lost(s);
			going = going && (o->command || sampler_target_lives(&o->target));
		}
		going = sampler_drain(s, now >= flush) && going;
		if (now >= flush)
			flush = now + (uint64_t)FLUSH_MS * 1000000;
	}
	free(fds);
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void summarize(const struct sampler *s, const struct options *o)
{
	uint64_t kept = 0, lost = 0, own = 0, throttled = 0;

	for (size_t i = 0; i < s->ncpus; i++) {
		const struct cpu *c = &s->cpus[i];

		kept += c->kept;
		lost += c->lost;
		own += c->own;
		throttled += c->throttled_ns;
		if (o->verbose)
			fprintf(stderr,
			    "collect: CPU %u: %llu kept, %llu lost, %llu of collect itself left out, "
			    "throttled %.3f s\n",
			    c->number, (unsigned long long)c->kept, (unsigned long long)c->lost,
			    (unsigned long long)c->own, (double)c->throttled_ns / 1e9);
	}
	if (o->quiet)
		return;
	fprintf(stderr,
	    "collect: %llu samples taken in %.2f s: %llu kept, %llu lost, %llu excluded (collect itself)%s; "
	    "%llu bytes; %.3f s of "
	    "CPU\n",
	    (unsigned long long)(kept + lost + own), (double)(s->end_ns - s->start_ns) / 1e9,
	    (unsigned long long)kept, (unsigned long long)lost, (unsigned long long)own,
	    s->user_only ? "; user side only" : "", (unsigned long long)s->out->nbytes, cpu_seconds());
	if (throttled)
		warn("the kernel held sampling back for %.3f s (throttled): a lower rate avoids that",
		    (double)throttled / 1e9);
}

/* Collects; the status of the program. */
static int collect(struct options *o)
{
	struct stream out;
	struct sampler s;
	struct child child = {0};
	int signals = watch_signals();
	bool complete;

	stream_open(&out, o->output, RECORDING_MAX_CPUS - 1, o->zstd_level);
	if (o->command) {
		child_start(&child, o->command, out.fd == STDOUT_FILENO);
		if (!o->target.all) {
			o->target.pids = &child.pid;
			o->target.npids = 1;
			o->target.on_exec = true;
		}
	}
	sampler_open(&s, &o->events, o->rate, &o->target, &out);
	if (s.user_only && !o->quiet)
		warn("this user may not see the kernel: sampling the user side only "
		     "(kernel.perf_event_paranoid would have to be 1)");
	stream_preamble(&out);
	write_info(&out, o);
	sampler_describe(&s, &o->target, o->rate);
	if (!o->target.on_exec)
		sampler_start(&s);
	if (o->command && !child_release(&child))
		warn("cannot execute %s: %s", o->command[0], strerror(errno));
	else
		run(&s, o, &child, signals);
	sampler_stop(&s);
	sampler_read_lost(&s);
	sampler_drain(&s, true);
	write_end(&s);
	complete = stream_close(&out);
	summarize(&s, o);
	if (!complete)
		warn("cannot write %s: %s", out.name, strerror(out.error));
	sampler_close(&s);
	return complete ? child.status : 1;
}

int main(int argc, char **argv)
{
	struct options o = {0};
	int status;

	parse(&o, argc, argv);
	if (!o.events.n)
		default_event(&o);
	status = collect(&o);
	free(o.pids);
	free(o.target.cpus);
	event_list_release(&o.events);
	return status;
}
