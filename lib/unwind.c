/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a thread's registers and a copy of its stack to its callchain. */
#include "lib/unwind.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/wire.h"

enum {
	CACHE_SLOTS = 8192, /* a power of two */
	DEPTH_MAX = 64, /* of an expression's stack */
	STEPS_MAX = 1000, /* of an expression, which may jump back */
	NO_REG = 0xff
};

/* DWARF 5, table 7.9: the operations that have a use in call frame information. */
enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96
};

/* What differs between machines: registers are DWARF's numbers, indices are perf's. */
struct machine {
	unsigned word;
	uint8_t sp, fp;
	uint8_t pc; /* NO_REG: the program counter has no number of its own */
	uint8_t perf_pc;
	uint8_t nregs; /* length of dwarf */
	uint8_t dwarf[CFI_NREGS]; /* by perf's number */
	uint64_t address; /* bits that an address has; the others may be a signature */
};

static const struct machine x86_64 = {
    .word = 8,
    .sp = 7,
    .fp = 6,
    .pc = 16,
    .perf_pc = 8,
    .nregs = 24,
    .dwarf = {0, 3, 2, 1, 4, 5, 6, 7, 16, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, 8, 9, 10,
	11, 12, 13, 14, 15},
    .address = UINT64_MAX,
};

static const struct machine i386 = {
    .word = 4,
    .sp = 4,
    .fp = 5,
    .pc = 8,
    .perf_pc = 8,
    .nregs = 9,
    .dwarf = {0, 3, 1, 2, 6, 7, 5, 4, 8},
    .address = UINT32_MAX,
};

static const struct machine aarch64 = {
    .word = 8,
    .sp = 31,
    .fp = 29,
    .pc = NO_REG,
    .perf_pc = 32,
    .nregs = 32,
    .dwarf = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
	26, 27, 28, 29, 30, 31},
    .address = (UINT64_C(1) << 48) - 1,
};

/* A row and what it is of. */
struct slot {
	const struct cfi *cfi; /* NULL: free */
	uint64_t vaddr;
	bool found; /* false: there is no row */
	struct cfi_row row;
};

struct unwinder {
	enum elf_machine machine;
	struct slot *cache;
};

/* The frame in hand. */
struct walk {
	const struct machine *m;
	uint64_t pc;
	uint64_t regs[CFI_NREGS];
	uint64_t known; /* a bit a register */
	uint64_t base; /* address of the copy's first byte */
	struct span stack;
	bool cut; /* a read went past the copy's end */
};

enum step { STEP_ON, STEP_START, STEP_LOST };

uint64_t unwind_regs_mask(enum elf_machine machine)
{
	if (machine == MACHINE_X86_64)
		return 0xff01ff;
	return machine == MACHINE_AARCH64 ? (UINT64_C(1) << 33) - 1 : 0;
}

struct unwinder *unwinder_open(enum elf_machine machine)
{
	struct unwinder *u = xcalloc(1, sizeof *u);

	u->machine = machine;
	u->cache = xcalloc(CACHE_SLOTS, sizeof *u->cache);
	return u;
}

void unwinder_close(struct unwinder *u)
{
	if (!u)
		return;
	free(u->cache);
	free(u);
}

static const struct machine *machine_of(const struct unwinder *u, uint64_t abi)
{
	if (u->machine == MACHINE_X86_64 || u->machine == MACHINE_386)
		return abi == 1 ? &i386 : abi == 2 && u->machine == MACHINE_X86_64 ? &x86_64 : NULL;
	return u->machine == MACHINE_AARCH64 && abi == 2 ? &aarch64 : NULL;
}

static bool is_known(const struct walk *w, unsigned reg)
{
	return reg < CFI_NREGS && w->known >> reg & 1;
}

static void set_reg(struct walk *w, unsigned reg, uint64_t v)
{
	if (reg < CFI_NREGS) {
		w->regs[reg] = v;
		w->known |= UINT64_C(1) << reg;
	}
}

/* False when program counter or stack pointer are missing. */
static bool walk_init(struct walk *w, const struct machine *m, const struct unwind_input *in)
{
	bool has_pc = false;
	unsigned at = 0;

	w->m = m;
	w->known = 0;
	w->cut = false;
	w->stack = in->stack;
	for (unsigned i = 0; i < 64; i++) {
		if (!(in->mask >> i & 1))
			continue;
		if (i < m->nregs)
			set_reg(w, m->dwarf[i], in->regs[at]);
		if (i == m->perf_pc) {
			w->pc = in->regs[at];
			has_pc = true;
		}
		at++;
	}
	w->base = is_known(w, m->sp) ? w->regs[m->sp] : 0;
	return has_pc && is_known(w, m->sp);
}

/* n is 1, 2, 4 or 8 bytes. */
static bool read_stack(struct walk *w, uint64_t addr, unsigned n, uint64_t *v)
{
	uint64_t at = addr - w->base;

	if (at > w->stack.n || w->stack.n - at < n) {
		w->cut |= addr >= w->base;
		return false;
	}
	*v = 0;
	/* All supported machines are little-endian, and so is whoever reads their recordings: see replay. */
	memcpy(v, w->stack.p + at, n);
	return true;
}

/* An expression at work. */
struct eval {
	struct walk *w;
	struct wire code;
	const unsigned char *start;
	uint64_t stack[DEPTH_MAX];
	unsigned n;
};

static bool push(struct eval *e, uint64_t v)
{
	if (e->n == DEPTH_MAX)
		return false;
	e->stack[e->n++] = v;
	return true;
}

static bool push_reg(struct eval *e, uint64_t reg, uint64_t offset)
{
	return reg < CFI_NREGS && is_known(e->w, (unsigned)reg) && push(e, e->w->regs[reg] + offset);
}

static bool push_constant(struct eval *e, uint8_t op)
{
	struct wire *c = &e->code;

	switch (op) {
	case OP_CONST1U:
		return push(e, wire_u8(c));
	case OP_CONST1S:
		return push(e, (uint64_t)(int8_t)wire_u8(c));
	case OP_CONST2U:
		return push(e, wire_u16(c));
	case OP_CONST2S:
		return push(e, (uint64_t)(int16_t)wire_u16(c));
	case OP_CONST4U:
		return push(e, wire_u32(c));
	case OP_CONST4S:
		return push(e, (uint64_t)(int32_t)wire_u32(c));
	case OP_CONST8U:
	case OP_CONST8S:
		return push(e, wire_u64(c));
	case OP_CONSTU:
		return push(e, wire_varint(c));
	default:
		return push(e, (uint64_t)wire_sleb(c));
	}
}

/* b is the top of the stack, a below it. False for what no such operation is. */
static bool binary(uint8_t op, uint64_t a, uint64_t b, uint64_t *v)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_AND:
		*v = a & b;
		return true;
	case OP_DIV:
		*v = sb == -1 ? 0 - a : sb ? (uint64_t)(sa / sb) : 0;
		return sb != 0;
	case OP_MINUS:
		*v = a - b;
		return true;
	case OP_MOD:
		*v = b ? a % b : 0;
		return b != 0;
	case OP_MUL:
		*v = a * b;
		return true;
	case OP_OR:
		*v = a | b;
		return true;
	case OP_PLUS:
		*v = a + b;
		return true;
	case OP_SHL:
		*v = b < 64 ? a << b : 0;
		return true;
	case OP_SHR:
		*v = b < 64 ? a >> b : 0;
		return true;
	case OP_SHRA:
		*v = (uint64_t)(sa >> (b < 64 ? b : 63));
		return true;
	case OP_XOR:
		*v = a ^ b;
		return true;
	case OP_EQ:
		*v = a == b;
		return true;
	case OP_GE:
		*v = sa >= sb;
		return true;
	case OP_GT:
		*v = sa > sb;
		return true;
	case OP_LE:
		*v = sa <= sb;
		return true;
	case OP_LT:
		*v = sa < sb;
		return true;
	case OP_NE:
		*v = a != b;
		return true;
	default:
		return false;
	}
}

/* Operations that move what is on the stack. */
static bool shuffle(struct eval *e, uint8_t op)
{
	uint64_t *top = &e->stack[e->n - 1], t;
	unsigned depth;

	switch (op) {
	case OP_DUP:
		return push(e, *top);
	case OP_DROP:
		e->n--;
		return true;
	case OP_OVER:
		return e->n >= 2 && push(e, top[-1]);
	case OP_PICK:
		depth = wire_u8(&e->code);
		return depth < e->n && push(e, *(top - depth));
	case OP_SWAP:
		if (e->n < 2)
			return false;
		t = top[0];
		top[0] = top[-1];
		top[-1] = t;
		return true;
	default: /* OP_ROT */
		if (e->n < 3)
			return false;
		t = top[0];
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = t;
		return true;
	}
}

static bool jump(struct eval *e, int16_t by)
{
	int64_t to = e->code.p - e->start + by;

	if (to < 0 || to > e->code.end - e->start)
		return false;
	e->code.p = e->start + to;
	return true;
}

/* Operations with one operand on the stack, and those with two. */
static bool operate(struct eval *e, uint8_t op)
{
	uint64_t *top = &e->stack[e->n - 1], v;
	unsigned size;
	int16_t by;

	switch (op) {
	case OP_DEREF:
		return read_stack(e->w, *top, e->w->m->word, top);
	case OP_DEREF_SIZE:
		size = wire_u8(&e->code);
		return (size == 1 || size == 2 || size == 4 || size == 8) &&
		       read_stack(e->w, *top, size, top);
	case OP_ABS:
		*top = (int64_t)*top < 0 ? 0 - *top : *top;
		return true;
	case OP_NEG:
		*top = 0 - *top;
		return true;
	case OP_NOT:
		*top = ~*top;
		return true;
	case OP_PLUS_UCONST:
		*top += wire_varint(&e->code);
		return true;
	case OP_BRA:
		e->n--;
		by = (int16_t)wire_u16(&e->code);
		return jump(e, e->stack[e->n] ? by : 0);
	default:
		if (op >= OP_DUP && op <= OP_ROT)
			return shuffle(e, op);
		if (e->n < 2 || !binary(op, top[-1], top[0], &v))
			return false;
		top[-1] = v;
		e->n--;
		return true;
	}
}

static bool eval_op(struct eval *e, uint8_t op)
{
	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(e, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_reg(e, op - OP_BREG0, (uint64_t)wire_sleb(&e->code));
	if (op == OP_BREGX) {
		uint64_t reg = wire_varint(&e->code);

		return push_reg(e, reg, (uint64_t)wire_sleb(&e->code));
	}
	if (op >= OP_CONST1U && op <= OP_CONSTS)
		return push_constant(e, op);
	if (op == OP_NOP)
		return true;
	if (op == OP_SKIP)
		return jump(e, (int16_t)wire_u16(&e->code));
	return e->n && operate(e, op);
}

/* The value of an expression; cfa is pushed first for register rules (has_cfa). */
static bool evaluate(struct walk *w, struct span code, bool has_cfa, uint64_t cfa, uint64_t *v)
{
	struct eval e = {.w = w, .code = wire_init(code.p, code.n, false), .n = 0};

	e.start = e.code.p;
	if (has_cfa)
		push(&e, cfa);
	for (unsigned steps = 0; wire_left(&e.code); steps++)
		if (steps == STEPS_MAX || !eval_op(&e, wire_u8(&e.code)) || e.code.failed)
			return false;
	if (e.n == 0)
		return false;
	*v = e.stack[e.n - 1];
	return true;
}

static bool find_cfa(struct walk *w, const struct cfi *cfi, const struct cfi_row *row, uint64_t *cfa)
{
	if (row->cfa.kind == CFI_EXPRESSION)
		return evaluate(w, cfi_expression(cfi, &row->cfa), false, 0, cfa);
	if (!is_known(w, row->cfa.reg))
		return false;
	*cfa = w->regs[row->cfa.reg] + (uint64_t)(int64_t)row->cfa.value;
	return true;
}

/* What a register was in the caller. False when that is not known. */
static bool apply_rule(
    struct walk *w, const struct cfi *cfi, const struct cfi_rule *rule, uint64_t cfa, uint64_t *v)
{
	uint64_t addr;

	switch ((enum cfi_kind)rule->kind) {
	case CFI_AT_OFFSET:
		return read_stack(w, cfa + (uint64_t)(int64_t)rule->value, w->m->word, v);
	case CFI_OFFSET:
		*v = cfa + (uint64_t)(int64_t)rule->value;
		return true;
	case CFI_REGISTER:
		*v = is_known(w, (unsigned)rule->value) ? w->regs[rule->value] : 0;
		return is_known(w, (unsigned)rule->value);
	case CFI_AT_EXPRESSION:
		return evaluate(w, cfi_expression(cfi, rule), true, cfa, &addr) &&
		       read_stack(w, addr, w->m->word, v);
	case CFI_EXPRESSION:
		return evaluate(w, cfi_expression(cfi, rule), true, cfa, v);
	default:
		return false;
	}
}

/* The caller's program counter is to be pc. */
static enum step return_to(struct walk *w, uint64_t pc)
{
	w->pc = pc & w->m->address;
	if (w->m->pc != NO_REG)
		set_reg(w, w->m->pc, w->pc);
	return w->pc ? STEP_ON : STEP_START;
}

/* Compilers leave a register's rule as it is when they pop the register before they return: below the stack pointer its value
   is no longer, it is in the register again. */
static bool is_popped(const struct cfi_rule *rule, uint64_t cfa, uint64_t sp)
{
	return rule->kind == CFI_AT_OFFSET && cfa + (uint64_t)(int64_t)rule->value < sp;
}

/* leaf: this frame made no call, so the return address may still be in its register. */
static enum step step_row(struct walk *w, const struct cfi *cfi, const struct cfi_row *row, bool leaf)
{
	uint64_t values[CFI_RULES_MAX], cfa, sp = w->regs[w->m->sp], known = 0;
	bool has_ra = false;

	if (!find_cfa(w, cfi, row, &cfa))
		return STEP_LOST;
	/* Callers stand above; only a signal may have switched stacks. */
	if (!row->signal && (cfa < sp || (cfa == sp && !leaf)))
		return STEP_LOST;
	for (unsigned i = 0; i < row->nrules; i++) {
		const struct cfi_rule *rule = &row->rules[i];
		bool popped = leaf && rule->reg != row->ra && is_popped(rule, cfa, sp);
		bool good;

		if (popped)
			values[i] = w->regs[rule->reg];
		good = popped ? is_known(w, rule->reg) : apply_rule(w, cfi, rule, cfa, &values[i]);
		if (rule->reg == row->ra) {
			if (rule->kind == CFI_UNDEFINED)
				return STEP_START;
			if (!good)
				return STEP_LOST;
			has_ra = true;
		}
		known |= (uint64_t)good << i;
	}
	if (!has_ra && (row->ra == w->m->pc || !leaf || !is_known(w, row->ra)))
		return STEP_LOST;
	set_reg(w, w->m->sp, cfa);
	for (unsigned i = 0; i < row->nrules; i++) {
		if (known >> i & 1)
			set_reg(w, row->rules[i].reg, values[i]);
		else
			w->known &= ~(UINT64_C(1) << row->rules[i].reg);
	}
	return return_to(w, w->regs[row->ra]);
}

/* The caller by the frame pointer, where there is nothing better: a pair of frame pointer and return address in memory. */
static enum step step_pointer(struct walk *w, unwind_find_fn *find, void *ctx)
{
	const struct machine *m = w->m;
	uint64_t fp = w->regs[m->fp], next, ra;
	struct unwind_code code;

	if (!is_known(w, m->fp))
		return STEP_LOST;
	if (fp == 0)
		return STEP_START;
	if (fp < w->regs[m->sp] || fp % m->word || !read_stack(w, fp, m->word, &next) ||
	    !read_stack(w, fp + m->word, m->word, &ra))
		return STEP_LOST;
	ra &= m->address;
	if (ra && !find(ctx, ra - 1, &code))
		return STEP_LOST;
	set_reg(w, m->fp, next);
	set_reg(w, m->sp, fp + 2 * m->word);
	return return_to(w, ra);
}

/* A call went where no code is, which has not touched the stack yet. */
static enum step step_call(struct walk *w, unwind_find_fn *find, void *ctx)
{
	const struct machine *m = w->m;
	struct unwind_code code;
	uint64_t ra, sp = w->regs[m->sp];

	if (m->pc == NO_REG || !read_stack(w, sp, m->word, &ra) || !find(ctx, ra - 1, &code))
		return STEP_LOST;
	set_reg(w, m->sp, sp + m->word);
	return return_to(w, ra);
}

static const struct cfi_row *look_up(struct unwinder *u, const struct unwind_code *code)
{
	uint64_t hash = (code->vaddr ^ (uint64_t)(uintptr_t)code->cfi) * 0x9e3779b97f4a7c15u;
	struct slot *slot = &u->cache[hash >> 51 & (CACHE_SLOTS - 1)];

	if (slot->cfi != code->cfi || slot->vaddr != code->vaddr) {
		slot->cfi = code->cfi;
		slot->vaddr = code->vaddr;
		slot->found = cfi_row(code->cfi, code->vaddr, &slot->row);
	}
	return slot->found ? &slot->row : NULL;
}

size_t unwinder_run(struct unwinder *u, const struct unwind_input *in, unwind_find_fn *find, void *ctx,
    uint64_t *chain, size_t max, enum unwind_end *end)
{
	const struct machine *m = machine_of(u, in->abi);
	bool leaf = true; /* the frame in hand was interrupted, it has not made a call */
	enum step step = STEP_ON;
	struct walk w;
	size_t n = 0;

	*end = UNWIND_LOST;
	if (!m || !walk_init(&w, m, in))
		return 0;
	while (n < max && step == STEP_ON) {
		const struct cfi_row *row = NULL;
		struct unwind_code code = {0};
		bool found;

		chain[n++] = w.pc;
		found = find(ctx, leaf ? w.pc : w.pc - 1, &code);
		if (found && code.cfi)
			row = look_up(u, &code);
		w.cut = false;
		if (row)
			step = step_row(&w, code.cfi, row, leaf);
		else if (found)
			step = step_pointer(&w, find, ctx);
		else
			step = n == 1 ? step_call(&w, find, ctx) : STEP_LOST;
		leaf = row && row->signal;
	}
	if (step == STEP_START)
		*end = UNWIND_WHOLE;
	else if (step == STEP_ON || w.cut)
		*end = UNWIND_CUT;
	return n;
}
