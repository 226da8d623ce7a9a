/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens from the first sample to the last. */
#include "collect/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/die.h"

enum { MAX_COMMAND = 4096 };

static const uint64_t FLUSH_NS = 1000000000;

static void open_signals(struct session *s)
{
	static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGUSR2};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
		sigaddset(&set, watched[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* these become errors of write */
	signal(SIGXFSZ, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		die_errno("cannot watch signals");
}

void session_open(struct session *s, const struct options *o, struct recorder *r, struct child *child)
{
	*s = (struct session){.options = o, .recorder = r, .child = child, .control = -1, .target = -1};
	open_signals(s);
	if (!o->control)
		return;
	/* Open for writing too, so that it does not end when a writer goes. */
	s->control = open(o->control, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (s->control < 0)
		die_errno("cannot open the FIFO %s", o->control);
}

/* The next process of the target that still runs, to be told when it ends; -1 when it has to be asked for. */
static void watch_target(struct session *s)
{
	const struct target *t = &s->options->plan.target;

	if (t->all || t->on_exec || t->threads_only)
		return;
	if (s->target >= 0)
		close(s->target);
	s->target = -1;
	for (; s->ntargets_gone < t->npids; s->ntargets_gone++) {
		s->target = (int)syscall(SYS_pidfd_open, t->pids[s->ntargets_gone], 0);
		if (s->target >= 0 || errno != ESRCH)
			return;
	}
	s->over = true;
}

/* A second Ctrl-C ends the program at once. */
static void restore_interrupt(void)
{
	sigset_t set;

	signal(SIGINT, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void take_signal(struct session *s, int signo)
{
	switch (signo) {
	case SIGUSR1:
		sampler_enable(s->recorder->sampler, !s->recorder->sampler->enabled);
		break;
	case SIGUSR2:
		recorder_snapshot(s->recorder);
		break;
	case SIGTERM:
	case SIGHUP:
		if (s->child->pid && !s->child->ended)
			kill(s->child->pid, signo);
		s->over = true;
		break;
	case SIGINT:
		s->over = s->interrupted = true;
		restore_interrupt();
		break;
	default: /* SIGCHLD */
		s->over = child_reap(s->child) || s->over;
		break;
	}
}

static void take_signals(struct session *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof info) == (ssize_t)sizeof info)
		take_signal(s, (int)info.ssi_signo);
}

static void take_command(struct session *s, struct span command)
{
	command = span_trim(command);
	if (span_eq(command, SPAN("enable")))
		sampler_enable(s->recorder->sampler, true);
	else if (span_eq(command, SPAN("disable")))
		sampler_enable(s->recorder->sampler, false);
	else if (span_eq(command, SPAN("snapshot")))
		recorder_snapshot(s->recorder);
	else if (span_eq(command, SPAN("stop")))
		s->over = true;
	else if (span_eq(command, SPAN("ping")))
		warn("%s", s->recorder->sampler->enabled ? "sampling" : "not sampling");
	else if (command.n)
		warn("unknown command '%.*s': enable, disable, snapshot, ping or stop", (int)command.n,
		    command.p);
}

static void take_commands(struct session *s)
{
	char bytes[512];
	ssize_t n = read(s->control, bytes, sizeof bytes);
	struct span rest, line;
	size_t end;

	if (n <= 0)
		return;
	str_add(&s->commands, bytes, (size_t)n);
	rest = str_span(&s->commands);
	while ((end = span_find(rest, 0, '\n')) < rest.n && span_line(&rest, &line))
		take_command(s, line);
	if (rest.n > MAX_COMMAND)
		rest.n = 0;
	memmove(s->commands.p, rest.p, rest.n);
	s->commands.n = rest.n;
}

static void tick(const struct session *s)
{
	const struct sampler *sampler = s->recorder->sampler;
	struct counts n = sampler_totals(sampler);

	if (!s->options->quiet && isatty(STDERR_FILENO)) {
		fprintf(stderr, "\rcollect: %.0f s, %llu samples, %llu lost, %.1f MB ",
		    (double)(sampler_now() - sampler->began_ns) / 1e9, (unsigned long long)n.kept,
		    (unsigned long long)n.lost, (double)s->recorder->stream->nbytes / 1e6);
		fflush(stderr);
	}
}

/* What is done every second. */
static void flush(struct session *s, uint64_t now)
{
	const struct options *o = s->options;
	const struct target *t = &o->plan.target;

	s->over = !sampler_flush(s->recorder->sampler, false) || s->over;
	if (!s->over)
		recorder_turn(s->recorder, now);
	if (o->max_bytes && s->recorder->stream->nbytes >= o->max_bytes) {
		warn("the recording has reached its size limit: sampling has ended");
		s->over = true;
	}
	if (!o->command && t->threads_only && !target_lives(t))
		s->over = true;
	tick(s);
}

/* When something has to be done at a time. */
struct alarms {
	uint64_t flush, begin, end; /* UINT64_MAX: never */
	uint64_t flush_every;
};

static int until_ms(const struct alarms *a, uint64_t now)
{
	uint64_t next = a->flush < a->begin ? a->flush : a->begin;

	next = next < a->end ? next : a->end;
	if (next <= now)
		return 0;
	return next - now > 1000000000 ? 1000 : (int)((next - now + 999999) / 1000000);
}

static void ring_alarms(struct session *s, struct alarms *a)
{
	uint64_t now = sampler_now();

	if (now >= a->begin) {
		sampler_enable(s->recorder->sampler, true);
		a->begin = UINT64_MAX;
	}
	s->over = s->over || now >= a->end;
	if (now >= a->flush && !s->over) {
		flush(s, now);
		a->flush = now + a->flush_every;
	}
}

static void take_events(struct session *s, const struct pollfd *fds, size_t nrings)
{
	bool filled = false;

	for (size_t i = 0; i < nrings; i++)
		filled = filled || (fds[i].revents & POLLIN);
	if (filled)
		s->over = !sampler_drain(s->recorder->sampler) || s->over;
	if (fds[nrings].revents)
		take_signals(s);
	if (fds[nrings + 1].revents & POLLIN)
		take_commands(s);
	if (fds[nrings + 2].revents & POLLIN) {
		s->ntargets_gone++; /* also one that has ended and was not waited for: its number is still there */
		watch_target(s);
	}
}

void session_run(struct session *s)
{
	const struct options *o = s->options;
	struct sampler *sampler = s->recorder->sampler;
	uint64_t now = sampler_now();
	struct alarms alarms = {now, UINT64_MAX, UINT64_MAX, FLUSH_NS};
	struct pollfd *fds = xcalloc(2 * sampler->ncpus + 3, sizeof *fds);

	if (o->flight_ns && o->flight_ns / 2 < FLUSH_NS)
		alarms.flush_every = o->flight_ns / 2;
	alarms.flush += alarms.flush_every;
	if (o->delay_ns)
		alarms.begin = now + o->delay_ns;
	if (o->duration_ns)
		alarms.end = now + o->delay_ns + o->duration_ns;
	watch_target(s);
	s->over = s->over || s->child->ended;
	while (!s->over) {
		size_t n = sampler_pollfds(sampler, fds);

		fds[n] = (struct pollfd){s->signals, POLLIN, 0};
		fds[n + 1] = (struct pollfd){s->control, POLLIN, 0};
		fds[n + 2] = (struct pollfd){s->target, POLLIN, 0};
		if (poll(fds, n + 3, until_ms(&alarms, sampler_now())) < 0 && errno != EINTR)
			die_errno("cannot wait for samples");
		take_events(s, fds, n);
		ring_alarms(s, &alarms);
	}
	free(fds);
	if (!o->quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

void session_wait(struct session *s)
{
	struct pollfd fd = {s->signals, POLLIN, 0};

	while (s->child->pid && !child_reap(s->child)) {
		if (poll(&fd, 1, -1) < 0 && errno != EINTR)
			return;
		take_signals(s);
	}
}

void session_close(struct session *s)
{
	close(s->signals);
	if (s->control >= 0)
		close(s->control);
	if (s->target >= 0)
		close(s->target);
	str_release(&s->commands);
}
