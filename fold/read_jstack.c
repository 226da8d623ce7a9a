/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Java thread dumps of jstack, jcmd Thread.print and SIGQUIT, any number of them: one count per thread that runs. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

enum state { STATE_UNKNOWN, STATE_RUNNING, STATE_WAITING };

struct jstack {
	struct sink *sink;
	struct chain chain;
	struct str name; /* of the thread */
	int32_t tid;
	enum state state;
};

/* A line of a thread's title: "NAME" #21 prio=5 tid=0x01 nid=0x5101 runnable [0x01] */
static bool parse_title(struct span line, struct span *name, int32_t *tid)
{
	size_t end = text_rfind(line, SPAN("\""));
	struct span rest = text_from(line, text_find(line, SPAN(" nid=")) + 5);
	uint64_t n;

	if (line.n < 2 || line.p[0] != '"' || end == 0 || end == line.n)
		return false;
	*name = (struct span){line.p + 1, end - 1};
	*tid = NO_ID;
	if ((text_cut_hex(&rest, &n) || text_cut_number(&rest, &n)) && n <= INT32_MAX)
		*tid = (int32_t)n;
	return true;
}

/* "	at PACKAGE.CLASS.METHOD(FILE.java:63)" */
static bool parse_frame(struct span line, struct frame *f)
{
	struct span text = span_trim(line), place;
	size_t open, colon;
	uint64_t n;

	*f = (struct frame){0};
	if (!text_indent(line) || !text_skip(&text, SPAN("at ")))
		return false;
	open = text_rfind(text, SPAN("("));
	f->name = (struct span){text.p, open};
	place = text_from(text, open + 1);
	colon = text_rfind(place, SPAN(":"));
	if (colon < place.n && place.p[place.n - 1] == ')' &&
	    span_u64((struct span){place.p + colon + 1, place.n - colon - 2}, 10, &n) && n <= UINT32_MAX) {
		f->file = (struct span){place.p, colon};
		f->line = (uint32_t)n;
	}
	return f->name.n > 0;
}

static bool is_title(struct span line)
{
	struct span name;
	int32_t tid;

	return parse_title(line, &name, &tid);
}

static bool is_state(struct span line)
{
	return span_starts(span_trim(line), SPAN("java.lang.Thread.State: "));
}

static bool is_banner(struct span line)
{
	return span_starts(line, SPAN("Full thread dump "));
}

static bool probe(struct span head)
{
	return text_any_line(head, is_banner) ||
	       (text_any_line(head, is_title) && text_any_line(head, is_state));
}

/* "pool-1-thread-3" is one of many in "pool-1-thread". */
static struct span without_number(struct span name)
{
	size_t n = name.n;

	while (n && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
		n--;
	if (n > 1 && n < name.n && name.p[n - 1] == '-')
		name.n = n - 1;
	return name;
}

/* The JVM takes a thread for running that waits in a system call of the JDK's. */
static bool waits(struct span name)
{
	static const struct span inside[] = {SPAN("epollWait"), SPAN("EPoll.wait"), SPAN("KQueue.poll")};
	static const struct span ends[] = {SPAN("socketAccept"), SPAN("socketRead0"), SPAN("accept0")};

	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
		if (text_has(name, inside[i]))
			return true;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (span_ends(name, ends[i]))
			return true;
	return false;
}

static void finish(struct jstack *j)
{
	struct stack stack = stack_init();

	stack.comm = without_number(str_span(&j->name));
	stack.tid = j->tid;
	stack.verbatim = true;
	if (j->chain.n && j->state == STATE_RUNNING)
		chain_add(&j->chain, j->sink, &stack, COUNT_ONE);
	else if (j->chain.n && j->state == STATE_WAITING)
		sink_tally(j->sink, TALLY_IDLE, 1);
	chain_reset(&j->chain);
	str_reset(&j->name);
	j->state = STATE_UNKNOWN;
}

static void read_line(struct jstack *j, struct span line)
{
	struct span name, text = span_trim(line);
	struct frame f;
	int32_t tid;

	if (parse_title(line, &name, &tid)) {
		finish(j);
		str_add(&j->name, name.p, name.n);
		j->tid = tid;
	} else if (!text.n) {
		finish(j);
	} else if (text_skip(&text, SPAN("java.lang.Thread.State: "))) {
		j->state = span_eq(text_word(&text), SPAN("RUNNABLE")) ? STATE_RUNNING : STATE_WAITING;
	} else if (parse_frame(line, &f)) {
		if (waits(f.name) && j->state == STATE_RUNNING)
			j->state = STATE_WAITING;
		chain_push(&j->chain, &f);
	}
}

/* Lines about locks, references and deadlocks hold no sample. A thread in the report of a deadlock has no state: it stands with
   one further up. */
static bool read(struct input *in, struct sink *sink)
{
	struct jstack j = {.sink = sink, .tid = NO_ID};
	struct span line;

	sink_fact(sink, "weight", SPAN("samples"));
	while (input_line(in, &line))
		read_line(&j, line);
	finish(&j);
	chain_release(&j.chain);
	str_release(&j.name);
	return true;
}

const struct reader reader_jstack = {"jstack", "Java thread dumps", probe, read};
