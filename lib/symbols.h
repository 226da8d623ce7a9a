/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a place in an object (a file, the kernel, code made at run time) to frames with names. */
#ifndef FLAMEPIPE_SYMBOLS_H
#define FLAMEPIPE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cfi.h"
#include "lib/frame.h"
#include "lib/str.h"

/* Where names come from. A zeroed struct is the default. Texts are borrowed until symbols_close. */
struct symbols_options {
	const char *symfs; /* put before every path of a file */
	const char *debug_dir; /* of separate debug files; NULL: /usr/lib/debug */
	const char *kallsyms, *vmlinux; /* of the recorded kernel; NULL: find out */
	bool inlines, lines; /* inlined functions, source files and lines, from debug information */
	bool no_demangle;
};

struct symbols;

struct symbols *symbols_open(const struct symbols_options *options);
void symbols_close(struct symbols *s);

/* The processes and the kernel recorded are not this machine's present ones: /proc, this kernel's symbols and files without a
   matching build-id say nothing about them. */
void symbols_foreign(struct symbols *s);

/* Objects are numbered; these are always there. */
enum { OBJECT_UNKNOWN, OBJECT_KERNEL, OBJECT_FIRST };

/* The object that a mapping of this path is of. build_id may be empty. Places in files are offsets in the file, in all other
   objects (the kernel, anonymous memory, an empty path for memory that nobody mapped) they are addresses; see
   symbols_by_address. */
uint32_t symbols_object(struct symbols *s, struct span path, struct span build_id, uint32_t pid);
/* How callers are found at a place in a file, and the place's address there; NULL where nothing tells. */
const struct cfi *symbols_cfi(struct symbols *s, uint32_t object, uint64_t place, uint64_t *vaddr);
bool symbols_by_address(const struct symbols *s, uint32_t object);
struct span symbols_path(const struct symbols *s, uint32_t object);

/* A build-id that a list names for a path, for objects of that path whose mappings did not tell. */
void symbols_build_id(struct symbols *s, struct span path, struct span build_id);

/* What the recording says about its kernel: the mapping of its text or of a module. ref is the address that the symbol _text or
   _stext had (0: not known). */
void symbols_kernel_map(
    struct symbols *s, struct span path, uint64_t addr, uint64_t len, uint64_t ref, struct span build_id);
/* A BPF program or the like at these addresses. */
void symbols_ksymbol(struct symbols *s, uint64_t addr, uint64_t len, struct span name);

/* How a place was come by. */
enum place_kind {
	PLACE_EXACT, /* of the instruction itself */
	PLACE_RETURN, /* one before the address returned to, so inside the call */
	PLACE_ENTRY, /* as PLACE_RETURN, but an interrupt may have stood exactly at place + 1 */
};

struct symbol_frames {
	const struct frame *frames; /* leaf (innermost inlined) first; at least one; addr is not set */
	size_t n;
	uint64_t start, end; /* the same answer holds for all places from start to before end */
	uint64_t function; /* where the function begins; UINT64_MAX: not known */
};

/* Names a place. Never fails: a frame without a name has at least its module where that is known. What is returned lives until
   symbols_close. Frames are as the options say: with inlined ones or not. */
struct symbol_frames symbols_look_up(
    struct symbols *s, uint32_t object, uint64_t place, enum place_kind kind);

/* Opens what stands behind a file's object now, so that its names can be had after the file is deleted. */
void symbols_hold(struct symbols *s, uint32_t object);

/* Takes in the body of a SYMBOLS block, which wins over everything found here. False when it is damaged. */
bool symbols_embed(struct symbols *s, struct span body);

/* A place that was hit. */
struct symbol_hit {
	uint32_t object;
	enum place_kind kind;
	uint64_t place;
};

/* Looks hits up (which it sorts) and appends the body of a SYMBOLS block that names them: with linkers' names, and inlined functions and
   lines when the options ask for them. Returns the number of objects in it. */
uint32_t symbols_export(struct symbols *s, struct symbol_hit *hits, size_t n, struct str *body);

/* Objects whose files were looked for and not found, and whether kernel symbols are hidden by kptr_restrict: for messages. */
bool symbols_kernel_hidden(const struct symbols *s);

#endif
