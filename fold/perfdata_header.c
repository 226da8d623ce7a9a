/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a perf.data tells of itself: the machine, the command, names of events, build-ids. */
#include <sys/utsname.h>

#include "fold/perfdata_inside.h"
#include "lib/wire.h"

enum feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
};

enum {
	BUILD_ID_MAX = 20,
	MISC_BUILD_ID_SIZE = 1 << 15,
	UPDATE_NAME = 2,
};

bool perfdata_wants_feature(unsigned number)
{
	switch (number) {
	case FEATURE_BUILD_ID:
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_ARCH:
	case FEATURE_CMDLINE:
	case FEATURE_EVENT_DESC:
		return true;
	default:
		return false;
	}
}

/* A string with its length before it; the length includes padding. */
static struct span take_string(struct wire *w)
{
	uint32_t n = wire_u32(w);
	struct span s = wire_bytes(w, n);

	s.n = strnlen(s.p, s.n);
	return s;
}

static void take_cmdline(struct perfdata *p, struct wire *w)
{
	uint32_t n = wire_u32(w);
	struct str line = {0};

	for (uint32_t i = 0; i < n && !w->failed; i++) {
		struct span word = take_string(w);

		if (i)
			str_addc(&line, ' ');
		str_add(&line, word.p, word.n);
	}
	timeline_fact(p->timeline, "command", str_span(&line));
	str_release(&line);
}

static void set_name(struct perfdata *p, uint32_t event, struct span name)
{
	struct timeline_event *e;

	if (event >= timeline_nevents(p->timeline) || !name.n)
		return;
	e = timeline_event(p->timeline, event);
	str_reset(&e->name);
	str_add(&e->name, name.p, name.n);
}

/* The events in the order of their attrs; where ids are given these decide. */
static void take_event_desc(struct perfdata *p, struct wire *w)
{
	uint32_t n = wire_u32(w), attr_size = wire_u32(w);

	for (uint32_t i = 0; i < n && !w->failed; i++) {
		uint32_t nids, event = i;
		struct span name;

		wire_skip(w, attr_size);
		nids = wire_u32(w);
		name = take_string(w);
		for (uint32_t k = 0; k < nids && !w->failed; k++)
			perfdata_event_of(p, wire_u64(w), &event);
		if (!w->failed)
			set_name(p, event, name);
	}
}

/* Names of events that a profile in pipe mode sends one by one. */
void perfdata_event_update(struct perfdata *p, struct span body)
{
	struct wire w = wire_init(body.p, body.n, p->swap);
	uint64_t type = wire_u64(&w), id = wire_u64(&w);
	uint32_t event;

	if (type == UPDATE_NAME && perfdata_event_of(p, id, &event))
		set_name(p, event, wire_string(&w));
}

void perfdata_build_id(struct perfdata *p, const struct perfrec *rec)
{
	struct wire w = wire_init(rec->body.p, rec->body.n, p->swap);
	struct span id;

	wire_skip(&w, 4); /* pid */
	id = wire_bytes(&w, 24);
	if (!id.n)
		return;
	id.n = rec->misc & MISC_BUILD_ID_SIZE && (unsigned char)id.p[BUILD_ID_MAX] <= BUILD_ID_MAX
		   ? (unsigned char)id.p[BUILD_ID_MAX]
		   : BUILD_ID_MAX;
	symbols_build_id(timeline_symbols(p->timeline), wire_string(&w), id);
}

static void take_build_ids(struct perfdata *p, struct span s)
{
	struct perfrec rec;
	size_t size;

	while (perfrec_parse(s, p->swap, &rec, &size)) {
		perfdata_build_id(p, &rec);
		s.p += size;
		s.n -= size;
	}
}

/* Was this recorded by the kernel and machine that run now? Only they can be asked for the kernel's symbols and processes. */
static void compare_machine(struct perfdata *p, struct span name, const char *here)
{
	if (name.n && !span_eq(name, span_of(here)))
		symbols_foreign(timeline_symbols(p->timeline));
}

void perfdata_feature(struct perfdata *p, unsigned number, struct span s)
{
	struct wire w = wire_init(s.p, s.n, p->swap);
	struct utsname here = {0};
	struct span text;
	char arch[16] = "";

	uname(&here);
	switch (number) {
	case FEATURE_BUILD_ID:
		take_build_ids(p, s);
		break;
	case FEATURE_HOSTNAME:
		text = take_string(&w);
		timeline_fact(p->timeline, "host", text);
		compare_machine(p, text, here.nodename);
		break;
	case FEATURE_OSRELEASE:
		text = take_string(&w);
		timeline_fact(p->timeline, "kernel", text);
		compare_machine(p, text, here.release);
		break;
	case FEATURE_ARCH:
		text = take_string(&w);
		if (text.n && text.n < sizeof arch) {
			memcpy(arch, text.p, text.n);
			p->verbatim.ip_register = verbatim_ip_register(arch);
		}
		break;
	case FEATURE_CMDLINE:
		take_cmdline(p, &w);
		break;
	case FEATURE_EVENT_DESC:
		take_event_desc(p, &w);
		break;
	default:
		break;
	}
}

void perfdata_rate(struct perfdata *p)
{
	struct str number = {0};

	if (!p->nattrs)
		return;
	str_addu(&number, p->attrs[0].freq ? p->attrs[0].freq_hz : p->attrs[0].period);
	timeline_fact(p->timeline, p->attrs[0].freq ? "freq_hz" : "period", str_span(&number));
	str_release(&number);
}
