/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and processes as side-band records tell of them. */
#include "lib/tasks.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/intern.h"

enum {
	BUCKETS = 1 << 14,
	DEAD_KEPT = 4096, /* threads whose last samples may still come */
};

struct tasks {
	struct symbols *symbols;
	struct spaces spaces;
	struct intern comms;
	struct task *tasks[BUCKETS]; /* by tid */
	struct process *processes[BUCKETS]; /* by pid */
	uint32_t dead[DEAD_KEPT]; /* tids, a ring */
	uint64_t ndead;
	struct task *last; /* the one found last */
};

struct tasks *tasks_open(struct symbols *symbols)
{
	struct tasks *t = xcalloc(1, sizeof *t);

	t->symbols = symbols;
	return t;
}

static size_t bucket(uint32_t id)
{
	return (id * 2654435761u >> 16) % BUCKETS;
}

static struct process *find_process(const struct tasks *t, uint32_t pid)
{
	struct process *p = t->processes[bucket(pid)];

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

static struct process *get_process(struct tasks *t, uint32_t pid)
{
	struct process *p = find_process(t, pid);

	if (p)
		return p;
	p = xcalloc(1, sizeof *p);
	p->pid = pid;
	p->space = space_new(&t->spaces);
	p->next = t->processes[bucket(pid)];
	t->processes[bucket(pid)] = p;
	return p;
}

static void free_process(struct tasks *t, struct process *p)
{
	struct process **at = &t->processes[bucket(p->pid)];

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	space_unref(p->space);
	free(p);
}

static struct task *find_task(const struct tasks *t, uint32_t tid)
{
	struct task *task = t->tasks[bucket(tid)];

	while (task && task->tid != tid)
		task = task->next;
	return task;
}

static void set_process(struct tasks *t, struct task *task, uint32_t pid)
{
	struct process *old = task->process;

	task->pid = pid;
	task->process = get_process(t, pid);
	task->process->nthreads++;
	if (old && --old->nthreads == 0)
		free_process(t, old);
}

static void free_task(struct tasks *t, struct task *task)
{
	struct task **at = &t->tasks[bucket(task->tid)];

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	if (--task->process->nthreads == 0)
		free_process(t, task->process);
	if (t->last == task)
		t->last = NULL;
	free(task);
}

void tasks_close(struct tasks *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (t->tasks[i])
			free_task(t, t->tasks[i]);
	for (size_t i = 0; i < BUCKETS; i++)
		while (t->processes[i])
			free_process(t, t->processes[i]);
	intern_release(&t->comms);
	free(t);
}

/* The name of a thread that nothing is known of: that of its process, else ":TID" as perf has it. */
static void make_up_name(struct tasks *t, struct task *task)
{
	const struct task *leader = find_task(t, task->pid);
	struct str name = {0};

	if (task->tid == 0) {
		task->comm = intern(&t->comms, SPAN("swapper"));
		return;
	}
	if (leader && leader != task) {
		task->comm = leader->comm;
		return;
	}
	str_addf(&name, ":%d", (int32_t)task->tid);
	task->comm = intern(&t->comms, str_span(&name));
	str_release(&name);
}

static struct task *get_task(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct task *task = find_task(t, tid);

	if (task) {
		if (task->pid != pid)
			set_process(t, task, pid);
		return task;
	}
	task = xcalloc(1, sizeof *task);
	task->tid = tid;
	task->next = t->tasks[bucket(tid)];
	t->tasks[bucket(tid)] = task;
	set_process(t, task, pid);
	make_up_name(t, task);
	return task;
}

const struct task *tasks_find(struct tasks *t, uint32_t pid, uint32_t tid)
{
	if (!t->last || t->last->tid != tid || t->last->pid != pid)
		t->last = get_task(t, pid, tid);
	return t->last;
}

struct span tasks_comm(const struct tasks *t, uint32_t comm)
{
	return intern_span(&t->comms, comm);
}

uint32_t tasks_place(const struct task *task, uint64_t addr, uint64_t *place)
{
	const struct mapping *m = space_find(task->process->space, addr);

	if (m) {
		*place = addr - m->start + m->pgoff;
		return m->object;
	}
	*place = addr;
	return OBJECT_UNKNOWN;
}

/* "[kernel.kallsyms]_text": a module's or the kernel's name, and perhaps the symbol whose address pgoff is. */
static void kernel_mapping(struct tasks *t, const struct perfrec_mmap *m)
{
	size_t close = span_find(m->path, 0, ']');
	struct span name = m->path, symbol = {"", 0};

	if (name.n && name.p[0] == '[' && close < name.n) {
		name.n = close + 1;
		symbol = (struct span){m->path.p + name.n, m->path.n - name.n};
	}
	symbols_kernel_map(t->symbols, name, m->addr, m->len, symbol.n ? m->pgoff : 0, m->build_id);
}

static bool take_mmap(struct tasks *t, const struct perfrec *rec, bool swap)
{
	struct perfrec_mmap m;
	struct mapping mapping;
	struct process *p;
	unsigned mode = rec->misc & MISC_MODE_MASK;

	if (!perfrec_mmap_parse(rec, swap, &m))
		return false;
	if (mode == MODE_GUEST_KERNEL || mode == MODE_GUEST_USER)
		return true;
	if (mode == MODE_KERNEL || m.pid == UINT32_MAX) {
		kernel_mapping(t, &m);
		return true;
	}
	p = get_task(t, m.pid, m.tid)->process;
	mapping.start = m.addr;
	if (__builtin_add_overflow(m.addr, m.len, &mapping.end))
		mapping.end = UINT64_MAX;
	mapping.object = symbols_object(t->symbols, m.path, m.build_id, m.pid);
	mapping.pgoff = symbols_by_address(t->symbols, mapping.object) ? m.addr : m.pgoff;
	if (span_starts(m.path, SPAN("[vdso")))
		mapping.pgoff = 0;
	space_map(&t->spaces, &p->space, &mapping);
	return true;
}

static void forget_mappings(struct tasks *t, struct process *p)
{
	space_unref(p->space);
	p->space = space_new(&t->spaces);
}

static bool take_comm(struct tasks *t, const struct perfrec *rec, bool swap)
{
	struct perfrec_comm c;
	struct task *task;

	if (!perfrec_comm_parse(rec, swap, &c))
		return false;
	task = get_task(t, c.pid, c.tid);
	task->comm = intern(&t->comms, c.comm);
	task->named = true;
	if (c.exec)
		forget_mappings(t, task->process);
	return true;
}

/* A record made up by the profiler for a process that already ran: what the process has mapped comes in records of its own,
   and is not its parent's. Older perf did not mark these, but they have no time. */
static bool is_made_up(const struct perfrec *rec, const struct perfrec_task *f)
{
	return rec->misc & MISC_FORK_EXEC || f->time == 0;
}

static bool take_fork(struct tasks *t, const struct perfrec *rec, bool swap)
{
	struct perfrec_task f;
	struct task *child, *parent;
	struct space *inherited = NULL;

	if (!perfrec_task_parse(rec, swap, &f))
		return false;
	if (f.tid == f.ptid)
		return true;
	child = find_task(t, f.tid);
	/* A thread that a record has told of already: a sample, or its name, came first. */
	if (child && (child->dead || child->pid != f.pid || !child->named || !is_made_up(rec, &f)))
		free_task(t, child);
	parent = get_task(t, f.ppid, f.ptid);
	if (f.pid != f.ppid && !is_made_up(rec, &f))
		inherited = space_ref(parent->process->space);
	child = get_task(t, f.pid, f.tid);
	if (!child->named) {
		child->comm = parent->comm;
		child->named = parent->named;
	}
	if (inherited) {
		space_unref(child->process->space);
		child->process->space = inherited;
	}
	return true;
}

/* Its last samples may come after the record; later on its number may be somebody else's. */
static bool take_exit(struct tasks *t, const struct perfrec *rec, bool swap)
{
	struct perfrec_task e;
	struct task *task;
	uint32_t *slot = &t->dead[t->ndead % DEAD_KEPT];

	if (!perfrec_task_parse(rec, swap, &e))
		return false;
	task = find_task(t, e.tid);
	if (!task || task->dead)
		return true;
	if (t->ndead >= DEAD_KEPT) {
		struct task *oldest = find_task(t, *slot);

		if (oldest && oldest->dead)
			free_task(t, oldest);
	}
	task->dead = true;
	*slot = e.tid;
	t->ndead++;
	return true;
}

static bool take_ksymbol(struct tasks *t, const struct perfrec *rec, bool swap)
{
	struct perfrec_ksymbol k;

	if (!perfrec_ksymbol_parse(rec, swap, &k))
		return false;
	if (!k.unregister)
		symbols_ksymbol(t->symbols, k.addr, k.len, k.name);
	return true;
}

bool tasks_record(struct tasks *t, const struct perfrec *rec, bool swap)
{
	t->last = NULL;
	switch (rec->type) {
	case PERFREC_MMAP:
	case PERFREC_MMAP2:
		return take_mmap(t, rec, swap);
	case PERFREC_COMM:
		return take_comm(t, rec, swap);
	case PERFREC_FORK:
		return take_fork(t, rec, swap);
	case PERFREC_EXIT:
		return take_exit(t, rec, swap);
	case PERFREC_KSYMBOL:
		return take_ksymbol(t, rec, swap);
	default:
		return true;
	}
}
