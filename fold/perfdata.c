/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data, in file and in pipe mode: headers, records, and the order that rounds give. */
#include "fold/perfdata.h"

#include <stdlib.h>
#include <unistd.h>

#include "fold/perfdata_inside.h"
#include "lib/arena.h"
#include "lib/hash.h"
#include "lib/wire.h"

enum {
	PIPE_HEADER_SIZE = 16,
	FILE_HEADER_SIZE = 104,
	SECTION_MAX = 256 << 20, /* of anything but the records */
	UNPACKED_MAX = 64 << 20, /* of one compressed record */
	ATTRS_MAX = 65536,
	WAITING_MAX = 4 << 20, /* items, where the file has no rounds */
	BUFFERED = 256 * 1024,
	BITS_PER_WORD = 64,
	FEATURE_WORDS = 4,
	NFEATURES = FEATURE_WORDS * BITS_PER_WORD,
};

static const char MAGIC[8] = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};
static const char MAGIC_SWAPPED[8] = {'2', 'E', 'L', 'I', 'F', 'R', 'E', 'P'};

bool perfdata_probe(struct span head)
{
	return head.n >= 8 && (memcmp(head.p, MAGIC, 8) == 0 || memcmp(head.p, MAGIC_SWAPPED, 8) == 0 ||
				  memcmp(head.p, "PERFFILE", 8) == 0);
}

/* Ids of events: open addressing. */
static void remember_id(struct perfdata *p, uint64_t id, uint32_t event)
{
	size_t i;

	if (p->nids * 2 >= p->nslots) {
		struct event_id *old = p->ids;
		size_t n = p->nslots;

		p->nslots = n ? n * 2 : 256;
		p->ids = xcalloc(p->nslots, sizeof *p->ids);
		p->nids = 0;
		for (i = 0; i < n; i++)
			if (old[i].event)
				remember_id(p, old[i].id, old[i].event - 1);
		free(old);
	}
	for (i = hash64(&id, sizeof id) & (p->nslots - 1); p->ids[i].event && p->ids[i].id != id;
	     i = (i + 1) & (p->nslots - 1))
		;
	p->nids += !p->ids[i].event;
	p->ids[i] = (struct event_id){id, event + 1};
}

bool perfdata_event_of(const struct perfdata *p, uint64_t id, uint32_t *event)
{
	size_t i = hash64(&id, sizeof id) & (p->nslots - 1);

	for (; p->nslots && p->ids[i].event; i = (i + 1) & (p->nslots - 1))
		if (p->ids[i].id == id) {
			*event = p->ids[i].event - 1;
			return true;
		}
	return false;
}

static const uint64_t NS_PER_S = 1000000000;

/* An attr and the ids of its event, as u64s. */
static bool add_attr(struct perfdata *p, struct span bytes, struct span ids)
{
	struct perfrec_attr attr;
	struct timeline_event *event;
	uint32_t number;

	if (p->nattrs >= ATTRS_MAX || !perfrec_attr_parse(bytes, p->swap, &attr))
		return false;
	p->attrs = grow(p->attrs, p->nattrs, &p->attrs_cap, sizeof *p->attrs);
	p->attrs[p->nattrs++] = attr;
	number = timeline_add_event(p->timeline);
	event = timeline_event(p->timeline, number);
	perfrec_event_name(&attr, &event->name);
	event->is_clock = attr.type == 1 && attr.config <= 1;
	event->nominal_period = attr.period;
	if (event->is_clock && attr.freq_hz)
		event->nominal_period = NS_PER_S / attr.freq_hz;
	for (size_t i = 0; i + 8 <= ids.n; i += 8) {
		uint64_t id;

		perfrec_u64s((struct span){ids.p + i, 8}, p->swap, &id, 1);
		remember_id(p, id, number);
	}
	return true;
}

/* The event that a sample is of, and its layout. */
static const struct perfrec_attr *sample_attr(struct perfdata *p, const struct perfrec *rec, uint32_t *event)
{
	uint64_t id;

	*event = 0;
	if (!p->nattrs)
		return NULL;
	if (p->nattrs > 1 && perfrec_sample_id(rec, &p->attrs[0], p->swap, &id) &&
	    !perfdata_event_of(p, id, event) && p->nids)
		return NULL;
	return &p->attrs[*event];
}

/* A record of side-band. Where it has no time, it belongs to where it stands. */
static uint64_t record_time(struct perfdata *p, struct perfrec *rec)
{
	struct perfrec_id id;
	uint32_t event = 0;

	if (!p->nattrs)
		return p->verbatim.last_time;
	perfrec_id_parse(rec, &p->attrs[0], p->swap, &id);
	if (p->nattrs > 1 && perfdata_event_of(p, id.id, &event))
		perfrec_id_parse(rec, &p->attrs[event], p->swap, &id);
	perfrec_mistrust(rec, &p->attrs[event]);
	if (!id.has_time && (rec->type == PERFREC_FORK || rec->type == PERFREC_EXIT)) {
		struct perfrec_task task;

		return perfrec_task_parse(rec, p->swap, &task) ? task.time : p->verbatim.last_time;
	}
	return id.has_time ? id.time : p->verbatim.last_time;
}

static void take_sample(struct perfdata *p, const struct perfrec *rec)
{
	uint32_t event;
	const struct perfrec_attr *attr = sample_attr(p, rec, &event);

	if (!attr || !verbatim_push(&p->verbatim, p->timeline, rec, attr, event)) {
		p->losses->damaged++;
		return;
	}
	if (timeline_waiting(p->timeline) > WAITING_MAX)
		timeline_flush(p->timeline, timeline_middle(p->timeline));
}

static void end_round(struct perfdata *p)
{
	if (p->next_flush)
		timeline_flush(p->timeline, p->next_flush);
	p->next_flush = p->verbatim.max_time + 1;
}

/* What was lost: perf of today reads the kernel's own count of lost samples at the end and writes it as LOST_SAMPLES; records
   of LOST then only say where the gaps are. */
static void take_lost(struct perfdata *p, const struct perfrec *rec)
{
	if (rec->type == PERFREC_LOST)
		p->lost_records += perfrec_lost(rec, p->swap);
	else
		p->lost_samples += perfrec_lost(rec, p->swap);
}

/* Time between THROTTLE and UNTHROTTLE of an event on a CPU. */
static void take_throttle(struct perfdata *p, const struct perfrec *rec)
{
	struct wire w = wire_init(rec->body.p, rec->body.n, p->swap);
	uint64_t time = wire_u64(&w), id = wire_u64(&w);
	uint64_t stream = wire_u64(&w);
	struct throttled *t = &p->throttled[(stream ? stream : id) % NTHROTTLED];

	if (w.failed)
		return;
	if (rec->type == PERFREC_THROTTLE) {
		*t = (struct throttled){stream ? stream : id, time};
	} else if (t->since && t->stream == (stream ? stream : id) && time > t->since) {
		p->losses->throttled_ns += time - t->since;
		t->since = 0;
	}
}

static bool take_record(struct perfdata *p, const struct perfrec *rec, uint64_t *skip);

/* Whole records in s; *used is how many bytes they were. *skip is how many bytes after them do not belong to records. */
static bool take_records(struct perfdata *p, struct span s, size_t *used, uint64_t *skip)
{
	struct perfrec rec;
	size_t size;

	*used = 0;
	*skip = 0;
	while (!*skip && s.n > *used) {
		if (!perfrec_parse((struct span){s.p + *used, s.n - *used}, p->swap, &rec, &size)) {
			if (size)
				return true;
			p->in->offset += *used;
			return input_fail(p->in, "a record of %u bytes, less than its header", rec.size);
		}
		*used += size;
		if (!take_record(p, &rec, skip))
			return false;
	}
	return true;
}

static bool take_compressed(struct perfdata *p, struct span packed)
{
	uint64_t skip;
	size_t used;

	if (!p->unzstd)
		p->unzstd = unzstd_open();
	if (!unzstd_feed(p->unzstd, &p->unpacked, packed, UNPACKED_MAX))
		return input_fail(p->in, "a compressed (zstd) record is damaged");
	if (!take_records(p, str_span(&p->unpacked), &used, &skip))
		return false;
	/* A record may go on in the next piece. */
	memmove(p->unpacked.p, p->unpacked.p + used, p->unpacked.n - used);
	p->unpacked.n -= used;
	return true;
}

/* Bytes that follow a record which announces them. */
static uint64_t announced(const struct perfdata *p, const struct perfrec *rec)
{
	struct wire w = wire_init(rec->body.p, rec->body.n, p->swap);

	if (rec->type == PERFDATA_TRACING)
		return ((uint64_t)wire_u32(&w) + 7) & ~7ull;
	return wire_u64(&w);
}

static bool take_attr(struct perfdata *p, const struct perfrec *rec)
{
	struct wire w = wire_init(rec->body.p, rec->body.n, p->swap);
	uint32_t size;

	wire_skip(&w, 4);
	size = wire_u32(&w);
	if (!size)
		size = 64;
	if (size > rec->body.n || !add_attr(p, (struct span){rec->body.p, size},
				      (struct span){rec->body.p + size, rec->body.n - size}))
		return input_fail(p->in, "the attributes of an event are damaged");
	return true;
}

static bool take_record(struct perfdata *p, const struct perfrec *rec, uint64_t *skip)
{
	struct perfrec side;
	struct wire w;
	uint64_t time, number;

	switch (rec->type) {
	case PERFREC_SAMPLE:
		take_sample(p, rec);
		return true;
	case PERFREC_MMAP:
	case PERFREC_MMAP2:
	case PERFREC_COMM:
	case PERFREC_FORK:
	case PERFREC_EXIT:
	case PERFREC_KSYMBOL:
		side = *rec;
		time = record_time(p, &side);
		timeline_push_record(p->timeline, time, &side, p->swap);
		return true;
	case PERFREC_LOST:
	case PERFREC_LOST_SAMPLES:
		take_lost(p, rec);
		return true;
	case PERFREC_THROTTLE:
	case PERFREC_UNTHROTTLE:
		take_throttle(p, rec);
		return true;
	case PERFDATA_ATTR:
		return take_attr(p, rec);
	case PERFDATA_TRACING:
	case PERFDATA_AUXTRACE:
		*skip = announced(p, rec);
		return true;
	case PERFDATA_BUILD_ID:
		perfdata_build_id(p, rec);
		return true;
	case PERFDATA_FINISHED_ROUND:
		end_round(p);
		return true;
	case PERFDATA_EVENT_UPDATE:
		perfdata_event_update(p, rec->body);
		return true;
	case PERFDATA_FEATURE:
		w = wire_init(rec->body.p, rec->body.n, p->swap);
		number = wire_u64(&w);
		perfdata_feature(p, (unsigned)number, wire_bytes(&w, wire_left(&w)));
		return true;
	case PERFDATA_COMPRESSED:
		return take_compressed(p, rec->body);
	case PERFDATA_COMPRESSED2:
		w = wire_init(rec->body.p, rec->body.n, p->swap);
		return take_compressed(p, wire_bytes(&w, (size_t)wire_u64(&w)));
	default:
		return true;
	}
}

/* Passes n bytes over. */
static bool skip_bytes(struct perfdata *p, uint64_t n)
{
	while (n) {
		struct span s = input_buffered(p->in);
		size_t step = s.n < n ? s.n : (size_t)n;

		if (!s.n)
			return input_fail(p->in, "the file ends early");
		input_consume(p->in, step);
		n -= step;
	}
	return true;
}

/* Records until limit bytes have been read, or the input ends. */
static bool read_records(struct perfdata *p, uint64_t limit)
{
	uint64_t end = p->in->offset + limit < limit ? UINT64_MAX : p->in->offset + limit;
	size_t want = 1;

	while (p->in->offset < end) {
		struct span s = input_peek(p->in, want);
		uint64_t skip;
		size_t used;

		if (s.n > end - p->in->offset)
			s.n = (size_t)(end - p->in->offset);
		if (!s.n)
			break;
		if (!take_records(p, s, &used, &skip))
			return false;
		input_consume(p->in, used);
		if (skip && !skip_bytes(p, skip))
			return false;
		if (used || skip) {
			want = 1;
			continue;
		}
		/* The record is longer than what is buffered: at most 64 KiB. */
		if (s.n < want || p->in->offset + s.n >= end)
			return input_fail(p->in, "truncated record");
		want = s.n + 1;
	}
	if (p->unpacked.n)
		return input_fail(p->in, "the last compressed record is truncated");
	return limit == UINT64_MAX || p->in->offset >= end ||
	       input_fail(p->in, "the file ends %llu bytes early", (unsigned long long)(end - p->in->offset));
}

/* n bytes at an offset of the file, without moving on; valid until the next call. Empty when they are not there or too many,
   or lie behind what can be held while the input is a pipe. */
static struct span look_at(struct perfdata *p, uint64_t offset, uint64_t n)
{
	struct span none = {"", 0}, s;
	ssize_t got;

	if (n > SECTION_MAX || offset > INT64_MAX)
		return none;
	str_reset(&p->section);
	got = pread(p->in->fd, str_room(&p->section, (size_t)n), (size_t)n, (off_t)offset);
	if (got == (ssize_t)n)
		return (struct span){p->section.p, (size_t)n};
	if (offset < p->in->offset || offset - p->in->offset + n > SECTION_MAX)
		return none;
	s = input_peek(p->in, (size_t)(offset - p->in->offset + n));
	if (s.n < offset - p->in->offset + n)
		return none;
	return (struct span){s.p + (offset - p->in->offset), (size_t)n};
}

struct section {
	uint64_t offset, size;
};

static struct section take_section(struct wire *w)
{
	struct section s;

	s.offset = wire_u64(w);
	s.size = wire_u64(w);
	return s;
}

/* Each entry of the table is an attr and a section of its ids. */
static bool read_attrs(struct perfdata *p, struct section table, uint64_t entry_size)
{
	struct str entries = {0}, ids = {0};
	struct span s;
	bool good = true;

	if (entry_size < 64 + 16 || entry_size > 65536)
		return input_fail(
		    p->in, "its header says that an event takes %llu bytes", (unsigned long long)entry_size);
	s = look_at(p, table.offset, table.size);
	if (!s.n)
		return input_fail(p->in, "the table of events is not in the file");
	str_add(&entries, s.p, s.n);
	for (size_t at = 0; good && at + entry_size <= entries.n; at += (size_t)entry_size) {
		struct wire w = wire_init(entries.p + at + entry_size - 16, 16, p->swap);
		struct section where = take_section(&w);

		s = where.size ? look_at(p, where.offset, where.size) : (struct span){"", 0};
		str_reset(&ids);
		str_add(&ids, s.p, s.n);
		good = add_attr(p, (struct span){entries.p + at, (size_t)entry_size - 16}, str_span(&ids));
	}
	str_release(&entries);
	str_release(&ids);
	return good || input_fail(p->in, "the attributes of an event are damaged");
}

/* The sections after the records: a table with one entry for each feature that the file has, in order of number. */
static bool read_features(struct perfdata *p, uint64_t table, const uint64_t *bits)
{
	struct section sections[NFEATURES];
	unsigned numbers[NFEATURES], n = 0;
	struct span s;
	struct wire w;

	for (unsigned i = 0; i < NFEATURES; i++)
		if (bits[i / BITS_PER_WORD] >> i % BITS_PER_WORD & 1)
			numbers[n++] = i;
	s = look_at(p, table, 16 * (uint64_t)n);
	if (!n || !s.n)
		return n == 0;
	w = wire_init(s.p, s.n, p->swap);
	for (unsigned i = 0; i < n; i++)
		sections[i] = take_section(&w);
	for (unsigned i = 0; i < n; i++) {
		if (!perfdata_wants_feature(numbers[i]))
			continue;
		s = look_at(p, sections[i].offset, sections[i].size);
		if (s.n)
			perfdata_feature(p, numbers[i], s);
	}
	return true;
}

static bool read_file(struct perfdata *p, struct wire *w)
{
	uint64_t attr_size = wire_u64(w), bits[FEATURE_WORDS];
	struct section attrs = take_section(w), data = take_section(w);
	bool early, good;

	take_section(w); /* event types: of perf before 3.0, names that attrs have as well */
	for (unsigned i = 0; i < FEATURE_WORDS; i++)
		bits[i] = wire_u64(w);
	if (!read_attrs(p, attrs, attr_size))
		return false;
	if (data.offset < p->in->offset)
		return input_fail(
		    p->in, "its header says that records begin at %llu", (unsigned long long)data.offset);
	/* Names of events and the like come last, and are wanted first; from a pipe they can be had only when they come. */
	early = data.size && lseek(p->in->fd, 0, SEEK_CUR) >= 0 &&
		read_features(p, data.offset + data.size, bits);
	if (!skip_bytes(p, data.offset - p->in->offset))
		return false;
	good = read_records(p, data.size ? data.size : UINT64_MAX);
	if (good && !data.size)
		return input_fail(p->in, "its header does not say how long it is: perf record was killed; "
					 "everything up to the end was read");
	if (good && !early)
		read_features(p, data.offset + data.size, bits);
	return good;
}

static bool read_any(struct perfdata *p)
{
	struct span head = input_peek(p->in, FILE_HEADER_SIZE);
	struct wire w;
	uint64_t size;

	if (head.n < PIPE_HEADER_SIZE)
		return input_fail(p->in, "the file ends in its header");
	if (memcmp(head.p, "PERFFILE", 8) == 0)
		return input_fail(p->in, "the first version of perf.data (before perf 2.6.39) is not known");
	p->swap = (memcmp(head.p, MAGIC, 8) == 0) != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	w = wire_init(head.p + 8, (head.n < FILE_HEADER_SIZE ? head.n : FILE_HEADER_SIZE) - 8, p->swap);
	p->verbatim.swap = p->swap;
	size = wire_u64(&w);
	if (size == PIPE_HEADER_SIZE) {
		input_consume(p->in, PIPE_HEADER_SIZE);
		return read_records(p, UINT64_MAX);
	}
	if (head.n < FILE_HEADER_SIZE || size < FILE_HEADER_SIZE - 32)
		return input_fail(p->in, "the file ends in its header");
	return read_file(p, &w);
}

static void release(struct perfdata *p)
{
	unzstd_close(p->unzstd);
	str_release(&p->unpacked);
	str_release(&p->section);
	free(p->attrs);
	free(p->ids);
	verbatim_release(&p->verbatim);
	free(p->throttled);
}

bool perfdata_read(struct input *in, struct timeline *t, struct perfdata_losses *losses)
{
	struct perfdata p = {.in = in, .timeline = t, .losses = losses};
	bool good;

	p.verbatim.ip_register = verbatim_ip_register("");
	p.throttled = xcalloc(NTHROTTLED, sizeof *p.throttled);
	good = read_any(&p);
	perfdata_rate(&p);
	timeline_flush(t, TIMELINE_END);
	losses->lost = p.lost_samples ? p.lost_samples : p.lost_records;
	release(&p);
	return good;
}
