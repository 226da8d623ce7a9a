/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build-ids of mapped files, each file being looked into once. */
#ifndef FLAMEPIPE_BUILDIDS_H
#define FLAMEPIPE_BUILDIDS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { BUILD_ID_MAX = 20 };

struct buildid {
	uint64_t device, inode;
	uint8_t n; /* 0: it has none */
	unsigned char bytes[BUILD_ID_MAX];
};

/* A zeroed struct is empty. */
struct buildids {
	struct buildid *v;
	size_t n, cap;
	uint32_t *slots; /* number in v + 1, 0 = free */
	size_t nslots;
};

/* The file that a process has mapped by this path. Valid until the next call. */
const struct buildid *buildids_get(
    struct buildids *b, uint64_t device, uint64_t inode, pid_t pid, const char *path);

void buildids_release(struct buildids *b);

#endif
