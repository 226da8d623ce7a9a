/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One hash for tables and checksums: XXH3 of xxHash. */
#include "lib/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash64(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}

uint64_t hash64_seed(const void *p, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(p, n, seed);
}

struct hash128 hash128_seed(const void *p, size_t n, uint64_t seed)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(p, n, seed);

	return (struct hash128){h.low64, h.high64};
}
