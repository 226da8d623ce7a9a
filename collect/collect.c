/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collect: samples callchains into a recording. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect/options.h"
#include "collect/session.h"
#include "collect/tap.h"
#include "lib/arena.h"
#include "lib/die.h"

/* Prints how many samples were taken in that time, and what became of them, as far as the line's end. */
static void print_counts(const struct counts *n, double seconds)
{
	uint64_t excluded = n->own + n->unwanted + n->damaged;

	fprintf(stderr,
	    "%llu samples taken in %.2f s: %llu kept, %llu lost, %llu excluded (%llu of collect itself, %llu "
	    "not asked for",
	    (unsigned long long)(n->kept + n->lost + excluded), seconds, (unsigned long long)n->kept,
	    (unsigned long long)n->lost, (unsigned long long)excluded, (unsigned long long)n->own,
	    (unsigned long long)n->unwanted);
	if (n->damaged)
		fprintf(stderr, ", %llu damaged", (unsigned long long)n->damaged);
	fputc(')', stderr);
}

static double sampled_seconds(const struct sampler *s)
{
	return (double)(s->end_ns - s->began_ns) / 1e9;
}

static void print_cpus(const struct sampler *s)
{
	for (size_t i = 0; i < s->ncpus; i++) {
		fprintf(stderr, "collect: CPU %u: ", s->cpus[i].number);
		print_counts(&s->cpus[i].n, sampled_seconds(s));
		fprintf(stderr, ", throttled %.3f s\n", (double)s->cpus[i].n.throttled_ns / 1e9);
	}
	if (s->unwinding.unwinder)
		fprintf(stderr,
		    "collect: stacks unwound: %llu whole, %llu longer than the copy, %llu lost on the way\n",
		    (unsigned long long)s->unwinding.nwhole, (unsigned long long)s->unwinding.ncut,
		    (unsigned long long)s->unwinding.nlost);
	fprintf(stderr, "collect: bytes of samples %llu, side-band %llu, symbols %llu\n",
	    (unsigned long long)s->out->nbytes_of[BLOCK_SAMPLES],
	    (unsigned long long)s->out->nbytes_of[BLOCK_SIDEBAND],
	    (unsigned long long)s->out->nbytes_of[BLOCK_SYMBOLS]);
}

static void summarize(const struct sampler *s, const struct options *o)
{
	struct counts n = sampler_totals(s);

	if (o->verbose)
		print_cpus(s);
	if (o->quiet)
		return;
	fputs("collect: ", stderr);
	print_counts(&n, sampled_seconds(s));
	fprintf(stderr, "%s; %llu bytes; %.3f s of CPU, and %.3f s to look up names\n",
	    o->plan.user_only ? ", user side only" : "", (unsigned long long)s->out->nbytes,
	    (double)(sampler_cpu_ns() - s->names_ns) / 1e9, (double)s->names_ns / 1e9);
	if (n.throttled_ns)
		warn("the kernel held sampling back for %.3f s (throttled): a lower rate avoids that",
		    (double)n.throttled_ns / 1e9);
}

/* Starts the command, held back, and makes it the target unless the whole machine is. */
static void start_command(struct options *o, struct child *child, bool output_to_stderr)
{
	struct target *t = &o->plan.target;

	child_start(child, o->command, output_to_stderr);
	if (t->all || t->npids)
		return;
	t->pids = xmalloc(sizeof *t->pids);
	t->pids[0] = child->pid;
	t->npids = 1;
	t->on_exec = true;
}

/* Samples must be taken out of the rings in time, also where everything else is busy; what that costs is bounded by the rate. */
static void hurry(void)
{
	setpriority(PRIO_PROCESS, 0, -20); /* an ordinary user may not, and goes on as he is */
}

/* Lets everything go, in the order that misses nothing. */
static void begin(struct options *o, struct sampler *s, struct child *child)
{
	bool by_exec = o->plan.target.on_exec && !o->plan.delayed;

	if (by_exec)
		s->enabled = true;
	else if (!o->plan.delayed)
		sampler_enable(s, true);
	if (o->command && !child_release(child))
		warn("cannot execute %s: %s", o->command[0], strerror(errno));
}

static int collect(struct options *o)
{
	struct stream out;
	struct sampler sampler;
	struct child child = {0};
	struct session session;
	struct recorder recorder = {.stream = &out,
	    .sampler = &sampler,
	    .command = o->command,
	    .rotate_bytes = o->rotate_bytes,
	    .rotate_ns = o->rotate_ns,
	    .keep = o->keep,
	    .flight_ns = o->flight_ns};
	bool complete;

	session_open(&session, o, &recorder, &child);
	stream_open(&out, o->output, o->writer, o->zstd_level);
	target_warn_missing(&o->plan.target);
	if (o->command)
		start_command(o, &child, out.fd == STDOUT_FILENO);
	sampler_open(&sampler, &o->plan, &out);
	if (o->plan.user_only && !o->quiet)
		warn("this user may not see the kernel (kernel.perf_event_paranoid is %ld, and it needs 1): "
		     "sampling the user side only",
		    tap_sysctl("kernel/perf_event_paranoid", -99));
	recorder_begin(&recorder);
	hurry();
	begin(o, &sampler, &child);
	session_run(&session);
	sampler_enable(&sampler, false);
	sampler_flush(&sampler, true);
	recorder_end(&recorder);
	complete = stream_close(&out);
	if (!complete)
		warn("cannot write %s: %s; what was taken since the last block is not in the recording",
		    out.name, strerror(out.error));
	summarize(&sampler, o);
	sampler_close(&sampler);
	session_wait(&session);
	session_close(&session);
	return complete ? child.status : 1;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	keep_standard_descriptors();
	setvbuf(stderr, NULL, _IOLBF,
	    BUFSIZ); /* a line is one write, and does not mix with those of fold and render */
	options_parse(&o, argc, argv);
	status = collect(&o);
	options_release(&o);
	return status;
}
