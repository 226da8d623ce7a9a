/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/sample: what is packed comes out again, in every shape, and damage stays inside its epoch. */
#include "lib/sample.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "test/unit/check.h"

enum { NSAMPLES = 20000, DEPTH = 40 };

/* A small generator, the same numbers every time. */
static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* The i-th sample of a stream that has shared roots, repeats, odd times and every optional field. */
static void make(uint64_t i, uint64_t chain[DEPTH], struct sample_extra extra[1], struct sample *s)
{
	uint64_t state = i % 700 * 7919;
	uint32_t n = (uint32_t)(next(&state) % DEPTH);

	for (uint32_t k = 0; k < n; k++)
		chain[n - 1 - k] = k < 3 ? 0xffffffffffffff80u - k : next(&state) << (k % 30);
	*s = (struct sample){.time_ns = 1000000000000u + i * 50000 - (i % 17 == 0 ? 60000 : 0),
	    .pid = (uint32_t)(i % 5 ? i % 11 : UINT32_MAX),
	    .tid = (uint32_t)(i % 13),
	    .event = i % 19 == 0,
	    .period = i % 23 == 0 ? i + 1 : 0,
	    .chain = chain,
	    .nchain = n};
	extra[0] = (struct sample_extra){EXTRA_RAW, {"raw data", i % 8}};
	if (i % 29 == 0) {
		s->extras = extra;
		s->nextras = 1;
	}
}

static bool same(const struct sample *got, const struct sample *want, const uint64_t *chain)
{
	return got->time_ns == want->time_ns && got->pid == want->pid && got->tid == want->tid &&
	       got->event == want->event && got->period == want->period && got->nchain == want->nchain &&
	       (!want->nchain || memcmp(chain, want->chain, want->nchain * sizeof *chain) == 0) &&
	       got->nextras == want->nextras &&
	       (!want->nextras || span_eq(got->extras[0].bytes, want->extras[0].bytes));
}

struct packed {
	struct block block;
	char *bytes;
};

static size_t pack(struct packed *out, size_t epoch_bytes, size_t *nbytes)
{
	struct packer *p = packer_open(3, epoch_bytes);
	uint64_t chain[DEPTH];
	struct sample_extra extra[1];
	struct sample s;
	size_t n = 0;

	*nbytes = 0;
	for (uint64_t i = 0; i < NSAMPLES; i++) {
		make(i, chain, extra, &s);
		packer_add(p, &s);
		if (packer_nbytes(p) < 4096 && i + 1 < NSAMPLES)
			continue;
		packer_take(p, &out[n].block);
		out[n].bytes = malloc(out[n].block.body.n);
		memcpy(out[n].bytes, out[n].block.body.p, out[n].block.body.n);
		out[n].block.body.p = out[n].bytes;
		*nbytes += out[n].block.body.n;
		n++;
	}
	packer_close(p);
	return n;
}

/* Unpacks all blocks but the one numbered drop; the samples that came, or -1 when one was not what went in. */
static long unpack(const struct packed *in, size_t n, size_t drop, long *lost)
{
	struct unpacker *u = unpacker_open();
	uint64_t i = 0;
	long good = 0;

	*lost = 0;
	for (size_t b = 0; b < n; i += in[b].block.nrecords, b++) {
		uint64_t chain[DEPTH];
		struct sample_extra extra[1];
		struct sample s, want;
		bool bad;

		if (b == drop)
			continue;
		if (!unpacker_block(u, &in[b].block)) {
			*lost += in[b].block.nrecords;
			continue;
		}
		for (uint64_t k = i; unpacker_next(u, &s, &bad); k++) {
			uint32_t nchain;
			const uint64_t *got = unpacker_chain(u, s.chain_id, &nchain);

			make(k, chain, extra, &want);
			if (!same(&s, &want, got) || nchain != s.nchain)
				good = -NSAMPLES;
			good++;
		}
		if (bad)
			good = -NSAMPLES;
	}
	unpacker_close(u);
	return good;
}

/* A hostile block: false shares, numbers out of range, and every cut of a good one. */
static bool survives(const struct packed *in)
{
	struct unpacker *u = unpacker_open();
	bool ok = true;

	for (uint32_t cut = 0; cut < in->block.body.n; cut += 1 + cut / 64) {
		char *copy = malloc(in->block.body.n);
		struct block b = in->block;
		struct sample s;
		uint32_t n = 0;
		bool bad = false;

		memcpy(copy, in->bytes, b.body.n);
		copy[cut] = (char)(copy[cut] ^ (1 << cut % 8));
		b.body = (struct span){copy, cut % 3 ? b.body.n : cut};
		if (unpacker_block(u, &b))
			while (unpacker_next(u, &s, &bad))
				n++;
		ok = ok && n + unpacker_left(u) == b.nrecords;
		free(copy);
	}
	unpacker_close(u);
	return ok;
}

int main(void)
{
	static struct packed blocks[2000];
	size_t nbytes;
	size_t n = pack(blocks, 64 * 1024, &nbytes);
	long lost, got, epochs = 0;
	size_t first_of_second = 0;

	for (size_t i = 0; i < n; i++) {
		epochs += blocks[i].block.flags == BLOCK_EPOCH;
		if (epochs == 2 && !first_of_second)
			first_of_second = i;
	}
	CHECK(n > 10 && epochs > 1);
	CHECK(unpack(blocks, n, n, &lost) == NSAMPLES && lost == 0);
	/* A missing block costs the rest of its epoch and nothing else. */
	got = unpack(blocks, n, 0, &lost);
	CHECK(got > 0 && got + lost + blocks[0].block.nrecords == NSAMPLES);
	got = unpack(blocks, n, first_of_second - 1, &lost);
	CHECK(lost == 0 && got + blocks[first_of_second - 1].block.nrecords == NSAMPLES);
	CHECK(survives(&blocks[0]));
	for (size_t i = 0; i < n; i++)
		free(blocks[i].bytes);
	/* One long epoch: each callchain stands once. */
	n = pack(blocks, 64 << 20, &nbytes);
	CHECK(nbytes < NSAMPLES * 20);
	CHECK(unpack(blocks, n, n, &lost) == NSAMPLES);
	for (size_t i = 0; i < n; i++)
		free(blocks[i].bytes);
	return check_done();
}
