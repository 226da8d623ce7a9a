/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf script` text of scheduler events, folded into the time off the CPU: a thread's stack at sched_switch, and how long it was
   away, which a later sched_stat_* event tells or, in an input without these, the switch back to it. */
#include <stdlib.h>

#include "fold/chain.h"
#include "fold/perfscript_line.h"
#include "fold/reader.h"
#include "fold/text.h"

struct away {
	uint32_t handle; /* of its stack in the sink */
	uint64_t since_ns;
	bool is_away;
};

struct perfsched {
	struct sink *sink;
	struct perfscript_memo memo;
	struct intern tids;
	struct away *threads; /* by number of the tid */
	size_t nthreads, cap;
	bool has_stats; /* sched_stat_* tell the time */
	struct chain chain; /* of the switch in hand */
	struct str comm;
	int32_t pid, tid; /* of the thread that it takes off; no tid: no switch is in hand */
	uint64_t since_ns;
};

/* This is the same text as perf-script's: it has to be asked for. */
static bool probe(struct span head)
{
	(void)head;
	return false;
}

/* A field of a tracepoint: "prev_pid=12 ". A command's name may have blanks: it ends where the next field begins. */
static bool get_field(struct span payload, struct span name, struct span next, struct span *value)
{
	size_t at = text_find(payload, name);

	if (at == payload.n)
		return false;
	*value = text_from(payload, at + name.n);
	value->n = text_find(*value, next);
	return true;
}

static bool get_number(struct span payload, struct span name, uint64_t *n)
{
	struct span value;

	return get_field(payload, name, SPAN(" "), &value) && text_cut_number(&value, n);
}

static struct away *find_thread(struct perfsched *p, uint64_t tid)
{
	uint32_t i = intern(&p->tids, (struct span){(const char *)&tid, sizeof tid});

	if (i == p->nthreads) {
		p->threads = grow(p->threads, p->nthreads, &p->cap, sizeof *p->threads);
		p->threads[p->nthreads++] = (struct away){0};
	}
	return &p->threads[i];
}

static void add_time(struct perfsched *p, struct away *away, uint64_t ns)
{
	struct amount amount = {.weight = count_of(ns) / 1000, .time_us = count_of(ns) / 1000};

	if (away->is_away && ns)
		sink_count(p->sink, away->handle, &amount);
	away->is_away = false;
}

/* The stack of the switch in hand is complete. */
static void finish(struct perfsched *p)
{
	struct stack stack = stack_init();
	struct away *away;

	if (p->tid == NO_ID)
		return;
	stack.comm = str_span(&p->comm);
	stack.pid = p->pid;
	stack.tid = p->tid;
	stack.frames = p->chain.frames;
	stack.nframes = p->chain.n;
	away = find_thread(p, (uint64_t)p->tid);
	*away = (struct away){sink_stack(p->sink, &stack), p->since_ns, true};
	chain_reset(&p->chain);
	p->tid = NO_ID;
}

/* "prev_comm=a b prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=c next_pid=13 next_prio=120"; thread 0 is the idle one. */
static bool take_switch(struct perfsched *p, const struct perfscript_header *h)
{
	struct span comm;
	uint64_t prev, next;

	if (!get_number(h->rest, SPAN("prev_pid="), &prev) ||
	    !get_number(h->rest, SPAN("next_pid="), &next) ||
	    !get_field(h->rest, SPAN("prev_comm="), SPAN(" prev_pid="), &comm))
		return false;
	if (next && !p->has_stats) {
		struct away *away = find_thread(p, next);

		add_time(p, away, h->time_ns > away->since_ns ? h->time_ns - away->since_ns : 0);
	}
	if (!prev || prev > INT32_MAX)
		return true;
	str_reset(&p->comm);
	str_add(&p->comm, comm.p, comm.n);
	p->tid = (int32_t)prev;
	p->pid = h->tid == p->tid ? h->pid : NO_ID;
	p->since_ns = h->time_ns;
	return true;
}

/* "comm=x pid=12 delay=100078421 [ns]": perf may print it twice, the first one ends the thread's absence. */
static bool take_stat(struct perfsched *p, const struct perfscript_header *h)
{
	uint64_t tid, ns;

	if (!get_number(h->rest, SPAN(" pid="), &tid) || !get_number(h->rest, SPAN("delay="), &ns))
		return false;
	add_time(p, find_thread(p, tid), ns);
	return true;
}

static bool take_header(struct perfsched *p, const struct perfscript_header *h)
{
	finish(p);
	if (span_starts(h->event, SPAN("sched:sched_switch")))
		return take_switch(p, h);
	if (span_starts(h->event, SPAN("sched:sched_stat_")) && !text_has(h->event, SPAN("_runtime")))
		return take_stat(p, h);
	return true;
}

static void take_line(struct perfsched *p, struct input *in, struct span line)
{
	struct perfscript_header h = {0};
	struct frame f;

	if (!span_trim(line).n) {
		finish(p);
	} else if (text_indent(line) && perfscript_frame(line, &f)) {
		if (p->tid != NO_ID)
			chain_push(&p->chain, &f);
	} else if (perfscript_header(line, &p->memo, &h)) {
		if (!take_header(p, &h))
			sink_bad_line(p->sink, in, line);
	} else if (line.p[0] != '#') {
		sink_bad_line(p->sink, in, line);
	}
}

enum { HEAD = 64 * 1024 };

/* Threads that are away when the input ends have no time to count. */
static bool read(struct input *in, struct sink *sink)
{
	struct perfsched *p = xcalloc(1, sizeof *p);
	struct span line;
	uint64_t away = 0;

	p->sink = sink;
	p->tid = NO_ID;
	p->has_stats = text_has(input_peek(in, HEAD), SPAN("sched:sched_stat_"));
	sink_fact(sink, "weight", SPAN("time"));
	while (input_line(in, &line))
		take_line(p, in, line);
	finish(p);
	for (size_t i = 0; i < p->nthreads; i++)
		away += p->threads[i].is_away;
	sink_tally(sink, TALLY_WEIGHT, away);
	chain_release(&p->chain);
	str_release(&p->comm);
	intern_release(&p->tids);
	free(p->threads);
	free(p);
	return true;
}

const struct reader reader_perfsched = {
    "perf-sched", "perf script of sched events, as time off the CPU", probe, read};
