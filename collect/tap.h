/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taps: perf events that are open, each of one kind on one CPU, and what to say when the kernel refuses one. */
#ifndef FLAMEPIPE_TAP_H
#define FLAMEPIPE_TAP_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/target.h"

/* What is tapped: a number from 0 up is an event of the plan. */
enum { TAP_SIDEBAND = -1, TAP_SWITCHES = -2, TAP_RING = -3 };

struct tap {
	int fd;
	int event;
	uint32_t cpu; /* index of the CPU */
	uint64_t id; /* by which the kernel names it */
};

struct taps {
	struct tap *v;
	size_t n, cap;
	struct tap **by_id; /* of those that sample; sorted */
	size_t nby_id;
};

/* Where an event is tapped. */
struct tap_place {
	pid_t pid; /* -1: every process; of a cgroup, the descriptor of its folder */
	bool in_cgroup;
	unsigned cpu;
	uint32_t index; /* of the CPU */
	int leader; /* descriptor of the event that it is counted together with, -1 for none */
};

/* Opens attr, without the bits that an older kernel does not know, and with as many descriptors as the hard limit allows. The new tap,
   valid until the next call, or NULL with errno. */
struct tap *taps_open(struct taps *t, struct perf_event_attr *attr, const struct tap_place *place, int event);

/* Makes taps_event work for all that are open. */
void taps_number(struct taps *t);

/* The event of an id, 0 for an unknown one. */
uint32_t taps_event(const struct taps *t, uint64_t id);

/* Samples that the kernel lost for want of room, by its own count. */
uint64_t tap_lost(const struct tap *t);

void taps_close(struct taps *t);

/* Says why an event was refused (errno) and what to do about it, and ends. */
_Noreturn void tap_refuse(const char *event, const struct target *t);

/* Opens an event for this process to see whether it is there. */
bool tap_probe(uint32_t type, uint64_t config);

/* Descriptors that may be open at once, raised as far as it goes. */
size_t tap_limit(void);

/* The number in a file of /proc/sys, or fallback. */
long tap_sysctl(const char *name, long fallback);

#endif
