/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of a command, or one stretch of time of a target, with its counts. */
#ifndef FLAMEPIPE_TRIAL_H
#define FLAMEPIPE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/counters.h"

struct trial_how {
	const struct event_list *events;
	const struct target *target;
	char **argv; /* the command; NULL: until the target ends or a signal comes */
	bool output_to_stderr; /* the command's standard output */
	uint64_t duration_ns; /* end it after this time; 0: no limit */
	uint64_t interval_ns; /* call tick that often; 0: never */
	void (*tick)(void *ctx, const struct count *counts, double at_s); /* counts since the start */
	void *ctx;
	int signals; /* of trial_signals */
};

struct trial {
	struct count *counts; /* of each event */
	double elapsed_s, user_s, sys_s; /* the latter of the command and what it waited for */
	int status; /* of the command, as a shell gives it; 0 without one */
	int signal; /* that asked this program to end; 0: none */
	bool not_run; /* the command could not be executed */
	bool user_only; /* the kernel's side was not counted */
};

/* SIGINT, SIGTERM, SIGHUP and SIGCHLD as a descriptor: the first three are handed on to the command, whose end is waited for. */
int trial_signals(void);

/* Fills in *t, whose counts the caller frees. */
void trial_run(const struct trial_how *how, struct trial *t);

#endif
