/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One hash for tables and checksums: XXH3 of xxHash, 64 bits. */
#ifndef FLAMEPIPE_HASH_H
#define FLAMEPIPE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3_64bits of the n bytes at p: the same on every machine. */
uint64_t hash64(const void *p, size_t n);

/* As above with a seed, to chain parts: hash64_seed(b, nb, hash64(a, na)). */
uint64_t hash64_seed(const void *p, size_t n, uint64_t seed);

/* XXH3_128bits, seeded: for keys that stand for their bytes. */
struct hash128 {
	uint64_t low, high;
};
struct hash128 hash128_seed(const void *p, size_t n, uint64_t seed);

#endif
