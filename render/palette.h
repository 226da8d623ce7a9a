/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which colour a frame has: palettes by name, by language, and by difference. */
#ifndef FLAMEPIPE_PALETTE_H
#define FLAMEPIPE_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/str.h"

struct colour {
	uint8_t r, g, b;
};

/* How a name is turned into a place in its palette. */
enum palette_seed {
	SEED_NAME, /* by a hash of the whole name: the same name has the same colour everywhere */
	SEED_PREFIX, /* --hash: names that begin alike look alike */
	SEED_RANDOM, /* --random: another at each run */
};

struct palette;

/* By name, NULL when there is none of that name. */
const struct palette *palette_named(struct span name);
/* The i-th palette's name, NULL after the last. */
const char *palette_name(unsigned i);

/* Colour of a frame; annotations such as _[k] still stand at the end of the name. */
struct colour palette_colour(const struct palette *p, struct span name, enum palette_seed seed);

/* The two ends of the background that suits it. */
void palette_background(const struct palette *p, struct colour *top, struct colour *bottom);

/* By name of a background (yellow, blue, green, grey) or #rrggbb; false when it is neither. */
bool background_named(struct span name, struct colour *top, struct colour *bottom);
bool colour_parse(struct span text, struct colour *c);

/* delta from -max to max: near white at 0, red for growth, blue for the opposite. By the square root, so that one large difference
   does not leave all others white. */
struct colour difference_colour(double delta, double max);

/* Of a difference that may be chance. */
extern const struct colour UNPROVEN;

/* share from 0 to 1: the wider, the redder. */
struct colour diffusion_colour(double share);

#endif
