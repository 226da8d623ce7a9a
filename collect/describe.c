/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says beside its samples: events and processes at its start, names and totals at its end. */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "collect/procs.h"
#include "collect/sampler.h"
#include "lib/arena.h"
#include "lib/perfrec.h"

static void write_one(
    struct sampler *s, uint16_t type, uint32_t nrecords, uint64_t time_ns, const struct str *body)
{
	struct block b = {.type = type,
	    .cpu = BLOCK_NO_CPU,
	    .nrecords = nrecords,
	    .first_ns = time_ns,
	    .last_ns = time_ns,
	    .body = str_span(body)};

	stream_block(s->out, &b);
}

static void describe_event(struct sampler *s, struct str *body, uint32_t number, int event)
{
	bool side = event == TAP_SIDEBAND;
	struct perf_event_attr attr = side ? plan_sideband_attr(s->plan) : plan_attr(s->plan, (size_t)event);
	const struct event *e = side ? NULL : &s->plan->events.events[event];
	uint64_t n = 0;

	put_number(body, number);
	put_string(body, span_of(side ? "sideband" : e->name));
	put_number(body, attr.freq ? 0 : attr.sample_period);
	put_number(body, attr.freq ? attr.sample_freq : 0);
	put_string(body, span_of(side					   ? "events"
				 : plan_is_off_cpu(s->plan, (size_t)event) ? "us"
				 : event_is_clock(e)			   ? "ns"
									   : "events"));
	put_string(body, (struct span){(const char *)&attr, sizeof attr});
	for (size_t i = 0; i < s->taps.n; i++)
		n += s->taps.v[i].event == event;
	put_number(body, n);
	for (size_t i = 0; i < s->taps.n; i++)
		if (s->taps.v[i].event == event)
			put_number(body, s->taps.v[i].id);
}

static uint64_t sideband_id(const struct sampler *s)
{
	for (size_t i = 0; i < s->taps.n; i++)
		if (s->taps.v[i].event == TAP_SIDEBAND)
			return s->taps.v[i].id;
	return 0;
}

/* Names and mappings of what already runs, also told to the sieve. */
static void describe_processes(struct sampler *s, uint64_t now)
{
	const struct target *t = &s->plan->target;
	struct str body = {0};
	uint32_t n = 0;
	size_t size;
	struct perfrec rec;

	if (t->all || t->sieve)
		n = procs_add_all(&body, &s->build_ids, now, sideband_id(s));
	for (size_t i = 0; i < t->npids && !t->all && !t->sieve; i++)
		n += procs_add(&body, &s->build_ids, t->pids[i], now, sideband_id(s));
	write_one(s, BLOCK_SIDEBAND, n, now, &body);
	for (struct span rest = str_span(&body); perfrec_parse(rest, false, &rec, &size);
	     rest.p += size, rest.n -= size)
		sampler_learn(s, (struct span){rest.p, size});
	str_release(&body);
}

void sampler_describe(struct sampler *s)
{
	struct str body = {0};
	uint32_t n;
	uint64_t now = sampler_now();

	for (n = 0; n < s->plan->events.n; n++)
		describe_event(s, &body, n, (int)n);
	describe_event(s, &body, n++, TAP_SIDEBAND);
	write_one(s, BLOCK_EVENTS, n, 0, &body);
	str_release(&body);
	s->start_ns = now;
	if (!s->began_ns)
		s->began_ns = now;
	describe_processes(s, now);
}

static void put_figure(struct str *body, const char *key, uint64_t value)
{
	struct str text = {0};

	str_addu(&text, value);
	put_string(body, span_of(key));
	put_string(body, str_span(&text));
	str_release(&text);
}

static void put_counts(struct str *body, const struct cpu *c)
{
	put_number(body, c->number);
	put_number(body, c->n.kept - c->before.kept);
	put_number(body, c->n.lost - c->before.lost);
	put_number(body,
	    c->n.own + c->n.unwanted + c->n.damaged - c->before.own - c->before.unwanted - c->before.damaged);
	put_number(body, c->n.throttled_ns - c->before.throttled_ns);
}

static void write_names(struct sampler *s)
{
	struct str body = {0};
	uint64_t start = sampler_cpu_ns();
	uint32_t n = names_export(&s->names, &body);

	if (n)
		write_one(s, BLOCK_SYMBOLS, n, 0, &body);
	str_release(&body);
	names_reset(&s->names);
	s->names_ns += sampler_cpu_ns() - start;
}

void sampler_conclude(struct sampler *s, bool names)
{
	struct str body = {0};
	uint64_t end_ns = s->enabled ? sampler_now() : s->end_ns; /* 0 where sampling never began */

	if (names && !s->out->error)
		write_names(s);
	for (size_t i = 0; i < s->ncpus; i++)
		put_counts(&body, &s->cpus[i]);
	put_figure(&body, "duration_ns", end_ns > s->start_ns ? end_ns - s->start_ns : 0);
	write_one(s, BLOCK_END, (uint32_t)s->ncpus, 0, &body);
	str_release(&body);
	for (size_t i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];

		c->before = c->n;
		if (names && c->noted)
			memset(c->noted, 0, c->nnoted * sizeof *c->noted);
		packer_close(c->packer);
		c->packer = packer_open(c->number, EPOCH_BYTES);
	}
}

struct counts sampler_totals(const struct sampler *s)
{
	struct counts all = {0};

	for (size_t i = 0; i < s->ncpus; i++) {
		const struct counts *n = &s->cpus[i].n;

		all.kept += n->kept;
		all.lost += n->lost;
		all.own += n->own;
		all.unwanted += n->unwanted;
		all.damaged += n->damaged;
		all.throttled_ns += n->throttled_ns;
	}
	return all;
}
