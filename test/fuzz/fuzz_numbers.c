/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as columns of numbers: read, plotted against their first half, compared. */
#include <math.h>
#include <stdint.h>

#include "fold/points.h"
#include "fold/scalar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_points(struct points *p, struct span bytes, unsigned column)
{
	struct points_how how = {column, " \t,"};
	struct input in;

	input_bytes(&in, "numbers", bytes);
	points_read(p, &how, &in);
	points_finish(p);
	input_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct points sides[2] = {{0}};
	struct scalar s = {.labels = {"a", "b"}, .sides = {&sides[0], &sides[1]}};
	struct plot plot = {.width = 1 + size % 80, .separate = size % 2, .faithful = size % 3};
	struct proof proof = {.confidence = 0.95, .margin = 0.01};
	struct str out = {0};

	points_probe((struct span){(const char *)data, size});
	read_points(&sides[0], (struct span){(const char *)data, size / 2}, 1);
	read_points(&sides[1], (struct span){(const char *)data, size}, 1 + size % 2);
	if (sides[0].n > 1 && sides[1].n > 1 && sides[0].n + sides[1].n < 200) {
		struct effect e = scalar_test(&s, &proof);

		if (e.d.p > 1 || e.d.p < 0)
			__builtin_trap();
		scalar_print(&s, &e, &proof, &plot, &out);
		scalar_print_json(&s, &e, &proof, &out);
	}
	str_release(&out);
	points_release(&sides[0]);
	points_release(&sides[1]);
	return 0;
}
