/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording is written. */
#include "collect/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/compress.h"
#include "lib/die.h"

enum {
	NSEQS = BLOCK_NTYPES * (RECORDING_MAX_CPUS + 1),
	WORTH_PACKING = 128, /* bytes */
};

static const uint64_t WINDOW = 64 << 20;

static bool open_file(struct stream *s)
{
	struct stat st;

	s->fd = open(s->name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->fd < 0 && (errno == EACCES || errno == EINVAL))
		s->fd = open(s->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	s->is_file = s->fd >= 0 && fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode);
	s->offset = 0;
	return s->fd >= 0;
}

void stream_open(struct stream *s, const char *path, enum writer writer, int zstd_level)
{
	*s = (struct stream){
	    .fd = STDOUT_FILENO, .name = "standard output", .writer = writer, .zstd_level = zstd_level};
	s->seq = xcalloc(NSEQS, sizeof *s->seq);
	if (path && strcmp(path, "-") != 0) {
		s->name = path;
		if (!open_file(s))
			die_errno("cannot write %s", path);
	} else if (isatty(STDOUT_FILENO)) {
		die_usage("a recording is binary and is not written to a terminal: use -o FILE, or a pipe "
			  "into fold");
	}
}

static void write_out(struct stream *s, struct iovec *v, int n)
{
	while (n && !s->error) {
		ssize_t done = s->is_file ? pwritev(s->fd, v, n, (off_t)s->offset) : writev(s->fd, v, n);

		if (done < 0 && errno != EINTR)
			s->error = errno;
		for (; n && done >= (ssize_t)v->iov_len; v++, n--) {
			done -= (ssize_t)v->iov_len;
			s->offset += v->iov_len;
		}
		if (n && done > 0) {
			v->iov_base = (char *)v->iov_base + done;
			v->iov_len -= (size_t)done;
			s->offset += (uint64_t)done;
		}
	}
}

static void close_window(struct stream *s)
{
	if (s->window)
		munmap(s->window, WINDOW);
	s->window = NULL;
}

/* Maps the window that holds the present offset. Its blocks are reserved first: a full disk is an error here, no signal later. */
static bool open_window(struct stream *s)
{
	void *p;

	close_window(s);
	s->window_start = s->offset / WINDOW * WINDOW;
	s->error = posix_fallocate(s->fd, (off_t)s->window_start, (off_t)WINDOW);
	if (s->error)
		return false;
	p = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, (off_t)s->window_start);
	if (p == MAP_FAILED)
		s->error = errno;
	else
		s->window = p;
	return !s->error;
}

static void copy_out(struct stream *s, struct span bytes)
{
	while (bytes.n && !s->error) {
		size_t room;

		if ((!s->window || s->offset >= s->window_start + WINDOW) && !open_window(s))
			return;
		room = s->window_start + WINDOW - s->offset;
		if (room > bytes.n)
			room = bytes.n;
		memcpy(s->window + (s->offset - s->window_start), bytes.p, room);
		s->offset += room;
		bytes.p += room;
		bytes.n -= room;
	}
}

/* Writes both parts whole. */
static bool write_both(struct stream *s, struct span head, struct span body)
{
	struct iovec v[2] = {{(void *)(uintptr_t)head.p, head.n}, {(void *)(uintptr_t)body.p, body.n}};

	if (s->error)
		return false;
	if (s->memory) {
		str_add(s->memory, head.p, head.n);
		str_add(s->memory, body.p, body.n);
	} else if (s->writer == WRITER_MMAP && s->is_file) {
		copy_out(s, head);
		copy_out(s, body);
	} else {
		write_out(s, v, body.n ? 2 : 1);
	}
	if (!s->error)
		s->nbytes += head.n + body.n;
	return !s->error;
}

void stream_preamble(struct stream *s)
{
	unsigned char preamble[RECORDING_PREAMBLE_SIZE];

	/* Only now: until sampling is sure to begin, what the file holds from before is kept. */
	if (s->is_file && s->offset == 0 && ftruncate(s->fd, 0) < 0)
		s->error = errno;
	memset(s->seq, 0, NSEQS * sizeof *s->seq);
	recording_preamble(preamble);
	write_both(s, (struct span){(char *)preamble, sizeof preamble}, SPAN(""));
}

bool stream_bytes(struct stream *s, struct span bytes)
{
	return !bytes.n || write_both(s, bytes, SPAN(""));
}

static void pack(struct stream *s, struct block *b)
{
	str_reset(&s->packed);
	compress_zstd(&s->packed, b->body, s->zstd_level);
	if (s->packed.n >= b->body.n)
		return;
	b->raw_size = (uint32_t)b->body.n;
	b->flags |= BLOCK_ZSTD;
	b->body = str_span(&s->packed);
}

bool stream_block(struct stream *s, struct block *b)
{
	unsigned char header[BLOCK_HEADER_SIZE];
	size_t slot = b->cpu == BLOCK_NO_CPU ? 0 : (size_t)b->cpu + 1;

	if (b->type != BLOCK_SAMPLES)
		b->seq = s->seq[b->type * (RECORDING_MAX_CPUS + 1) + slot]++;
	if (s->zstd_level && b->body.n > WORTH_PACKING)
		pack(s, b);
	block_header(b, header);
	s->nbytes_of[b->type] += sizeof header + b->body.n;
	return write_both(s, (struct span){(char *)header, sizeof header}, b->body);
}

/* A file that was written through windows is longer than its contents. */
static void finish_file(struct stream *s)
{
	close_window(s);
	if (s->writer == WRITER_MMAP && s->is_file && ftruncate(s->fd, (off_t)s->offset) < 0 && !s->error)
		s->error = errno;
	if (close(s->fd) < 0 && !s->error)
		s->error = errno;
}

bool stream_rotate(struct stream *s, unsigned number)
{
	struct str to = {0};

	finish_file(s);
	str_addf(&to, "%s.%u", s->name, number);
	if (!s->error && (rename(s->name, to.p) < 0 || !open_file(s)))
		s->error = errno;
	str_release(&to);
	return !s->error;
}

bool stream_close(struct stream *s)
{
	finish_file(s);
	free(s->seq);
	str_release(&s->packed);
	return !s->error;
}
