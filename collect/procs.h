/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that already run: their names and mappings, as the records that the kernel would have written. */
#ifndef FLAMEPIPE_PROCS_H
#define FLAMEPIPE_PROCS_H

#include <stdint.h>
#include <sys/types.h>

#include "collect/buildids.h"
#include "lib/str.h"

/* Appends COMM, FORK and MMAP2 records for a process and its threads, with the sample_id fields TID, TIME, CPU, IDENTIFIER and
   this time. Returns how many; a process that has gone or may not be looked at gives fewer or none. */
uint32_t procs_add(struct str *out, struct buildids *ids, pid_t pid, uint64_t time_ns, uint64_t id);

/* The same for every process there is, except this one. */
uint32_t procs_add_all(struct str *out, struct buildids *ids, uint64_t time_ns, uint64_t id);

/* Threads of a process; NULL and n 0 when it has gone. The caller frees. */
pid_t *procs_threads(pid_t pid, size_t *n);

#endif
