/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file or standard input, read once from front to back through one buffer, with a look ahead to recognise its format. */
#ifndef FLAMEPIPE_INPUT_H
#define FLAMEPIPE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

/* The first thing that was wrong with an input. what is empty while nothing was. */
struct input_error {
	char what[256];
	uint64_t offset; /* bytes from the start of the input, for binary formats */
	uint64_t line; /* from 1, for text; 0 where the format has no lines */
};

struct input {
	const char *name; /* as the user gave it; "<stdin>" */
	int fd;
	char *buf;
	size_t pos, len, cap; /* buf[pos..len) is read and not consumed */
	uint64_t offset; /* of buf[pos] in the input */
	uint64_t line; /* lines consumed by input_line */
	bool eof;
	int error; /* errno of a failed read, 0 = none; a failed read also ends the input */
	struct input_error err;
};

/* Opens path ("-" is standard input; NULL too). False with errno set when it cannot be opened or is a directory. */
bool input_open(struct input *in, const char *path);

/* An input that is a copy of these bytes: for tests and fuzz targets, and for what was unpacked in memory. */
void input_bytes(struct input *in, const char *name, struct span bytes);

/* At least n bytes (fewer only at the end of the input), not consumed; valid until the next call. */
struct span input_peek(struct input *in, size_t n);

/* As much as is buffered, reading once when nothing is; empty at the end. Not consumed. */
struct span input_buffered(struct input *in);

/* Up to n bytes, consumed: what is buffered, or else one read straight into to. 0 at the end. */
size_t input_read(struct input *in, char *to, size_t n);

/* Consumes n bytes that were peeked at. */
void input_consume(struct input *in, size_t n);

/* The next line without its LF and a CR before it, consumed; valid until the next call. False at the end. The whole line is
   held in memory, however long. */
bool input_line(struct input *in, struct span *line);

/* Everything that is left, consumed; valid until input_close. */
struct span input_rest(struct input *in);

/* Keeps the first error: what went wrong at the present place. Returns false, so that a reader can return it. */
bool input_fail(struct input *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "NAME: line 3: what", "NAME: offset 4711: what", or "NAME: cannot read: ..." for a failed read. */
void input_describe(const struct input *in, struct str *out);

void input_close(struct input *in);

/* For programs in the middle or at the end of a pipe: Ctrl-C reaches them all, and the first one is for whoever writes into the
   pipe, who ends; what he wrote is read to its end. A second one ends this program as usual. Nothing is changed when standard
   input is no pipe. */
void input_outlive_interrupt(void);

#endif
