/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording as it is written. */
#include "collect/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/compress.h"
#include "lib/die.h"

void stream_open(struct stream *s, const char *path, uint32_t ncpus, int zstd_level)
{
	*s = (struct stream){
	    .fd = STDOUT_FILENO, .name = "standard output", .zstd_level = zstd_level, .ncpus = ncpus};
	s->seq = xcalloc((size_t)BLOCK_NTYPES * (ncpus + 1), sizeof *s->seq);
	if (path && strcmp(path, "-") != 0) {
		s->name = path;
		s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (s->fd < 0)
			die_errno("cannot write %s", path);
	} else if (isatty(STDOUT_FILENO)) {
		die_usage("a recording is binary and is not written to a terminal: use -o FILE, or a pipe "
			  "into fold");
	}
}

/* Writes both parts whole. */
static bool write_all(struct stream *s, struct span head, struct span body)
{
	struct iovec v[2] = {{(void *)(uintptr_t)head.p, head.n}, {(void *)(uintptr_t)body.p, body.n}};

	while (!s->error && v[0].iov_len + v[1].iov_len) {
		ssize_t n = writev(s->fd, v, 2);

		if (n < 0 && errno != EINTR)
			s->error = errno;
		for (int i = 0; i < 2 && n > 0; i++) {
			size_t take = (size_t)n < v[i].iov_len ? (size_t)n : v[i].iov_len;

			v[i].iov_base = (char *)v[i].iov_base + take;
			v[i].iov_len -= take;
			n -= (ssize_t)take;
		}
	}
	if (!s->error)
		s->nbytes += head.n + body.n;
	return !s->error;
}

void stream_preamble(struct stream *s)
{
	unsigned char preamble[RECORDING_PREAMBLE_SIZE];

	recording_preamble(preamble);
	write_all(s, (struct span){(char *)preamble, sizeof preamble}, SPAN(""));
}

bool stream_block(struct stream *s, struct block *b)
{
	unsigned char header[BLOCK_HEADER_SIZE];
	size_t slot = b->cpu == BLOCK_NO_CPU ? 0 : (size_t)b->cpu + 1;

	if (b->type != BLOCK_SAMPLES)
		b->seq = s->seq[b->type * (s->ncpus + 1) + slot]++;
	if (s->zstd_level && b->body.n > 128) {
		str_reset(&s->packed);
		b->raw_size = (uint32_t)b->body.n;
		compress_zstd(&s->packed, b->body, s->zstd_level);
		b->flags |= BLOCK_ZSTD;
		b->body = str_span(&s->packed);
	}
	block_header(b, header);
	s->nbytes_of[b->type] += sizeof header + b->body.n;
	return write_all(s, (struct span){(char *)header, sizeof header}, b->body);
}

bool stream_close(struct stream *s)
{
	if (close(s->fd) < 0 && !s->error)
		s->error = errno;
	free(s->seq);
	str_release(&s->packed);
	return !s->error;
}
