/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as the text of perf script: a line for the sample, a line for each frame, an empty line. */
#include "fold/script.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/places.h"

enum {
	CACHE_SLOTS = 1 << 16, /* (space, chain) pairs whose text is remembered */
	CACHE_BYTES_MAX = 64 << 20,
	NS_PER_S = 1000000000,
};

struct cached {
	uint64_t key; /* generation << 32 | chain */
	const char *text;
	size_t n;
};

struct script {
	struct timeline *timeline;
	bool lines;
	uint64_t nsamples;
	uint32_t own;
	struct cached *cache;
	uint32_t cache_epoch;
	struct arena texts;
	struct place *places;
	size_t places_cap;
	struct str out;
};

/* A name on a line of text: what would break the line becomes a blank. */
static void add_name(struct str *out, struct span name)
{
	size_t start = out->n;

	str_add(out, name.p, name.n);
	for (size_t i = start; i < out->n; i++)
		if ((unsigned char)out->p[i] < ' ')
			out->p[i] = ' ';
}

static void add_frame(
    struct str *out, const struct frame *f, const struct place *p, uint64_t function, bool lines)
{
	uint64_t at = p->kind == PLACE_EXACT ? p->place : p->place + 1;

	str_addf(out, "\t%16llx ", (unsigned long long)p->addr);
	add_name(out, f->name.n ? f->name : SPAN("[unknown]"));
	if (f->inlined) {
		str_adds(out, " (inlined)");
	} else {
		if (f->name.n && function != UINT64_MAX)
			str_addf(out, "+0x%llx", (unsigned long long)(at - function));
		str_adds(out, " (");
		add_name(out, f->module.n ? f->module : SPAN("[unknown]"));
		str_addc(out, ')');
	}
	str_addc(out, '\n');
	if (!lines || !f->file.n)
		return;
	str_adds(out, "  ");
	add_name(out, f->file);
	str_addf(out, ":%u\n", f->line);
}

static void add_chain(struct script *s, struct str *out, uint32_t chain, const struct task *task)
{
	struct callchain entries = timeline_entries(s->timeline, chain);
	uint32_t n;

	if (s->places_cap < entries.n) {
		s->places_cap = entries.n;
		s->places = xreallocarray(s->places, s->places_cap, sizeof *s->places);
	}
	n = places_of_chain(task, &entries, s->places);
	for (uint32_t i = 0; i < n; i++) {
		const struct place *p = &s->places[i];
		struct symbol_frames f = symbols_look_up(
		    timeline_symbols(s->timeline), p->object, p->place, (enum place_kind)p->kind);

		for (size_t k = 0; k < f.n; k++)
			add_frame(out, &f.frames[k], p, f.function, s->lines);
	}
}

static void empty_cache(struct script *s)
{
	memset(s->cache, 0, CACHE_SLOTS * sizeof *s->cache);
	arena_reset(&s->texts);
	s->cache_epoch = timeline_epoch(s->timeline);
}

/* The frames' lines. A process whose mappings stay the same gives the same text for the same chain. */
static struct span chain_text(struct script *s, uint32_t chain, const struct task *task)
{
	uint64_t key = (uint64_t)task->process->space->generation << 32 | chain;
	struct cached *c = &s->cache[(key * 0x9e3779b97f4a7c15u >> 40) % CACHE_SLOTS];
	struct str text = {0};

	if (s->cache_epoch != timeline_epoch(s->timeline) || s->texts.nbytes > CACHE_BYTES_MAX)
		empty_cache(s);
	if (!c->text || c->key != key) {
		add_chain(s, &text, chain, task);
		*c = (struct cached){key, arena_copy(&s->texts, text.p ? text.p : "", text.n), text.n};
		str_release(&text);
	}
	return (struct span){c->text, c->n};
}

static void print_sample(void *ctx, const struct timeline_sample *sample, const struct task *task)
{
	struct script *s = ctx;
	struct span frames;

	if (s->own && sample->pid == s->own)
		return;
	frames = chain_text(s, sample->chain, task);
	str_reset(&s->out);
	add_name(&s->out, tasks_comm(timeline_tasks(s->timeline), task->comm));
	str_addf(&s->out, " %d/%d [%03u] %llu.%09llu: %10llu ", (int32_t)sample->pid, (int32_t)sample->tid,
	    sample->cpu, (unsigned long long)(sample->time / NS_PER_S),
	    (unsigned long long)(sample->time % NS_PER_S), (unsigned long long)sample->period);
	add_name(&s->out, str_span(&timeline_event(s->timeline, sample->event)->name));
	str_adds(&s->out, ": \n");
	str_add(&s->out, frames.p, frames.n);
	str_addc(&s->out, '\n');
	fwrite(s->out.p, 1, s->out.n, stdout);
	s->nsamples++;
}

static void note_own(void *ctx, uint32_t pid)
{
	struct script *s = ctx;

	if (!s->own)
		s->own = pid;
}

struct script *script_open(struct symbols *symbols, bool lines)
{
	struct script *s = xcalloc(1, sizeof *s);

	s->lines = lines;
	s->cache = xcalloc(CACHE_SLOTS, sizeof *s->cache);
	s->timeline = timeline_open(
	    &(struct timeline_handler){.ctx = s, .sample = print_sample, .own = note_own}, symbols);
	return s;
}

struct timeline *script_timeline(struct script *s)
{
	return s->timeline;
}

uint64_t script_nsamples(const struct script *s)
{
	return s->nsamples;
}

void script_close(struct script *s)
{
	if (!s)
		return;
	timeline_close(s->timeline);
	arena_release(&s->texts);
	str_release(&s->out);
	free(s->places);
	free(s->cache);
	free(s);
}
