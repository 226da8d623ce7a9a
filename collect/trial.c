/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of a command with its counts. */
#include "collect/trial.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collect/child.h"
#include "lib/arena.h"
#include "lib/die.h"

/* A target that cannot be polled for (a thread, or on an old kernel) is looked at this often. */
#define LOOK_NS UINT64_C(100000000)

struct running {
	const struct trial_how *how;
	struct trial *t;
	struct counters counters;
	struct child child;
	uint64_t start_ns, end_ns, next_tick_ns;
	struct pollfd *fds; /* the signals, then a descriptor of each process of the target */
	size_t nfds;
	bool can_poll; /* for the target's end */
	unsigned nsignals;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int trial_signals(void)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die_errno("cannot watch signals");
	return fd;
}

/* Hands the signal on; a command that goes on after a second one is killed. */
static void pass_on(struct running *r, int signal)
{
	r->t->signal = r->t->signal ? r->t->signal : signal;
	if (r->child.pid && !r->child.ended)
		kill(r->child.pid, ++r->nsignals > 2 ? SIGKILL : signal);
}

static void take_signals(struct running *r)
{
	struct signalfd_siginfo info;

	while (read(r->how->signals, &info, sizeof info) == (ssize_t)sizeof info)
		if (info.ssi_signo != SIGCHLD)
			pass_on(r, (int)info.ssi_signo);
	if (child_reap(&r->child) && !r->end_ns)
		r->end_ns = now();
}

/* A descriptor for each process of the target becomes readable when it ends. */
static void watch_target(struct running *r)
{
	const struct target *target = r->how->target;

	r->fds = xcalloc(target->npids + 1, sizeof *r->fds);
	r->fds[r->nfds++] = (struct pollfd){r->how->signals, POLLIN, 0};
	r->can_poll = !target->threads_only;
	for (size_t i = 0; !r->how->argv && r->can_poll && i < target->npids; i++) {
		int fd = (int)syscall(SYS_pidfd_open, target->pids[i], 0);

		if (fd < 0)
			r->can_poll = false;
		else
			r->fds[r->nfds++] = (struct pollfd){fd, POLLIN, 0};
	}
}

static bool target_ended(const struct running *r)
{
	if (r->how->argv || !r->how->target->npids)
		return false;
	if (!r->can_poll)
		return !target_lives(r->how->target);
	for (size_t i = 1; i < r->nfds; i++)
		if (!r->fds[i].revents)
			return false;
	return true;
}

static void tick(struct running *r, uint64_t at)
{
	counters_read(&r->counters, r->t->counts);
	r->how->tick(r->how->ctx, r->t->counts, (double)(at - r->start_ns) / 1e9);
	r->next_tick_ns += r->how->interval_ns;
}

static int wait_ms(const struct running *r, uint64_t at, uint64_t until)
{
	uint64_t next = r->how->interval_ns && r->next_tick_ns < until ? r->next_tick_ns : until;

	if (!r->how->argv && r->how->target->npids && !r->can_poll && at + LOOK_NS < next)
		next = at + LOOK_NS;
	if (next == UINT64_MAX)
		return -1;
	return next > at ? (int)((next - at + 999999) / 1000000) : 0;
}

/* Has it ended? A command has when it was reaped, whatever was asked of it. */
static bool has_ended(const struct running *r)
{
	return r->how->argv ? r->child.ended : r->t->signal || target_ended(r);
}

static void wait_for_end(struct running *r)
{
	uint64_t until = r->how->duration_ns ? r->start_ns + r->how->duration_ns : UINT64_MAX;

	r->next_tick_ns = r->start_ns + r->how->interval_ns;
	for (;;) {
		uint64_t at;

		if (poll(r->fds, r->nfds, wait_ms(r, now(), until)) < 0 && errno != EINTR)
			die_errno("cannot wait");
		take_signals(r);
		at = now();
		if (has_ended(r))
			break;
		if (r->how->interval_ns && at >= r->next_tick_ns)
			tick(r, at);
		if (at < until)
			continue;
		if (!r->how->argv)
			break;
		kill(r->child.pid, SIGTERM);
		until = UINT64_MAX;
	}
	if (!r->end_ns)
		r->end_ns = now();
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* From before the command is let go, so that short ones are not cut. */
static void run(struct running *r)
{
	struct rusage before, after;

	getrusage(RUSAGE_CHILDREN, &before);
	r->start_ns = now();
	if (r->how->target->all || r->how->target->npids || r->how->target->cgroup >= 0)
		counters_start(&r->counters);
	if (r->how->argv && !child_release(&r->child)) {
		warn("cannot execute %s: %s", r->how->argv[0], strerror(errno));
		r->t->not_run = true;
		r->end_ns = now();
	} else {
		wait_for_end(r);
	}
	counters_stop(&r->counters);
	counters_read(&r->counters, r->t->counts);
	getrusage(RUSAGE_CHILDREN, &after);
	r->t->elapsed_s = (double)(r->end_ns - r->start_ns) / 1e9;
	r->t->user_s = seconds(after.ru_utime) - seconds(before.ru_utime);
	r->t->sys_s = seconds(after.ru_stime) - seconds(before.ru_stime);
}

void trial_run(const struct trial_how *how, struct trial *t)
{
	struct running r = {.how = how, .t = t};

	*t = (struct trial){.counts = xcalloc(how->events->n + 1, sizeof *t->counts)};
	if (how->argv)
		child_start(&r.child, how->argv, how->output_to_stderr);
	counters_open(&r.counters, how->events, how->target, r.child.pid);
	watch_target(&r);
	run(&r);
	t->status = how->argv ? r.child.status : 0;
	t->user_only = r.counters.user_only;
	counters_close(&r.counters);
	for (size_t i = 1; i < r.nfds; i++)
		close(r.fds[i].fd);
	free(r.fds);
}
