/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling: what is taken out of the rings into the recording. */
#include "collect/sampler.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "collect/adapt.h"
#include "lib/arena.h"

enum {
	BLOCK_FULL = 256 << 10, /* a block is written when its body has this size */
	SLACK_NS =
	    1000000, /* a record younger than this may still be overtaken by an older one of another CPU */
	MAX_TAPS_READ = 4096, /* with more events than this, losses are read at the end only */
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t sampler_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t sampler_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t u64_at(struct span record, size_t offset)
{
	uint64_t v = 0;

	if (offset + sizeof v <= record.n)
		memcpy(&v, record.p + offset, sizeof v);
	return v;
}

static void note_time(struct gathered *g, uint64_t time_ns)
{
	if (!g->n++)
		g->first_ns = time_ns;
	g->last_ns = time_ns;
}

static void write_gathered(struct sampler *s, uint16_t type, uint32_t cpu, struct gathered *g)
{
	struct block b = {.type = type,
	    .cpu = cpu,
	    .nrecords = g->n,
	    .first_ns = g->first_ns,
	    .last_ns = g->last_ns,
	    .body = str_span(&g->bytes)};

	if (g->n)
		stream_block(s->out, &b);
	str_reset(&g->bytes);
	g->n = 0;
}

static void write_samples(struct sampler *s, struct cpu *c)
{
	struct block b;

	if (!packer_nbytes(c->packer))
		return;
	packer_take(c->packer, &b);
	b.lost = c->n.lost - c->before.lost;
	stream_block(s->out, &b);
}

/* The thread of a sample, as the side-band has told of it. */
static const struct task *task_of(struct sampler *s, const struct taken *t)
{
	if (!s->task || s->task->tid != t->tid || s->task->pid != t->pid)
		s->task = tasks_find(s->names.tasks, t->pid, t->tid);
	return s->task;
}

/* The callchain of a sample, put together where the kernel's is not the whole of it. The stack that was unwound is dropped;
   *truncated tells whether it did not reach to where the thread began. */
static void complete_chain(struct sampler *s, struct taken *t, bool *truncated)
{
	bool kernel = (t->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	uint32_t n = t->nchain < CHAIN_MAX / 2 ? t->nchain : CHAIN_MAX / 2;

	*truncated = false;
	if (s->plan->callgraph == CALLGRAPH_FP)
		return;
	if (n)
		memcpy(s->chain, t->chain, n * sizeof *s->chain);
	if (s->plan->callgraph == CALLGRAPH_NONE) {
		s->chain[n++] = (uint64_t)(kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
		s->chain[n++] = t->ip;
	} else if (t->branches.n) {
		n = taken_lbr_chain(t, s->chain, n, CHAIN_MAX);
	} else if (plan_unwinds(s->plan)) {
		n = unwinding_chain(&s->unwinding, task_of(s, t), t, s->chain, n, CHAIN_MAX, truncated);
		t->regs.n = t->stack.n = 0;
	}
	t->chain = s->chain;
	t->nchain = n;
}

/* What a sample carries beside. */
static uint32_t put_extras(
    const struct taken *t, struct span off_cpu, bool truncated, struct sample_extra extras[5])
{
	static const char cut[] = {MARK_TRUNCATED | MARK_UNWOUND};
	uint32_t n = 0;

	if (t->raw.n)
		extras[n++] = (struct sample_extra){EXTRA_RAW, t->raw};
	if (t->stack.n) {
		extras[n++] = (struct sample_extra){EXTRA_REGS_USER, t->regs};
		extras[n++] = (struct sample_extra){EXTRA_STACK_USER, t->stack};
	}
	if (off_cpu.n)
		extras[n++] = (struct sample_extra){EXTRA_OFFCPU_NS, off_cpu};
	if (truncated)
		extras[n++] = (struct sample_extra){EXTRA_MARKS, {cut, sizeof cut}};
	return n;
}

static uint32_t *noted_slot(struct cpu *c, uint32_t chain)
{
	size_t n = c->nnoted ? c->nnoted : 1024;

	while (n <= chain)
		n *= 2;
	if (n > c->nnoted) {
		c->noted = xreallocarray(c->noted, n, sizeof *c->noted);
		memset(c->noted + c->nnoted, 0, (n - c->nnoted) * sizeof *c->noted);
		c->nnoted = n;
	}
	return &c->noted[chain];
}

/* Notes what a chain hits, the first time that it comes with these mappings. */
static void note_names(struct sampler *s, struct cpu *c, const struct taken *t, bool is_new)
{
	uint32_t *noted = noted_slot(c, packer_chain(c->packer));
	const struct task *task = task_of(s, t);
	uint32_t generation = task->process->space->generation + 1;

	if (!is_new && *noted == generation)
		return;
	*noted = generation;
	names_hit(&s->names, task, t->chain, t->nchain);
}

/* Puts a sample into the recording, in the stream of CPU c. */
static void keep(struct sampler *s, struct cpu *c, uint32_t event, struct taken *t, struct span off_cpu)
{
	struct sample_extra extras[5];
	struct sample sample = {.time_ns = t->time_ns,
	    .pid = t->pid,
	    .tid = t->tid,
	    .event = event,
	    .period = t->period,
	    .extras = extras};
	bool truncated;

	complete_chain(s, t, &truncated);
	sample.chain = t->chain;
	sample.nchain = t->nchain;
	sample.nextras = put_extras(t, off_cpu, truncated, extras);
	if (!t->period && !off_cpu.n)
		sample.period = adapted_period(c, s->nominal[event], t->time_ns);
	note_names(s, c, t, packer_add(c->packer, &sample));
	c->n.kept++;
	if (packer_nbytes(c->packer) >= BLOCK_FULL)
		write_samples(s, c);
}

/* A thread leaves its CPU: how long for is known when it comes back. */
static void take_leave(struct sampler *s, const struct source *from, const struct taken *t)
{
	struct cpu *c = &s->cpus[from->cpu];
	struct blocked_thread *b = blocked_get(&s->blocked, t->tid);

	if (b->sampled)
		c->unpaired++; /* its return was lost */
	if (b->exiting || !t->tid) {
		c->n.unwanted++;
		blocked_drop(&s->blocked, t->tid);
		return;
	}
	str_reset(&b->record);
	str_add(&b->record, from->record.p, from->record.n);
	b->cpu = from->cpu;
	b->since_ns = t->time_ns;
	b->sampled = true;
	b->preempted = false;
}

/* A thread comes back to a CPU, or has not until the end. */
static void take_return(struct sampler *s, struct blocked_thread *b, struct cpu *c, uint64_t now_ns)
{
	uint32_t event = (uint32_t)s->plan->events.n - 1;
	uint64_t ns = now_ns > b->since_ns ? now_ns - b->since_ns : 0;
	unsigned char number[10];
	struct taken t;

	if (!b->sampled)
		return;
	b->sampled = false;
	if (!taken_parse(&t, str_span(&b->record), &s->layouts[event])) {
		c->n.damaged++;
		return;
	}
	if (b->preempted) {
		c->n.unwanted++;
		return;
	}
	t.time_ns = now_ns;
	t.period = (ns + 500) / 1000;
	if (!t.period)
		t.period = 1;
	keep(s, c, event, &t, (struct span){(char *)number, (size_t)(put_varint(number, ns) - number)});
}

static void take_switch(struct sampler *s, const struct source *from, const struct perf_event_header *h)
{
	/* The fields of the switched thread itself end the record: pid, tid, time, and an identifier. */
	uint32_t tid = (uint32_t)(u64_at(from->record, from->record.n - from->trailer_time - 8) >> 32);
	struct blocked_thread *b = blocked_find(&s->blocked, tid);

	if (!b)
		return;
	if (!(h->misc & PERF_RECORD_MISC_SWITCH_OUT))
		take_return(s, b, &s->cpus[from->cpu], from->time_ns);
	else if (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
		b->preempted = true;
}

static void take_sample(struct sampler *s, const struct source *from)
{
	struct cpu *c = &s->cpus[from->cpu];
	uint32_t event = s->plan->events.n > 1 ? taps_event(&s->taps, u64_at(from->record, 8)) : 0;
	struct taken t;

	if (!taken_parse(&t, from->record, &s->layouts[event]))
		c->n.damaged++;
	else if (t.pid == s->self)
		c->n.own++;
	else if (!sieve_passes(&s->sieve, t.pid, t.tid))
		c->n.unwanted++;
	else if (plan_is_off_cpu(s->plan, event))
		take_leave(s, from, &t);
	else
		keep(s, c, event, &t, (struct span){0});
}

void sampler_note_rate(struct cpu *c, uint32_t event, unsigned kind, uint64_t value, uint64_t time_ns)
{
	note_time(&c->throttle, time_ns);
	put_number(&c->throttle.bytes, event);
	put_number(&c->throttle.bytes, kind);
	put_number(&c->throttle.bytes, value);
	put_signed(&c->throttle.bytes, (int64_t)(time_ns - c->throttle.first_ns));
}

/* THROTTLE and UNTHROTTLE: time, id, stream id. */
static void take_throttle(struct sampler *s, const struct source *from, bool on)
{
	struct cpu *c = &s->cpus[from->cpu];
	uint64_t time_ns = u64_at(from->record, 8);

	sampler_note_rate(c, s->plan->events.n > 1 ? taps_event(&s->taps, u64_at(from->record, 16)) : 0,
	    on ? 1 : 2, 0, time_ns);
	if (on) {
		c->throttled_since_ns = time_ns;
	} else if (c->throttled_since_ns) {
		c->n.throttled_ns += time_ns - c->throttled_since_ns;
		c->throttled_since_ns = 0;
	}
}

void sampler_learn(struct sampler *s, struct span record)
{
	sieve_record(&s->sieve, record);
	names_record(&s->names, record);
	s->task = NULL;
}

static void take_sideband(struct sampler *s, const struct source *from, const struct perf_event_header *h)
{
	struct cpu *c = &s->cpus[from->cpu];

	note_time(&c->side, from->time_ns);
	str_add(&c->side.bytes, from->record.p, from->record.n);
	sampler_learn(s, from->record);
	if (h->type == PERF_RECORD_EXIT && s->plan->off_cpu && from->record.n >= 24)
		blocked_get(&s->blocked, (uint32_t)u64_at(from->record, 16))->exiting = true;
	if (c->side.bytes.n >= BLOCK_FULL)
		write_gathered(s, BLOCK_SIDEBAND, c->number, &c->side);
}

static void take(struct sampler *s, const struct source *from)
{
	struct perf_event_header h;

	memcpy(&h, from->record.p, sizeof h);
	if (from->sideband) {
		if (h.type != PERF_RECORD_LOST)
			take_sideband(s, from, &h);
		return;
	}
	switch (h.type) {
	case PERF_RECORD_SAMPLE:
		take_sample(s, from);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(s, from, &h);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		take_throttle(s, from, h.type == PERF_RECORD_THROTTLE);
		break;
	default:
		break; /* LOST only says where: the kernel's own count is read with the events */
	}
}

/* Every ring that has something, as the kernel has filled them by now. */
static void gather_sources(struct sampler *s)
{
	size_t identifier = s->plan->events.n > 1 ? 8 : 0;

	merge_reset(&s->merge);
	for (uint32_t i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];
		struct source side = {.ring = &c->sideband, .cpu = i, .sideband = true, .trailer_time = 24};

		for (size_t k = 0; k < c->nrings; k++) {
			struct source samples = {.ring = &c->rings[k],
			    .cpu = i,
			    .sample_time = 24 + identifier,
			    .trailer_time = 8 + identifier};
			size_t waiting = ring_refresh(samples.ring);

			merge_add(&s->merge, &samples);
			if (k + 1 == c->nrings)
				c->fill = (double)waiting / (double)samples.ring->size;
		}
		ring_refresh(&c->sideband);
		merge_add(&s->merge, &side);
	}
}

static void drain_until(struct sampler *s, uint64_t until_ns)
{
	struct source *first;

	gather_sources(s);
	while ((first = merge_first(&s->merge, until_ns))) {
		take(s, first);
		merge_advance(&s->merge);
	}
	for (size_t i = 0; i < s->ncpus; i++) {
		for (size_t k = 0; k < s->cpus[i].nrings; k++)
			ring_release(&s->cpus[i].rings[k]);
		ring_release(&s->cpus[i].sideband);
	}
}

bool sampler_drain(struct sampler *s)
{
	uint64_t now = sampler_now();

	drain_until(s, now - SLACK_NS);
	adapt(s, now);
	return !s->out->error;
}

/* Reads the kernel's own counts of lost samples. */
static void read_lost(struct sampler *s)
{
	for (size_t i = 0; i < s->ncpus; i++)
		s->cpus[i].n.lost = s->cpus[i].unpaired;
	for (size_t i = 0; i < s->taps.n; i++)
		if (s->taps.v[i].event >= 0)
			s->cpus[s->taps.v[i].cpu].n.lost += tap_lost(&s->taps.v[i]);
}

/* Threads that are still off the CPU at the end have waited until then. */
static void return_all(struct sampler *s)
{
	for (size_t i = 0; i < BLOCKED_SLOTS; i++)
		for (struct blocked_thread *b = s->blocked.slots[i]; b; b = b->next)
			take_return(s, b, &s->cpus[b->cpu], s->end_ns);
}

bool sampler_flush(struct sampler *s, bool last)
{
	struct block round = {.type = BLOCK_ROUND, .cpu = BLOCK_NO_CPU, .last_ns = s->round_ns};
	uint64_t now = sampler_now();

	if (last || s->taps.n <= MAX_TAPS_READ)
		read_lost(s);
	drain_until(s, last ? UINT64_MAX : now - SLACK_NS);
	if (last)
		return_all(s);
	for (size_t i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];

		write_gathered(s, BLOCK_SIDEBAND, c->number, &c->side);
		write_samples(s, c);
		write_gathered(s, BLOCK_THROTTLE, c->number, &c->throttle);
	}
	if (last)
		round.last_ns = now;
	stream_block(s->out, &round);
	s->round_ns = now - SLACK_NS;
	if (!last)
		adapt(s, now);
	return !s->out->error;
}

void sampler_enable(struct sampler *s, bool on)
{
	for (size_t i = 0; i < s->taps.n; i++)
		if (s->taps.v[i].event >= 0 || s->taps.v[i].event == TAP_SWITCHES)
			ioctl(s->taps.v[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	s->enabled = on;
	s->end_ns = sampler_now();
}

size_t sampler_pollfds(const struct sampler *s, struct pollfd *fds)
{
	size_t n = 0;

	for (size_t i = 0; i < s->ncpus; i++) {
		const struct cpu *c = &s->cpus[i];

		if (c->nrings)
			fds[n++] = (struct pollfd){c->rings[c->nrings - 1].fd, POLLIN, 0};
		if (c->sideband.page)
			fds[n++] = (struct pollfd){c->sideband.fd, POLLIN, 0};
	}
	return n;
}

void sampler_close(struct sampler *s)
{
	for (size_t i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];

		for (size_t k = 0; k < c->nrings; k++)
			ring_close(&c->rings[k]);
		ring_close(&c->sideband);
		packer_close(c->packer);
		free(c->noted);
		str_release(&c->side.bytes);
		str_release(&c->throttle.bytes);
	}
	taps_close(&s->taps);
	merge_release(&s->merge);
	sieve_release(&s->sieve);
	blocked_release(&s->blocked);
	unwinding_close(&s->unwinding);
	names_close(&s->names);
	buildids_release(&s->build_ids);
	free(s->cpus);
	free(s->layouts);
	free(s->nominal);
	free(s->chain);
}
