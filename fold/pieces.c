/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text cut into pieces and looked over ahead of the reader. */
#include "fold/pieces.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/hash.h"
#include "lib/str.h"

enum {
	PIECE_SIZE = 256 * 1024,
	NPIECES = 3, /* one in the reader's hands, one being filled, one between */
};

struct pieces {
	struct input *in;
	struct piece ring[NPIECES];
	struct str rest; /* what stood after the last cut */

	/* Pieces are filled and given in the order of the ring. Without a thread they are filled when they are asked for. */
	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned filled, given; /* how many so far; both only grow, the difference is at most NPIECES */
	bool released; /* the reader is done with the piece given last */
	bool ended, stop;
};

/* Bytes compared at a time; the compiler makes the machine's vector instructions of it. */
typedef unsigned char bytes16 __attribute__((vector_size(16)));

/* Is there a line feed before another one, or before a CR? */
static bool any_empty_line(const char *p)
{
	bytes16 a, b, found;
	uint64_t halves[2];

	memcpy(&a, p, sizeof a);
	memcpy(&b, p + 1, sizeof b);
	found = (bytes16)(a == '\n') & ((bytes16)(b == '\n') | (bytes16)(b == '\r'));
	memcpy(halves, &found, sizeof halves);
	return (halves[0] | halves[1]) != 0;
}

static bool is_empty_line(struct span s, size_t at)
{
	return s.p[at] == '\n' || (s.p[at] == '\r' && at + 1 < s.n && s.p[at + 1] == '\n');
}

/* Where the first empty line at or after `from` begins; 0 when there is none. */
static size_t find_empty_line(struct span s, size_t from)
{
	size_t i = from;

	for (;;) {
		while (i + sizeof(bytes16) < s.n && !any_empty_line(s.p + i))
			i += sizeof(bytes16);
		for (size_t end = i + sizeof(bytes16); i < end; i++) {
			if (i + 1 >= s.n)
				return 0;
			if (s.p[i] == '\n' && is_empty_line(s, i + 1))
				return i + 1;
		}
	}
}

static void add_block(struct piece *p, size_t at, size_t n)
{
	p->blocks = grow(p->blocks, p->nblocks, &p->blocks_cap, sizeof *p->blocks);
	p->blocks[p->nblocks++] = (struct piece_block){at, n, hash64(p->bytes + at, n)};
}

static void find_blocks(struct piece *p)
{
	struct span s = {p->bytes, p->n};
	size_t at = 0;

	p->nblocks = 0;
	while ((at = span_find(s, at, '\n') + 1) < s.n) {
		size_t end;

		if (s.p[at] != '\t')
			continue;
		end = find_empty_line(s, at);
		if (!end)
			return;
		add_block(p, at, end - at);
		at = end;
	}
}

/* Where to cut: after the last empty line, else after the last line; 0 when there is not even one. */
static size_t find_cut(struct span s)
{
	const char *lf = memrchr(s.p, '\n', s.n);
	const char *last = lf;

	while (lf && lf > s.p && lf > s.p + s.n / 2) {
		if (lf[-1] == '\n' || (lf - s.p > 1 && lf[-1] == '\r' && lf[-2] == '\n'))
			return (size_t)(lf - s.p) + 1;
		lf = memrchr(s.p, '\n', (size_t)(lf - s.p));
	}
	return last ? (size_t)(last - s.p) + 1 : 0;
}

static void make_room(struct piece *p, size_t cap)
{
	if (p->cap >= cap)
		return;
	p->bytes = xreallocarray(p->bytes, cap, 1);
	p->cap = cap;
}

/* Reads up to the piece's size. False at the end of the input. */
static bool read_more(struct input *in, struct piece *p, size_t size)
{
	while (p->n < size) {
		size_t got = input_read(in, p->bytes + p->n, size - p->n);

		if (!got)
			return false;
		p->n += got;
	}
	return true;
}

/* False when nothing is left. */
static bool fill(struct pieces *ps, struct piece *p)
{
	size_t size = PIECE_SIZE, cut = 0;
	bool more = true;

	p->n = 0;
	make_room(p, ps->rest.n > size ? ps->rest.n : size);
	memcpy(p->bytes, str_span(&ps->rest).p, ps->rest.n);
	p->n = ps->rest.n;
	str_reset(&ps->rest);
	while (more && !cut) {
		while (size <= p->n)
			size *= 2;
		make_room(p, size);
		more = read_more(ps->in, p, size);
		cut = more ? find_cut((struct span){p->bytes, p->n}) : p->n;
	}
	str_add(&ps->rest, p->bytes + cut, p->n - cut);
	p->n = cut;
	find_blocks(p);
	return p->n != 0;
}

static void *run(void *arg)
{
	struct pieces *p = arg;
	bool more = true;

	pthread_mutex_lock(&p->lock);
	while (more && !p->stop) {
		unsigned held = p->filled - p->given + !p->released;

		if (held >= NPIECES) {
			pthread_cond_wait(&p->changed, &p->lock);
			continue;
		}
		pthread_mutex_unlock(&p->lock);
		more = fill(p, &p->ring[p->filled % NPIECES]);
		pthread_mutex_lock(&p->lock);
		p->filled += more;
		p->ended = !more;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool has_two_cpus(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1;
}

struct pieces *pieces_open(struct input *in)
{
	struct pieces *p = xcalloc(1, sizeof *p);

	p->in = in;
	p->released = true;
	if (!has_two_cpus() || (in->eof && in->len - in->pos <= PIECE_SIZE))
		return p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	p->threaded = pthread_create(&p->thread, NULL, run, p) == 0;
	return p;
}

static struct piece *next_of_thread(struct pieces *p)
{
	struct piece *piece = NULL;

	pthread_mutex_lock(&p->lock);
	p->released = true;
	pthread_cond_broadcast(&p->changed);
	while (p->filled == p->given && !p->ended)
		pthread_cond_wait(&p->changed, &p->lock);
	if (p->filled != p->given) {
		piece = &p->ring[p->given++ % NPIECES];
		p->released = false;
	}
	pthread_mutex_unlock(&p->lock);
	return piece;
}

struct piece *pieces_next(struct pieces *p)
{
	if (p->threaded)
		return next_of_thread(p);
	return fill(p, &p->ring[0]) ? &p->ring[0] : NULL;
}

static void stop_thread(struct pieces *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
}

void pieces_close(struct pieces *p)
{
	if (p->threaded)
		stop_thread(p);
	for (int i = 0; i < NPIECES; i++) {
		free(p->ring[i].bytes);
		free(p->ring[i].blocks);
	}
	str_release(&p->rest);
	free(p);
}
