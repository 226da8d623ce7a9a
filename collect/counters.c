/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting events. */
#include "collect/counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/procs.h"
#include "collect/tap.h"
#include "lib/arena.h"
#include "lib/count.h"
#include "lib/die.h"

struct counters_fd {
	int fd;
	size_t event;
	bool leads; /* is started and stopped by itself, not with its group */
};

/* One combination of process and CPU in which all events are opened, and the groups' leaders there. */
struct place {
	pid_t pid; /* -1: all; or the descriptor of a cgroup */
	int cpu; /* -1: all */
	unsigned long flags;
	bool on_exec, inherit;
	int *leaders; /* of each group, -1 while it has none */
};

/* Errors that say that the event is not there, not that this user may not have it. */
static bool is_unsupported(int error)
{
	return error == ENOENT || error == EINVAL || error == ENOSYS || error == EOPNOTSUPP ||
	       error == ENXIO || error == ENODEV;
}

static int open_fd(const struct counters *c, const struct event *e, const struct place *p)
{
	struct perf_event_attr attr = e->attr;
	int leader = e->group < 0 ? -1 : p->leaders[e->group];

	attr.size = sizeof attr;
	attr.sample_period = 0;
	attr.freq = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = p->inherit;
	attr.disabled = leader < 0;
	attr.enable_on_exec = p->on_exec && leader < 0;
	if (c->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	return (int)syscall(
	    SYS_perf_event_open, &attr, p->pid, p->cpu, leader, p->flags | PERF_FLAG_FD_CLOEXEC);
}

/* Opens an event in a place, without the kernel's side where that is refused. False when the machine does not have it. */
static bool open_event(struct counters *c, size_t event, const struct target *target, struct place *p)
{
	const struct event *e = &c->events->events[event];
	int fd = open_fd(c, e, p);

	if (fd < 0 && (errno == EACCES || errno == EPERM) && !c->user_only &&
	    e->attr.type != PERF_TYPE_TRACEPOINT) {
		c->user_only = true;
		fd = open_fd(c, e, p);
	}
	if (fd < 0 && errno == ESRCH)
		return true; /* a thread that has ended meanwhile */
	if (fd < 0 && is_unsupported(errno))
		return false;
	if (fd < 0 && errno == EMFILE)
		die("too many open counters: %zu; raise the limit (ulimit -n)", c->nfds);
	if (fd < 0)
		tap_refuse(e->name, target);
	c->fds = grow(c->fds, c->nfds, &c->cap, sizeof *c->fds);
	c->fds[c->nfds++] = (struct counters_fd){fd, event, e->group < 0 || p->leaders[e->group] < 0};
	if (e->group >= 0 && p->leaders[e->group] < 0)
		p->leaders[e->group] = fd;
	return true;
}

static void open_place(struct counters *c, const struct target *target, struct place p)
{
	p.leaders = xcalloc((size_t)c->events->ngroups + 1, sizeof *p.leaders);
	for (int i = 0; i <= c->events->ngroups; i++)
		p.leaders[i] = -1;
	for (size_t i = 0; i < c->events->n; i++)
		if (!open_event(c, i, target, &p))
			c->supported[i] = false;
	free(p.leaders);
}

/* Every CPU that is online and wanted. */
static void open_cpus(struct counters *c, const struct target *target, pid_t pid, unsigned long flags)
{
	char line[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	struct span list;
	unsigned first, last;
	bool bad;

	if (!f || !fgets(line, sizeof line, f))
		die_errno("cannot read which CPUs are online");
	fclose(f);
	list = span_trim(span_of(line));
	while (target_next_range(&list, &first, &last, &bad))
		for (unsigned cpu = first; cpu <= last; cpu++)
			if (!target->cpus || target->cpus[cpu])
				open_place(
				    c, target, (struct place){.pid = pid, .cpu = (int)cpu, .flags = flags});
}

static void open_threads(struct counters *c, const struct target *target, pid_t pid)
{
	size_t n = 1;
	pid_t *threads = target->threads_only ? NULL : procs_threads(pid, &n);

	if (n == 0)
		die("no process %d", (int)pid);
	for (size_t i = 0; i < n; i++)
		open_place(c, target,
		    (struct place){
			.pid = threads ? threads[i] : pid, .cpu = -1, .inherit = !target->threads_only});
	free(threads);
}

void counters_open(
    struct counters *c, const struct event_list *events, const struct target *target, pid_t child)
{
	*c = (struct counters){.events = events, .supported = xcalloc(events->n + 1, sizeof *c->supported)};
	for (size_t i = 0; i < events->n; i++)
		c->supported[i] = true;
	tap_limit();
	if (target->cgroup >= 0)
		open_cpus(c, target, target->cgroup, PERF_FLAG_PID_CGROUP);
	else if (target->all)
		open_cpus(c, target, -1, 0);
	else if (target->npids)
		for (size_t i = 0; i < target->npids; i++)
			open_threads(c, target, target->pids[i]);
	else
		open_place(
		    c, target, (struct place){.pid = child, .cpu = -1, .on_exec = true, .inherit = true});
}

static void control(struct counters *c, unsigned long request)
{
	for (size_t i = 0; i < c->nfds; i++)
		if (c->fds[i].leads)
			ioctl(c->fds[i].fd, request, PERF_IOC_FLAG_GROUP);
}

void counters_start(struct counters *c)
{
	control(c, PERF_EVENT_IOC_ENABLE);
}

void counters_stop(struct counters *c)
{
	control(c, PERF_EVENT_IOC_DISABLE);
}

struct sums {
	u128 value;
	uint64_t enabled, running;
};

static struct count conclude(const struct sums *s, bool supported)
{
	struct count count = {COUNT_OK, (double)s->value, s->enabled, s->running};

	if (!supported)
		return (struct count){.status = COUNT_UNSUPPORTED};
	if (!s->enabled || !s->running)
		return (struct count){.status = COUNT_NONE, .enabled = s->enabled};
	if (s->running < s->enabled)
		count.value = (double)(s->value * s->enabled / s->running);
	return count;
}

/* Sums over CPUs and threads first, scaled once. */
void counters_read(const struct counters *c, struct count *counts)
{
	struct sums *sums = xcalloc(c->events->n + 1, sizeof *sums);

	for (size_t i = 0; i < c->nfds; i++) {
		uint64_t got[3];
		struct sums *s = &sums[c->fds[i].event];

		if (read(c->fds[i].fd, got, sizeof got) != (ssize_t)sizeof got)
			continue;
		s->value += got[0];
		s->enabled += got[1];
		s->running += got[2];
	}
	for (size_t i = 0; i < c->events->n; i++)
		counts[i] = conclude(&sums[i], c->supported[i]);
	free(sums);
}

void counters_close(struct counters *c)
{
	for (size_t i = 0; i < c->nfds; i++)
		close(c->fds[i].fd);
	free(c->fds);
	free(c->supported);
	*c = (struct counters){0};
}
