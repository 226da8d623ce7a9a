/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples are counted when an input has several events. */
#include "fold/events.h"

#include <stdlib.h>

#include "lib/arena.h"

/* "cpu_core/cycles/P" is "cycles:P": processor units that share an event; other units ("uncore_imc/...") are left as they are. */
static void add_event_name(struct str *out, struct span event)
{
	size_t slash = span_find(event, 0, '/'), end = span_find(event, slash + 1, '/');

	if (!span_starts(event, SPAN("cpu_")) && !span_starts(event, SPAN("armv"))) {
		str_add(out, event.p, event.n);
		return;
	}
	if (end >= event.n) {
		str_add(out, event.p, event.n);
		return;
	}
	str_add(out, event.p + slash + 1, end - slash - 1);
	if (end + 1 < event.n) {
		str_addc(out, ':');
		str_add(out, event.p + end + 1, event.n - end - 1);
	}
}

/* The name without modifiers such as ":u" or ":ppp"; tracepoints ("sched:sched_switch") have none. */
static struct span without_modifiers(struct span event)
{
	const char *colon = memrchr(event.p, ':', event.n);

	if (!colon || colon == event.p)
		return event;
	for (const char *p = colon + 1; p < event.p + event.n; p++)
		if (!strchr("ukhGHpPSDWIebR", *p))
			return event;
	return (struct span){event.p, (size_t)(colon - event.p)};
}

bool events_match(struct span event, struct span wanted)
{
	struct str name = {0};
	bool match;

	add_event_name(&name, event);
	match = span_eq(event, wanted) || span_eq(str_span(&name), wanted) ||
		span_eq(without_modifiers(str_span(&name)), wanted);
	str_release(&name);
	return match;
}

static bool is_wanted(const struct options *o, struct span event)
{
	for (size_t i = 0; i < o->events.n; i++)
		if (events_match(event, o->events.items[i]))
			return true;
	return false;
}

static bool by_event(const struct options *o)
{
	for (unsigned i = 0; i < o->nby; i++)
		if (o->by[i] == BY_EVENT)
			return true;
	return false;
}

uint32_t events_id(struct events *e, const struct options *o, struct span event)
{
	uint32_t n = e->names.n, id;

	str_reset(&e->name);
	add_event_name(&e->name, event);
	id = intern(&e->names, str_span(&e->name));
	if (id < n)
		return id;
	e->tallies = grow(e->tallies, n, &e->cap, sizeof *e->tallies);
	e->tallies[id] = (struct event_tally){0};
	if (o->events.n)
		e->tallies[id].kept = is_wanted(o, event);
	else
		e->tallies[id].kept = by_event(o) || !n;
	return id;
}

void events_describe_kept(const struct events *e, struct str *out)
{
	for (uint32_t id = 0; id < e->names.n; id++) {
		struct span name = intern_span(&e->names, id);

		if (!e->tallies[id].kept)
			continue;
		if (out->n)
			str_addc(out, ',');
		str_add(out, name.p, name.n);
	}
}

void events_describe_left_out(const struct events *e, struct str *out)
{
	bool first = true;

	for (uint32_t id = 0; id < e->names.n; id++) {
		struct span name = intern_span(&e->names, id);

		if (e->tallies[id].kept)
			continue;
		str_adds(out, first ? "" : ", ");
		count_add_commas(out, e->tallies[id].samples);
		str_adds(out, " of ");
		str_add(out, name.p, name.n);
		first = false;
	}
}

void events_release(struct events *e)
{
	intern_release(&e->names);
	free(e->tallies);
	str_release(&e->name);
	*e = (struct events){0};
}
