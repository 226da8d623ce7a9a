/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of collect on their way into timelines: blocks, epochs and rounds. */
#include "fold/recorded.h"

#include <stdlib.h>
#include <unistd.h>

#include "fold/verbatim.h"
#include "lib/arena.h"
#include "lib/kallsyms.h"
#include "lib/recording.h"
#include "lib/sample.h"

enum { EVENTS_MAX = 65536, WAITING_MAX = 8 << 20, THROTTLED = 1, UNTHROTTLED = 2 };

struct recorded_event {
	bool known;
	uint32_t number; /* in the timeline */
	struct perfrec_attr attr;
	uint64_t *ids;
	size_t nids;
};

/* One CPU's stream of samples. */
struct stream {
	struct unpacker *unpacker;
	uint32_t *chains; /* timeline's number + 1 by number in the epoch; 0: not asked for yet */
	size_t nchains, cap;
	uint32_t timeline_epoch; /* that the numbers are of */
	uint64_t lost;
	uint64_t throttled_since;
};

struct recorded {
	struct input *in;
	struct recording recording;
	struct timeline *timeline;
	struct recorded_losses *losses;
	struct recorded_event *events;
	size_t nevents, events_cap;
	struct perfrec_attr sideband; /* layout of side-band records */
	bool has_sideband;
	struct stream **streams; /* by CPU */
	struct verbatim verbatim;
	struct block held; /* the first block of the next recording */
	bool has_held;
	bool ended; /* an END block was seen */
	uint64_t last_time;
};

struct recorded *recorded_open(struct input *in)
{
	struct recorded *r = xcalloc(1, sizeof *r);

	r->in = in;
	r->streams = xcalloc(RECORDING_MAX_CPUS, sizeof(struct stream *));
	if (recording_open(&r->recording, in))
		return r;
	recorded_close(r);
	return NULL;
}

static void forget_streams(struct recorded *r)
{
	for (size_t i = 0; i < RECORDING_MAX_CPUS; i++) {
		if (!r->streams[i])
			continue;
		unpacker_close(r->streams[i]->unpacker);
		free(r->streams[i]->chains);
		free(r->streams[i]);
		r->streams[i] = NULL;
	}
}

static void forget_events(struct recorded *r)
{
	for (size_t i = 0; i < r->nevents; i++)
		free(r->events[i].ids);
	r->nevents = 0;
	r->has_sideband = false;
}

void recorded_close(struct recorded *r)
{
	if (!r)
		return;
	forget_streams(r);
	forget_events(r);
	free(r->streams);
	free(r->events);
	verbatim_release(&r->verbatim);
	recording_close(&r->recording);
	free(r);
}

static struct stream *stream_of(struct recorded *r, uint32_t cpu)
{
	if (!r->streams[cpu]) {
		r->streams[cpu] = xcalloc(1, sizeof *r->streams[cpu]);
		r->streams[cpu]->unpacker = unpacker_open();
	}
	return r->streams[cpu];
}

/* A recording of another boot or machine cannot be explained by this one's processes and kernel. */
static void compare_boot(struct recorded *r, struct span boot_id)
{
	struct str here = {0};

	read_text_file("/proc/sys/kernel/random/boot_id", &here, 4096);
	if (!span_eq(span_trim(str_span(&here)), boot_id))
		symbols_foreign(timeline_symbols(r->timeline));
	else if (lseek(r->in->fd, 0, SEEK_CUR) < 0)
		timeline_own(r->timeline, (uint32_t)getpid());
	str_release(&here);
}

static void take_fact(struct recorded *r, struct span key, struct span value)
{
	static const char *const FACTS[] = {"host", "kernel", "command"};
	uint64_t pid;

	for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++)
		if (span_eq(key, span_of(FACTS[i])))
			timeline_fact(r->timeline, FACTS[i], value);
	if (span_eq(key, SPAN("boot_id")))
		compare_boot(r, value);
	if (span_eq(key, SPAN("collector_pid")) && span_u64(value, 10, &pid) && pid <= UINT32_MAX)
		timeline_own(r->timeline, (uint32_t)pid);
	if (span_eq(key, SPAN("arch"))) {
		char arch[16] = "";

		memcpy(arch, value.p, value.n < sizeof arch ? value.n : sizeof arch - 1);
		r->verbatim.ip_register = verbatim_ip_register(arch);
	}
}

static void take_info(struct recorded *r, struct wire w)
{
	while (wire_left(&w)) {
		struct span key = wire_str(&w), value = wire_str(&w);

		if (!w.failed)
			take_fact(r, key, value);
	}
}

static void tell_rate(struct recorded *r, uint64_t nominal, uint64_t freq_hz)
{
	struct str number = {0};

	str_addu(&number, freq_hz ? freq_hz : nominal);
	timeline_fact(r->timeline, freq_hz ? "freq_hz" : "period", str_span(&number));
	str_release(&number);
}

static void add_event(
    struct recorded *r, size_t number, struct span name, uint64_t nominal, uint64_t freq_hz, bool is_clock)
{
	struct timeline_event *event;

	if (number == 0)
		tell_rate(r, nominal, freq_hz);
	r->events[number].known = true;
	r->events[number].number = timeline_add_event(r->timeline);
	event = timeline_event(r->timeline, r->events[number].number);
	str_add(&event->name, name.p, name.n);
	event->is_clock = is_clock;
	event->nominal_period = nominal ? nominal : is_clock && freq_hz ? 1000000000 / freq_hz : 0;
}

static void make_room(struct recorded *r, size_t number)
{
	while (r->nevents <= number) {
		r->events = grow(r->events, r->nevents, &r->events_cap, sizeof *r->events);
		r->events[r->nevents++] = (struct recorded_event){0};
	}
}

/* One entry of an EVENTS block. */
static bool take_event(struct recorded *r, struct wire *w)
{
	uint64_t number = wire_varint(w), nominal, freq_hz, nids;
	struct span name = wire_str(w), unit, attr;
	struct perfrec_attr parsed;

	nominal = wire_varint(w);
	freq_hz = wire_varint(w);
	unit = wire_str(w);
	attr = wire_str(w);
	nids = wire_varint(w);
	if (w->failed || number >= EVENTS_MAX || nids > wire_left(w) ||
	    !perfrec_attr_parse(attr, r->recording.swap, &parsed))
		return false;
	if (span_eq(name, SPAN("sideband"))) {
		r->sideband = parsed;
		r->has_sideband = true;
		while (nids-- > 0)
			wire_varint(w);
		return true;
	}
	make_room(r, (size_t)number);
	if (!r->events[number].known)
		add_event(r, (size_t)number, name, nominal, freq_hz, span_eq(unit, SPAN("ns")));
	r->events[number].attr = parsed;
	r->events[number].ids =
	    xreallocarray(r->events[number].ids, (size_t)nids + 1, sizeof *r->events[number].ids);
	r->events[number].nids = (size_t)nids;
	for (size_t i = 0; i < nids; i++)
		r->events[number].ids[i] = wire_varint(w);
	return !w->failed;
}

static void take_sideband(struct recorded *r, struct span body)
{
	struct perfrec rec;
	struct perfrec_id id;
	size_t size;

	while (perfrec_parse(body, r->recording.swap, &rec, &size)) {
		perfrec_id_parse(&rec, &r->sideband, r->recording.swap, &id);
		timeline_push_record(
		    r->timeline, id.has_time ? id.time : r->last_time, &rec, r->recording.swap);
		body.p += size;
		body.n -= size;
	}
}

/* The timeline's number of a chain of an epoch, asked for once. */
static uint32_t chain_of(struct recorded *r, struct stream *s, const struct sample *sample)
{
	const uint64_t *entries = sample->chain;
	uint32_t n = sample->nchain;

	while (s->nchains <= sample->chain_id) {
		s->chains = grow(s->chains, s->nchains, &s->cap, sizeof *s->chains);
		s->chains[s->nchains++] = 0;
	}
	if (s->chains[sample->chain_id])
		return s->chains[sample->chain_id] - 1;
	if (!entries)
		entries = unpacker_chain(s->unpacker, sample->chain_id, &n);
	s->chains[sample->chain_id] = timeline_chain(r->timeline, entries, n, MODE_UNKNOWN, true) + 1;
	return s->chains[sample->chain_id] - 1;
}

/* The registers and the stack among a sample's extras. */
static bool find_stack(
    const struct recorded *r, const struct sample *sample, uint64_t *values, struct user_stack *out)
{
	struct span regs = {"", 0}, stack = {"", 0};
	uint64_t abi;

	for (uint32_t i = 0; i < sample->nextras; i++) {
		if (sample->extras[i].kind == EXTRA_REGS_USER)
			regs = sample->extras[i].bytes;
		else if (sample->extras[i].kind == EXTRA_STACK_USER)
			stack = sample->extras[i].bytes;
	}
	if (regs.n < 8)
		return false;
	perfrec_u64s(regs, r->recording.swap, &abi, 1);
	regs.p += 8;
	regs.n -= 8;
	return verbatim_stack(
	    &r->events[sample->event].attr, r->recording.swap, regs, abi, stack, values, out);
}

static void take_sample(struct recorded *r, struct stream *s, uint32_t cpu, const struct sample *sample)
{
	struct timeline_sample out = {
	    .time = sample->time_ns, .pid = sample->pid, .tid = sample->tid, .cpu = cpu};
	const struct timeline_event *event;
	struct user_stack stack;
	uint64_t regs[64];
	bool has_stack;

	if (sample->event >= r->nevents || !r->events[sample->event].known) {
		r->losses->damaged++;
		return;
	}
	out.event = r->events[sample->event].number;
	event = timeline_event(r->timeline, out.event);
	out.period = sample->period ? sample->period : event->nominal_period ? event->nominal_period : 1;
	out.chain = chain_of(r, s, sample);
	r->last_time = out.time;
	has_stack = find_stack(r, sample, regs, &stack);
	timeline_push(r->timeline, &out, has_stack ? &stack : NULL);
}

static void take_samples(struct recorded *r, const struct block *b)
{
	struct stream *s;
	struct sample sample;
	bool bad = false;

	if (b->cpu == BLOCK_NO_CPU) {
		r->losses->damaged += b->nrecords;
		return;
	}
	s = stream_of(r, b->cpu);
	if (b->lost > s->lost)
		s->lost = b->lost;
	if (!unpacker_block(s->unpacker, b)) {
		r->losses->damaged += b->nrecords;
		return;
	}
	if (b->flags & BLOCK_EPOCH || s->timeline_epoch != timeline_epoch(r->timeline))
		s->nchains = 0;
	s->timeline_epoch = timeline_epoch(r->timeline);
	while (unpacker_next(s->unpacker, &sample, &bad))
		take_sample(r, s, b->cpu, &sample);
	if (bad)
		r->losses->damaged += unpacker_left(s->unpacker);
}

/* The event that an id names; NULL when there is none. */
static const struct recorded_event *event_of(const struct recorded *r, uint64_t id)
{
	for (size_t i = 0; i < r->nevents; i++)
		for (size_t k = 0; k < r->events[i].nids; k++)
			if (r->events[i].ids[k] == id)
				return r->events[i].known ? &r->events[i] : NULL;
	return NULL;
}

static void take_records(struct recorded *r, struct span body)
{
	const struct recorded_event *event = r->nevents && r->events[0].known ? &r->events[0] : NULL;
	const struct recorded_event *named;
	struct perfrec rec;
	size_t size;
	uint64_t id;

	r->verbatim.swap = r->recording.swap;
	while (perfrec_parse(body, r->recording.swap, &rec, &size)) {
		named = event && perfrec_sample_id(&rec, &event->attr, r->recording.swap, &id)
			    ? event_of(r, id)
			    : event;
		if (rec.type != PERFREC_SAMPLE || !named ||
		    !verbatim_push(&r->verbatim, r->timeline, &rec, &named->attr, named->number))
			r->losses->damaged++;
		body.p += size;
		body.n -= size;
	}
}

static void take_throttle(struct recorded *r, const struct block *b)
{
	struct wire w = wire_init(b->body.p, b->body.n, false);
	uint64_t time = b->first_ns;

	while (b->cpu != BLOCK_NO_CPU && wire_left(&w)) {
		struct stream *s = stream_of(r, b->cpu);
		uint64_t kind;

		wire_varint(&w); /* event */
		kind = wire_varint(&w);
		wire_varint(&w); /* value */
		time = b->first_ns + (uint64_t)wire_zigzag(&w);
		if (w.failed)
			return;
		if (kind == THROTTLED) {
			s->throttled_since = time;
		} else if (kind == UNTHROTTLED && s->throttled_since) {
			r->losses->throttled_ns += time > s->throttled_since ? time - s->throttled_since : 0;
			s->throttled_since = 0;
		}
	}
}

/* The collector's own totals are better than what the blocks before told. */
static void take_end(struct recorded *r, const struct block *b)
{
	struct wire w = wire_init(b->body.p, b->body.n, false);
	uint64_t throttled_ns = 0, n = wire_varint(&w);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t cpu = wire_varint(&w), lost, own;

		wire_varint(&w); /* kept */
		lost = wire_varint(&w);
		own = wire_varint(&w);
		throttled_ns += wire_varint(&w);
		if (w.failed || cpu >= RECORDING_MAX_CPUS)
			return;
		stream_of(r, (uint32_t)cpu)->lost = lost;
		r->losses->own += own;
	}
	r->losses->throttled_ns = throttled_ns;
	r->ended = true;
	take_info(r, w);
}

static void take_block(struct recorded *r, const struct block *b)
{
	struct wire w = wire_init(b->body.p, b->body.n, false);

	switch ((enum block_type)b->type) {
	case BLOCK_INFO:
		take_info(r, w);
		break;
	case BLOCK_EVENTS:
		while (wire_left(&w) && take_event(r, &w))
			;
		break;
	case BLOCK_SIDEBAND:
		take_sideband(r, b->body);
		break;
	case BLOCK_SAMPLES:
		take_samples(r, b);
		break;
	case BLOCK_ROUND:
		timeline_flush(r->timeline, b->last_ns);
		break;
	case BLOCK_SYMBOLS:
		symbols_embed(timeline_symbols(r->timeline), b->body);
		break;
	case BLOCK_THROTTLE:
		take_throttle(r, b);
		break;
	case BLOCK_END:
		take_end(r, b);
		break;
	case BLOCK_RECORDS:
		take_records(r, b->body);
		break;
	case BLOCK_NTYPES:
		break;
	}
	/* A recording without rounds is one round, as long as memory allows. */
	if (timeline_waiting(r->timeline) > WAITING_MAX)
		timeline_flush(r->timeline, timeline_middle(r->timeline));
}

/* Blocks up to the end or the next recording. */
static bool read_blocks(struct recorded *r, bool *more)
{
	struct block b;
	bool restart;

	if (r->has_held)
		take_block(r, &r->held);
	r->has_held = false;
	while (recording_next(&r->recording, &b, &restart)) {
		if (restart) {
			r->held = b;
			r->has_held = *more = true;
			return true;
		}
		take_block(r, &b);
	}
	return !r->in->err.what[0];
}

static bool judge(struct recorded *r)
{
	const struct recording_damage *d = &r->recording.damage;

	if (d->skipped_bytes && !d->truncated)
		return input_fail(r->in,
		    "damaged: %llu bytes skipped, %llu blocks missing, %llu samples unusable",
		    (unsigned long long)d->skipped_bytes, (unsigned long long)d->missing_blocks,
		    (unsigned long long)r->losses->damaged);
	if (!r->ended)
		return input_fail(r->in, "the recording was cut short; all that is whole was used");
	if (d->missing_blocks || r->losses->damaged)
		return input_fail(r->in, "damaged: %llu blocks missing, %llu samples unusable",
		    (unsigned long long)d->missing_blocks, (unsigned long long)r->losses->damaged);
	return true;
}

bool recorded_read(struct recorded *r, struct timeline *t, struct recorded_losses *losses, bool *more)
{
	bool good;

	*more = false;
	*losses = (struct recorded_losses){0};
	r->timeline = t;
	r->losses = losses;
	r->ended = false;
	r->last_time = 0;
	r->verbatim.ip_register = verbatim_ip_register("");
	good = read_blocks(r, more);
	timeline_flush(t, TIMELINE_END);
	for (size_t i = 0; i < RECORDING_MAX_CPUS; i++)
		losses->lost += r->streams[i] ? r->streams[i]->lost : 0;
	good = good && judge(r);
	r->recording.damage = (struct recording_damage){0};
	forget_streams(r);
	forget_events(r);
	return good;
}
