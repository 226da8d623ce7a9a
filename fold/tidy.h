/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people want to read them: without parameter lists, hashes and other noise, and never so that two functions become one
   but for overloads, which a flame graph shows as one by habit. */
#ifndef FLAMEPIPE_TIDY_H
#define FLAMEPIPE_TIDY_H

#include <stdbool.h>

#include "lib/frame.h"
#include "lib/str.h"

enum {
	TIDY_JAVA = 1, /* the process is a Java VM, whose class names may begin with an L */
	TIDY_MANGLED = 2, /* linkers' names stay as they are */
};

/* Appends the tidied name of a function. flags are TIDY_ bits. Characters that folded lines cannot hold are left to
   folded_escape. */
void tidy_name(struct str *out, struct span name, unsigned flags);

/* Cuts the outermost function off a chain of Java methods inlined into each other, written a->b->c. *rest is empty after the
   last. An arrow inside brackets, with a blank beside it, or of C++'s operator-> is no such arrow. */
void tidy_cut_inlined(struct span *rest, struct span *name);

/* The last component of a module's path, with the " (deleted)" of a removed file. */
struct span tidy_module(struct span module);

/* What code of this module is, as perf names modules: [kernel.kallsyms], [bracketed] kernel modules, vmlinux* and *.ko are the
   kernel; /tmp/perf-PID.map, jitted-PID-N.so and [JIT ...] are JIT. */
enum frame_kind tidy_module_kind(struct span module);

#endif
