/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated perf script text, larger than the pieces it is read in: every count that comes out is the sum of those that went in. */
#include <stdlib.h>

#include "fold/reader.h"
#include "lib/arena.h"

#include "test/unit/check.h"

enum { NSTACKS = 200, NSAMPLES = 20000 };

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

struct generated {
	struct str text;
	uint64_t sums[NSTACKS]; /* of the periods of stack "cN;root;fN...", N frames deep */
	uint64_t nbad;
};

static void add_stack(struct str *text, unsigned which, const char *eol)
{
	for (unsigned i = 0; i < which % 40; i++)
		str_addf(text, "\t    55d0c%07x f%u+0x%x (/opt/some/where/app)%s", i * 64 + which % 7, which,
		    i, eol);
	str_addf(text, "\tffffffff81000010 root ([kernel.kallsyms])%s", eol);
}

static struct generated generate(uint32_t seed, const char *eol)
{
	struct generated g = {0};

	for (unsigned i = 0; i < NSAMPLES; i++) {
		unsigned which = next(&seed) % NSTACKS;
		unsigned period = 1 + next(&seed) % 100000;

		if (next(&seed) % 500 == 0) {
			str_addf(&g.text, "no: line of anything (%u)%s", i, eol);
			g.nbad++;
		}
		str_addf(&g.text, "c%u %u/%u [%03u] %u.%06u: %u cycles:u: %s", which, which, i, i % 3, i / 10,
		    i % 1000000, period, eol);
		add_stack(&g.text, which, eol);
		str_adds(&g.text, i + 1 < NSAMPLES ? eol : "");
		g.sums[which] += period;
	}
	return g;
}

struct check {
	const struct generated *g;
	unsigned nstacks, nwrong;
};

static void check_count(
    void *ctx, struct span stack, struct span slice, const u128 *counts, unsigned ncolumns)
{
	struct check *c = ctx;
	uint64_t which;

	(void)slice;
	c->nstacks++;
	c->nwrong += ncolumns != 1;
	if (!span_u64((struct span){stack.p + 1, span_find(stack, 0, ';') - 1}, 10, &which) ||
	    which >= NSTACKS)
		c->nwrong++;
	else
		c->nwrong += counts[0] != count_of(c->g->sums[which]);
}

static void test_sums(uint32_t seed, const char *eol)
{
	struct options options = {0};
	struct generated g = generate(seed, eol);
	struct input in = {.name = "generated", .fd = -1, .eof = true};
	struct sink *sink = sink_open(&options);
	struct check c = {.g = &g};
	struct str summary = {0};
	char bad[64];

	in.buf = g.text.p;
	in.len = in.cap = g.text.n;
	CHECK(reader_read(&reader_perfscript, &in, sink));
	sink_each(sink, check_count, &c);
	CHECK(c.nwrong == 0);
	CHECK(c.nstacks == NSTACKS);
	CHECK(sink_seen(sink) == count_of(NSAMPLES));
	sink_summary(sink, &summary);
	snprintf(bad, sizeof bad, "; %llu lines not understood", (unsigned long long)g.nbad);
	CHECK(strstr(summary.p, bad) != NULL);
	str_release(&summary);
	sink_close(sink);
	input_close(&in);
}

int main(void)
{
	test_sums(1, "\n");
	test_sums(2, "\n");
	test_sums(3, "\r\n");
	return check_done();
}
