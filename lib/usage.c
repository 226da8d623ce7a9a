/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One table of options a program, and what --help prints of it. */
#include "lib/usage.h"

#include <stdio.h>

void usage_options(const struct option_help *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct option *o = &rows[i].option;
		char letter[8] = "    ", left[80];
		const char *arg = rows[i].arg ? rows[i].arg : "";
		const char *format = o->has_arg == no_argument	       ? "%s--%s%s"
				     : o->has_arg == optional_argument ? "%s--%s[=%s]"
								       : "%s--%s=%s";

		if (o->val < 256)
			snprintf(letter, sizeof letter, "-%c, ", o->val);
		snprintf(left, sizeof left, format, letter, o->name, arg);
		printf("  %-28s %s\n", left, rows[i].help);
	}
}
