/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts mean in relation to each other; the ratios that perf stat prints. */
#include "collect/metric.h"

#include <math.h>
#include <stdio.h>

/* An event over another one of the same type. */
struct ratio {
	uint32_t type;
	uint64_t config, of;
	const char *unit;
	int decimals;
	bool percent;
};

#define CACHE(id, op, result)                                                                                \
	(PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 |                                       \
	    PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define MISSES(id, name)                                                                                     \
	{                                                                                                    \
		PERF_TYPE_HW_CACHE, CACHE(id, READ, MISS), CACHE(id, READ, ACCESS),                          \
		    "of all " name " accesses", 2, true                                                      \
	}

static const struct ratio ratios[] = {
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, "insn per cycle", 2, false},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "of all branches", 2,
	true},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_REFERENCES, "of all cache refs", 3,
	true},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_CPU_CYCLES,
	"frontend cycles idle", 2, true},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES,
	"backend cycles idle", 2, true},
    MISSES(L1D, "L1-dcache"),
    MISSES(L1I, "L1-icache"),
    MISSES(LL, "LL-cache"),
    MISSES(DTLB, "dTLB"),
    MISSES(ITLB, "iTLB"),
};

/* Value of the event of this kind that is counted in the same modes as e; NAN when there is none. */
static double value_of(const struct event_list *events, const double *values, const struct event *e,
    uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct perf_event_attr *a = &events->events[i].attr;

		if (a->type == type && a->config == config && a->exclude_user == e->attr.exclude_user &&
		    a->exclude_kernel == e->attr.exclude_kernel)
			return values[i];
	}
	return NAN;
}

static double clock_ns(const struct event_list *events, const double *values)
{
	for (size_t i = 0; i < events->n; i++)
		if (event_is_clock(&events->events[i]) && values[i] > 0)
			return values[i];
	return NAN;
}

static bool set(struct metric *m, double value, int decimals, bool percent, const char *unit)
{
	if (!isfinite(value))
		return false;
	m->value = value;
	m->decimals = decimals;
	m->percent = percent;
	snprintf(m->unit, sizeof m->unit, "%s", unit);
	return true;
}

/* Per second of the CPU clock. */
static bool set_rate(struct metric *m, double per_second)
{
	static const char *const units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
	int i = 0;

	while (i < 3 && per_second >= 1000) {
		per_second /= 1000;
		i++;
	}
	return set(m, per_second, 3, false, units[i]);
}

bool metric_of(
    const struct event_list *events, const double *values, size_t i, double elapsed_s, struct metric *m)
{
	const struct event *e = &events->events[i];
	double clock = clock_ns(events, values);

	if (isnan(values[i]))
		return false;
	if (event_is_clock(e))
		return set(m, values[i] / (elapsed_s * 1e9), 3, false, "CPUs utilized");
	for (size_t j = 0; j < sizeof ratios / sizeof *ratios; j++) {
		const struct ratio *r = &ratios[j];
		double of;

		if (e->attr.type != r->type || e->attr.config != r->config)
			continue;
		of = value_of(events, values, e, r->type, r->of);
		if (of > 0)
			return set(
			    m, (r->percent ? 100 : 1) * values[i] / of, r->decimals, r->percent, r->unit);
	}
	if (e->attr.type == PERF_TYPE_HARDWARE && e->attr.config == PERF_COUNT_HW_CPU_CYCLES)
		return set(m, values[i] / clock, 3, false, "GHz");
	return set_rate(m, values[i] / clock * 1e9);
}
