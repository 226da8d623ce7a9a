/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a reader's stack to the names of a folded line. */
#include "fold/annotate.h"

#include <stdlib.h>

#include "fold/tidy.h"
#include "lib/arena.h"
#include "lib/folded.h"

/* A frame that carries a number (frame.same) is named once and then looked up: one slot for each remainder, bounded. */
enum { CACHE_SLOTS = 1 << 15, CACHE_NAMES = 4 };

struct annotator_cache {
	struct cached_frame {
		uint32_t same; /* 0: free */
		bool java;
		uint32_t n;
		uint32_t ids[CACHE_NAMES];
	} slots[CACHE_SLOTS];
};

/* What making one stack's names needs. */
struct maker {
	struct annotator *a;
	const struct options *o;
	const struct stack *stack;
	bool java;
};

static void add_name_id(struct annotator *a, uint32_t id)
{
	a->ids = grow(a->ids, a->n, &a->cap, sizeof *a->ids);
	a->ids[a->n++] = id;
}

/* A line that begins with "# ", or is "#" and a count, would be a comment. */
static bool is_comment(struct span root)
{
	return root.n && root.p[0] == '#' && (root.n == 1 || root.p[1] == ' ');
}

static void add_name(struct annotator *a, struct span name)
{
	str_reset(&a->escaped);
	folded_escape(&a->escaped, name);
	if (!a->n && is_comment(str_span(&a->escaped)))
		a->escaped.p[0] = '_';
	add_name_id(a, intern(a->table, str_span(&a->escaped)));
}

static void finish_name(struct maker *m)
{
	add_name(m->a, str_span(&m->a->name));
	str_reset(&m->a->name);
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
	size_t at = m->a->name.n;

	if (!s->comm.n && !m->o->pid && !m->o->tid)
		return;
	str_add(&m->a->name, s->comm.n ? s->comm.p : ":", s->comm.n ? s->comm.n : 1);
	for (; at < m->a->name.n; at++)
		if (m->a->name.p[at] == ' ')
			m->a->name.p[at] = '_';
	if ((m->o->pid || m->o->tid) && (s->pid != NO_ID || s->tid != NO_ID)) {
		str_addc(&m->a->name, '-');
		add_id(&m->a->name, s->pid);
	}
	if (m->o->tid && s->tid != NO_ID) {
		str_addc(&m->a->name, '/');
		add_id(&m->a->name, s->tid);
	}
	finish_name(m);
}

static void add_labelled(struct maker *m, const char *label, int32_t id)
{
	str_adds(&m->a->name, label);
	add_id(&m->a->name, id);
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
			add_name(m->a, m->stack->event);
			break;
		case BY_COMM:
			add_comm(m);
			comm = true;
			break;
		}
	}
	m->a->nroots = m->a->n;
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
	str_addc(&m->a->name, '[');
	str_add(&m->a->name, module.p, module.n);
	if (m->o->addrs && f->has_addr)
		str_addf(&m->a->name, " <%llx>", (unsigned long long)f->addr);
	str_addc(&m->a->name, ']');
}

/* --no-demangle: a linker's name stays as it is. */
static bool is_left_mangled(const struct maker *m, struct span name)
{
	return m->o->symbols.no_demangle && (span_starts(name, SPAN("_Z")) || span_starts(name, SPAN("_R")));
}

static void add_function(struct maker *m, const struct frame *f, struct span name)
{
	if (m->stack->modules && !m->o->no_modules && f->module.n) {
		struct span module = tidy_module(f->module);

		str_add(&m->a->name, module.p, module.n);
		str_addc(&m->a->name, '`');
	}
	if (m->stack->verbatim || m->o->no_tidy || f->kind == FRAME_LABEL || is_left_mangled(m, name))
		str_add(&m->a->name, name.p, name.n);
	else
		tidy_name(&m->a->name, name,
		    (m->java ? TIDY_JAVA : 0) | (m->o->symbols.no_demangle ? TIDY_MANGLED : 0));
	if (m->o->includeoffset && f->offset)
		str_addf(&m->a->name, "+0x%llx", (unsigned long long)f->offset);
}

/* ":file:line", the file without its folders for --context. */
static void add_source(struct maker *m, const struct frame *f)
{
	struct span file = f->file;

	if (!file.n || (!m->o->srcline && !m->o->context))
		return;
	if (!m->o->srcline)
		file = tidy_module(file);
	str_addc(&m->a->name, ':');
	str_add(&m->a->name, file.p, file.n);
	if (f->line)
		str_addf(&m->a->name, ":%u", f->line);
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
	if (!span_ends(str_span(&m->a->name), suffix))
		str_add(&m->a->name, suffix.p, suffix.n);
}

static void make_frame(struct maker *m, const struct frame *f)
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

static void add_frame(struct maker *m, const struct frame *f)
{
	size_t first = m->a->n;
	struct cached_frame *c;

	if (!f->same) {
		make_frame(m, f);
		return;
	}
	if (!m->a->cache)
		m->a->cache = xcalloc(1, sizeof *m->a->cache);
	c = &m->a->cache->slots[f->same % CACHE_SLOTS];
	if (c->same == f->same && c->java == m->java) {
		for (uint32_t i = 0; i < c->n; i++)
			add_name_id(m->a, c->ids[i]);
		return;
	}
	make_frame(m, f);
	if (m->a->n - first > CACHE_NAMES)
		return;
	*c = (struct cached_frame){f->same, m->java, (uint32_t)(m->a->n - first), {0}};
	memcpy(c->ids, m->a->ids + first, c->n * sizeof *c->ids);
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
static void skip_callers(struct annotator *a)
{
	size_t i = a->n;

	while (i > a->nroots && !stops(a->options, intern_span(a->table, a->ids[i - 1])))
		i--;
	if (i-- == a->nroots)
		return;
	memmove(a->ids + a->nroots, a->ids + i, (a->n - i) * sizeof *a->ids);
	a->n -= i - a->nroots;
}

/* A function that calls itself directly is one frame. */
static void merge_recursion(struct annotator *a)
{
	size_t to = 0;

	for (size_t i = 0; i < a->n; i++)
		if (!i || a->ids[i] != a->ids[to - 1])
			a->ids[to++] = a->ids[i];
	a->n = to;
}

void annotate(struct annotator *a, const struct stack *stack)
{
	const struct options *o = a->options;
	struct maker m = {a, o, stack, span_starts(stack->comm, SPAN("java"))};

	a->n = 0;
	add_roots(&m);
	for (size_t i = stack->nframes; i-- > 0;)
		add_frame(&m, &stack->frames[i]);
	if (!a->n && !stack->verbatim)
		add_name(a, SPAN("[unknown]"));
	if (o->skip_after.n)
		skip_callers(a);
	if (o->merge_recursive)
		merge_recursion(a);
	if (o->max_depth && a->n > o->max_depth) {
		a->n = o->max_depth;
		add_name(a, SPAN("[truncated]"));
	}
}

void annotator_release(struct annotator *a)
{
	free(a->ids);
	free(a->cache);
	str_release(&a->name);
	str_release(&a->escaped);
	*a = (struct annotator){0};
}
