/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the text of `perf script`: a header line per sample, then its frames, leaf first, then an empty line. */
#include <ctype.h>
#include <stdlib.h>

#include "fold/linecache.h"
#include "fold/perfscript_line.h"
#include "fold/reader.h"
#include "fold/tidy.h"
#include "lib/arena.h"
#include "lib/hash.h"

enum {
	MAX_BLOCK = 256 * 1024, /* frames of one sample that are looked up as a whole */
	CACHE_SLOTS = 1 << 18,
};

/* Frames of samples seen before: the hash of their bytes, and of what else the handle depends on. */
struct cache_entry {
	uint64_t key; /* 0: free */
	uint32_t handle;
	uint32_t nlines;
};

struct perfscript {
	struct input *in;
	struct sink *sink;
	unsigned needs;
	bool by_time; /* --weight time */

	/* The sample in hand. Everything in it is copied to the arena, as lines do not outlive the next one. */
	bool open; /* a header line has been read, the sample has not been handed over */
	bool unsure; /* it may be no header at all: only frames will tell */
	struct perfscript_header header;
	struct str unsure_line;
	uint64_t header_line; /* its number */
	struct frame *frames;
	size_t nframes, frames_cap;
	struct arena arena;
	struct linecache lines;

	bool with_period, without_period;

	/* Looking up whole blocks of frames. */
	struct cache_entry *cache;
	size_t ncached;
	uint64_t key; /* of the sample in hand, 0: none */
	uint64_t block_end; /* where its frames end in the input; an empty line follows */
	uint64_t first_line; /* number of the line before them */
};

static struct span keep(struct perfscript *p, struct span s)
{
	return s.n ? (struct span){arena_copy(&p->arena, s.p, s.n), s.n} : SPAN("");
}

static bool is_clock(struct span event)
{
	return span_starts(event, SPAN("cpu-clock")) || span_starts(event, SPAN("task-clock"));
}

static struct amount amount_of(struct perfscript *p, const struct perfscript_header *h)
{
	struct amount a = {.samples = COUNT_ONE, .weight = COUNT_ONE};

	a.has_time = h->has_time;
	a.time_ns = h->time_ns;
	*(h->period ? &p->with_period : &p->without_period) = true;
	if (h->period) {
		a.weight = a.period = count_of(h->period);
		if (p->by_time && is_clock(h->event))
			a.time_us = count_scale(a.period, 1, 1000);
	}
	return a;
}

static void remember(struct perfscript *p, uint32_t handle)
{
	size_t i = p->key & (CACHE_SLOTS - 1);

	if (p->ncached >= CACHE_SLOTS / 4 * 3) {
		memset(p->cache, 0, CACHE_SLOTS * sizeof *p->cache);
		p->ncached = 0;
	}
	while (p->cache[i].key && p->cache[i].key != p->key)
		i = (i + 1) & (CACHE_SLOTS - 1);
	p->ncached += !p->cache[i].key;
	p->cache[i] = (struct cache_entry){p->key, handle, (uint32_t)(p->in->line - p->first_line)};
}

static const struct cache_entry *recall(const struct perfscript *p, uint64_t key)
{
	size_t i = key & (CACHE_SLOTS - 1);

	for (; p->cache[i].key; i = (i + 1) & (CACHE_SLOTS - 1))
		if (p->cache[i].key == key)
			return &p->cache[i];
	return NULL;
}

static void finish_sample(struct perfscript *p)
{
	struct stack s = stack_init();
	uint32_t handle;

	if (!p->open)
		return;
	p->open = false;
	if (p->unsure && !p->nframes) {
		sink_bad_line_at(p->sink, p->in, p->header_line, str_span(&p->unsure_line));
		return;
	}
	s.comm = p->header.comm;
	s.event = p->header.event;
	s.pid = p->header.pid;
	s.tid = p->header.tid;
	s.cpu = p->header.cpu;
	s.frames = p->frames;
	s.nframes = p->nframes;
	s.amount = amount_of(p, &p->header);
	handle = sink_stack(p->sink, &s);
	sink_count(p->sink, handle, &s.amount);
	if (p->key && p->block_end + 1 == p->in->offset)
		remember(p, handle);
	p->key = 0;
}

/* Bytes compared at a time; the compiler makes the machine's vector instructions of it. */
typedef unsigned char bytes16 __attribute__((vector_size(16)));

static bool any_empty_line(const char *p)
{
	bytes16 a, b, found;
	uint64_t halves[2];

	memcpy(&a, p, sizeof a);
	memcpy(&b, p + 1, sizeof b);
	found = (bytes16)(a == '\n') & (bytes16)(b == '\n');
	memcpy(halves, &found, sizeof halves);
	return (halves[0] | halves[1]) != 0;
}

/* The place of the second of two line feeds in a row; 0 when there are none. */
static size_t find_empty_line(struct span s)
{
	size_t i = 0;

	while (i + sizeof(bytes16) < s.n && !any_empty_line(s.p + i))
		i += sizeof(bytes16);
	for (; i + 1 < s.n; i++)
		if (s.p[i] == '\n' && s.p[i + 1] == '\n')
			return i + 1;
	return 0;
}

/* The end of the frames that stand at the present place, up to the empty line after them; 0 when they are not all in the
   buffer, which must not move here: the header line still stands in it. */
static size_t block_length(const struct input *in)
{
	struct span s = {in->buf + in->pos, in->len - in->pos};

	if (!s.n || s.p[0] != '\t')
		return 0;
	if (s.n > MAX_BLOCK)
		s.n = MAX_BLOCK;
	return find_empty_line(s);
}

/* What besides the frames decides where a sample is counted. */
static uint64_t hash_header(const struct perfscript *p, const struct perfscript_header *h)
{
	int32_t ids[3] = {
	    p->needs & SINK_NEEDS_PID ? h->pid : 0,
	    p->needs & SINK_NEEDS_TID ? h->tid : 0,
	    p->needs & SINK_NEEDS_CPU ? h->cpu : 0,
	};
	uint64_t hash = hash64(h->comm.p, h->comm.n);

	hash = hash64_seed(h->event.p, h->event.n, hash);
	return p->needs ? hash64_seed(ids, sizeof ids, hash) : hash;
}

/* Counts the sample at once when its frames, byte for byte, have been seen before. */
static bool take_known(struct perfscript *p, const struct perfscript_header *h)
{
	uint64_t header_hash = hash_header(p, h);
	const struct cache_entry *known;
	struct amount amount = amount_of(p, h);
	size_t n = block_length(p->in);

	p->key = 0;
	if (!n)
		return false;
	p->key = hash64_seed(p->in->buf + p->in->pos, n, header_hash) | 1;
	p->block_end = p->in->offset + n;
	p->first_line = p->in->line;
	known = recall(p, p->key);
	if (!known)
		return false;
	sink_count(p->sink, known->handle, &amount);
	input_consume(p->in, n + 1);
	p->in->line += known->nlines;
	return true;
}

static void start_sample(struct perfscript *p, const struct perfscript_header *h, struct span line)
{
	arena_reset(&p->arena);
	linecache_trim(&p->lines);
	p->header = *h;
	p->header.comm = keep(p, h->comm);
	p->header.event = keep(p, h->event);
	p->nframes = 0;
	p->open = true;
	p->unsure = h->unsure;
	p->header_line = p->in->line;
	str_reset(&p->unsure_line);
	if (h->unsure)
		str_add(&p->unsure_line, line.p, line.n);
}

static void add_frame(struct perfscript *p, const struct frame *f)
{
	p->frames = grow(p->frames, p->nframes, &p->frames_cap, sizeof *p->frames);
	p->frames[p->nframes++] = *f;
}

/* Adds the frame that a line is; false when it is none. */
static bool take_frame(struct perfscript *p, struct span line)
{
	const struct frame *f = linecache_get(&p->lines, p->sink, line, perfscript_frame);

	if (f)
		add_frame(p, f);
	return f != NULL;
}

/* A line of `perf script -F +srcline`, which belongs to the frame before it. */
static bool take_source(struct perfscript *p, struct span line)
{
	struct span file;
	uint32_t number;

	if (!p->open || !p->nframes || !perfscript_source(line, &file, &number))
		return false;
	p->frames[p->nframes - 1].same = 0;
	p->frames[p->nframes - 1].file = keep(p, file);
	p->frames[p->nframes - 1].line = number;
	return true;
}

static void take_header(struct perfscript *p, const struct perfscript_header *h, struct span line)
{
	struct frame f;

	finish_sample(p);
	if (h->sideband)
		sink_tally(p->sink, TALLY_LOST, h->lost);
	if (h->sideband || take_known(p, h))
		return;
	start_sample(p, h, line);
	if (perfscript_inline_frame(h->rest, &f)) {
		add_frame(p, &f);
		finish_sample(p);
	}
}

static void take_comment(struct perfscript *p, struct span line)
{
	static const struct {
		struct span prefix;
		const char *key;
	} facts[] = {{SPAN("# hostname :"), "host"}, {SPAN("# os release :"), "kernel"},
	    {SPAN("# cmdline :"), "command"}};

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if (span_starts(line, facts[i].prefix)) {
			line.p += facts[i].prefix.n;
			line.n -= facts[i].prefix.n;
			sink_fact(p->sink, facts[i].key, span_trim(line));
			return;
		}
}

/* A line that is neither a header with a time nor a frame. */
static void take_other_line(struct perfscript *p, struct span line)
{
	struct perfscript_header h;

	if (take_source(p, line))
		return;
	if (!(p->open && p->nframes) && perfscript_bare_header(line, &h)) {
		take_header(p, &h, line);
		return;
	}
	p->key = 0;
	sink_bad_line(p->sink, p->in, line);
}

static void take_line(struct perfscript *p, struct span line)
{
	struct perfscript_header h;

	if (!line.n) {
		/* Some versions print an empty line between a header and its frames. */
		if (p->nframes)
			finish_sample(p);
		return;
	}
	if (line.p[0] == '#')
		take_comment(p, line);
	else if (p->open && line.p[0] == '\t' && take_frame(p, line))
		return;
	else if (perfscript_header(line, &h))
		take_header(p, &h, line);
	else if (!p->open || !take_frame(p, line))
		take_other_line(p, line);
}

static bool read_perfscript(struct input *in, struct sink *sink)
{
	struct perfscript *p = xcalloc(1, sizeof *p);
	struct span line;

	p->in = in;
	p->sink = sink;
	p->needs = sink_needs(sink);
	p->by_time = sink_options(sink)->weight == WEIGHT_TIME;
	p->cache = xcalloc(CACHE_SLOTS, sizeof *p->cache);
	while (input_line(in, &line))
		take_line(p, line);
	finish_sample(p);
	if (sink_options(sink)->weight == WEIGHT_DEFAULT && p->with_period != p->without_period)
		sink_fact(sink, "weight", p->with_period ? SPAN("period") : SPAN("samples"));
	free(p->frames);
	free(p->cache);
	str_release(&p->unsure_line);
	arena_release(&p->arena);
	linecache_release(&p->lines);
	free(p);
	return true;
}

/* A header line with a time, or one without that frames follow; comments alone when they are those of perf. */
static bool probe_perfscript(struct span head)
{
	struct perfscript_header h;
	struct frame f;
	struct span line;
	bool bare = false, comments = false;

	while (span_line(&head, &line)) {
		if (!line.n)
			continue;
		if (line.p[0] == '#') {
			comments |= span_starts(line, SPAN("# cmdline :")) ||
				    span_starts(line, SPAN("# captured on"));
			continue;
		}
		if (perfscript_header(line, &h))
			return true;
		if (bare && perfscript_frame(line, &f) && f.has_addr)
			return true;
		bare = perfscript_bare_header(line, &h);
	}
	return comments;
}

const struct reader reader_perfscript = {
    "perf-script", "text of perf script", probe_perfscript, read_perfscript};
