/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwinding while recording. */
#include "collect/unwinding.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/elf.h"

#if defined(__x86_64__)
#define MACHINE MACHINE_X86_64
#elif defined(__aarch64__)
#define MACHINE MACHINE_AARCH64
#elif defined(__riscv)
#define MACHINE MACHINE_RISCV
#else
#define MACHINE MACHINE_386
#endif

enum { REGS_MAX = 64, ADDRESSES_MAX = 4096 };

void unwinding_open(struct unwinding *u, const struct symbols *symbols, uint64_t regs_mask)
{
	*u = (struct unwinding){
	    .unwinder = unwinder_open(MACHINE), .symbols = symbols, .regs_mask = regs_mask};
}

/* The code that the kernel maps into every process; this one's is as good as any other's. */
static struct elf *open_vdso(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	struct elf *e = NULL;

	while (f && !e && fgets(line, sizeof line, f)) {
		unsigned long start, end;

		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			e = elf_open_memory((struct span){(const char *)start, end - start});
	}
	if (f)
		fclose(f);
	return e;
}

/* The file of a mapping: as the process has it, also when it was removed or replaced since; as it is named in the process's
   root; as it is named here. */
static struct elf *open_file(struct span path, uint32_t pid, const struct mapping *m)
{
	struct str name = {0};
	struct elf *e;

	if (!path.n || path.p[0] != '/' || (path.n > 1 && path.p[1] == '/'))
		return span_eq(path, SPAN("[vdso]")) ? open_vdso() : NULL;
	str_addf(&name, "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)m->start,
	    (unsigned long long)m->end);
	e = elf_open(name.p);
	if (!e) {
		str_reset(&name);
		str_addf(&name, "/proc/%u/root%.*s", pid, (int)path.n, path.p);
		e = elf_open(name.p);
	}
	if (!e) {
		str_reset(&name);
		str_add(&name, path.p, path.n);
		e = elf_open(name.p);
	}
	str_release(&name);
	return e;
}

static struct unwinding_object *object_of(struct unwinding *u, const struct mapping *m)
{
	struct unwinding_object *o;

	if (m->object >= u->nobjects) {
		size_t n = 2 * (size_t)m->object + 64;

		u->objects = xreallocarray(u->objects, n, sizeof *u->objects);
		memset(u->objects + u->nobjects, 0, (n - u->nobjects) * sizeof *u->objects);
		u->nobjects = n;
	}
	o = &u->objects[m->object];
	if (!o->tried) {
		o->tried = true;
		o->elf = open_file(symbols_path(u->symbols, m->object), u->task->pid, m);
		o->cfi = o->elf ? cfi_open(o->elf) : NULL;
	}
	return o;
}

/* An unwind_find_fn. */
static bool find(void *ctx, uint64_t addr, struct unwind_code *code)
{
	struct unwinding *u = ctx;
	const struct mapping *m = space_find(u->task->process->space, addr);
	const struct unwinding_object *o;

	if (!m)
		return false;
	o = object_of(u, m);
	*code = (struct unwind_code){.cfi = o->cfi};
	if (o->cfi && !elf_vaddr(o->elf, addr - m->start + m->pgoff, &code->vaddr))
		code->cfi = NULL;
	return true;
}

uint32_t unwinding_chain(struct unwinding *u, const struct task *task, const struct taken *t, uint64_t *chain,
    uint32_t n, uint32_t max, bool *truncated)
{
	uint64_t regs[REGS_MAX + 1] = {0};
	struct unwind_input in = {.mask = u->regs_mask, .regs = regs + 1, .stack = t->stack};
	enum unwind_end end = UNWIND_LOST;
	size_t room = max > n + 1 ? max - n - 1 : 0, got;

	*truncated = false;
	if (t->regs.n < sizeof *regs || t->regs.n > sizeof regs)
		return n;
	memcpy(regs, t->regs.p, t->regs.n);
	in.abi = regs[0];
	if (!in.abi) /* a kernel's thread */
		return n;
	u->task = task;
	got = unwinder_run(
	    u->unwinder, &in, find, u, chain + n + 1, room < ADDRESSES_MAX ? room : ADDRESSES_MAX, &end);
	if (!got)
		return n;
	chain[n] = (uint64_t)PERF_CONTEXT_USER;
	u->nwhole += end == UNWIND_WHOLE;
	u->ncut += end == UNWIND_CUT;
	u->nlost += end == UNWIND_LOST;
	*truncated = end != UNWIND_WHOLE;
	return n + 1 + (uint32_t)got;
}

void unwinding_close(struct unwinding *u)
{
	for (size_t i = 0; i < u->nobjects; i++) {
		if (u->objects[i].cfi)
			cfi_close(u->objects[i].cfi);
		if (u->objects[i].elf)
			elf_close(u->objects[i].elf);
	}
	free(u->objects);
	if (u->unwinder)
		unwinder_close(u->unwinder);
}
