/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file or standard input, read once from front to back through one buffer. */
#include "lib/input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/die.h"

enum { READ_SIZE = 256 * 1024 };

bool input_open(struct input *in, const char *path)
{
	struct stat st;

	*in = (struct input){.name = path, .fd = STDIN_FILENO};
	if (!path || strcmp(path, "-") == 0)
		in->name = "<stdin>";
	else if ((in->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	if (fstat(in->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		input_close(in);
		errno = EISDIR;
		return false;
	}
	return true;
}

void input_bytes(struct input *in, const char *name, struct span bytes)
{
	*in = (struct input){.name = name, .fd = -1, .len = bytes.n, .cap = bytes.n, .eof = true};
	in->buf = xmalloc(bytes.n);
	if (bytes.n)
		memcpy(in->buf, bytes.p, bytes.n);
}

/* Reads once; 0 at the end or after a failure, both of which are noted. */
static size_t read_once(struct input *in, char *to, size_t n)
{
	ssize_t got;

	do
		got = read(in->fd, to, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		in->error = errno;
	if (got <= 0)
		in->eof = true;
	return got > 0 ? (size_t)got : 0;
}

/* Reads once, after moving what is unread to the front when the buffer's end is reached. False at the end. */
static bool fill(struct input *in)
{
	size_t got;

	if (in->eof)
		return false;
	if (in->pos && in->cap - in->len < READ_SIZE) {
		memmove(in->buf, in->buf + in->pos, in->len - in->pos);
		in->len -= in->pos;
		in->pos = 0;
	}
	if (in->cap - in->len < READ_SIZE) {
		in->cap = in->cap ? in->cap * 2 : 2 * READ_SIZE;
		in->buf = xreallocarray(in->buf, in->cap, 1);
	}
	got = read_once(in, in->buf + in->len, in->cap - in->len);
	in->len += got;
	return got != 0;
}

struct span input_peek(struct input *in, size_t n)
{
	while (in->len - in->pos < n && fill(in))
		;
	return (struct span){in->len > in->pos ? in->buf + in->pos : "", in->len - in->pos};
}

struct span input_buffered(struct input *in)
{
	return input_peek(in, 1);
}

void input_consume(struct input *in, size_t n)
{
	in->pos += n;
	in->offset += n;
}

size_t input_read(struct input *in, char *to, size_t n)
{
	size_t left = in->len - in->pos;

	if (left) {
		n = n < left ? n : left;
		memcpy(to, in->buf + in->pos, n);
		in->pos += n;
	} else {
		n = in->eof || !n ? 0 : read_once(in, to, n);
	}
	in->offset += n;
	return n;
}

bool input_line(struct input *in, struct span *line)
{
	struct span s = input_buffered(in);
	size_t searched = 0, end;

	if (!s.n)
		return false;
	while ((end = span_find(s, searched, '\n')) == s.n) {
		searched = s.n;
		s = input_peek(in, s.n + 1);
		if (s.n == searched)
			break;
	}
	in->line++;
	*line = (struct span){s.p, end};
	input_consume(in, end + (end < s.n));
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

struct span input_rest(struct input *in)
{
	struct span all;

	while (fill(in))
		;
	all = input_peek(in, 0);
	input_consume(in, all.n);
	return all;
}

bool input_fail(struct input *in, const char *fmt, ...)
{
	va_list ap;

	if (in->err.what[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(in->err.what, sizeof in->err.what, fmt, ap);
	va_end(ap);
	in->err.offset = in->offset;
	in->err.line = in->line;
	return false;
}

void input_describe(const struct input *in, struct str *out)
{
	str_addf(out, "%s: ", in->name);
	if (in->error)
		str_addf(out, "cannot read: %s", strerror(in->error));
	else if (in->err.line)
		str_addf(out, "line %llu: %s", (unsigned long long)in->err.line, in->err.what);
	else
		str_addf(out, "offset %llu: %s", (unsigned long long)in->err.offset, in->err.what);
}

void input_close(struct input *in)
{
	if (in->fd > STDERR_FILENO)
		close(in->fd);
	free(in->buf);
	in->buf = NULL;
	in->pos = in->len = in->cap = 0;
}

static void pass_over(int signal)
{
	(void)signal;
}

void input_outlive_interrupt(void)
{
	struct sigaction before, once = {.sa_handler = pass_over, .sa_flags = SA_RESTART | SA_RESETHAND};
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode) && sigaction(SIGINT, NULL, &before) == 0 &&
	    before.sa_handler == SIG_DFL)
		sigaction(SIGINT, &once, NULL);
}
