/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GHC's encoding of names: z or Z and a letter stand for a character that is no letter. */
#include "fold/haskell.h"

#include <ctype.h>

/* What stands for a letter after z or Z; 0: nothing. */
static char decoded(char z, char letter)
{
	static const char lower[] = "&|^$=\0>#.\0\0<-!\0+'\\/*_%\0\0\0z";

	if (z == 'z')
		return islower((unsigned char)letter) ? lower[letter - 'a'] : '\0';
	switch (letter) {
	case 'C':
		return ':';
	case 'L':
		return '(';
	case 'R':
		return ')';
	case 'M':
		return '[';
	case 'N':
		return ']';
	case 'Z':
		return 'Z';
	default:
		return '\0';
	}
}

static bool has_kind(struct span name)
{
	static const struct span kinds[] = {SPAN("_info"), SPAN("_closure"), SPAN("_entry"), SPAN("_slow"),
	    SPAN("_fast"), SPAN("_ret"), SPAN("_static_info"), SPAN("_con_info"), SPAN("_con_entry"),
	    SPAN("_bytes")};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (span_ends(name, kinds[i]))
			return true;
	return false;
}

/* A package in letters, digits and codes, and a module, which begins with a capital. */
static bool has_module(struct span name)
{
	size_t at = span_find(name, 0, '_'), end = span_find(name, at + 1, '_');

	return at && end < name.n && isupper((unsigned char)name.p[at + 1]);
}

static bool is_encoded(struct span name)
{
	if (!has_kind(name) || !has_module(name))
		return false;
	return memmem(name.p, name.n, "zi", 2) || memmem(name.p, name.n, "zm", 2);
}

bool haskell_decode(struct str *out, struct span name)
{
	if (!is_encoded(name))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if ((c == 'z' || c == 'Z') && i + 1 < name.n && decoded(c, name.p[i + 1]))
			c = decoded(c, name.p[++i]);
		str_addc(out, c);
	}
	return true;
}
