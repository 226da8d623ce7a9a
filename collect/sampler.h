/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling: the events on every CPU, their rings, and what is taken out of them into the recording. */
#ifndef FLAMEPIPE_SAMPLER_H
#define FLAMEPIPE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/blocked.h"
#include "collect/buildids.h"
#include "collect/merge.h"
#include "collect/names.h"
#include "collect/plan.h"
#include "collect/ring.h"
#include "collect/sieve.h"
#include "collect/stream.h"
#include "collect/taken.h"
#include "collect/tap.h"
#include "collect/unwinding.h"
#include "lib/sample.h"

/* Records or entries gathered for a block. */
struct gathered {
	struct str bytes;
	uint32_t n;
	uint64_t first_ns, last_ns;
};

enum { CPU_MAX_RINGS = 8, EPOCH_BYTES = 8 << 20 };

/* What became of the samples that the kernel took. */
struct counts {
	uint64_t kept; /* in the recording */
	uint64_t lost; /* for want of room, as the kernel counts them */
	uint64_t own; /* of the collector itself */
	uint64_t unwanted; /* of threads that were not asked for; off-CPU, of threads that did not block */
	uint64_t damaged; /* not as the kernel should have written them */
	uint64_t throttled_ns;
};

/* What one CPU has. Nothing here is shared with another one. */
struct cpu {
	uint32_t number;
	struct ring
	    rings[CPU_MAX_RINGS]; /* of samples: the kernel fills the last one, the others run empty */
	size_t nrings;
	struct ring sideband;
	struct packer *packer;
	struct gathered side, throttle;
	uint32_t *
	    noted; /* by the number of a chain in the epoch: generation of the mappings that it was noted with, plus 1 */
	size_t nnoted;
	struct counts n, before; /* since the start, and what of it belongs to recordings that have ended */
	uint64_t unpaired; /* off-CPU samples whose thread's return was lost: part of n.lost */
	uint64_t throttled_since_ns; /* 0 while it is not */
	/* See adapt.h. The period is 2 to the power of slower times what was asked for, from slower_from_ns on; before, of slower_before. */
	unsigned slower, slower_before;
	uint64_t slower_from_ns, calm_since_ns;
	double fill; /* share of the ring that was full when it was last emptied */
};

struct sampler {
	struct plan *plan;
	struct stream *out;
	struct cpu *cpus; /* those that are sampled */
	size_t ncpus;
	struct taps taps;
	struct layout *layouts; /* by event */
	uint64_t *nominal; /* period by event, 0 where the samples carry it */
	struct merge merge;
	struct sieve sieve;
	struct blocked blocked;
	struct unwinding unwinding;
	struct names names;
	struct buildids build_ids;
	const struct task *task; /* of the last sample; NULL once side-band has come since */
	uint64_t names_ns; /* CPU time that looking up names took */
	uint64_t *chain; /* room for one that is put together here */
	size_t ring_bytes; /* size that the rings got */
	uint64_t began_ns; /* the first recording, start_ns: the present one */
	uint64_t start_ns, end_ns;
	uint64_t round_ns; /* everything from before stands in the recording */
	uint32_t self; /* the collector's own process */
	bool enabled;
};

/* Sum over the CPUs. */
struct counts sampler_totals(const struct sampler *s);

/* Opens every event on every CPU, not yet sampling. Dies with what to do about it when the kernel refuses. */
void sampler_open(struct sampler *s, struct plan *plan, struct stream *out);

/* Writes EVENTS, and synthesized records of the processes that already run: the start of a recording. */
void sampler_describe(struct sampler *s);

void sampler_enable(struct sampler *s, bool on);

/* Takes what is there out of the rings and writes blocks that are large enough. False when the recording cannot be written. */
bool sampler_drain(struct sampler *s);

/* As above, then writes every block that has begun, and a ROUND. With last set, nothing is left in the rings. */
bool sampler_flush(struct sampler *s, bool last);

/* Ends a recording: writes totals, and with names set what everything hit is called. The next one begins with sampler_describe. */
void sampler_conclude(struct sampler *s, bool names);

/* Tells what a side-band record, header included, says to those who need it while sampling. */
void sampler_learn(struct sampler *s, struct span record);

/* Notes in the recording that sampling was held back or changed, as THROTTLE in recording(5). */
void sampler_note_rate(struct cpu *c, uint32_t event, unsigned kind, uint64_t value, uint64_t time_ns);

/* Gives a CPU a ring of this size that the kernel fills from now on; the one before runs empty. False when it is refused. */
bool sampler_add_ring(struct sampler *s, uint32_t cpu, size_t bytes);

/* Descriptors to poll for POLLIN, at most ncpus * 2, into fds. Returns how many. */
struct pollfd;
size_t sampler_pollfds(const struct sampler *s, struct pollfd *fds);

void sampler_close(struct sampler *s);

/* Now, on the clock of the samples; and the CPU time of this process. */
uint64_t sampler_now(void);
uint64_t sampler_cpu_ns(void);

#endif
