/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's JSON: one table of frames, and profiles of samples with weights, or of frames that open and close. */
#include <stdlib.h>

#include "fold/chain.h"
#include "fold/jsontext.h"
#include "fold/reader.h"
#include "fold/text.h"

struct speedscope {
	struct sink *sink;
	struct work work; /* of all evented profiles */
	struct intern texts;
	struct frame *frames;
	size_t nframes, frames_cap;
	bool several; /* profiles: their names are roots then */
	bool mixed; /* units: each is an event of its own then */
	struct span unit; /* of the first profile, as a weight */
	struct chain chain;
	uint64_t damaged; /* events that close what is not open, samples without a weight */
};

/* What a profile's members say, where they stand. */
struct profile {
	struct str name, unit, type;
	struct json_walk samples, weights, events; /* text.n is 0 when absent */
	u128 end;
	bool has_end;
};

static bool probe(struct span head)
{
	return jsontext_is_json(head) &&
	       (text_has(head, SPAN("speedscope.app/file-format-schema")) ||
		   (jsontext_has_key(head, "shared") && jsontext_has_key(head, "frames") &&
		       !jsontext_has_key(head, "preprocessedProfileVersion")));
}

static struct span keep(struct speedscope *s, struct span text)
{
	return text.n ? intern_span(&s->texts, intern(&s->texts, text)) : SPAN("");
}

static void read_frame(struct speedscope *s, const struct json *v)
{
	struct frame f = {0};
	int64_t line;

	f.name = keep(s, json_text(json_member(v, "name")));
	f.file = keep(s, json_text(json_member(v, "file")));
	if (json_integer_of(json_member(v, "line"), &line) && line > 0 && line <= UINT32_MAX)
		f.line = (uint32_t)line;
	s->frames = grow(s->frames, s->nframes, &s->frames_cap, sizeof *s->frames);
	s->frames[s->nframes++] = f;
}

static void read_shared(struct speedscope *s, struct json_walk *w)
{
	struct span key;

	if (!json_walk_enter(w))
		return;
	while (json_walk_member(w, &key)) {
		if (!span_eq(key, SPAN("frames")) || !json_walk_enter(w)) {
			if (!span_eq(key, SPAN("frames")))
				json_walk_skip(w);
			continue;
		}
		while (json_walk_item(w)) {
			struct json *v = json_walk_load(w);

			read_frame(s, v);
			json_free(v);
		}
	}
}

static void read_profile_member(struct profile *p, struct json_walk *w, struct span key)
{
	if (span_eq(key, SPAN("name"))) {
		json_walk_text(w, &p->name);
	} else if (span_eq(key, SPAN("unit"))) {
		json_walk_text(w, &p->unit);
	} else if (span_eq(key, SPAN("type"))) {
		json_walk_text(w, &p->type);
	} else if (span_eq(key, SPAN("endValue"))) {
		p->has_end = json_walk_count(w, &p->end);
	} else {
		if (span_eq(key, SPAN("samples")))
			p->samples = *w;
		else if (span_eq(key, SPAN("weights")))
			p->weights = *w;
		else if (span_eq(key, SPAN("events")))
			p->events = *w;
		json_walk_skip(w);
	}
}

static void read_profile(struct profile *p, struct json_walk *w)
{
	struct span key;

	if (!json_walk_enter(w))
		return;
	while (json_walk_member(w, &key))
		read_profile_member(p, w, key);
}

static void release_profile(struct profile *p)
{
	str_release(&p->name);
	str_release(&p->unit);
	str_release(&p->type);
}

/* How many units of a time make or are a microsecond. */
static const struct unit {
	struct span name;
	unsigned multiply, divide;
} units[] = {{SPAN("nanoseconds"), 1, 1000}, {SPAN("microseconds"), 1, 1}, {SPAN("milliseconds"), 1000, 1},
    {SPAN("seconds"), 1000000, 1}};

static const struct unit *find_unit(struct span name)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (span_eq(units[i].name, name))
			return &units[i];
	return NULL;
}

static const struct frame *find_frame(const struct speedscope *s, int64_t i)
{
	static const struct frame unknown;

	return i >= 0 && (uint64_t)i < s->nframes ? &s->frames[i] : &unknown;
}

static void set_weight(struct stack *stack, const struct unit *unit, u128 weight)
{
	stack->amount.weight = unit ? count_scale(weight, unit->multiply, unit->divide) : weight;
	stack->amount.time_us = unit ? stack->amount.weight : 0;
}

/* The frames of one sample, root first in the file. */
static void read_sample(struct speedscope *s, struct json_walk *w)
{
	int64_t i;

	if (!json_walk_enter(w))
		return;
	while (json_walk_item(w)) {
		if (!json_walk_integer(w, &i))
			i = -1;
		chain_refer(&s->chain, find_frame(s, i));
	}
	chain_reverse(&s->chain);
	if (!s->chain.n)
		chain_refer(&s->chain, find_frame(s, -1));
}

static void add_sampled(struct speedscope *s, struct profile *p, struct stack *stack)
{
	const struct unit *unit = find_unit(str_span(&p->unit));
	bool weights = p->weights.text.n && json_walk_enter(&p->weights);
	u128 weight;

	if (!json_walk_enter(&p->samples))
		return;
	while (json_walk_item(&p->samples)) {
		read_sample(s, &p->samples);
		weight = COUNT_ONE;
		if (weights && !(json_walk_item(&p->weights) && json_walk_count(&p->weights, &weight)))
			s->damaged++;
		set_weight(stack, unit, weight);
		stack->frames = s->chain.frames;
		stack->nframes = s->chain.n;
		if (weight)
			sink_add(s->sink, stack);
		chain_reset(&s->chain);
	}
}

/* Opened and closed frames of a profile, up to the moment now. */
struct evented {
	struct path path;
	const struct unit *unit;
	u128 now;
};

static void advance(struct evented *e, u128 at)
{
	if (at > e->now && e->path.n) {
		set_weight(&e->path.stack, e->unit, at - e->now);
		path_self(&e->path, e->path.stack.amount.weight);
	}
	if (at > e->now)
		e->now = at;
}

/* {"type":"O","frame":3,"at":12.5} */
static bool read_event(struct speedscope *s, struct evented *e, const struct json *v)
{
	struct span type = json_text(json_member(v, "type"));
	int64_t frame;
	u128 at;

	if (!json_count_of(json_member(v, "at"), &at) || !json_integer_of(json_member(v, "frame"), &frame))
		return false;
	advance(e, at);
	if (span_eq(type, SPAN("O")))
		return path_enter(&e->path, e->path.n, find_frame(s, frame), 0);
	if (!span_eq(type, SPAN("C")) || !e->path.n)
		return false;
	path_leave(&e->path, e->path.n - 1);
	return true;
}

static void add_evented(struct speedscope *s, struct profile *p, struct stack *stack)
{
	struct evented e = {.path = {.sink = s->sink, .work = s->work, .stack = *stack}};

	e.unit = find_unit(str_span(&p->unit));
	e.path.us = e.unit != NULL;
	if (!json_walk_enter(&p->events))
		return;
	while (json_walk_item(&p->events)) {
		struct json *v = json_walk_load(&p->events);

		s->damaged += !read_event(s, &e, v);
		json_free(v);
	}
	/* What is not closed lasts until the end. */
	if (p->has_end)
		advance(&e, p->end);
	s->work = e.path.work;
	path_release(&e.path);
}

/* What the weights of a profile are: "time" in any unit of it. */
static struct span weight_of(struct speedscope *s, const struct profile *p)
{
	struct span unit = str_span(&p->unit);

	if (find_unit(unit))
		return SPAN("time");
	return span_eq(unit, SPAN("none")) || !unit.n ? SPAN("samples") : keep(s, unit);
}

/* The number of profiles, and whether their weights differ. */
static void survey(struct speedscope *s, struct json_walk w)
{
	size_t n = 0;

	if (!json_walk_enter(&w))
		return;
	for (; json_walk_item(&w); n++) {
		struct profile p = {0};

		read_profile(&p, &w);
		if (!n)
			s->unit = weight_of(s, &p);
		s->mixed |= !span_eq(s->unit, weight_of(s, &p));
		release_profile(&p);
	}
	s->several = n > 1;
}

static void add_profile(struct speedscope *s, struct profile *p)
{
	struct stack stack = stack_init();

	stack.verbatim = true;
	if (s->several)
		stack.comm = str_span(&p->name);
	if (s->mixed)
		stack.event = weight_of(s, p);
	if (p->samples.text.n)
		add_sampled(s, p, &stack);
	else if (p->events.text.n)
		add_evented(s, p, &stack);
	s->damaged += p->samples.nbad + p->events.nbad;
}

static void add_profiles(struct speedscope *s, struct json_walk w)
{
	survey(s, w);
	sink_fact(s->sink, "weight", s->unit);
	if (!json_walk_enter(&w))
		return;
	while (json_walk_item(&w)) {
		struct profile p = {0};

		read_profile(&p, &w);
		add_profile(s, &p);
		release_profile(&p);
	}
}

static bool read(struct input *in, struct sink *sink)
{
	struct speedscope s = {.sink = sink, .work.in = in};
	struct json_walk w = {.text = input_rest(in)}, profiles = {0};
	struct span key;

	json_walk_enter(&w);
	while (json_walk_member(&w, &key)) {
		if (span_eq(key, SPAN("shared"))) {
			read_shared(&s, &w);
			continue;
		}
		if (span_eq(key, SPAN("profiles")))
			profiles = w;
		json_walk_skip(&w);
	}
	if (profiles.text.n)
		add_profiles(&s, profiles);
	sink_tally(sink, TALLY_DAMAGED, s.damaged);
	free(s.frames);
	intern_release(&s.texts);
	chain_release(&s.chain);
	return jsontext_finish(&w, in, "the profile");
}

const struct reader reader_speedscope = {"speedscope", "speedscope's JSON", probe, read};
