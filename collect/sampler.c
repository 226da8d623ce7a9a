/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling: the events on every CPU, their rings, and what is taken out of them into the recording. */
#include "collect/sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collect/procs.h"
#include "lib/arena.h"
#include "lib/die.h"

enum {
	SAMPLE_RING = 2 << 20,
	SIDEBAND_RING = 256 << 10,
	BLOCK_FULL = 256 << 10, /* a block is written when its body has this size */
	EPOCH_BYTES = 8 << 20,
	SIDEBAND_EVENT = -1,
};

/* An open event. */
struct sampler_fd {
	int fd;
	size_t cpu; /* index in cpus */
	int event; /* index in events, or SIDEBAND_EVENT */
	bool leads; /* its ring is the one that others write into */
};

struct sampler_id {
	uint64_t id;
	uint32_t event;
};

uint64_t sampler_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

int sampler_probe(struct perf_event_attr *attr)
{
	return open_event(attr, 0, -1, -1);
}

static int paranoid(void)
{
	int level = -99;
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");

	if (f && fscanf(f, "%d", &level) != 1)
		level = -99;
	if (f)
		fclose(f);
	return level;
}

/* Why an event cannot be opened, and what to do about it. */
static _Noreturn void refuse(const char *name, const struct target *t)
{
	int why = errno;
	struct rlimit limit;

	switch (why) {
	case EACCES:
	case EPERM:
		die("no permission to sample %s: kernel.perf_event_paranoid is %d, and %s needs %s; run as "
		    "root, or: sudo "
		    "sysctl kernel.perf_event_paranoid=%d",
		    name, paranoid(), t->all ? "the whole machine" : "a process of your own",
		    t->all ? "0 or less" : "2 or less (1 for its kernel side)", t->all ? 0 : 1);
	case EMFILE:
		getrlimit(RLIMIT_NOFILE, &limit);
		die("out of file descriptors (limit %llu): raise it with ulimit -n, or sample the whole "
		    "machine with -a",
		    (unsigned long long)limit.rlim_cur);
	case ESRCH:
		die("there is no such process");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		die("event %s is not supported here (%s)", name, strerror(why));
	case ENOSYS:
		die("this kernel has no performance events");
	default:
		errno = why;
		die_errno("cannot open event %s", name);
	}
}

static void common_attr(struct perf_event_attr *attr, const struct target *t)
{
	attr->size = sizeof *attr;
	attr->disabled = 1;
	attr->enable_on_exec = t->on_exec;
	attr->inherit = !t->all && !t->threads_only;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->watermark = 1;
}

static struct perf_event_attr sample_attr(
    const struct sampler *s, const struct event *e, struct rate rate, const struct target *t)
{
	struct perf_event_attr attr = e->attr;

	common_attr(&attr, t);
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
	if (s->events->n > 1)
		attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
	if (!e->has_rate) {
		attr.freq = rate.freq_hz != 0;
		attr.sample_period = rate.freq_hz ? rate.freq_hz : rate.period;
	}
	if (attr.freq && !event_is_clock(e))
		attr.sample_type |= PERF_SAMPLE_PERIOD;
	attr.exclude_idle = 1;
	attr.exclude_guest = 1;
	attr.wakeup_watermark = SAMPLE_RING / 2;
	if (s->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static struct perf_event_attr sideband_attr(const struct sampler *s, const struct target *t)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};

	common_attr(&attr, t);
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	attr.sample_period = 1;
	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
	attr.build_id = 1;
	attr.wakeup_watermark = SIDEBAND_RING / 2;
	if (s->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	else
		attr.ksymbol = attr.namespaces = t->all;
	return attr;
}

/* Older kernels know fewer bits: takes away what can be done without, one step at each call. False when nothing is left. */
static bool simplify(struct perf_event_attr *attr)
{
	if (attr->build_id)
		attr->build_id = 0;
	else if (attr->ksymbol || attr->namespaces)
		attr->ksymbol = attr->namespaces = 0;
	else if (attr->read_format & PERF_FORMAT_LOST)
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else
		return false;
	return true;
}

/* Raises the soft limit of descriptors as far as it goes. */
static void raise_fd_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Opens attr for one process (or -1) on one CPU; keeps it. False with errno when the kernel refuses. */
static bool open_one(struct sampler *s, struct perf_event_attr *attr, pid_t pid, size_t cpu, int event)
{
	int fd;

	for (;;) {
		fd = open_event(attr, pid, (int)s->cpus[cpu].number, -1);
		if (fd >= 0)
			break;
		if (errno == EMFILE) {
			struct rlimit before, after;

			getrlimit(RLIMIT_NOFILE, &before);
			raise_fd_limit();
			getrlimit(RLIMIT_NOFILE, &after);
			if (after.rlim_cur > before.rlim_cur)
				continue;
			errno = EMFILE;
		}
		if (errno == EINVAL && simplify(attr))
			continue;
		return false;
	}
	s->fds = grow(s->fds, s->nfds, &s->fds_cap, sizeof *s->fds);
	s->fds[s->nfds++] = (struct sampler_fd){fd, cpu, event, false};
	return true;
}

/* The ring that the newest event writes into: its CPU's, mapped when it is the first. */
static void attach_ring(struct sampler *s)
{
	struct sampler_fd *f = &s->fds[s->nfds - 1];
	struct cpu *c = &s->cpus[f->cpu];
	bool side = f->event == SIDEBAND_EVENT;
	struct ring *r = side ? &c->sideband : &c->samples;
	bool *has = side ? &c->has_sideband : &c->has_samples;

	if (*has) {
		for (size_t i = 0; i < s->nfds; i++) {
			const struct sampler_fd *l = &s->fds[i];

			if (l->leads && l->cpu == f->cpu && (l->event == SIDEBAND_EVENT) == side &&
			    ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, l->fd) < 0)
				die_errno("cannot share a ring between events");
		}
		return;
	}
	if (!ring_open(r, f->fd, side ? SIDEBAND_RING : SAMPLE_RING))
		die_errno("cannot map a ring of %d KiB for CPU %u: the budget is kernel.perf_event_mlock_kb; "
			  "raise it with: "
			  "sudo sysctl kernel.perf_event_mlock_kb=8192",
		    (side ? SIDEBAND_RING : SAMPLE_RING) >> 10, c->number);
	if (!side && !s->ring_bytes)
		s->ring_bytes = r->size;
	*has = f->leads = true;
}

static void open_for(struct sampler *s, struct rate rate, const struct target *t, pid_t pid, size_t cpu)
{
	struct perf_event_attr attr;

	for (size_t e = 0; e < s->events->n; e++) {
		attr = sample_attr(s, &s->events->events[e], rate, t);
		if (!open_one(s, &attr, pid, cpu, (int)e)) {
			if ((errno == EACCES || errno == EPERM) && !attr.exclude_kernel && !s->user_only) {
				s->user_only = true;
				e--;
				continue;
			}
			if (errno == ESRCH && t->npids && !t->on_exec)
				return; /* the thread has just ended */
			if (errno == ENODEV && cpu)
				return; /* the CPU has just gone */
			refuse(s->events->events[e].name, t);
		}
		attach_ring(s);
	}
	attr = sideband_attr(s, t);
	if (!open_one(s, &attr, pid, cpu, SIDEBAND_EVENT))
		refuse("for mappings", t);
	attach_ring(s);
}

/* Every thread of every process of the target, on one CPU. */
static void open_threads(struct sampler *s, struct rate rate, const struct target *t, size_t cpu)
{
	for (size_t i = 0; i < t->npids; i++) {
		size_t n = 1;
		pid_t *threads = t->threads_only || t->on_exec ? NULL : procs_threads(t->pids[i], &n);

		if (!threads)
			n = 1;
		for (size_t k = 0; k < n; k++)
			open_for(s, rate, t, threads ? threads[k] : t->pids[i], cpu);
		free(threads);
	}
}

/* The CPUs that are online and wanted. */
static void find_cpus(struct sampler *s, const struct target *t)
{
	size_t cap = 0;
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	unsigned first, last;
	int sep = ',';

	if (!f)
		die_errno("cannot read which CPUs are online");
	while (sep == ',' && fscanf(f, "%u", &first) == 1) {
		last = first;
		sep = fgetc(f);
		if (sep == '-' && fscanf(f, "%u", &last) == 1)
			sep = fgetc(f);
		for (unsigned c = first; c <= last && c < RECORDING_MAX_CPUS; c++) {
			if (t->cpus && (c >= s->ncpus_possible || !t->cpus[c]))
				continue;
			s->cpus = grow(s->cpus, s->ncpus, &cap, sizeof *s->cpus);
			s->cpus[s->ncpus++] =
			    (struct cpu){.number = c, .packer = packer_open(c, EPOCH_BYTES)};
		}
	}
	fclose(f);
	if (!s->ncpus)
		die("none of these CPUs is online");
}

static int by_id(const void *a, const void *b)
{
	const struct sampler_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The numbers by which the kernel will name the events. */
static void read_ids(struct sampler *s)
{
	s->ids = xcalloc(s->nfds, sizeof *s->ids);
	for (size_t i = 0; i < s->nfds; i++) {
		uint64_t id = 0;

		ioctl(s->fds[i].fd, PERF_EVENT_IOC_ID, &id);
		if (s->fds[i].event != SIDEBAND_EVENT)
			s->ids[s->nids++] = (struct sampler_id){id, (uint32_t)s->fds[i].event};
	}
	qsort(s->ids, s->nids, sizeof *s->ids, by_id);
}

void sampler_open(struct sampler *s, const struct event_list *events, struct rate rate,
    const struct target *t, struct stream *out)
{
	*s = (struct sampler){.events = events, .out = out, .self = getpid()};
	s->ncpus_possible = out->ncpus;
	find_cpus(s, t);
	for (size_t cpu = 0; cpu < s->ncpus; cpu++) {
		if (t->all)
			open_for(s, rate, t, -1, cpu);
		else
			open_threads(s, rate, t, cpu);
	}
	if (!s->nfds)
		die("there is no such process");
	read_ids(s);
}

static void describe_event(struct sampler *s, struct str *body, uint32_t number, const char *name,
    const struct perf_event_attr *attr, const char *unit)
{
	uint64_t n = 0;

	put_number(body, number);
	put_string(body, span_of(name));
	put_number(body, attr->freq ? 0 : attr->sample_period);
	put_number(body, attr->freq ? attr->sample_freq : 0);
	put_string(body, span_of(unit));
	put_string(body, (struct span){(const char *)attr, sizeof *attr});
	for (size_t i = 0; i < s->nfds; i++)
		n += s->fds[i].event == (number < s->events->n ? (int)number : SIDEBAND_EVENT);
	put_number(body, n);
	for (size_t i = 0; i < s->nfds; i++) {
		uint64_t id = 0;

		if (s->fds[i].event != (number < s->events->n ? (int)number : SIDEBAND_EVENT))
			continue;
		ioctl(s->fds[i].fd, PERF_EVENT_IOC_ID, &id);
		put_number(body, id);
	}
}

static uint64_t sideband_id(const struct sampler *s)
{
	uint64_t id = 0;

	for (size_t i = 0; i < s->nfds; i++)
		if (s->fds[i].event == SIDEBAND_EVENT)
			ioctl(s->fds[i].fd, PERF_EVENT_IOC_ID, &id);
	return id;
}

static void write_block(struct sampler *s, uint16_t type, uint32_t cpu, uint32_t nrecords, uint64_t time_ns,
    const struct str *body)
{
	struct block b = {.type = type,
	    .cpu = cpu,
	    .nrecords = nrecords,
	    .first_ns = time_ns,
	    .last_ns = time_ns,
	    .body = str_span(body)};

	stream_block(s->out, &b);
}

void sampler_describe(struct sampler *s, const struct target *t, struct rate rate)
{
	struct str body = {0};
	struct perf_event_attr attr;
	uint32_t n = 0, number;
	uint64_t id = sideband_id(s);

	for (number = 0; number < s->events->n; number++) {
		const struct event *e = &s->events->events[number];

		attr = sample_attr(s, e, rate, t);
		describe_event(s, &body, number, e->name, &attr, event_is_clock(e) ? "ns" : "events");
	}
	attr = sideband_attr(s, t);
	describe_event(s, &body, number, "sideband", &attr, "events");
	write_block(s, BLOCK_EVENTS, BLOCK_NO_CPU, number + 1, 0, &body);
	str_reset(&body);
	s->start_ns = sampler_now();
	if (t->all)
		n = procs_add_all(&body, s->start_ns, id);
	for (size_t i = 0; i < t->npids && !t->all; i++)
		n += procs_add(&body, t->pids[i], s->start_ns, id);
	write_block(s, BLOCK_SIDEBAND, BLOCK_NO_CPU, n, s->start_ns, &body);
	str_release(&body);
}

void sampler_start(struct sampler *s)
{
	for (size_t i = 0; i < s->nfds; i++)
		ioctl(s->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void sampler_stop(struct sampler *s)
{
	for (size_t i = 0; i < s->nfds; i++)
		ioctl(s->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	s->end_ns = sampler_now();
}

static uint64_t u64_at(struct span record, size_t offset)
{
	uint64_t v = 0;

	if (offset + sizeof v <= record.n)
		memcpy(&v, record.p + offset, sizeof v);
	return v;
}

static uint32_t event_of(const struct sampler *s, uint64_t id)
{
	struct sampler_id key = {id, 0};
	const struct sampler_id *found = bsearch(&key, s->ids, s->nids, sizeof *s->ids, by_id);

	return found ? found->event : 0;
}

/* Keeps the kernel's addresses of a chain that the recording has not seen yet, for their names at the end. */
static void note_kernel(struct sampler *s, const uint64_t *chain, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t slot;

		if (!(chain[i] >> 63) || chain[i] >= (uint64_t)-4095)
			continue;
		if (s->nkernel_ips * 2 >= s->kernel_ips_cap) {
			uint64_t *old = s->kernel_ips;
			size_t old_cap = s->kernel_ips_cap;

			s->kernel_ips_cap = old_cap ? old_cap * 2 : 4096;
			s->kernel_ips = xcalloc(s->kernel_ips_cap, sizeof *s->kernel_ips);
			s->nkernel_ips = 0;
			for (size_t k = 0; k < old_cap; k++)
				if (old[k])
					note_kernel(s, &old[k], 1);
			free(old);
		}
		slot = (chain[i] * 0x9e3779b97f4a7c15u) >> 20 & (s->kernel_ips_cap - 1);
		while (s->kernel_ips[slot] && s->kernel_ips[slot] != chain[i])
			slot = (slot + 1) & (s->kernel_ips_cap - 1);
		if (s->kernel_ips[slot])
			continue;
		s->kernel_ips[slot] = chain[i];
		s->nkernel_ips++;
	}
}

/* One PERF_RECORD_SAMPLE: [identifier] ip pid tid time [period] nr ips... */
static void take_sample(struct sampler *s, struct cpu *c, struct span r)
{
	bool several = s->events->n > 1;
	size_t at = sizeof(struct perf_event_header) + 8 * several;
	struct sample sample = {.event = several ? event_of(s, u64_at(r, at - 8)) : 0};
	const struct event *e = &s->events->events[sample.event];
	uint64_t nr;

	memcpy(&sample.pid, r.p + at + 8, 4);
	memcpy(&sample.tid, r.p + at + 12, 4);
	sample.time_ns = u64_at(r, at + 16);
	at += 24;
	if (e->attr.freq && !event_is_clock(e)) {
		sample.period = u64_at(r, at);
		at += 8;
	}
	nr = u64_at(r, at);
	at += 8;
	if (at > r.n || nr > (r.n - at) / 8 || nr > CHAIN_MAX) {
		c->records_bad++;
		return;
	}
	if ((pid_t)sample.pid == s->self) {
		c->own++;
		return;
	}
	sample.chain = (const uint64_t *)(const void *)(r.p + at);
	sample.nchain = (uint32_t)nr;
	if (packer_add(c->packer, &sample))
		note_kernel(s, sample.chain, sample.nchain);
	c->kept++;
}

/* THROTTLE and UNTHROTTLE: time, id, stream id. */
static void take_throttle(struct sampler *s, struct cpu *c, struct span r, bool on)
{
	uint64_t time = u64_at(r, 8);

	if (!c->nthrottle++)
		c->throttle_first_ns = time;
	put_number(&c->throttle, s->events->n > 1 ? event_of(s, u64_at(r, 16)) : 0);
	put_number(&c->throttle, on ? 1 : 2);
	put_number(&c->throttle, 0);
	put_signed(&c->throttle, (int64_t)(time - c->throttle_first_ns));
	if (on) {
		c->throttled_since_ns = time;
	} else if (c->throttled_since_ns) {
		c->throttled_ns += time - c->throttled_since_ns;
		c->throttled_since_ns = 0;
	}
}

static void drain_samples(struct sampler *s, struct cpu *c)
{
	struct span r;

	ring_refresh(&c->samples);
	while (ring_next(&c->samples, &r)) {
		struct perf_event_header header;

		memcpy(&header, r.p, sizeof header);
		if (header.type == PERF_RECORD_SAMPLE)
			take_sample(s, c, r);
		else if (header.type == PERF_RECORD_THROTTLE || header.type == PERF_RECORD_UNTHROTTLE)
			take_throttle(s, c, r, header.type == PERF_RECORD_THROTTLE);
		/* LOST only says where; the kernel's own count is read with the event. */
	}
	ring_release(&c->samples);
}

static void drain_sideband(struct cpu *c)
{
	struct span r;

	ring_refresh(&c->sideband);
	while (ring_next(&c->sideband, &r)) {
		uint64_t time =
		    r.n >= 40 ? u64_at(r, r.n - 24) : 0; /* TID TIME CPU IDENTIFIER end the record */

		if (!c->nside++)
			c->side_first_ns = time;
		c->side_last_ns = time;
		str_add(&c->side, r.p, r.n);
	}
	ring_release(&c->sideband);
}

static void flush_sideband(struct sampler *s, struct cpu *c)
{
	struct block b = {.type = BLOCK_SIDEBAND,
	    .cpu = c->number,
	    .nrecords = c->nside,
	    .first_ns = c->side_first_ns,
	    .last_ns = c->side_last_ns,
	    .body = str_span(&c->side)};

	if (!c->nside)
		return;
	stream_block(s->out, &b);
	str_reset(&c->side);
	c->nside = 0;
}

static void flush_samples(struct sampler *s, struct cpu *c)
{
	struct block b;

	if (packer_nbytes(c->packer)) {
		packer_take(c->packer, &b);
		b.lost = c->lost;
		stream_block(s->out, &b);
	}
	if (c->nthrottle) {
		write_block(s, BLOCK_THROTTLE, c->number, c->nthrottle, c->throttle_first_ns, &c->throttle);
		str_reset(&c->throttle);
		c->nthrottle = 0;
	}
}

bool sampler_drain(struct sampler *s, bool all)
{
	uint64_t now = sampler_now();
	struct block round = {.type = BLOCK_ROUND, .cpu = BLOCK_NO_CPU, .first_ns = now, .last_ns = now};

	/* Side-band first: what explains a sample is never written after it within a round. */
	for (size_t i = 0; i < s->ncpus; i++)
		if (s->cpus[i].has_sideband)
			drain_sideband(&s->cpus[i]);
	for (size_t i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];

		if (c->has_samples)
			drain_samples(s, c);
		if (all || c->side.n >= BLOCK_FULL)
			flush_sideband(s, c);
		if (all || packer_nbytes(c->packer) >= BLOCK_FULL)
			flush_samples(s, c);
	}
	if (all)
		stream_block(s->out, &round);
	return !s->out->error;
}

size_t sampler_pollfds(const struct sampler *s, struct pollfd *fds)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nfds; i++)
		if (s->fds[i].leads)
			fds[n++] = (struct pollfd){s->fds[i].fd, POLLIN, 0};
	return n;
}

void sampler_read_lost(struct sampler *s)
{
	for (size_t i = 0; i < s->ncpus; i++)
		s->cpus[i].lost = 0;
	for (size_t i = 0; i < s->nfds; i++) {
		uint64_t counts[3] = {0}; /* value, id, lost */

		if (s->fds[i].event != SIDEBAND_EVENT &&
		    read(s->fds[i].fd, counts, sizeof counts) == (ssize_t)sizeof counts)
			s->cpus[s->fds[i].cpu].lost += counts[2];
	}
}

bool sampler_target_lives(const struct target *t)
{
	if (t->all)
		return true;
	for (size_t i = 0; i < t->npids; i++)
		if (kill(t->pids[i], 0) == 0 || errno == EPERM)
			return true;
	return false;
}

void sampler_close(struct sampler *s)
{
	for (size_t i = 0; i < s->ncpus; i++) {
		ring_close(&s->cpus[i].samples);
		ring_close(&s->cpus[i].sideband);
		packer_close(s->cpus[i].packer);
		str_release(&s->cpus[i].side);
		str_release(&s->cpus[i].throttle);
	}
	for (size_t i = 0; i < s->nfds; i++)
		close(s->fds[i].fd);
	free(s->cpus);
	free(s->fds);
	free(s->ids);
	free(s->kernel_ips);
}
