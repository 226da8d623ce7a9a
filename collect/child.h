/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that is sampled: forked early, held until everything is ready, then let go. */
#ifndef FLAMEPIPE_CHILD_H
#define FLAMEPIPE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid; /* 0: there is none */
	int go; /* a byte written here lets it run */
	int failed; /* its errno can be read here when the command cannot be executed */
	int status; /* as a shell gives it, once it has ended: 128 + signal, 126 or 127 when it cannot be executed */
	bool ended;
};

/* Forks; the child waits. Its standard output is the standard error of this process when output_to_stderr, so that it does
   not mix with a recording. Dies when it cannot fork. */
void child_start(struct child *c, char **argv, bool output_to_stderr);

/* Lets it execute the command. False, with errno, when that fails; c->status is set then. */
bool child_release(struct child *c);

/* Takes note of its end. False while it still runs. */
bool child_reap(struct child *c);

#endif
