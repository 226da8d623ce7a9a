/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a sampler: events on every CPU, and the rings that they write into. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "collect/procs.h"
#include "collect/sampler.h"
#include "lib/arena.h"
#include "lib/die.h"

enum {
	SIDEBAND_RING = 256 << 10,
	SPARE_FDS = 64, /* for everything that is no event */
};

/* The CPUs that are online and wanted. */
static void find_cpus(struct sampler *s)
{
	char line[4096] = "";
	struct span list;
	unsigned first, last;
	size_t cap = 0;
	bool bad;
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");

	if (!f || !fgets(line, sizeof line, f))
		die_errno("cannot read which CPUs are online");
	fclose(f);
	list = span_trim(span_of(line));
	while (target_next_range(&list, &first, &last, &bad)) {
		for (unsigned number = first; number <= last; number++) {
			if (s->plan->target.cpus && !s->plan->target.cpus[number])
				continue;
			s->cpus = grow(s->cpus, s->ncpus, &cap, sizeof *s->cpus);
			s->cpus[s->ncpus++] =
			    (struct cpu){.number = number, .packer = packer_open(number, EPOCH_BYTES)};
		}
	}
	if (!s->ncpus)
		die("none of these CPUs is online");
}

static const char *event_name(const struct sampler *s, int event)
{
	return event >= 0 ? s->plan->events.events[event].name : "for mappings and names";
}

static struct perf_event_attr attr_of(const struct sampler *s, int event)
{
	if (event == TAP_SIDEBAND)
		return plan_sideband_attr(s->plan);
	return event == TAP_SWITCHES ? plan_switch_attr(s->plan) : plan_attr(s->plan, (size_t)event);
}

/* Opens one event for one process or thread on one CPU. False when the thread or the CPU has just gone. */
static bool open_one(struct sampler *s, pid_t pid, uint32_t cpu, int leader, int event)
{
	const struct target *t = &s->plan->target;
	bool in_cgroup = t->cgroup >= 0 && event != TAP_SIDEBAND;
	struct perf_event_attr attr = attr_of(s, event);
	struct tap_place place = {in_cgroup ? t->cgroup : pid, in_cgroup, s->cpus[cpu].number, cpu, leader};

	if (taps_open(&s->taps, &attr, &place, event))
		return true;
	if ((errno == EACCES || errno == EPERM) && !s->plan->user_only && !attr.exclude_kernel) {
		/* This user may not see the kernel, but perhaps the rest. */
		s->plan->user_only = true;
		return open_one(s, pid, cpu, leader, event);
	}
	if ((errno == ESRCH && !t->on_exec) || (errno == ENODEV && s->ncpus > 1))
		return false;
	tap_refuse(event_name(s, event), t);
}

/* Everything for one process or thread on one CPU. */
static void open_for(struct sampler *s, pid_t pid, uint32_t cpu)
{
	int group = -1, leader = -1;

	for (size_t e = 0; e < s->plan->events.n; e++) {
		if (s->plan->events.events[e].group < 0 || s->plan->events.events[e].group != group)
			leader = -1;
		if (!open_one(s, pid, cpu, leader, (int)e))
			return;
		group = s->plan->events.events[e].group;
		if (leader < 0)
			leader = s->taps.v[s->taps.n - 1].fd;
	}
	if (s->plan->off_cpu)
		open_one(s, pid, cpu, -1, TAP_SWITCHES);
	open_one(s, pid, cpu, -1, TAP_SIDEBAND);
}

/* Every thread of every process of the target, on one CPU. */
static void open_threads(struct sampler *s, uint32_t cpu)
{
	const struct target *t = &s->plan->target;

	for (size_t i = 0; i < t->npids; i++) {
		size_t n = 0;
		pid_t *threads = t->threads_only || t->on_exec ? NULL : procs_threads(t->pids[i], &n);

		for (size_t k = 0; k < n; k++)
			open_for(s, threads[k], cpu);
		if (!n)
			open_for(s, t->pids[i], cpu);
		free(threads);
	}
}

/* A descriptor for each thread, CPU and event may be more than there are: then the CPUs are tapped, and the rest is dropped. */
static void sieve_if_many(struct sampler *s)
{
	struct target *t = &s->plan->target;
	size_t each = s->plan->events.n + 1 + s->plan->off_cpu;
	size_t nthreads, wanted;

	if (t->all || t->on_exec)
		return;
	nthreads = target_nthreads(t);
	wanted = nthreads * s->ncpus * each + 2 * s->ncpus + SPARE_FDS;
	if (wanted <= tap_limit())
		return;
	warn("%zu threads on %zu CPUs need %zu descriptors, and the limit is %zu (ulimit -n): sampling all "
	     "CPUs and dropping "
	     "the rest",
	    nthreads, s->ncpus, wanted, tap_limit());
	t->sieve = true;
}

/* Rings belong to events of their own that count nothing, so that another ring can take over later. */
static bool map_ring(struct sampler *s, uint32_t cpu, struct ring *r, size_t bytes)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof attr,
	    .config = PERF_COUNT_SW_DUMMY,
	    .disabled = 1,
	    .exclude_kernel = 1,
	    .exclude_hv = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	    .watermark = 1};
	bool wide = s->plan->target.all || s->plan->target.sieve;
	struct tap_place place = {wide ? -1 : 0, false, s->cpus[cpu].number, cpu, -1};
	struct tap *owner = taps_open(&s->taps, &attr, &place, TAP_RING);

	return owner && ring_open(r, owner->fd, bytes);
}

/* Makes the events of a CPU write into a ring. */
static bool redirect(struct sampler *s, uint32_t cpu, bool sideband, int fd)
{
	for (size_t i = 0; i < s->taps.n; i++) {
		const struct tap *t = &s->taps.v[i];

		if (t->cpu == cpu && t->event != TAP_RING && (t->event == TAP_SIDEBAND) == sideband &&
		    ioctl(t->fd, PERF_EVENT_IOC_SET_OUTPUT, fd) < 0)
			return false;
	}
	return true;
}

bool sampler_add_ring(struct sampler *s, uint32_t cpu, size_t bytes)
{
	struct cpu *c = &s->cpus[cpu];
	struct ring *r = &c->rings[c->nrings];

	if (!map_ring(s, cpu, r, bytes) || !redirect(s, cpu, false, r->fd)) {
		ring_close(r);
		return false;
	}
	c->nrings++;
	taps_number(&s->taps);
	return true;
}

/* Both rings of a CPU; false with errno when the kernel refuses them for their size. */
static bool map_rings(struct sampler *s, uint32_t cpu, size_t bytes)
{
	struct cpu *c = &s->cpus[cpu];

	if (!map_ring(s, cpu, &c->rings[0], bytes) ||
	    !map_ring(s, cpu, &c->sideband, bytes < SIDEBAND_RING ? bytes : SIDEBAND_RING))
		return false;
	c->nrings = 1;
	if (!redirect(s, cpu, false, c->rings[0].fd) || !redirect(s, cpu, true, c->sideband.fd))
		die_errno("cannot connect the events of CPU %u with their ring", c->number);
	return true;
}

static void unmap_rings(struct sampler *s)
{
	for (size_t i = 0; i < s->ncpus; i++) {
		ring_close(&s->cpus[i].rings[0]);
		ring_close(&s->cpus[i].sideband);
		s->cpus[i].nrings = 0;
	}
	while (s->taps.n && s->taps.v[s->taps.n - 1].event == TAP_RING)
		close(s->taps.v[--s->taps.n].fd);
}

/* Rings of the same size for all CPUs, as large as the budget of locked memory allows. */
static void map_all_rings(struct sampler *s)
{
	size_t bytes = plan_ring_bytes(s->plan), wanted = bytes;
	uint32_t cpu = 0;

	while (cpu < s->ncpus) {
		if (map_rings(s, cpu, bytes)) {
			cpu++;
			continue;
		}
		if ((errno != EPERM && errno != ENOMEM) || bytes / 2 < RING_MIN)
			die("cannot map rings of %zu KiB for %zu CPUs (%s): kernel.perf_event_mlock_kb is "
			    "%ld, and %zu would be "
			    "enough; be root, or: sudo sysctl kernel.perf_event_mlock_kb=%zu",
			    bytes >> 10, s->ncpus, strerror(errno),
			    tap_sysctl("kernel/perf_event_mlock_kb", 516),
			    (wanted + SIDEBAND_RING + 8192) >> 10, (wanted + SIDEBAND_RING + 8192) >> 10);
		unmap_rings(s);
		bytes /= 2;
		cpu = 0;
	}
	s->ring_bytes = bytes;
}

static void note_layouts(struct sampler *s)
{
	size_t n = s->plan->events.n;

	s->layouts = xcalloc(n, sizeof *s->layouts);
	s->nominal = xcalloc(n, sizeof *s->nominal);
	for (size_t e = 0; e < n; e++) {
		struct perf_event_attr attr = plan_attr(s->plan, e);

		s->layouts[e] = plan_layout(s->plan, e);
		if (!attr.freq)
			s->nominal[e] = attr.sample_period;
		else if (event_is_clock(&s->plan->events.events[e]))
			s->nominal[e] = 1000000000 / attr.sample_freq;
	}
}

/* Filters of tracepoints: the user's, and that the collector's own hits are not wanted. */
static void set_filters(struct sampler *s)
{
	for (size_t i = 0; i < s->taps.n; i++) {
		const struct tap *t = &s->taps.v[i];
		const struct event *e = t->event >= 0 ? &s->plan->events.events[t->event] : NULL;
		struct str filter = {0};

		if (!e || e->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		str_addf(&filter, "common_pid != %d", (int)s->self);
		if (e->filter)
			str_addf(&filter, " && (%s)", e->filter);
		if (ioctl(t->fd, PERF_EVENT_IOC_SET_FILTER, filter.p) < 0 && e->filter)
			die_errno("the kernel does not take the filter '%s' for %s", e->filter, e->name);
		str_release(&filter);
	}
}

void sampler_open(struct sampler *s, struct plan *plan, struct stream *out)
{
	*s = (struct sampler){.plan = plan, .out = out, .self = (uint32_t)getpid()};
	s->chain = xcalloc(CHAIN_MAX, sizeof *s->chain);
	names_open(&s->names);
	find_cpus(s);
	sieve_if_many(s);
	sieve_init(&s->sieve, &plan->target);
	for (uint32_t cpu = 0; cpu < s->ncpus; cpu++) {
		if (plan->target.all || plan->target.sieve)
			open_for(s, -1, cpu);
		else
			open_threads(s, cpu);
	}
	if (!s->taps.n)
		die("there is no such process");
	note_layouts(s);
	if (plan_unwinds(plan))
		unwinding_open(&s->unwinding, s->names.symbols, plan_attr(plan, 0).sample_regs_user);
	map_all_rings(s);
	taps_number(&s->taps);
	set_filters(s);
}
