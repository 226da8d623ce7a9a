/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information of one object. */
#include "lib/cfi.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/wire.h"

/* DWARF 5, table 7.29. */
enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_NEGATE_RA_STATE =
	    0x2d, /* AArch64: the return address is signed or no longer is, which the unwinder strips anyway */
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
	/* With an operand in the low six bits. */
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0
};

/* Encodings of pointers, Linux Standard Base, 10.5.1. */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_BASE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff
};

enum {
	REMEMBER_MAX = 16, /* nested remember_state: compilers nest one or two deep */
	HDR_ENTRY = 8, /* of .eh_frame_hdr's table, in the one encoding that linkers write */
	PLTS_MAX = 4
};

struct frame_section {
	struct span bytes;
	uint64_t addr;
	bool
	    eh; /* .eh_frame, which differs from .debug_frame in the CIE's mark and pointer, and in augmentations */
};

/* A FDE of a section that has no table of its own. */
struct fde_ref {
	uint64_t start;
	uint32_t offset;
};

enum { EH, DEBUG, NSECTIONS };

struct cfi {
	struct frame_section sections[NSECTIONS];
	struct fde_ref *fdes[NSECTIONS]; /* by start; NULL when hdr serves */
	size_t nfdes[NSECTIONS];
	const unsigned char
	    *hdr; /* table of .eh_frame_hdr: pairs of i32, start and FDE, relative to hdr_addr */
	size_t nhdr;
	uint64_t hdr_addr;
	unsigned machine;
	unsigned word; /* size of an address */
	bool swap;
	struct plt {
		uint64_t start, end;
		bool lazy;
	} plts[PLTS_MAX];
	unsigned nplts;
};

struct cie {
	unsigned word;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint8_t encoding; /* of addresses in FDEs */
	bool sized; /* augmentation data has a length */
	bool signal;
	struct wire program;
};

struct fde {
	uint64_t start, end;
	struct cie cie;
	struct wire program;
};

/* A rule a register while a program runs. */
struct state {
	struct cfi_rule cfa;
	struct cfi_rule regs[CFI_NREGS];
};

static struct wire section_at(const struct cfi *c, const struct frame_section *s, uint64_t offset)
{
	if (offset > s->bytes.n)
		offset = s->bytes.n;
	return wire_init(s->bytes.p + offset, s->bytes.n - offset, c->swap);
}

static uint64_t offset_of(const struct frame_section *s, const struct wire *w)
{
	return (uint64_t)((const char *)w->p - s->bytes.p);
}

static uint64_t read_word(struct wire *w, unsigned word)
{
	return word == 8 ? wire_u64(w) : word == 4 ? wire_u32(w) : wire_u16(w);
}

/* An address, or with base 0 in encoding a plain number. False for encodings that need memory of a running process. */
static bool read_pointer(
    struct wire *w, unsigned word, uint8_t encoding, uint64_t here, uint64_t data, uint64_t *v)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
		*v = read_word(w, word);
		break;
	case PE_ULEB128:
		*v = wire_varint(w);
		break;
	case PE_UDATA2:
		*v = wire_u16(w);
		break;
	case PE_UDATA4:
		*v = wire_u32(w);
		break;
	case PE_UDATA8:
	case PE_SDATA8:
		*v = wire_u64(w);
		break;
	case PE_SLEB128:
		*v = (uint64_t)wire_sleb(w);
		break;
	case PE_SDATA2:
		*v = (uint64_t)(int16_t)wire_u16(w);
		break;
	case PE_SDATA4:
		*v = (uint64_t)(int32_t)wire_u32(w);
		break;
	default:
		return false;
	}
	if ((encoding & PE_BASE) == PE_PCREL)
		*v += here;
	else if ((encoding & PE_BASE) == PE_DATAREL)
		*v += data;
	else if (encoding & PE_BASE)
		return false;
	if (word == 4)
		*v = (uint32_t)*v;
	return !w->failed && !(encoding & PE_INDIRECT);
}

/* The body of the entry at *offset, which moves to the next one; unless *is_cie is set, *cie is where its CIE is. False at the
   end and at damage. */
static bool read_entry(const struct cfi *c, const struct frame_section *s, uint64_t *offset,
    struct wire *body, uint64_t *cie, bool *is_cie)
{
	struct wire w = section_at(c, s, *offset);
	uint64_t n = wire_u32(&w), mark, at;
	bool wide = n == UINT32_MAX;

	if (wide)
		n = wire_u64(&w);
	if (w.failed || n == 0 || n > wire_left(&w))
		return false;
	w.end = w.p + n;
	*offset = offset_of(s, &w) + n;
	at = offset_of(s, &w);
	mark = wide && !s->eh ? wire_u64(&w) : wire_u32(&w);
	*is_cie = mark == (s->eh ? 0 : wide ? UINT64_MAX : UINT32_MAX);
	*cie = s->eh ? at - mark : mark;
	*body = w;
	return !w.failed && (s->eh ? mark <= at : true);
}

/* The augmentation data, as the letters of text say; what is not known is passed over thanks to its length. */
static bool read_augmentation(
    const struct frame_section *s, struct cie *cie, struct span text, struct wire *w)
{
	struct wire data;
	uint64_t personality, n;

	if (text.n == 0)
		return true;
	if (text.p[0] != 'z')
		return false;
	cie->sized = true;
	n = wire_varint(w);
	data = *w;
	wire_skip(w, n);
	if (w->failed)
		return false;
	data.end = w->p;
	for (size_t i = 1; i < text.n; i++) {
		uint8_t encoding;

		if (text.p[i] == 'S') {
			cie->signal = true;
		} else if (text.p[i] == 'R') {
			cie->encoding = wire_u8(&data);
		} else if (text.p[i] == 'L') {
			wire_u8(&data);
		} else if (text.p[i] == 'P') {
			encoding = wire_u8(&data) & PE_FORMAT;
			if (!read_pointer(&data, cie->word, encoding, offset_of(s, &data), 0, &personality))
				return false;
		} else if (text.p[i] != 'B') {
			break;
		}
	}
	return !data.failed;
}

static bool read_cie(const struct cfi *c, const struct frame_section *s, uint64_t offset, struct cie *cie)
{
	struct span augmentation;
	uint64_t self;
	struct wire w;
	bool is_cie;
	uint8_t version;

	if (!read_entry(c, s, &offset, &w, &self, &is_cie) || !is_cie)
		return false;
	*cie = (struct cie){.word = c->word, .encoding = PE_ABSPTR};
	version = wire_u8(&w);
	if (version != 1 && version != 3 && version != 4)
		return false;
	augmentation = wire_string(&w);
	if (version == 4) {
		cie->word = wire_u8(&w);
		if ((cie->word != 4 && cie->word != 8) || wire_u8(&w) != 0)
			return false;
	}
	cie->code_align = wire_varint(&w);
	cie->data_align = wire_sleb(&w);
	cie->ra = version == 1 ? wire_u8(&w) : wire_varint(&w);
	if (w.failed || cie->ra >= CFI_NREGS || !read_augmentation(s, cie, augmentation, &w))
		return false;
	cie->program = w;
	return !w.failed;
}

static bool read_fde(const struct cfi *c, const struct frame_section *s, uint64_t offset, struct fde *fde)
{
	uint64_t at, cie, length;
	struct wire w;
	bool is_cie;

	if (!read_entry(c, s, &offset, &w, &cie, &is_cie) || is_cie || !read_cie(c, s, cie, &fde->cie))
		return false;
	at = offset_of(s, &w);
	if (!read_pointer(&w, fde->cie.word, fde->cie.encoding, s->addr + at, 0, &fde->start) ||
	    !read_pointer(&w, fde->cie.word, fde->cie.encoding & PE_FORMAT, 0, 0, &length))
		return false;
	fde->end = fde->start + length;
	if (fde->cie.sized)
		wire_skip(&w, wire_varint(&w));
	fde->program = w;
	return !w.failed && fde->end >= fde->start;
}

static void set_rule(struct state *st, uint64_t reg, enum cfi_kind kind, int64_t value)
{
	if (reg < CFI_NREGS && value == (int32_t)value)
		st->regs[reg] = (struct cfi_rule){(uint8_t)reg, (uint8_t)kind, (int32_t)value};
	else if (reg < CFI_NREGS)
		st->regs[reg] = (struct cfi_rule){(uint8_t)reg, CFI_UNDEFINED, 0};
}

static bool set_cfa(struct state *st, uint64_t reg, int64_t value)
{
	st->cfa = (struct cfi_rule){(uint8_t)reg, CFI_REGISTER, (int32_t)value};
	return reg < CFI_NREGS && value == (int32_t)value;
}

/* Passes an expression and says where it is: its offset, odd for .debug_frame. */
static int64_t take_expression(const struct cfi *c, const struct frame_section *s, struct wire *w)
{
	uint64_t at = offset_of(s, w);

	wire_skip(w, wire_varint(w));
	/* Too far into a section for a rule: set_rule makes it undefined. */
	return at > INT32_MAX / 2 ? INT64_MAX : (int64_t)(at * 2 + (s == &c->sections[DEBUG]));
}

static int64_t scaled(uint64_t n, int64_t align)
{
	return (int64_t)(n * (uint64_t)align);
}

/* A run of a CIE's or FDE's program. */
struct run {
	const struct cfi *c;
	const struct frame_section *s;
	const struct cie *cie;
	struct state now, initial;
	struct state remembered[REMEMBER_MAX];
	unsigned nremembered;
	uint64_t loc, until; /* the program has done its work when loc is past until */
};

static bool advance(struct run *r, uint64_t by)
{
	by *= r->cie->code_align;
	/* Addresses that wrap around would be taken for earlier ones. */
	if (by > r->until - r->loc)
		return false;
	r->loc += by;
	return true;
}

static bool set_loc(struct run *r, struct wire *w)
{
	uint64_t to;

	if (!read_pointer(w, r->cie->word, r->cie->encoding, r->s->addr + offset_of(r->s, w), 0, &to) ||
	    to < r->loc || to > r->until)
		return false;
	r->loc = to;
	return true;
}

static bool remember(struct run *r)
{
	if (r->nremembered == REMEMBER_MAX)
		return false;
	r->remembered[r->nremembered++] = r->now;
	return true;
}

static bool recall(struct run *r)
{
	if (r->nremembered == 0)
		return false;
	r->now = r->remembered[--r->nremembered];
	return true;
}

static void restore(struct run *r, uint64_t reg)
{
	if (reg < CFI_NREGS)
		r->now.regs[reg] = r->initial.regs[reg];
}

/* Instructions that set the CFA's rule. False for others, and for those that make no sense. */
static bool step_cfa(struct run *r, uint8_t op, struct wire *w)
{
	int64_t align = r->cie->data_align;
	uint64_t reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = wire_varint(w);
		return set_cfa(&r->now, reg, (int64_t)wire_varint(w));
	case CFA_DEF_CFA_SF:
		reg = wire_varint(w);
		return set_cfa(&r->now, reg, scaled((uint64_t)wire_sleb(w), align));
	case CFA_DEF_CFA_REGISTER:
		return set_cfa(&r->now, wire_varint(w), r->now.cfa.value);
	case CFA_DEF_CFA_OFFSET:
		return set_cfa(&r->now, r->now.cfa.reg, (int64_t)wire_varint(w));
	case CFA_DEF_CFA_OFFSET_SF:
		return set_cfa(&r->now, r->now.cfa.reg, scaled((uint64_t)wire_sleb(w), align));
	case CFA_DEF_CFA_EXPRESSION:
		r->now.cfa = (struct cfi_rule){0, CFI_EXPRESSION, (int32_t)take_expression(r->c, r->s, w)};
		return true;
	default:
		return false;
	}
}

/* Instructions that set a register's rule; others are step_cfa's. */
static bool step_register(struct run *r, uint8_t op, struct wire *w)
{
	int64_t align = r->cie->data_align;
	uint64_t reg;

	if (op >= CFA_DEF_CFA && op <= CFA_DEF_CFA_EXPRESSION)
		return step_cfa(r, op, w);
	if (op == CFA_DEF_CFA_SF || op == CFA_DEF_CFA_OFFSET_SF)
		return step_cfa(r, op, w);
	reg = wire_varint(w);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(&r->now, reg, CFI_AT_OFFSET, scaled(wire_varint(w), align));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(&r->now, reg, CFI_AT_OFFSET, scaled((uint64_t)wire_sleb(w), align));
		return true;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		set_rule(&r->now, reg, CFI_AT_OFFSET, scaled(0 - wire_varint(w), align));
		return true;
	case CFA_VAL_OFFSET:
		set_rule(&r->now, reg, CFI_OFFSET, scaled(wire_varint(w), align));
		return true;
	case CFA_VAL_OFFSET_SF:
		set_rule(&r->now, reg, CFI_OFFSET, scaled((uint64_t)wire_sleb(w), align));
		return true;
	case CFA_UNDEFINED:
		set_rule(&r->now, reg, CFI_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		set_rule(&r->now, reg, CFI_SAME, 0);
		return true;
	case CFA_REGISTER:
		set_rule(&r->now, reg, CFI_REGISTER, (int64_t)wire_varint(w));
		return true;
	case CFA_EXPRESSION:
		set_rule(&r->now, reg, CFI_AT_EXPRESSION, take_expression(r->c, r->s, w));
		return true;
	case CFA_VAL_EXPRESSION:
		set_rule(&r->now, reg, CFI_EXPRESSION, take_expression(r->c, r->s, w));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(r, reg);
		return true;
	default:
		return false;
	}
}

/* One instruction; *done when the row in hand is the one that is wanted. */
static bool step(struct run *r, uint8_t op, struct wire *w, bool *done)
{
	switch (op) {
	case CFA_NOP:
	case CFA_NEGATE_RA_STATE:
		return true;
	case CFA_SET_LOC:
		*done = !set_loc(r, w);
		return true;
	case CFA_ADVANCE_LOC1:
		*done = !advance(r, wire_u8(w));
		return true;
	case CFA_ADVANCE_LOC2:
		*done = !advance(r, wire_u16(w));
		return true;
	case CFA_ADVANCE_LOC4:
		*done = !advance(r, wire_u32(w));
		return true;
	case CFA_REMEMBER_STATE:
		return remember(r);
	case CFA_RESTORE_STATE:
		return recall(r);
	case CFA_GNU_ARGS_SIZE:
		wire_varint(w);
		return true;
	default:
		return step_register(r, op, w);
	}
}

static bool run_program(struct run *r, struct wire w)
{
	bool done = false;

	while (!done && wire_left(&w) && !w.failed) {
		uint8_t op = wire_u8(&w), low = op & 0x3f;

		switch (op & 0xc0) {
		case CFA_ADVANCE_LOC:
			done = !advance(r, low);
			break;
		case CFA_OFFSET:
			set_rule(&r->now, low, CFI_AT_OFFSET, scaled(wire_varint(&w), r->cie->data_align));
			break;
		case CFA_RESTORE:
			restore(r, low);
			break;
		default:
			if (!step(r, op, &w, &done))
				return false;
		}
	}
	return !w.failed;
}

/* Does the unwinder follow this register? Not those that a callee may change, where signal frames do not save them all. */
static bool is_followed(const struct cfi *c, unsigned reg)
{
	return c->machine == MACHINE_AARCH64 ? reg >= 19 && reg < 32 : reg <= 16;
}

static void make_row(const struct cfi *c, const struct cie *cie, const struct state *st, struct cfi_row *row)
{
	row->cfa = st->cfa;
	row->signal = cie->signal;
	row->ra = (uint8_t)cie->ra;
	row->nrules = 0;
	for (unsigned reg = 0; reg < CFI_NREGS; reg++)
		if (st->regs[reg].kind != CFI_SAME && is_followed(c, reg) && row->nrules < CFI_RULES_MAX)
			row->rules[row->nrules++] = st->regs[reg];
}

static bool row_of_fde(
    const struct cfi *c, const struct frame_section *s, uint64_t offset, uint64_t vaddr, struct cfi_row *row)
{
	struct fde fde;
	struct run r;

	if (!read_fde(c, s, offset, &fde) || vaddr < fde.start || vaddr >= fde.end)
		return false;
	r.c = c;
	r.s = s;
	r.cie = &fde.cie;
	r.now = (struct state){.cfa = {.kind = CFI_UNDEFINED}};
	r.initial = r.now;
	r.nremembered = 0;
	r.loc = fde.start;
	r.until = vaddr;
	if (!run_program(&r, fde.cie.program))
		return false;
	r.initial = r.now;
	if (!run_program(&r, fde.program) || r.now.cfa.kind == CFI_UNDEFINED)
		return false;
	make_row(c, &fde.cie, &r.now, row);
	return true;
}

/* The FDE that may cover vaddr by .eh_frame_hdr. */
static bool search_hdr(const struct cfi *c, uint64_t vaddr, uint64_t *offset)
{
	size_t low = 0, high = c->nhdr;
	struct wire w;
	uint64_t addr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		w = wire_init(c->hdr + mid * HDR_ENTRY, HDR_ENTRY, c->swap);
		if (c->hdr_addr + (uint64_t)(int32_t)wire_u32(&w) <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	w = wire_init(c->hdr + (low - 1) * HDR_ENTRY + 4, 4, c->swap);
	addr = c->hdr_addr + (uint64_t)(int32_t)wire_u32(&w);
	*offset = addr - c->sections[EH].addr;
	return *offset < c->sections[EH].bytes.n;
}

static bool search_list(const struct fde_ref *fdes, size_t n, uint64_t vaddr, uint64_t *offset)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (fdes[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*offset = fdes[low - 1].offset;
	return true;
}

/* Stubs of the procedure linkage table, for which some linkers write nothing: they push at most one word, in their second
   instruction and only where symbols are bound lazily. */
static bool plt_row(const struct cfi *c, uint64_t vaddr, struct cfi_row *row)
{
	for (unsigned i = 0; i < c->nplts; i++) {
		const struct plt *plt = &c->plts[i];
		bool pushed =
		    plt->lazy && ((vaddr & 15) >= 11 || (vaddr < plt->start + 16 && vaddr >= plt->start + 6));

		if (vaddr < plt->start || vaddr >= plt->end)
			continue;
		*row = (struct cfi_row){
		    .cfa = {7, CFI_REGISTER, pushed ? 16 : 8},
		    .ra = 16,
		    .nrules = 1,
		    .rules = {{16, CFI_AT_OFFSET, -8}},
		};
		return true;
	}
	return false;
}

bool cfi_row(const struct cfi *c, uint64_t vaddr, struct cfi_row *row)
{
	uint64_t offset;

	if (c->nhdr && search_hdr(c, vaddr, &offset) && row_of_fde(c, &c->sections[EH], offset, vaddr, row))
		return true;
	for (int i = 0; i < NSECTIONS; i++)
		if (search_list(c->fdes[i], c->nfdes[i], vaddr, &offset) &&
		    row_of_fde(c, &c->sections[i], offset, vaddr, row))
			return true;
	return plt_row(c, vaddr, row);
}

struct span cfi_expression(const struct cfi *c, const struct cfi_rule *rule)
{
	uint32_t at = (uint32_t)rule->value;
	struct wire w = section_at(c, &c->sections[at & 1 ? DEBUG : EH], at / 2);

	return wire_bytes(&w, wire_varint(&w));
}

static int by_start(const void *a, const void *b)
{
	const struct fde_ref *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Lists the FDEs of a section in order. */
static void list_fdes(struct cfi *c, int which)
{
	const struct frame_section *s = &c->sections[which];
	uint64_t offset = 0, at = 0, cie;
	size_t cap = 0, n = 0;
	struct fde_ref *list = NULL;
	struct wire body;
	struct fde fde;
	bool is_cie;

	while (at <= INT32_MAX && read_entry(c, s, &offset, &body, &cie, &is_cie)) {
		/* start 0: of a function that the linker left out. */
		if (!is_cie && read_fde(c, s, at, &fde) && fde.start && fde.end > fde.start) {
			list = grow(list, n, &cap, sizeof *list);
			list[n++] = (struct fde_ref){fde.start, (uint32_t)at};
		}
		at = offset;
	}
	if (n)
		qsort(list, n, sizeof *list, by_start);
	c->fdes[which] = list;
	c->nfdes[which] = n;
}

/* Takes .eh_frame_hdr's table when it is of the kind that linkers write. */
static void read_hdr(struct cfi *c, struct elf *e)
{
	size_t i = elf_section_named(e, ".eh_frame_hdr");
	uint64_t addr, frame, n;
	uint8_t frame_encoding, count_encoding, table_encoding;
	struct span data;
	struct wire w;

	if (!i || !elf_section_data(e, i, &data))
		return;
	addr = elf_section(e, i)->addr;
	w = wire_init(data.p, data.n, c->swap);
	if (wire_u8(&w) != 1)
		return;
	frame_encoding = wire_u8(&w);
	count_encoding = wire_u8(&w);
	table_encoding = wire_u8(&w);
	if (count_encoding == PE_OMIT || table_encoding != (PE_DATAREL | PE_SDATA4) ||
	    !read_pointer(&w, c->word, frame_encoding, addr + 4, addr, &frame) ||
	    !read_pointer(&w, c->word, count_encoding, addr, addr, &n) || n > wire_left(&w) / HDR_ENTRY)
		return;
	c->hdr = w.p;
	c->nhdr = n;
	c->hdr_addr = addr;
}

static void take_section(struct cfi *c, struct elf *e, int which, const char *name)
{
	size_t i = elf_section_named(e, name);
	struct span data;

	c->sections[which].bytes = (struct span){"", 0};
	c->sections[which].eh = which == EH;
	if (i && elf_section_data(e, i, &data)) {
		c->sections[which].bytes = data;
		c->sections[which].addr = elf_section(e, i)->addr;
	}
}

static void find_plts(struct cfi *c, struct elf *e)
{
	for (size_t i = 1; i < elf_nsections(e) && c->nplts < PLTS_MAX && c->machine == MACHINE_X86_64; i++) {
		const struct elf_section *s = elf_section(e, i);

		if (strncmp(s->name, ".plt", 4) == 0)
			c->plts[c->nplts++] =
			    (struct plt){s->addr, s->addr + s->size, strcmp(s->name, ".plt") == 0};
	}
}

struct cfi *cfi_open(struct elf *e)
{
	const uint16_t one = 1;
	bool little = *(const unsigned char *)&one == 1;
	struct cfi *c;

	if (elf_is_relocatable(e))
		return NULL;
	c = xcalloc(1, sizeof *c);
	c->machine = elf_machine(e);
	c->word = elf_is64(e) ? 8 : 4;
	c->swap = elf_big_endian(e) == little;
	take_section(c, e, EH, ".eh_frame");
	take_section(c, e, DEBUG, ".debug_frame");
	if (c->sections[EH].bytes.n)
		read_hdr(c, e);
	if (!c->nhdr)
		list_fdes(c, EH);
	list_fdes(c, DEBUG);
	find_plts(c, e);
	if (c->nhdr || c->nfdes[EH] || c->nfdes[DEBUG])
		return c;
	cfi_close(c);
	return NULL;
}

void cfi_close(struct cfi *c)
{
	if (!c)
		return;
	for (int i = 0; i < NSECTIONS; i++)
		free(c->fdes[i]);
	free(c);
}
