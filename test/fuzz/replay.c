/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replays saved inputs through a fuzz target: fuzz_FORMAT FILE... Linked in place of a fuzzing engine. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, got;

	if (!f) {
		perror(path);
		exit(1);
	}
	do {
		data = realloc(data, n + 65536);
		if (!data)
			exit(1);
		got = fread(data + n, 1, 65536, f);
		n += got;
	} while (got);
	fclose(f);
	/* The target sees exactly n bytes, so that a read past them is found. */
	data = realloc(data, n ? n : 1);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	return 0;
}
