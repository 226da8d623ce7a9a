/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte order marks, as Windows tools write them. */
#ifndef FLAMEPIPE_UTF16_H
#define FLAMEPIPE_UTF16_H

#include "lib/input.h"

/* Drops a UTF-8 byte order mark at the present place of the input; after one of UTF-16 the whole rest of it is replaced by the
   same text in UTF-8, lone surrogates and a last odd byte by U+FFFD. Anything else is left alone. */
void utf16_convert(struct input *in);

#endif
