/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a folded line, a header, and a name to escape. */
#include "lib/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note(void *ctx, struct span key, struct span value)
{
	*(size_t *)ctx += key.n + value.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct folded_line f;
	struct span line = {(const char *)data, size};
	struct str out = {0};
	unsigned n = folded_count_words(line);
	size_t seen = 0;

	if (n && !folded_parse(line, n, &f))
		__builtin_trap();
	for (unsigned i = 0; i < n; i++)
		count_add_commas(&out, f.counts[i]);
	folded_header_each(line, note, &seen);
	if (seen > size)
		__builtin_trap();
	str_reset(&out);
	folded_escape(&out, line);
	if (!out.n || memchr(out.p, ';', out.n) || memchr(out.p, '\n', out.n))
		__builtin_trap();
	str_release(&out);
	return 0;
}
