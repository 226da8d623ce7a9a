/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done when a ring runs full: it is made larger, and where that is refused, sampling is made slower until it is calm
   again. Both are noted in the recording, and samples of a slower time carry their longer period. */
#ifndef FLAMEPIPE_ADAPT_H
#define FLAMEPIPE_ADAPT_H

#include "collect/sampler.h"

/* Acts on the fills that were seen. */
void adapt(struct sampler *s, uint64_t now_ns);

/* What a sample of this time stands for, where it does not say itself: 0 for the nominal period. */
static inline uint64_t adapted_period(const struct cpu *c, uint64_t nominal, uint64_t time_ns)
{
	unsigned slower = time_ns < c->slower_from_ns ? c->slower_before : c->slower;

	return slower ? nominal << slower : 0;
}

#endif
