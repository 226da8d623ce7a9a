/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of collect that need no kernel: events by name, lists of processes and CPUs, samples taken apart, sieves, blocked threads. */
#include "test/unit/check.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "collect/blocked.h"
#include "collect/event.h"
#include "collect/plan.h"
#include "collect/sieve.h"
#include "collect/taken.h"
#include "collect/target.h"

static bool refused(const char *text)
{
	struct event_list list = {0};
	struct str why = {0};
	bool good = event_list_add(&list, text, &why);
	bool told = why.n > 0;

	event_list_release(&list);
	str_release(&why);
	return !good && told;
}

static void events(void)
{
	struct event_list list = {0};
	struct str why = {0};

	CHECK(event_list_add(&list, "{cycles:u,page-faults},r1c2,L1-dcache-load-misses", &why));
	CHECK(list.n == 4);
	CHECK(list.events[0].attr.exclude_kernel && !list.events[0].attr.exclude_user);
	CHECK(list.events[0].group == 0 && list.events[1].group == 0 && list.events[2].group == -1);
	CHECK(list.events[2].attr.type == PERF_TYPE_RAW && list.events[2].attr.config == 0x1c2);
	CHECK(list.events[3].attr.type == PERF_TYPE_HW_CACHE && list.events[3].attr.config == (1 << 16));
	CHECK(!event_is_clock(&list.events[0]));
	CHECK(refused("no-such-event"));
	CHECK(refused("cycles:y"));
	CHECK(refused("nopmu/event=1/"));
	CHECK(refused(","));
	event_list_release(&list);
	str_release(&why);
}

/* The attributes are the same whichever of -e, -F and -c came first: they are made from the whole plan. */
static void plans(void)
{
	struct plan p = {.freq_hz = 999, .target = {.all = true, .cgroup = -1}};
	struct str why = {0};

	CHECK(event_list_add(&p.events, "cpu-clock", &why));
	CHECK(plan_attr(&p, 0).freq && plan_attr(&p, 0).sample_freq == 999);
	plan_add_off_cpu(&p);
	CHECK(!plan_is_off_cpu(&p, 0) && plan_is_off_cpu(&p, 1));
	CHECK(plan_attr(&p, 1).sample_period == 1 && !plan_attr(&p, 1).freq);
	CHECK(plan_layout(&p, 0).identifier && plan_layout(&p, 0).chain && !plan_layout(&p, 0).user);
	p.callgraph = CALLGRAPH_DWARF;
	CHECK(plan_unwinds(&p) && plan_layout(&p, 0).user);
	p.unwind_later = true;
	CHECK(!plan_unwinds(&p));
	event_list_release(&p.events);
}

static void targets(void)
{
	struct target t = {.cgroup = -1};

	CHECK(target_add_pids(&t, "12,34") && t.npids == 2 && t.pids[1] == 34);
	CHECK(!target_add_pids(&t, "12,x"));
	CHECK(!target_add_pids(&t, ""));
	CHECK(target_add_cpus(&t, "0,2-3") && t.cpus[0] && !t.cpus[1] && t.cpus[3] && !t.cpus[4]);
	CHECK(!target_add_cpus(&t, "3-2"));
	CHECK(!target_add_cpus(&t, "70000"));
	CHECK(!target_add_cpus(&t, ""));
	target_release(&t);
}

/* A sample of two entries, with registers and a stack of 16 bytes of which 8 are good; whole, and cut at each byte. */
static void samples(void)
{
	struct layout layout = {.identifier = true, .period = true, .chain = true, .user = true, .nregs = 2};
	uint64_t record[] = {0, 7, 0x1234, (uint64_t)12 << 32 | 11, 1000, 5, 2, (uint64_t)PERF_CONTEXT_USER,
	    0x1234, 2, 101, 102, 16, 201, 202, 8};
	struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof record};
	struct taken t;
	bool any = false;

	memcpy(record, &header, sizeof header);
	CHECK(taken_parse(&t, (struct span){(char *)record, sizeof record}, &layout));
	CHECK(t.ip == 0x1234 && t.pid == 11 && t.tid == 12 && t.time_ns == 1000 && t.period == 5);
	CHECK(t.nchain == 2 && t.chain[1] == 0x1234);
	CHECK(t.regs.n == 24 && t.stack.n == 8);
	for (size_t n = sizeof header; n < sizeof record; n++) {
		char *copy = malloc(n);

		memcpy(copy, record, n);
		any = any || taken_parse(&t, (struct span){copy, n}, &layout);
		free(copy);
	}
	CHECK(!any);
	record[6] = UINT64_MAX / 8;
	CHECK(!taken_parse(&t, (struct span){(char *)record, sizeof record}, &layout));
}

static void put_fork(struct sieve *s, uint32_t pid, uint32_t ppid, uint16_t type)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} record = {{type, 0, sizeof record}, pid, ppid, pid, ppid, 0};

	sieve_record(s, (struct span){(char *)&record, sizeof record});
}

static void sieves(void)
{
	pid_t pid = 100;
	struct target t = {.pids = &pid, .npids = 1, .sieve = true, .cgroup = -1};
	struct sieve s;

	sieve_init(&s, &t);
	CHECK(sieve_passes(&s, 100, 100) && sieve_passes(&s, 100, 105) && !sieve_passes(&s, 200, 200));
	put_fork(&s, 200, 100, PERF_RECORD_FORK);
	put_fork(&s, 300, 1, PERF_RECORD_FORK);
	CHECK(sieve_passes(&s, 200, 200) && !sieve_passes(&s, 300, 300));
	put_fork(&s, 200, 100, PERF_RECORD_EXIT);
	CHECK(!sieve_passes(&s, 200, 200));
	CHECK(!sieve_passes(&s, UINT32_MAX, UINT32_MAX));
	sieve_release(&s);
}

static void blocked(void)
{
	static struct blocked b;
	struct blocked_thread *t = blocked_get(&b, 7);

	t->sampled = true;
	CHECK(blocked_get(&b, 7 + BLOCKED_SLOTS) != t);
	CHECK(blocked_find(&b, 7) == t && blocked_find(&b, 8) == NULL);
	blocked_drop(&b, 7);
	CHECK(blocked_find(&b, 7) == NULL && blocked_find(&b, 7 + BLOCKED_SLOTS) != NULL);
	CHECK(!blocked_get(&b, 9)->sampled); /* the same memory, as new */
	blocked_release(&b);
}

int main(void)
{
	events();
	plans();
	targets();
	samples();
	sieves();
	blocked();
	return check_done();
}
