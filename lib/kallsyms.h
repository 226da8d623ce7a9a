/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text files of symbols: /proc/kallsyms and the perf-PID.map of just-in-time compilers. */
#ifndef FLAMEPIPE_KALLSYMS_H
#define FLAMEPIPE_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/intern.h"
#include "lib/str.h"
#include "lib/symtab.h"

/* What the lines of a kallsyms file say about functions. The text is owned and cut into strings in place. */
struct kallsyms {
	struct str text;
	struct symtab symtab; /* group: a module's id in modules, "[kernel.kallsyms]" is 0 */
	struct intern modules; /* "[ext4]", brackets included */
	uint64_t text_start; /* address of _text, 0 when it is not there */
	bool restricted; /* every address is 0: kptr_restrict hides them */
};

/* Takes text over. Lines that are no symbols are passed over. */
void kallsyms_parse(struct kallsyms *k, struct str *text);

/* The function at a kernel's address; module is set then. NULL when there is none. */
const char *kallsyms_find(
    const struct kallsyms *k, uint64_t addr, struct span *module, uint64_t *start, uint64_t *end);

void kallsyms_release(struct kallsyms *k);

/* "START SIZE NAME" lines, numbers in hexadecimal; a later line replaces what it overlaps. Takes text over, which must outlive
   the table: names are cut out of it in place. */
void perfmap_parse(struct symtab *t, struct str *text);

/* The whole of a regular file of at most limit bytes, appended. False when it cannot be read. */
bool read_text_file(const char *path, struct str *out, size_t limit);

#endif
