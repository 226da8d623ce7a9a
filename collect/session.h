/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens from the first sample to the last: signals, commands, times and limits. */
#ifndef FLAMEPIPE_SESSION_H
#define FLAMEPIPE_SESSION_H

#include "collect/child.h"
#include "collect/options.h"
#include "collect/recorder.h"

struct session {
	const struct options *options;
	struct recorder *recorder;
	struct child *child;
	int signals; /* signalfd */
	int control; /* FIFO, -1 for none */
	int target; /* pidfd of a process of the target, -1 for none */
	size_t ntargets_gone; /* of the target's pids, from the first on */
	struct str commands; /* read from the FIFO, up to a line's end */
	bool over, interrupted;
};

/* Blocks the signals that a session watches; to be called before anything is started. */
void session_open(struct session *s, const struct options *o, struct recorder *r, struct child *child);

/* Until the command, the target or the time ends, a limit is reached, or somebody asks. */
void session_run(struct session *s);

/* Waits for the command to end, whose status is wanted. */
void session_wait(struct session *s);

void session_close(struct session *s);

#endif
