/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles that are compressed with gzip, as pprof's are by rule and others' by habit. */
#ifndef FLAMEPIPE_GUNZIP_H
#define FLAMEPIPE_GUNZIP_H

#include "lib/input.h"

/* What a gzip file may grow to, in multiples of its size, and more. */
enum { GUNZIP_MULTIPLE = 256, GUNZIP_MORE = 1 << 20 };

/* Replaces the whole rest of an input that begins as a gzip file by what is in it. When that is damaged or exceeds the limit, what
   came before is there and input_fail has been called. Anything else is left alone. */
void gunzip_convert(struct input *in);

#endif
