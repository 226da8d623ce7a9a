/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of `perf script`. */
#include "fold/perfscript_line.h"

#include "fold/sink.h"
#include "fold/tidy.h"
#include "lib/hash.h"

enum { ADDRESS_COLUMNS = 16 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct span from(struct span s, size_t at)
{
	return at < s.n ? (struct span){s.p + at, s.n - at} : SPAN("");
}

static struct span skip_blanks(struct span s)
{
	while (s.n && is_blank(*s.p))
		s.p++, s.n--;
	return s;
}

/* Cuts the last word off *s, and the blanks around it. */
static struct span last_word(struct span *s)
{
	size_t end = s->n, at;

	while (end && is_blank(s->p[end - 1]))
		end--;
	at = end;
	while (at && !is_blank(s->p[at - 1]))
		at--;
	s->n = at;
	while (s->n && is_blank(s->p[s->n - 1]))
		s->n--;
	return (struct span){s->p + at, end - at};
}

static bool take_number(struct span s, int32_t *value)
{
	uint64_t v;
	bool negative = s.n > 1 && s.p[0] == '-';

	if (negative)
		s = from(s, 1);
	if (!span_u64(s, 10, &v) || v > INT32_MAX)
		return false;
	*value = negative ? -(int32_t)v : (int32_t)v;
	return true;
}

/* "4500/4507", or "4507" alone, which is the thread's. */
static bool take_ids(struct span word, struct perfscript_header *h)
{
	size_t slash = span_find(word, 0, '/');
	int32_t pid = NO_ID, tid;

	if (slash < word.n && !take_number((struct span){word.p, slash}, &pid))
		return false;
	if (!take_number(slash < word.n ? from(word, slash + 1) : word, &tid))
		return false;
	h->pid = pid;
	h->tid = tid;
	return true;
}

static bool take_cpu(struct span word, struct perfscript_header *h)
{
	if (word.n < 3 || word.p[0] != '[' || word.p[word.n - 1] != ']')
		return false;
	return take_number((struct span){word.p + 1, word.n - 2}, &h->cpu);
}

/* What stands before the time: comm, ids, CPU, from the right. Between CPU and time there may be a word of flags. */
static void take_task(struct span s, struct perfscript_header *h)
{
	struct span before = s, word = last_word(&before), rest = before;

	if (!take_cpu(word, h) && take_cpu(last_word(&rest), h))
		before = rest;
	else if (h->cpu == NO_ID)
		before = s;
	rest = before;
	if (take_ids(last_word(&rest), h))
		before = rest;
	h->comm = span_trim(before);
}

/* "PERF_RECORD_LOST lost 123" and all the others. */
static void take_sideband(struct span s, struct perfscript_header *h)
{
	struct span word = SPAN(" lost ");
	const char *at = memmem(s.p, s.n, word.p, word.n);
	size_t n = 0;

	h->sideband = true;
	if (!span_starts(s, SPAN("PERF_RECORD_LOST")) || !at)
		return;
	s = from(s, (size_t)(at - s.p) + word.n);
	while (n < s.n && is_digit(s.p[n]))
		n++;
	span_u64((struct span){s.p, n}, 10, &h->lost);
}

/* Takes the digits at the start of *s: how many, 0 also when their number does not fit. */
static size_t take_digits(struct span *s, uint64_t *value)
{
	enum { ALWAYS_FIT = 19 };
	uint64_t v = 0;
	size_t n = 0;

	for (; n < s->n && is_digit(s->p[n]); n++)
		v = v * 10 + (uint64_t)(s->p[n] - '0');
	if (n > ALWAYS_FIT)
		return 0;
	*s = from(*s, n);
	*value = v;
	return n;
}

/* The event is mostly that of the line before. */
static bool is_last_event(const struct perfscript_memo *memo, struct span s)
{
	size_t n = memo->nevent;

	return n && s.n > n && memcmp(s.p, memo->event, n) == 0 && s.p[n] == ':' &&
	       (s.n == n + 1 || is_blank(s.p[n + 1]));
}

static void note_event(struct perfscript_memo *memo, struct span event)
{
	if (event.n > sizeof memo->event)
		return;
	memcpy(memo->event, event.p, event.n);
	memo->nevent = event.n;
}

/* Length of the event at the start of s, which ends at a colon before a blank or the end; s.n when there is none. */
static size_t event_length(struct perfscript_memo *memo, struct span s)
{
	size_t end;

	if (is_last_event(memo, s))
		return memo->nevent;
	for (end = span_find(s, 0, ':'); end < s.n; end = span_find(s, end + 1, ':'))
		if (end + 1 == s.n || is_blank(s.p[end + 1]))
			break;
	note_event(memo, (struct span){s.p, end});
	return end;
}

/* "250000 cycles:u: rest" */
static void take_event(struct span s, struct perfscript_memo *memo, struct perfscript_header *h)
{
	struct span rest;
	size_t end;

	s = rest = skip_blanks(s);
	if (span_starts(s, SPAN("PERF_RECORD_"))) {
		take_sideband(s, h);
		return;
	}
	if (take_digits(&rest, &h->period) && (!rest.n || is_blank(rest.p[0])))
		s = skip_blanks(rest);
	else
		h->period = 0;
	end = event_length(memo, s);
	if (end < s.n)
		h->event = (struct span){s.p, end};
	h->rest = end < s.n ? from(s, end + 1) : s;
}

/* At "SECONDS.FRACTION:", the length of it with the colon, and the time in nanoseconds; otherwise 0. */
static size_t take_time(struct span s, uint64_t *ns)
{
	static const uint64_t scale[] = {
	    1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
	struct span rest = s;
	uint64_t seconds, fraction;
	size_t digits;

	if (!take_digits(&rest, &seconds) || !rest.n || rest.p[0] != '.')
		return 0;
	rest = from(rest, 1);
	digits = take_digits(&rest, &fraction);
	if (!digits || digits > 9 || !rest.n || rest.p[0] != ':' || seconds > UINT64_MAX / scale[0] - 1)
		return 0;
	*ns = seconds * scale[0] + fraction * scale[digits];
	return (size_t)(rest.p - s.p) + 1;
}

/* The first word that is a time. A colon is rarer than a digit: look for it and then back. */
static size_t find_time(struct span line, size_t *length, uint64_t *ns)
{
	for (size_t colon = span_find(line, 0, ':'); colon < line.n;
	     colon = span_find(line, colon + 1, ':')) {
		size_t at = colon;

		while (at && (is_digit(line.p[at - 1]) || line.p[at - 1] == '.'))
			at--;
		if (at && !is_blank(line.p[at - 1]))
			continue;
		*length = take_time((struct span){line.p + at, colon + 1 - at}, ns);
		if (*length)
			return at;
	}
	return line.n;
}

/* take_task, but the same bytes are looked at once. */
static void recall_task(struct span s, struct perfscript_memo *memo, struct perfscript_header *h)
{
	uint64_t key = hash64(s.p, s.n) | 1;
	struct perfscript_task *t = &memo->tasks[key >> 8 & (PERFSCRIPT_TASKS - 1)];

	if (t->key == key && t->comm_at + (size_t)t->comm_n <= s.n) {
		h->comm = (struct span){s.p + t->comm_at, t->comm_n};
		h->pid = t->pid;
		h->tid = t->tid;
		h->cpu = t->cpu;
		return;
	}
	take_task(s, h);
	if (s.n > UINT16_MAX)
		return;
	*t = (struct perfscript_task){
	    key, h->comm.n ? (uint16_t)(h->comm.p - s.p) : 0, (uint16_t)h->comm.n, h->pid, h->tid, h->cpu};
}

bool perfscript_header(struct span line, struct perfscript_memo *memo, struct perfscript_header *h)
{
	size_t length, at;
	uint64_t ns;

	at = find_time(line, &length, &ns);
	if (at == line.n)
		return false;
	*h = (struct perfscript_header){
	    .pid = NO_ID, .tid = NO_ID, .cpu = NO_ID, .has_time = true, .time_ns = ns};
	recall_task((struct span){line.p, at}, memo, h);
	take_event(from(line, at + length), memo, h);
	return true;
}

/* "cycles:" or "cycles:u:" at the end, and the period before it. */
static bool take_last_event(struct span *s, struct perfscript_header *h)
{
	struct span rest = *s, word = last_word(&rest), before;

	if (word.n < 2 || word.p[word.n - 1] != ':')
		return false;
	h->event = (struct span){word.p, word.n - 1};
	before = rest;
	word = last_word(&before);
	/* A single number before the event is the thread's, a second one the period. */
	if (span_u64(word, 10, &h->period)) {
		struct span more = before;
		struct perfscript_header ignored = *h;

		word = last_word(&more);
		if (take_ids(word, &ignored) || take_cpu(word, &ignored))
			rest = before;
		else
			h->period = 0;
	}
	*s = rest;
	return true;
}

bool perfscript_bare_header(struct span line, struct perfscript_header *h)
{
	struct span s = span_trim(line);
	bool event;

	*h = (struct perfscript_header){.pid = NO_ID, .tid = NO_ID, .cpu = NO_ID};
	if (!s.n || s.p[0] == '#')
		return false;
	event = take_last_event(&s, h);
	take_task(s, h);
	h->rest = SPAN("");
	h->unsure = !event || h->tid == NO_ID;
	return true;
}

/* The module in brackets at the end, which may hold brackets and blanks itself; what stands before it is left in *s. */
static bool take_module(struct span *s, struct span *module)
{
	size_t depth = 0, at = s->n;

	if (!s->n || s->p[s->n - 1] != ')')
		return false;
	while (at-- > 0) {
		if (s->p[at] == ')')
			depth++;
		else if (s->p[at] == '(' && --depth == 0)
			break;
	}
	if (at == SIZE_MAX || (at && !is_blank(s->p[at - 1]))) {
		/* Unbalanced: the last bracket after a blank. */
		for (at = s->n - 1; at > 0 && !(s->p[at] == '(' && is_blank(s->p[at - 1])); at--)
			;
		if (!at)
			return false;
	}
	*module = (struct span){s->p + at + 1, s->n - at - 2};
	s->n = at;
	while (s->n && is_blank(s->p[s->n - 1]))
		s->n--;
	return true;
}

/* Takes "+0x1f" off the end of a name. */
static void take_offset(struct frame *f)
{
	const char *plus = memrchr(f->name.p, '+', f->name.n);
	struct span offset;

	if (!plus)
		return;
	offset = from(f->name, (size_t)(plus - f->name.p));
	if (!span_starts(offset, SPAN("+0x")) || !span_u64(from(offset, 3), 16, &f->offset))
		return;
	f->name.n -= offset.n;
}

/* Name and module, with the address taken off already. */
static bool take_function(struct span s, struct frame *f)
{
	bool module = take_module(&s, &f->module);

	f->name = s;
	take_offset(f);
	f->inlined = module && span_eq(f->module, SPAN("inlined"));
	if (f->inlined)
		f->module = SPAN("");
	f->kind = tidy_module_kind(f->module);
	return module;
}

/* The address at the start; the blanks before it have been skipped. */
static bool take_address(struct span *s, struct frame *f)
{
	size_t n = 0;

	while (n < s->n && is_hex(s->p[n]))
		n++;
	if (!n || (n < s->n && !is_blank(s->p[n])) || !span_u64((struct span){s->p, n}, 16, &f->addr))
		return false;
	f->has_addr = true;
	*s = skip_blanks(from(*s, n));
	return true;
}

bool perfscript_frame(struct span line, struct frame *f)
{
	struct span s = skip_blanks(line);
	size_t margin = line.n - s.n;
	bool tab = line.n && line.p[0] == '\t';

	*f = (struct frame){0};
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	if (!s.n)
		return false;
	margin += span_find(s, 0, ' ');
	/* A word of hexadecimal digits that stands alone may be a name. */
	if ((margin > ADDRESS_COLUMNS || span_find(s, 0, ' ') < s.n) && take_address(&s, f))
		return take_function(s, f) || tab || margin > ADDRESS_COLUMNS;
	/* perf script -F sym: names alone. */
	take_function(s, f);
	return tab;
}

bool perfscript_inline_frame(struct span rest, struct frame *f)
{
	struct span s = skip_blanks(rest);
	size_t margin = rest.n - s.n, width;
	const char *target = memmem(s.p, s.n, " => ", 4); /* where a branch went */

	*f = (struct frame){0};
	if (target)
		s.n = (size_t)(target - s.p);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	width = span_find(s, 0, ' ');
	if (margin + width < ADDRESS_COLUMNS || !take_address(&s, f))
		return false;
	take_function(s, f);
	return true;
}

bool perfscript_source(struct span line, struct span *file, uint32_t *number)
{
	struct span s = span_trim(line);
	struct span discriminator = SPAN(" (discriminator ");
	const char *at;
	uint64_t n;

	*file = SPAN("");
	*number = 0;
	if (!is_blank(line.p[0]))
		return false;
	if (!s.n)
		return true;
	at = memmem(s.p, s.n, discriminator.p, discriminator.n);
	if (at)
		s.n = (size_t)(at - s.p);
	at = memrchr(s.p, ':', s.n);
	if (at && span_u64(from(s, (size_t)(at - s.p) + 1), 10, &n) && n <= UINT32_MAX) {
		*file = (struct span){s.p, (size_t)(at - s.p)};
		*number = (uint32_t)n;
		return true;
	}
	return s.p[s.n - 1] == ']' || span_ends(s, SPAN(":?")) || span_ends(s, SPAN("??:0"));
}
