/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of text formats share: cutting lines into their parts. */
#ifndef FLAMEPIPE_TEXT_H
#define FLAMEPIPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/count.h"
#include "lib/str.h"

/* s without its first n bytes (all of them when it is shorter). */
struct span text_from(struct span s, size_t n);

/* Offset of the first or last needle, s.n when there is none. */
size_t text_find(struct span s, struct span needle);
size_t text_rfind(struct span s, struct span needle);
bool text_has(struct span s, struct span needle);

/* Takes prefix off the front of *s; false, with *s as it was, when it does not start so. */
bool text_skip(struct span *s, struct span prefix);

/* Cuts what is before the first mark off *rest, and the mark too; false, with both as they were, when there is none. */
bool text_cut(struct span *rest, struct span mark, struct span *before);

/* How many blanks and tabs s starts with. */
size_t text_indent(struct span s);

/* Cuts the next word off *rest: what is between blanks or tabs. Empty at the end. */
struct span text_word(struct span *rest);

/* Digits alone, at least one. */
bool text_is_digits(struct span s);

/* Cuts digits off the front of *rest; false when it starts with none or they are over 64 bits. */
bool text_cut_number(struct span *rest, uint64_t *n);

/* Cuts 0x and hexadecimal digits off the front of *rest. */
bool text_cut_hex(struct span *rest, uint64_t *n);

/* The whole of s, a number of a table that may be in quotes, have its digits in groups, as "1,234", or a unit after a blank. */
bool text_count(struct span s, u128 *count);

/* Takes "+0x12" or "+12" off the end of a function's name and returns it as a number; 0 when there is none. */
uint64_t text_cut_offset(struct span *name);

/* Calls is for the lines of head until one is it; false when none is. */
bool text_any_line(struct span head, bool (*is)(struct span line));

#endif
