/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling: the events on every CPU, their rings, and what is taken out of them into the recording. */
#ifndef FLAMEPIPE_SAMPLER_H
#define FLAMEPIPE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/event.h"
#include "collect/ring.h"
#include "collect/stream.h"
#include "lib/sample.h"

/* Whom to sample. Neither all nor pids: nobody. */
struct target {
	bool all; /* every process on the CPUs */
	const pid_t *pids; /* processes; children that they start later belong to them */
	size_t npids;
	bool threads_only; /* pids are threads, nothing else belongs to them */
	bool on_exec; /* pids is one process that has not executed its command yet: begin when it does */
	bool *cpus; /* which CPUs (ncpus of them); NULL is all */
};

struct rate {
	uint64_t freq_hz; /* 0: by period */
	uint64_t period;
};

/* What one CPU has. */
struct cpu {
	uint32_t number;
	struct ring samples, sideband;
	bool has_samples, has_sideband; /* a ring is mapped */
	struct packer *packer;
	struct str side; /* records of the present SIDEBAND block */
	uint32_t nside;
	uint64_t side_first_ns, side_last_ns;
	struct str throttle; /* entries of the present THROTTLE block */
	uint32_t nthrottle;
	uint64_t throttle_first_ns;
	uint64_t kept, own, lost, records_bad;
	uint64_t throttled_since_ns, throttled_ns; /* since: 0 while it is not */
	uint64_t wakeups;
};

struct sampler {
	const struct event_list *events;
	uint64_t clock_freq_hz;
	struct stream *out;
	struct cpu *cpus; /* those that are sampled */
	size_t ncpus;
	uint32_t ncpus_possible;
	struct sampler_fd *fds; /* every event that is open */
	size_t nfds, fds_cap;
	struct sampler_id *ids; /* sorted by id */
	size_t nids;
	bool user_only; /* the kernel side was refused and is left out */
	size_t ring_bytes; /* size that the first ring got */
	uint64_t start_ns, end_ns;
	uint64_t *kernel_ips; /* addresses of the kernel that were hit: a set, 0 = free */
	size_t nkernel_ips, kernel_ips_cap;
	pid_t self;
};

/* Opens every event on every CPU, not yet counting. Dies with what to do about it when the kernel refuses. */
void sampler_open(struct sampler *s, const struct event_list *events, struct rate rate,
    const struct target *t, struct stream *out);

/* Writes EVENTS, and synthesized records of the processes that already run. */
void sampler_describe(struct sampler *s, const struct target *t, struct rate rate);

void sampler_start(struct sampler *s);
void sampler_stop(struct sampler *s);

/* Takes everything out of the rings. With all set, writes every block that has begun and a ROUND; otherwise only those that are
   large. False when the recording cannot be written. */
bool sampler_drain(struct sampler *s, bool all);

/* Descriptors to poll for POLLIN: into fds, which has room for 2 * ncpus. Returns how many. */
struct pollfd;
size_t sampler_pollfds(const struct sampler *s, struct pollfd *fds);

/* Reads the kernel's own counts of lost samples into cpus[].lost. */
void sampler_read_lost(struct sampler *s);

/* True while a target process is left (always for all). */
bool sampler_target_lives(const struct target *t);

void sampler_close(struct sampler *s);

/* Opens an event for this process to see whether it is there: a descriptor, or -1 with errno. */
int sampler_probe(struct perf_event_attr *attr);

/* Now, on the clock of the samples, in ns. */
uint64_t sampler_now(void);

#endif
