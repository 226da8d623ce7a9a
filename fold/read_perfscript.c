/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the text of `perf script`: a header line per sample, then its frames, leaf first, then an empty line. */
#include <ctype.h>
#include <stdlib.h>

#include "fold/inlines.h"
#include "fold/linecache.h"
#include "fold/perfscript_line.h"
#include "fold/pieces.h"
#include "fold/reader.h"
#include "fold/tidy.h"
#include "lib/arena.h"
#include "lib/hash.h"

enum {
	CACHE_SLOTS = 1 << 18,
};

/* Frames of samples seen before: the hash of their bytes, and of what else the handle depends on. */
struct cache_entry {
	uint64_t key; /* 0: free */
	uint32_t handle;
	uint32_t nlines; /* of frames */
};

struct perfscript {
	struct sink *sink;
	struct input text; /* the piece in hand, with the place in the whole input */
	const struct piece *piece;
	size_t next_block; /* of the piece, not passed yet */
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
	struct inlines *inlines; /* or NULL */
	struct perfscript_memo memo;

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
	size_t i = p->key >> 8 & (CACHE_SLOTS - 1);

	if (p->ncached >= CACHE_SLOTS / 4 * 3) {
		memset(p->cache, 0, CACHE_SLOTS * sizeof *p->cache);
		p->ncached = 0;
	}
	while (p->cache[i].key && p->cache[i].key != p->key)
		i = (i + 1) & (CACHE_SLOTS - 1);
	p->ncached += !p->cache[i].key;
	p->cache[i] = (struct cache_entry){p->key, handle, (uint32_t)(p->text.line - p->first_line - 1)};
}

static const struct cache_entry *recall(const struct perfscript *p, uint64_t key)
{
	size_t i = key >> 8 & (CACHE_SLOTS - 1);

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
		sink_bad_line_at(p->sink, &p->text, p->header_line, str_span(&p->unsure_line));
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
	/* An empty line of one or two bytes has been taken. */
	if (p->key && (p->block_end + 1 == p->text.offset || p->block_end + 2 == p->text.offset))
		remember(p, handle);
	p->key = 0;
}

/* The block of frames that begins at the present place; NULL when it was not seen whole. */
static const struct piece_block *present_block(struct perfscript *p)
{
	const struct piece *piece = p->piece;

	while (p->next_block < piece->nblocks && piece->blocks[p->next_block].at < p->text.pos)
		p->next_block++;
	if (p->next_block == piece->nblocks || piece->blocks[p->next_block].at != p->text.pos)
		return NULL;
	return &piece->blocks[p->next_block];
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
	const struct piece_block *block = present_block(p);
	const struct cache_entry *known;
	struct amount amount;
	struct span empty;

	p->key = 0;
	if (!block)
		return false;
	p->key = (block->hash ^ hash_header(p, h)) | 1;
	p->block_end = p->text.offset + block->n;
	p->first_line = p->text.line;
	known = recall(p, p->key);
	if (!known)
		return false;
	amount = amount_of(p, h);
	sink_count(p->sink, known->handle, &amount);
	input_consume(&p->text, block->n);
	p->text.line += known->nlines;
	input_line(&p->text, &empty);
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
	p->header_line = p->text.line;
	str_reset(&p->unsure_line);
	if (h->unsure)
		str_add(&p->unsure_line, line.p, line.n);
}

static void add_one(struct perfscript *p, const struct frame *f)
{
	p->frames = grow(p->frames, p->nframes, &p->frames_cap, sizeof *p->frames);
	p->frames[p->nframes++] = *f;
}

/* Adds a frame, with --inline those that stand for it. */
static void add_frame(struct perfscript *p, const struct frame *f)
{
	const struct frame *frames = f;
	size_t n = p->inlines ? inlines_at(p->inlines, f, p->nframes == 0, &frames) : 0;

	if (!n)
		add_one(p, f);
	for (size_t i = 0; i < n; i++)
		add_one(p, &frames[i]);
}

/* Adds the frame that a line is; false when it is none. */
static bool take_frame(struct perfscript *p, struct span line)
{
	const struct frame *f = linecache_get(&p->lines, p->sink, line, perfscript_frame);

	if (f)
		add_frame(p, f);
	return f != NULL;
}

/* perf script -F ip,sym,dso prints frames and no header lines at all. */
static void start_nameless(struct perfscript *p)
{
	struct perfscript_header h = {.pid = NO_ID, .tid = NO_ID, .cpu = NO_ID};

	start_sample(p, &h, SPAN(""));
}

/* A frame behind a tab. */
static bool take_tabbed(struct perfscript *p, struct span line)
{
	const struct frame *f;

	if (line.p[0] != '\t')
		return false;
	f = linecache_get(&p->lines, p->sink, line, perfscript_frame);
	if (!f || (!p->open && !f->has_addr))
		return false;
	if (!p->open) {
		start_nameless(p);
		return take_frame(p, line);
	}
	add_frame(p, f);
	return true;
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
	sink_bad_line(p->sink, &p->text, line);
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
	else if (take_tabbed(p, line))
		return;
	else if (perfscript_header(line, &p->memo, &h))
		take_header(p, &h, line);
	else if (!p->open || !take_frame(p, line))
		take_other_line(p, line);
}

/* What the counts are when nobody asked for another weight: samples with and without periods are neither. */
static void name_weight(const struct perfscript *p)
{
	if (p->with_period != p->without_period)
		sink_fact(p->sink, "weight", p->with_period ? SPAN("period") : SPAN("samples"));
}

static void take_piece(struct perfscript *p, struct piece *piece)
{
	struct span line;

	p->piece = piece;
	p->next_block = 0;
	p->text.buf = piece->bytes;
	p->text.pos = 0;
	p->text.len = piece->n;
	while (input_line(&p->text, &line))
		take_line(p, line);
}

static bool read_perfscript(struct input *in, struct sink *sink)
{
	struct perfscript *p = xcalloc(1, sizeof *p);
	struct piece *piece;
	struct pieces *pieces;

	p->sink = sink;
	p->text = (struct input){.name = in->name, .fd = -1, .eof = true};
	p->needs = sink_needs(sink);
	p->by_time = sink_options(sink)->weight == WEIGHT_TIME;
	p->cache = xcalloc(CACHE_SLOTS, sizeof *p->cache);
	p->inlines = inlines_open(sink_options(sink));
	pieces = pieces_open(in);
	while ((piece = pieces_next(pieces)))
		take_piece(p, piece);
	finish_sample(p);
	pieces_close(pieces);
	name_weight(p);
	free(p->frames);
	free(p->cache);
	str_release(&p->unsure_line);
	arena_release(&p->arena);
	linecache_release(&p->lines);
	inlines_close(p->inlines);
	free(p);
	return true;
}

/* A header line with a time, or one without that frames follow; comments alone when they are those of perf. */
static bool probe_perfscript(struct span head)
{
	struct perfscript_memo memo = {0};
	struct perfscript_header h;
	struct frame f;
	struct span line;
	bool first = true, bare = false, comments = false;

	while (span_line(&head, &line)) {
		if (!line.n)
			continue;
		if (line.p[0] == '#') {
			comments |= span_starts(line, SPAN("# cmdline :")) ||
				    span_starts(line, SPAN("# captured on"));
			continue;
		}
		if (perfscript_header(line, &memo, &h) && (h.sideband || h.event.n || h.tid != NO_ID))
			return true;
		if ((bare || (first && line.p[0] == '\t')) && perfscript_frame(line, &f) && f.has_addr)
			return true;
		bare = perfscript_bare_header(line, &h);
		first = false;
	}
	return comments;
}

const struct reader reader_perfscript = {
    "perf-script", "text of perf script", probe_perfscript, read_perfscript};
