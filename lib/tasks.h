/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and processes as side-band records tell of them: their names and what they have mapped, at the present moment. */
#ifndef FLAMEPIPE_TASKS_H
#define FLAMEPIPE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/perfrec.h"
#include "lib/space.h"
#include "lib/str.h"
#include "lib/symbols.h"

struct process {
	uint32_t pid;
	unsigned nthreads;
	struct space *space;
	struct process *next; /* with the same hash */
};

struct task {
	uint32_t pid, tid;
	uint32_t comm; /* see tasks_comm */
	bool named; /* a record told the name; otherwise it is taken over or made up */
	bool dead;
	struct process *process;
	struct task *next;
};

struct tasks;

/* Mappings become objects of symbols, which is borrowed. */
struct tasks *tasks_open(struct symbols *symbols);
void tasks_close(struct tasks *t);

/* Takes note of a MMAP, MMAP2, COMM, FORK, EXIT or KSYMBOL record; records must come in order of time. False when one of these
   is too short; other types are ignored. */
bool tasks_record(struct tasks *t, const struct perfrec *rec, bool swap);

/* The thread, made up when no record told of it. Valid until the next tasks_record. */
const struct task *tasks_find(struct tasks *t, uint32_t pid, uint32_t tid);

struct span tasks_comm(const struct tasks *t, uint32_t comm);

/* The place that an address of a user's program is: in a file, offset in it; else the address. OBJECT_UNKNOWN where nothing
   is mapped. */
uint32_t tasks_place(const struct task *task, uint64_t addr, uint64_t *place);

#endif
