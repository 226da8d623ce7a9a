/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples and side-band records of any binary profile, put in order of time: each sample is handed on together with what its
   thread is called and has mapped at that moment. */
#ifndef FLAMEPIPE_TIMELINE_H
#define FLAMEPIPE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/unwinding.h"
#include "lib/perfrec.h"
#include "lib/places.h"
#include "lib/str.h"
#include "lib/symbols.h"
#include "lib/tasks.h"

/* An event that samples are of. */
struct timeline_event {
	struct str name;
	uint64_t nominal_period; /* what one sample stands for at the rate asked for; 0: not known */
	bool is_clock; /* periods are nanoseconds */
};

/* What the readers push. A chain is a number from timeline_chain. */
struct timeline_sample {
	uint64_t time;
	uint64_t period;
	uint32_t pid, tid, cpu;
	uint32_t event;
	uint32_t chain;
	uint32_t has_stack; /* registers and a copy of the user's stack come along */
	size_t extra; /* where these are kept */
};

/* Where samples go. */
struct timeline_handler {
	void *ctx;
	/* In order of time. chain is valid during the call; leaf first, with context entries. */
	void (*sample)(void *ctx, const struct timeline_sample *s, const struct task *task);
	/* What the profile tells of itself, for the header: keys of folded(5). */
	void (*fact)(void *ctx, const char *key, struct span value);
	/* A process of the profiler itself, whose samples are not wanted. */
	void (*own)(void *ctx, uint32_t pid);
};

struct timeline;

/* Takes the symbols over. */
struct timeline *timeline_open(const struct timeline_handler *handler, struct symbols *symbols);
void timeline_close(struct timeline *t);

struct symbols *timeline_symbols(const struct timeline *t);
struct tasks *timeline_tasks(const struct timeline *t);
void timeline_fact(struct timeline *t, const char *key, struct span value);
void timeline_own(struct timeline *t, uint32_t pid);

/* The number of a new event; its name may be set later, through timeline_event. */
uint32_t timeline_add_event(struct timeline *t);
struct timeline_event *timeline_event(const struct timeline *t, uint32_t event);
uint32_t timeline_nevents(const struct timeline *t);

/* The number of a callchain. mode is whose the entries before the first context entry are; exact says that its first entry is
   the sampled instruction itself and not where something returns to. Numbers stay valid until timeline_epoch changes, which it
   does in timeline_flush only. */
uint32_t timeline_chain(
    struct timeline *t, const uint64_t *entries, uint32_t n, enum perfrec_mode mode, bool exact);
uint32_t timeline_epoch(const struct timeline *t);

/* A chain by its number. Valid until the next timeline_chain. */
struct callchain timeline_entries(const struct timeline *t, uint32_t chain);

/* With a stack, the user's part of the chain is what that tells; it is worked out when the sample is handed on. */
void timeline_push(struct timeline *t, const struct timeline_sample *s, const struct user_stack *stack);
/* A record of side-band, which is copied. swap as in lib/wire.h. */
void timeline_push_record(struct timeline *t, uint64_t time, const struct perfrec *rec, bool swap);

#define TIMELINE_END UINT64_MAX

/* Everything that comes from now on is not before until: what is may be handed on, and is at the latest when it is
   TIMELINE_END. What has the same time stays in the order in which it was pushed, side-band first. */
void timeline_flush(struct timeline *t, uint64_t until);
/* How much waits: a reader that gets no word about order flushes when it is too much. */
size_t timeline_waiting(const struct timeline *t);
/* The time before which half of what waits lies. */
uint64_t timeline_middle(const struct timeline *t);

#endif
