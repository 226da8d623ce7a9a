/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a file that measure wrote, compared with itself. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fold/scalars.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scalars_how how = {.points = {1, " "},
	    .proof = {.confidence = 0.95, .margin = 0.01},
	    .plot = {.width = 20},
	    .json = size % 2};
	int fd = memfd_create("measured", MFD_CLOEXEC);
	char path[64];

	how.fail_above = NAN;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		scalars_probe(path);
		scalars_measure(&how, path, NULL);
		scalars_measure(&how, path, path);
	}
	close(fd);
	return 0;
}
