/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of C++, Rust (legacy and v0) and D functions as their authors wrote them. */
#ifndef FLAMEPIPE_DEMANGLE_H
#define FLAMEPIPE_DEMANGLE_H

#include <stdbool.h>

#include "lib/str.h"

/* Appends what the NUL-terminated linker symbol stands for, without parameters, as perf does. A part that the linker or the
   compiler added ("@plt", ".cold") stays. False, with nothing added, when it is not mangled or would be longer than 16 KiB: a
   symbol of 250 bytes can stand for half a gigabyte. */
bool demangle(const char *symbol, struct str *out);

#endif
