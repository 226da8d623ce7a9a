/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which colour a frame has. */
#include "render/palette.h"

#include <math.h>
#include <stdlib.h>

#include "lib/hash.h"

/* A plain palette: base + range * v in each channel, and which of the three numbers each channel uses. */
struct plain {
	uint8_t base[3], range[3], use[3];
};

enum plain_name { HOT, MEM, IO, RED, GREEN, BLUE, YELLOW, PURPLE, AQUA, ORANGE, NPLAIN };

static const struct plain PLAIN[NPLAIN] = {
    [HOT] = {{205, 0, 0}, {50, 230, 55}, {2, 0, 1}},
    [MEM] = {{0, 190, 0}, {0, 50, 210}, {0, 1, 0}},
    [IO] = {{80, 80, 190}, {60, 60, 55}, {0, 0, 1}},
    [RED] = {{200, 50, 50}, {55, 80, 80}, {0, 0, 0}},
    [GREEN] = {{50, 200, 50}, {60, 55, 60}, {0, 0, 0}},
    [BLUE] = {{80, 80, 205}, {60, 60, 50}, {0, 0, 0}},
    [YELLOW] = {{175, 175, 50}, {55, 55, 20}, {0, 0, 0}},
    [PURPLE] = {{190, 80, 190}, {65, 60, 65}, {0, 0, 0}},
    [AQUA] = {{50, 165, 165}, {60, 55, 55}, {0, 0, 0}},
    [ORANGE] = {{190, 90, 0}, {65, 65, 0}, {0, 0, 0}},
};

typedef enum plain_name choose_fn(struct span name);

struct palette {
	const char *name;
	const char *background;
	enum plain_name plain;
	choose_fn *choose; /* of a language: which plain palette a name gets */
};

static bool contains(struct span s, const char *needle)
{
	return s.n && memmem(s.p, s.n, needle, strlen(needle));
}

static bool starts_with_package(struct span s)
{
	static const char *const packages[] = {
	    "java/", "javax/", "jdk/", "net/", "org/", "com/", "io/", "sun/"};

	if (s.n && s.p[0] == 'L')
		s.p++, s.n--;
	for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
		if (span_starts(s, span_of(packages[i])))
			return true;
	return false;
}

static bool looks_java(struct span s)
{
	if (s.n && s.p[0] == 'L')
		s.p++, s.n--;
	if (!s.n || s.p[0] == '[')
		return false;
	return memchr(s.p, '/', s.n) || memchr(s.p, '.', s.n) || (s.p[0] >= 'A' && s.p[0] <= 'Z');
}

static enum plain_name choose_java(struct span s)
{
	if (span_ends(s, SPAN("_[j]")))
		return GREEN;
	if (span_ends(s, SPAN("_[i]")))
		return AQUA;
	if (span_ends(s, SPAN("_[k]")))
		return ORANGE;
	if (starts_with_package(s) || contains(s, ":::"))
		return GREEN;
	if (contains(s, "::") || span_starts(s, SPAN("-[")) || span_starts(s, SPAN("+[")))
		return YELLOW;
	return looks_java(s) ? GREEN : RED;
}

/* /PATH...js */
static bool is_script(struct span s)
{
	const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;

	return slash && memmem(slash, (size_t)(s.p + s.n - slash), ".js", 3);
}

static enum plain_name choose_js(struct span s)
{
	if (span_ends(s, SPAN("_[j]")))
		return contains(s, "node_modules/") ? PURPLE : contains(s, "/") ? GREEN : AQUA;
	if (span_ends(s, SPAN("_[k]")))
		return ORANGE;
	if (contains(s, "::"))
		return YELLOW;
	if (is_script(s))
		return GREEN;
	if (contains(s, ":"))
		return AQUA;
	return span_eq(s, SPAN(" ")) ? GREEN : RED;
}

static enum plain_name choose_perl(struct span s)
{
	if (contains(s, "::"))
		return YELLOW;
	if (contains(s, "Perl") || contains(s, ".pl"))
		return GREEN;
	return span_ends(s, SPAN("_[k]")) ? ORANGE : RED;
}

static enum plain_name choose_python(struct span s)
{
	if (contains(s, "site-packages"))
		return AQUA;
	if (contains(s, "/python") || contains(s, "<built-in") || contains(s, "<method") ||
	    contains(s, "<frozen"))
		return YELLOW;
	return RED;
}

static enum plain_name choose_rust(struct span s)
{
	static const char *const own[] = {"core::", "std::", "alloc::", "<core::", "<std::", "<alloc::"};

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (span_starts(s, span_of(own[i])) && !contains(s, "GenFuture"))
			return ORANGE;
	return contains(s, "::") ? AQUA : YELLOW;
}

static enum plain_name choose_chain(struct span s)
{
	return span_ends(s, SPAN("_[w]")) ? AQUA : BLUE;
}

static const struct palette PALETTES[] = {
    {"hot", "yellow", HOT, NULL},
    {"mem", "green", MEM, NULL},
    {"io", "blue", IO, NULL},
    {"red", "grey", RED, NULL},
    {"green", "grey", GREEN, NULL},
    {"blue", "grey", BLUE, NULL},
    {"yellow", "grey", YELLOW, NULL},
    {"purple", "grey", PURPLE, NULL},
    {"aqua", "grey", AQUA, NULL},
    {"orange", "grey", ORANGE, NULL},
    {"java", "yellow", HOT, choose_java},
    {"js", "yellow", HOT, choose_js},
    {"perl", "yellow", HOT, choose_perl},
    {"python", "yellow", HOT, choose_python},
    {"rust", "yellow", HOT, choose_rust},
    {"wakeup", "blue", AQUA, NULL},
    {"chain", "blue", BLUE, choose_chain},
};

enum { NPALETTES = sizeof PALETTES / sizeof *PALETTES };

const char *palette_name(unsigned i)
{
	return i < NPALETTES ? PALETTES[i].name : NULL;
}

const struct palette *palette_named(struct span name)
{
	for (size_t i = 0; i < NPALETTES; i++)
		if (span_eq(name, span_of(PALETTES[i].name)))
			return &PALETTES[i];
	return NULL;
}

/* Weighs the first three characters, after a MODULE` prefix; 0 to 1. Backwards: from the end. */
static double prefix_seed(struct span s, bool backwards)
{
	double vector = 0, weight = 1, max = 1;
	const char *tick = !backwards && s.n > 1 ? memchr(s.p + 1, '`', s.n - 1) : NULL;

	if (tick)
		s = (struct span){tick + 1, (size_t)(s.p + s.n - tick - 1)};
	for (unsigned i = 0; i < 3 && i < s.n; i++) {
		unsigned mod = 10 + i;
		unsigned c = (unsigned char)s.p[backwards ? s.n - 1 - i : i];

		vector += (double)(c % mod) / (mod - 1) * weight;
		max += weight;
		weight *= 0.7;
	}
	return 1 - vector / max;
}

static void seeds(struct span name, enum palette_seed seed, double v[3])
{
	uint64_t h;

	switch (seed) {
	case SEED_NAME:
		h = hash64(name.p, name.n);
		for (int i = 0; i < 3; i++)
			v[i] = (double)(h >> (21 * i) & 0x1fffff) / 0x200000;
		break;
	case SEED_PREFIX:
		v[0] = prefix_seed(name, false);
		v[1] = v[2] = prefix_seed(name, true);
		break;
	case SEED_RANDOM:
		for (int i = 0; i < 3; i++)
			v[i] = drand48();
		break;
	}
}

/* The name without a final _[k], _[j], _[i] or _[w]. */
static struct span bare(struct span name)
{
	if (name.n > 4 && name.p[name.n - 4] == '_' && name.p[name.n - 3] == '[' &&
	    name.p[name.n - 1] == ']' && strchr("kjiw", name.p[name.n - 2]))
		name.n -= 4;
	return name;
}

struct colour palette_colour(const struct palette *p, struct span name, enum palette_seed seed)
{
	const struct plain *plain = &PLAIN[p->choose ? p->choose(name) : p->plain];
	uint8_t rgb[3];
	double v[3];

	if (span_eq(name, SPAN("--")))
		return (struct colour){160, 160, 160};
	if (span_eq(name, SPAN("-")))
		return (struct colour){200, 200, 200};
	seeds(bare(name), seed, v);
	for (int i = 0; i < 3; i++)
		rgb[i] = (uint8_t)(plain->base[i] + (int)(plain->range[i] * v[plain->use[i]]));
	return (struct colour){rgb[0], rgb[1], rgb[2]};
}

bool colour_parse(struct span text, struct colour *c)
{
	uint64_t v;

	if (text.n != 7 || text.p[0] != '#' || !span_u64((struct span){text.p + 1, 6}, 16, &v))
		return false;
	*c = (struct colour){(uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};
	return true;
}

bool background_named(struct span name, struct colour *top, struct colour *bottom)
{
	static const struct {
		const char *name;
		struct colour top, bottom;
	} known[] = {
	    {"yellow", {0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}},
	    {"blue", {0xee, 0xee, 0xee}, {0xe0, 0xe0, 0xff}},
	    {"green", {0xee, 0xf2, 0xee}, {0xe0, 0xff, 0xe0}},
	    {"grey", {0xf8, 0xf8, 0xf8}, {0xe8, 0xe8, 0xe8}},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (!span_eq(name, span_of(known[i].name)))
			continue;
		*top = known[i].top;
		*bottom = known[i].bottom;
		return true;
	}
	if (!colour_parse(name, top))
		return false;
	*bottom = *top;
	return true;
}

void palette_background(const struct palette *p, struct colour *top, struct colour *bottom)
{
	background_named(span_of(p->background), top, bottom);
}

const struct colour UNPROVEN = {200, 200, 200};

struct colour difference_colour(double delta, double max)
{
	double share = max > 0 ? sqrt((delta < 0 ? -delta : delta) / max) : 0;
	/* Never so dark that black on it could not be read. */
	uint8_t other = (uint8_t)(210 - 130 * (share < 1 ? share : 1));

	if (delta > 0)
		return (struct colour){255, other, other};
	if (delta < 0)
		return (struct colour){other, other, 255};
	return (struct colour){250, 250, 250};
}

struct colour diffusion_colour(double share)
{
	uint8_t other = (uint8_t)(100 + 150 * (1 - sqrt(share < 1 ? share : 1)));

	return share > 0 ? (struct colour){255, other, other} : (struct colour){250, 250, 250};
}
