/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a reader's stack to the names of a folded line. */
#include "fold/annotate.h"

#include <stdlib.h>

#include "fold/tidy.h"
#include "lib/arena.h"
#include "lib/folded.h"

/* What making one stack's names needs. */
struct maker {
	struct names *names;
	const struct options *o;
	const struct stack *stack;
	size_t nroots; /* names made by --by */
	bool java;
	struct str name; /* the one in hand, before it is escaped */
};

static void add_name(struct names *names, struct span name)
{
	struct names_place *place;

	names->places = grow(names->places, names->n, &names->cap, sizeof *names->places);
	place = &names->places[names->n++];
	place->at = names->text.n;
	folded_escape(&names->text, name);
	place->n = names->text.n - place->at;
}

static void finish_name(struct maker *m)
{
	add_name(m->names, str_span(&m->name));
	str_reset(&m->name);
}

static void add_id(struct str *out, int32_t id)
{
	if (id == NO_ID)
		str_addc(out, '?');
	else
		str_addf(out, "%d", id);
}

/* comm, comm-PID or comm-PID/TID, blanks as '_'. */
static void add_comm(struct maker *m)
{
	const struct stack *s = m->stack;
	size_t at = m->name.n;

	if (!s->comm.n && !m->o->pid && !m->o->tid)
		return;
	str_add(&m->name, s->comm.n ? s->comm.p : ":", s->comm.n ? s->comm.n : 1);
	for (; at < m->name.n; at++)
		if (m->name.p[at] == ' ')
			m->name.p[at] = '_';
	if ((m->o->pid || m->o->tid) && (s->pid != NO_ID || s->tid != NO_ID)) {
		str_addc(&m->name, '-');
		add_id(&m->name, s->pid);
	}
	if (m->o->tid && s->tid != NO_ID) {
		str_addc(&m->name, '/');
		add_id(&m->name, s->tid);
	}
	finish_name(m);
}

static void add_labelled(struct maker *m, const char *label, int32_t id)
{
	str_adds(&m->name, label);
	add_id(&m->name, id);
	finish_name(m);
}

/* The frames that --by puts at the root; the command's name follows unless it is one of them. */
static void add_roots(struct maker *m)
{
	bool comm = false;

	for (unsigned i = 0; i < m->o->nby; i++) {
		switch (m->o->by[i]) {
		case BY_PID:
			add_labelled(m, "pid-", m->stack->pid);
			break;
		case BY_TID:
			add_labelled(m, "tid-", m->stack->tid);
			break;
		case BY_CPU:
			add_labelled(m, "cpu-", m->stack->cpu);
			break;
		case BY_EVENT:
			add_name(m->names, m->stack->event);
			break;
		case BY_COMM:
			add_comm(m);
			comm = true;
			break;
		}
	}
	m->nroots = m->names->n;
	if (!comm)
		add_comm(m);
}

static bool is_unknown(struct span name)
{
	return !name.n || span_eq(name, SPAN("[unknown]"));
}

/* "[libc.so.6]" or "[unknown]", with --addrs "[libc.so.6 <7f01>]". */
static void add_unknown(struct maker *m, const struct frame *f)
{
	struct span module = tidy_module(f->module);

	if (is_unknown(module))
		module = SPAN("unknown");
	str_addc(&m->name, '[');
	str_add(&m->name, module.p, module.n);
	if (m->o->addrs && f->has_addr)
		str_addf(&m->name, " <%llx>", (unsigned long long)f->addr);
	str_addc(&m->name, ']');
}

static void add_function(struct maker *m, const struct frame *f, struct span name)
{
	if (m->stack->modules && !m->o->no_modules && f->module.n) {
		struct span module = tidy_module(f->module);

		str_add(&m->name, module.p, module.n);
		str_addc(&m->name, '`');
	}
	if (m->stack->verbatim || m->o->no_tidy || f->kind == FRAME_LABEL)
		str_add(&m->name, name.p, name.n);
	else
		tidy_name(&m->name, name, m->java);
	if (m->o->includeoffset && f->offset)
		str_addf(&m->name, "+0x%llx", (unsigned long long)f->offset);
}

/* ":file:line", the file without its folders for --context. */
static void add_source(struct maker *m, const struct frame *f)
{
	struct span file = f->file;

	if (!file.n || (!m->o->srcline && !m->o->context))
		return;
	if (!m->o->srcline)
		file = tidy_module(file);
	str_addc(&m->name, ':');
	str_add(&m->name, file.p, file.n);
	if (f->line)
		str_addf(&m->name, ":%u", f->line);
}

/* A frame known to be inlined shows as such and not as kernel or JIT code. */
static void add_suffix(struct maker *m, const struct frame *f, bool arrow)
{
	struct span suffix = SPAN("");

	if (arrow || (f->inlined && m->o->inlined))
		suffix = SPAN("_[i]");
	else if (f->kind == FRAME_KERNEL && m->o->kernel)
		suffix = SPAN("_[k]");
	else if (f->kind == FRAME_JIT && m->o->jit)
		suffix = SPAN("_[j]");
	if (!span_ends(str_span(&m->name), suffix))
		str_add(&m->name, suffix.p, suffix.n);
}

static void add_frame(struct maker *m, const struct frame *f)
{
	struct span rest = f->name, name;
	bool arrow = false;

	if (is_unknown(rest)) {
		add_unknown(m, f);
		add_suffix(m, f, false);
		finish_name(m);
		return;
	}
	while (rest.n) {
		if (m->stack->verbatim || m->o->no_tidy || f->kind != FRAME_JIT)
			name = rest, rest = SPAN("");
		else
			tidy_cut_inlined(&rest, &name);
		add_function(m, f, name);
		if (!rest.n)
			add_source(m, f);
		add_suffix(m, f, arrow);
		finish_name(m);
		arrow = true;
	}
}

static struct span without_suffix(struct span name)
{
	if (name.n > 4 && name.p[name.n - 4] == '_' && name.p[name.n - 3] == '[' && name.p[name.n - 1] == ']')
		name.n -= 4;
	return name;
}

static bool stops(const struct options *o, struct span name)
{
	for (size_t i = 0; i < o->skip_after.n; i++)
		if (span_eq(o->skip_after.items[i], name) ||
		    span_eq(o->skip_after.items[i], without_suffix(name)))
			return true;
	return false;
}

/* --skip-after: everything on the root's side of the matching frame nearest to the leaf goes, but for frames of --by. */
static void skip_callers(struct maker *m)
{
	struct names *names = m->names;
	size_t i = names->n;

	while (i > m->nroots && !stops(m->o, names_at(names, i - 1)))
		i--;
	if (i-- == m->nroots)
		return;
	memmove(names->places + m->nroots, names->places + i, (names->n - i) * sizeof *names->places);
	names->n -= i - m->nroots;
}

/* A function that calls itself directly is one frame. */
static void merge_recursion(struct names *names)
{
	size_t to = 0;

	for (size_t i = 0; i < names->n; i++)
		if (!i || !span_eq(names_at(names, i), names_at(names, to - 1)))
			names->places[to++] = names->places[i];
	names->n = to;
}

void annotate(struct names *names, const struct options *o, const struct stack *stack)
{
	struct maker m = {.names = names, .o = o, .stack = stack};

	str_reset(&names->text);
	names->n = 0;
	m.java = span_starts(stack->comm, SPAN("java"));
	add_roots(&m);
	for (size_t i = stack->nframes; i-- > 0;)
		add_frame(&m, &stack->frames[i]);
	if (o->skip_after.n)
		skip_callers(&m);
	if (o->merge_recursive)
		merge_recursion(names);
	if (o->max_depth && names->n > o->max_depth) {
		names->n = o->max_depth;
		add_name(names, SPAN("[truncated]"));
	}
	str_release(&m.name);
}

void names_release(struct names *names)
{
	str_release(&names->text);
	free(names->places);
	*names = (struct names){0};
}
