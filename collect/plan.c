/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be sampled, and how. */
#include "collect/plan.h"

#include <time.h>

enum {
	RING_FP = 2 << 20,
	RING_HUGE = 32 << 20, /* for stack copies of more than 16 KiB: some hundreds of them */
	RING_LARGE = 8 << 20, /* for stack copies and for tracepoints, which come in bursts */
};

#if defined(__x86_64__)
#define USER_REGS 0xff0fffu /* all but the data segments, which nobody unwinds with */
#elif defined(__aarch64__)
#define USER_REGS 0x1ffffffffu
#elif defined(__riscv)
#define USER_REGS 0xffffffffu
#else
#define USER_REGS 0u
#endif

void plan_add_off_cpu(struct plan *p)
{
	struct event *e;

	p->events.events = grow(p->events.events, p->events.n, &p->events.cap, sizeof *p->events.events);
	e = &p->events.events[p->events.n++];
	*e = (struct event){.name = "off-cpu", .has_rate = true, .group = -1};
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	e->attr.sample_period = 1;
	p->off_cpu = true;
}

bool plan_is_off_cpu(const struct plan *p, size_t event)
{
	return p->off_cpu && event + 1 == p->events.n;
}

bool plan_unwinds(const struct plan *p)
{
	return p->callgraph == CALLGRAPH_DWARF && !p->unwind_later;
}

static bool per_task(const struct target *t)
{
	return !t->all && !t->sieve;
}

static void common(struct perf_event_attr *attr, const struct plan *p)
{
	attr->size = sizeof *attr;
	attr->disabled = 1;
	attr->enable_on_exec = per_task(&p->target) && p->target.on_exec && !p->delayed;
	attr->inherit = per_task(&p->target) && !p->target.threads_only;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->watermark = 1; /* at half of the ring, whatever its size */
	if (p->user_only)
		attr->exclude_kernel = attr->exclude_hv = 1;
}

static void ask_for_chains(struct perf_event_attr *attr, const struct plan *p)
{
	if (p->callgraph == CALLGRAPH_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (p->callgraph == CALLGRAPH_DWARF) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = USER_REGS;
		attr->sample_stack_user = p->stack_bytes;
		attr->exclude_callchain_user = plan_unwinds(p);
	} else if (p->callgraph == CALLGRAPH_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->exclude_callchain_user = 1;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
	}
}

static uint64_t sample_type(const struct plan *p)
{
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	return p->events.n > 1 ? type | PERF_SAMPLE_IDENTIFIER : type;
}

struct perf_event_attr plan_attr(const struct plan *p, size_t event)
{
	const struct event *e = &p->events.events[event];
	struct perf_event_attr attr = e->attr;

	common(&attr, p);
	attr.sample_type = sample_type(p);
	ask_for_chains(&attr, p);
	if (!e->has_rate) {
		attr.freq = p->freq_hz != 0;
		attr.sample_period = p->freq_hz ? p->freq_hz : p->period;
		if (attr.type == PERF_TYPE_TRACEPOINT && p->freq_hz) {
			/* One sample a hit, as everybody expects of a tracepoint: a rate would have to be guessed by the kernel. */
			attr.freq = 0;
			attr.sample_period = 1;
		}
	}
	if (attr.freq && !event_is_clock(e))
		attr.sample_type |= PERF_SAMPLE_PERIOD;
	if (p->raw && attr.type == PERF_TYPE_TRACEPOINT)
		attr.sample_type |= PERF_SAMPLE_RAW;
	attr.exclude_idle = 1;
	attr.exclude_guest = 1;
	return attr;
}

struct perf_event_attr plan_sideband_attr(const struct plan *p)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};

	common(&attr, p);
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	attr.sample_period = 1;
	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
	attr.build_id = 1;
	/* Mappings are wanted from before the first sample on. */
	attr.enable_on_exec = 0;
	attr.disabled = 0;
	if (!p->user_only) {
		attr.namespaces = 1;
		attr.ksymbol = !per_task(&p->target);
	}
	return attr;
}

struct perf_event_attr plan_switch_attr(const struct plan *p)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};

	common(&attr, p);
	attr.sample_type = sample_type(p) & ~(uint64_t)PERF_SAMPLE_IP;
	attr.sample_period = 1;
	attr.context_switch = 1;
	return attr;
}

size_t plan_ring_bytes(const struct plan *p)
{
	size_t bytes = p->callgraph == CALLGRAPH_DWARF || p->off_cpu ? RING_LARGE : RING_FP;

	if (p->callgraph == CALLGRAPH_DWARF && p->stack_bytes > 16384)
		bytes = RING_HUGE;
	for (size_t i = 0; i < p->events.n && bytes < RING_LARGE; i++)
		if (p->events.events[i].attr.type == PERF_TYPE_TRACEPOINT)
			bytes = RING_LARGE;
	return p->ring_bytes ? p->ring_bytes : bytes;
}

struct layout plan_layout(const struct plan *p, size_t event)
{
	struct perf_event_attr attr = plan_attr(p, event);

	return (struct layout){
	    .identifier = attr.sample_type & PERF_SAMPLE_IDENTIFIER,
	    .period = attr.sample_type & PERF_SAMPLE_PERIOD,
	    .chain = attr.sample_type & PERF_SAMPLE_CALLCHAIN,
	    .raw = attr.sample_type & PERF_SAMPLE_RAW,
	    .branches = attr.sample_type & PERF_SAMPLE_BRANCH_STACK,
	    .user = attr.sample_type & PERF_SAMPLE_STACK_USER,
	    .nregs = (unsigned)__builtin_popcountll(attr.sample_regs_user),
	};
}
