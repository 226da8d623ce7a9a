/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's record ABI, perf_event_open(2), as bytes that nobody has checked: attributes of any size and samples of any
   layout, in either byte order. Numbers are the kernel's own, repeated here so that an older machine's headers do. */
#ifndef FLAMEPIPE_PERFREC_H
#define FLAMEPIPE_PERFREC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

enum perfrec_type {
	PERFREC_MMAP = 1,
	PERFREC_LOST,
	PERFREC_COMM,
	PERFREC_EXIT,
	PERFREC_THROTTLE,
	PERFREC_UNTHROTTLE,
	PERFREC_FORK,
	PERFREC_READ,
	PERFREC_SAMPLE,
	PERFREC_MMAP2,
	PERFREC_AUX,
	PERFREC_ITRACE_START,
	PERFREC_LOST_SAMPLES,
	PERFREC_SWITCH,
	PERFREC_SWITCH_CPU_WIDE,
	PERFREC_NAMESPACES,
	PERFREC_KSYMBOL,
	PERFREC_BPF_EVENT,
	PERFREC_CGROUP,
	PERFREC_TEXT_POKE,
	PERFREC_AUX_OUTPUT_HW_ID,
	PERFREC_CALLCHAIN_DEFERRED,
	PERFREC_USER_FIRST = 64, /* from here on they are made by programs, not by the kernel */
};

enum perfrec_mode {
	MODE_UNKNOWN,
	MODE_KERNEL,
	MODE_USER,
	MODE_HYPERVISOR,
	MODE_GUEST_KERNEL,
	MODE_GUEST_USER
};

enum {
	PERFREC_HEADER_SIZE = 8,
	MISC_MODE_MASK = 7,
	MISC_MMAP_DATA = 1 << 13, /* of MMAP and MMAP2: not executable */
	MISC_COMM_EXEC = 1 << 13, /* of COMM: the process has just become another program */
	MISC_FORK_EXEC = 1 << 13, /* of FORK: synthesized, the child's own mappings follow */
	MISC_MMAP_BUILD_ID = 1 << 14,
};

/* Bits of sample_type. */
#define SAMPLE_IP (1u << 0)
#define SAMPLE_TID (1u << 1)
#define SAMPLE_TIME (1u << 2)
#define SAMPLE_ADDR (1u << 3)
#define SAMPLE_READ (1u << 4)
#define SAMPLE_CALLCHAIN (1u << 5)
#define SAMPLE_ID (1u << 6)
#define SAMPLE_CPU (1u << 7)
#define SAMPLE_PERIOD (1u << 8)
#define SAMPLE_STREAM_ID (1u << 9)
#define SAMPLE_RAW (1u << 10)
#define SAMPLE_BRANCH_STACK (1u << 11)
#define SAMPLE_REGS_USER (1u << 12)
#define SAMPLE_STACK_USER (1u << 13)
#define SAMPLE_WEIGHT (1u << 14)
#define SAMPLE_DATA_SRC (1u << 15)
#define SAMPLE_IDENTIFIER (1u << 16)
#define SAMPLE_TRANSACTION (1u << 17)
#define SAMPLE_REGS_INTR (1u << 18)
#define SAMPLE_PHYS_ADDR (1u << 19)
#define SAMPLE_AUX (1u << 20)
#define SAMPLE_CGROUP (1u << 21)
#define SAMPLE_DATA_PAGE_SIZE (1u << 22)
#define SAMPLE_CODE_PAGE_SIZE (1u << 23)
#define SAMPLE_WEIGHT_STRUCT (1u << 24)

/* Entries of a callchain from CONTEXT_FIRST up are no addresses: they say whose the entries after them are. */
#define CONTEXT_FIRST ((uint64_t)-4095)
#define CONTEXT_HYPERVISOR ((uint64_t)-32)
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* the next entry is a cookie */
#define CONTEXT_GUEST ((uint64_t)-2048)
#define CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define CONTEXT_GUEST_USER ((uint64_t)-2560)

/* What a reader needs of a perf_event_attr. Fields that an older, shorter one lacks are 0. */
struct perfrec_attr {
	uint32_t type, size;
	uint64_t config;
	uint64_t period; /* 0 when sampled by frequency */
	uint64_t freq_hz; /* 0 when sampled by period */
	uint64_t sample_type, read_format, branch_type, regs_user, regs_intr;
	uint32_t stack_user;
	bool freq, sample_id_all, inherit, exclude_kernel, exclude_user, exclude_hv, precise, build_id;
};

/* False when there are fewer than 64 bytes: no kernel ever had so small an attr. swap as in lib/wire.h. */
bool perfrec_attr_parse(struct span bytes, bool swap, struct perfrec_attr *attr);

/* Name of an event as perf writes it where nothing better is known: "cycles", "cpu-clock", "raw 0x1234". */
void perfrec_event_name(const struct perfrec_attr *attr, struct str *out);

struct perfrec {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* of header and body */
	struct span body;
};

/* The record at the start of bytes. False when its header or its body is not whole, or its size is less than the header's
   (*size is 0 then, and what it said otherwise). */
bool perfrec_parse(struct span bytes, bool swap, struct perfrec *rec, size_t *size);

/* Takes back MISC_MMAP_BUILD_ID from a record of an event that did not ask for it: while another profiler that did is at work,
   Linux (6.18 at least) sets it for everybody, over a device and an inode. */
void perfrec_mistrust(struct perfrec *rec, const struct perfrec_attr *attr);

/* The fields that follow every record but a sample when the attr has sample_id_all. */
struct perfrec_id {
	bool has_time;
	uint32_t pid, tid, cpu;
	uint64_t time, id;
};

void perfrec_id_parse(
    const struct perfrec *rec, const struct perfrec_attr *attr, bool swap, struct perfrec_id *id);

/* Spans are borrowed from the record. Values are 0 where the layout has none. */
struct perfrec_sample {
	uint64_t ip, time, addr, id, stream_id, period, weight, data_src, cgroup;
	uint32_t pid, tid, cpu;
	struct span chain; /* nchain times u64, not swapped; see perfrec_u64s */
	uint32_t nchain;
	struct span raw;
	struct span branches; /* of from, to, flags: 24 bytes each */
	struct span regs; /* of the user's side: u64 each, as many as bits in attr->regs_user */
	uint64_t regs_abi; /* 0 none, 1 32-bit, 2 64-bit */
	struct span stack; /* the user's stack from the stack pointer upwards, what was really copied */
};

/* False when the fields that the attr calls for do not fit into the record. */
bool perfrec_sample_parse(
    const struct perfrec *rec, const struct perfrec_attr *attr, bool swap, struct perfrec_sample *sample);

/* The id of a sample when several events share a stream; attr is any of theirs (they agree on where it is). */
bool perfrec_sample_id(const struct perfrec *rec, const struct perfrec_attr *attr, bool swap, uint64_t *id);

/* Copies n u64 out of bytes (which must have them), swapped as needed. */
void perfrec_u64s(struct span bytes, bool swap, uint64_t *to, size_t n);

struct perfrec_mmap {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff, inode;
	uint32_t prot; /* 0 where the record does not say */
	struct span path, build_id;
	bool data; /* known not to be executable */
};

struct perfrec_task { /* FORK and EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct perfrec_comm {
	uint32_t pid, tid;
	struct span comm;
	bool exec;
};

struct perfrec_ksymbol {
	uint64_t addr;
	uint32_t len;
	bool unregister;
	struct span name;
};

/* False when the record is too short for its type. Spans are borrowed from the record. */
bool perfrec_mmap_parse(const struct perfrec *rec, bool swap, struct perfrec_mmap *m);
bool perfrec_task_parse(const struct perfrec *rec, bool swap, struct perfrec_task *t);
bool perfrec_comm_parse(const struct perfrec *rec, bool swap, struct perfrec_comm *c);
bool perfrec_ksymbol_parse(const struct perfrec *rec, bool swap, struct perfrec_ksymbol *k);
/* Of LOST and LOST_SAMPLES; 0 for a record that is too short. */
uint64_t perfrec_lost(const struct perfrec *rec, bool swap);

#endif
