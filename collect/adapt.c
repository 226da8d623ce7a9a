/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done when a ring runs full. */
#include "collect/adapt.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "lib/die.h"

enum { RING_MAX = 64 << 20, SLOWEST = 6, CALM_NS = 1000000000, KIND_PERIOD = 3 };

static const double FULL = 0.75, CALM = 0.25;

/* Tells the kernel the rate of a CPU's events. */
static void set_rate(struct sampler *s, uint32_t cpu, unsigned slower, uint64_t now_ns)
{
	struct cpu *c = &s->cpus[cpu];

	for (size_t i = 0; i < s->taps.n; i++) {
		const struct tap *t = &s->taps.v[i];
		uint64_t value;

		if (t->cpu != cpu || t->event < 0 || plan_is_off_cpu(s->plan, (size_t)t->event))
			continue;
		value = s->nominal[t->event] ? s->nominal[t->event] << slower : s->plan->freq_hz >> slower;
		if (value && ioctl(t->fd, PERF_EVENT_IOC_PERIOD, &value) == 0)
			sampler_note_rate(c, (uint32_t)t->event, KIND_PERIOD, value, now_ns);
	}
	c->slower_before = c->slower;
	c->slower = slower;
	c->slower_from_ns = now_ns;
}

/* Events that follow their process into its children cannot be changed together. */
static bool can_slow_down(const struct sampler *s)
{
	return s->plan->target.all || s->plan->target.sieve;
}

static void relieve(struct sampler *s, uint32_t cpu, uint64_t now_ns)
{
	struct cpu *c = &s->cpus[cpu];
	size_t size = c->rings[c->nrings - 1].size;

	if (size * 2 <= RING_MAX && c->nrings < CPU_MAX_RINGS && sampler_add_ring(s, cpu, size * 2)) {
		warn("CPU %u: the ring was %.0f%% full: enlarged to %zu KiB", c->number, 100 * c->fill,
		    size * 2 >> 10);
	} else if (can_slow_down(s) && c->slower < SLOWEST) {
		set_rate(s, cpu, c->slower + 1, now_ns);
		warn("CPU %u: the ring was %.0f%% full: sampling at 1/%u of the rate", c->number,
		    100 * c->fill, 1u << c->slower);
	}
}

void adapt(struct sampler *s, uint64_t now_ns)
{
	for (uint32_t i = 0; i < s->ncpus; i++) {
		struct cpu *c = &s->cpus[i];

		if (c->fill > CALM || !c->calm_since_ns)
			c->calm_since_ns = now_ns;
		if (c->fill > FULL) {
			relieve(s, i, now_ns);
		} else if (c->slower && now_ns - c->calm_since_ns > CALM_NS) {
			set_rate(s, i, c->slower - 1, now_ns);
			c->calm_since_ns = now_ns;
		}
		c->fill = 0;
	}
}
