/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of BCC's profile, offcputime, offwaketime, wakeuptime and stackcount: frames from the leaf on, then the task, then
   the count or microseconds on a line of its own. */
#include "fold/chain.h"
#include "fold/reader.h"
#include "fold/text.h"

struct bcc {
	struct sink *sink;
	struct chain chain;
	struct str comm;
	int32_t pid;
	bool is_time; /* counts are microseconds */
};

/* What older versions print a Python bytes object for: b'NAME'. */
static struct span unwrap(struct span text)
{
	if (text.n >= 3 && span_starts(text, SPAN("b'")) && text.p[text.n - 1] == '\'')
		return (struct span){text.p + 2, text.n - 3};
	return text;
}

static int32_t parse_pid(struct span digits)
{
	uint64_t n;

	return span_u64(digits, 10, &n) && n <= INT32_MAX ? (int32_t)n : NO_ID;
}

/* Takes "COMM (PID)" or "COMM [PID]" apart. */
static bool parse_task(struct span text, char open, char close, struct span *comm, int32_t *pid)
{
	size_t at;

	if (!text.n || text.p[text.n - 1] != close)
		return false;
	for (at = text.n - 1; at > 0 && text.p[at] != open; at--)
		;
	if (at < 2 || text.p[at - 1] != ' ')
		return false;
	*pid = parse_pid((struct span){text.p + at + 1, text.n - at - 2});
	*comm = unwrap(span_trim((struct span){text.p, at}));
	return *pid != NO_ID;
}

/* "    -                COMM (PID)", the last line before the count. */
static bool is_task_line(struct span line)
{
	struct span text = span_trim(line), comm;
	int32_t pid;

	return text_indent(line) >= 4 && text_skip(&text, SPAN("-")) && text_indent(text) >= 2 &&
	       parse_task(span_trim(text), '(', ')', &comm, &pid);
}

static bool is_count(struct span line)
{
	return text_indent(line) >= 4 && text_is_digits(span_trim(line));
}

static bool is_title(struct span line)
{
	return (span_starts(line, SPAN("Sampling at ")) || span_starts(line, SPAN("Tracing "))) &&
	       text_has(line, SPAN("Hit Ctrl-C to end"));
}

static bool probe(struct span head)
{
	return (text_any_line(head, is_title) || text_any_line(head, is_task_line)) &&
	       text_any_line(head, is_count);
}

static void set_comm(struct bcc *b, struct span comm, int32_t pid)
{
	str_reset(&b->comm);
	str_add(&b->comm, comm.p, comm.n);
	b->pid = pid;
}

/* The line of the task, or "target:  COMM" and "waker:  COMM" of offwaketime. */
static bool read_task(struct bcc *b, struct span line)
{
	struct span text = span_trim(line), comm;
	int32_t pid = NO_ID;
	bool dash = text_skip(&text, SPAN("-")) && text_indent(text) >= 2;

	if (dash && parse_task(span_trim(text), '(', ')', &comm, &pid))
		set_comm(b, comm, pid);
	else if (!dash && parse_task(span_trim(line), '[', ']', &comm, &pid))
		set_comm(b, comm, pid);
	else
		return false;
	return true;
}

static void add_frame(struct bcc *b, struct span text)
{
	struct frame f = {0};
	struct span rest = text;

	/* With -a or -v an address stands in front: "ffffffff8109 NAME". */
	text = text_word(&rest);
	if (text.n >= 8 && span_trim(rest).n && span_u64(text, 16, &f.addr)) {
		f.has_addr = true;
		text = span_trim(rest);
	} else {
		text = (struct span){text.p, (size_t)(rest.p + rest.n - text.p)};
	}
	f.name = unwrap(text);
	if (span_ends(f.name, SPAN("_[k]"))) {
		f.name.n -= 4;
		f.kind = FRAME_KERNEL;
	}
	f.offset = text_cut_offset(&f.name);
	/* "--" and "-" stand between the user's and the kernel's part, and before the waker's. */
	if (span_eq(f.name, SPAN("--")) || span_eq(f.name, SPAN("-")))
		f.kind = FRAME_LABEL;
	chain_push(&b->chain, &f);
}

static void finish(struct bcc *b, struct span count)
{
	struct stack stack = stack_init();
	u128 n;

	stack.comm = str_span(&b->comm);
	stack.pid = b->pid;
	if (!b->chain.n && !b->comm.n)
		chain_push(&b->chain, &(struct frame){0});
	if (count_parse(count, &n)) {
		stack.amount.weight = n;
		if (b->is_time)
			stack.amount.time_us = n;
		else
			stack.amount.samples = n;
		stack.frames = b->chain.frames;
		stack.nframes = b->chain.n;
		sink_add(b->sink, &stack);
	}
	chain_reset(&b->chain);
	set_comm(b, SPAN(""), NO_ID);
}

static void read_title(struct bcc *b, struct span line)
{
	if (text_has(line, SPAN("(us)")) || text_has(line, SPAN("off-CPU time"))) {
		b->is_time = true;
		sink_fact(b->sink, "weight", SPAN("time"));
	}
}

static void read_line(struct bcc *b, struct input *in, struct span line)
{
	struct span text = span_trim(line);

	if (is_title(line))
		read_title(b, line);
	else if (!text.n || span_starts(line, SPAN("Detaching")) || span_starts(text, SPAN("^C")))
		return;
	else if (!text_indent(line))
		sink_bad_line(b->sink, in, line);
	else if (text_is_digits(text))
		finish(b, text);
	else if (!read_task(b, line))
		add_frame(b, text);
}

static bool read(struct input *in, struct sink *sink)
{
	struct bcc b = {.sink = sink, .pid = NO_ID};
	struct span line;

	while (input_line(in, &line))
		read_line(&b, in, line);
	if (!b.is_time)
		sink_fact(sink, "weight", SPAN("samples"));
	if (b.chain.n)
		sink_bad_line(sink, in, SPAN("a stack without its count"));
	chain_release(&b.chain);
	str_release(&b.comm);
	return true;
}

const struct reader reader_bcc = {"bcc", "BCC's profile, offcputime, stackcount", probe, read};
