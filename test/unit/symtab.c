/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/symtab, lib/kallsyms, lib/demangle and lib/space: who covers an address, and what it is called. */
#include "lib/symtab.h"

#include "lib/demangle.h"
#include "lib/kallsyms.h"
#include "lib/space.h"
#include "test/unit/check.h"

static void add(struct symtab *t, const char *name, uint64_t addr, uint64_t size, enum symtab_binding binding)
{
	symtab_add(
	    t, &(struct symtab_entry){addr, addr + size, 0x10000, name, 0, symtab_rank(true, binding)});
}

static int is(const struct symtab *t, uint64_t addr, const char *name)
{
	const struct symtab_entry *e = symtab_find(t, addr);
	int good = e ? name && strcmp(e->name, name) == 0 : !name;

	if (!good)
		printf("# at %#lx: %s\n", (unsigned long)addr, e ? e->name : "nothing");
	return good;
}

static void overlaps(void)
{
	struct symtab t = {0};

	add(&t, "outer", 0x1000, 0x1000, SYMTAB_GLOBAL);
	add(&t, "inner", 0x1400, 0x100, SYMTAB_GLOBAL);
	add(&t, "label", 0x1800, 0, SYMTAB_GLOBAL);
	add(&t, "asm", 0x3000, 0, SYMTAB_LOCAL);
	add(&t, "sized", 0x3100, 0x20, SYMTAB_LOCAL);
	add(&t, "last", 0x4000, 0, SYMTAB_LOCAL);
	symtab_finish(&t);
	CHECK(is(&t, 0xfff, NULL) && is(&t, 0x1000, "outer") && is(&t, 0x13ff, "outer"));
	CHECK(is(&t, 0x1400, "inner") && is(&t, 0x14ff, "inner") && is(&t, 0x1500, "outer"));
	CHECK(is(&t, 0x1800, "outer") && is(&t, 0x1fff, "outer") && is(&t, 0x2000, NULL));
	CHECK(is(&t, 0x30ff, "asm") && is(&t, 0x311f, "sized") && is(&t, 0x3120, NULL));
	CHECK(is(&t, 0xffff, "last") && is(&t, 0x10000, NULL));
	symtab_release(&t);
}

static void aliases(void)
{
	struct symtab t = {0};

	add(&t, "__GI_strtok", 0x1000, 16, SYMTAB_LOCAL);
	add(&t, "strtok_alias", 0x1000, 16, SYMTAB_WEAK);
	add(&t, "strtok", 0x1000, 16, SYMTAB_GLOBAL);
	add(&t, "sizeless", 0x1000, 0, SYMTAB_GLOBAL);
	add(&t, "_write", 0x2000, 16, SYMTAB_GLOBAL);
	add(&t, "write", 0x2000, 16, SYMTAB_GLOBAL);
	add(&t, "b", 0x3000, 16, SYMTAB_LOCAL);
	add(&t, "a", 0x3000, 16, SYMTAB_LOCAL);
	symtab_finish(&t);
	CHECK(is(&t, 0x1001, "strtok"));
	CHECK(is(&t, 0x2001, "write"));
	CHECK(is(&t, 0x3001, "a"));
	symtab_release(&t);
}

static void latest(void)
{
	struct str text = {0};
	struct symtab t = {0};

	str_adds(&text, "1000 100 old one\nnot a line\n2000 80 main /srv/x y.js:3\r\n0x1000 0x80 new\n"
			"1040 8 newest\n10f0 10 tail\n5000 0 empty\nffffffffffffffff 10 beyond\n");
	perfmap_parse(&t, &text);
	CHECK(is(&t, 0x1000, "new") && is(&t, 0x1047, "newest") && is(&t, 0x1048, "new") &&
	      is(&t, 0x1080, "old one"));
	CHECK(is(&t, 0x10f0, "tail") && is(&t, 0x1100, NULL) && is(&t, 0x207f, "main /srv/x y.js:3"));
	CHECK(is(&t, 0x5000, "empty"));
	symtab_release(&t);
	str_release(&text);
}

static const char *kernel_name(const struct kallsyms *k, uint64_t addr, const char *module)
{
	struct span m;
	uint64_t start, end;
	const char *name = kallsyms_find(k, addr, &m, &start, &end);

	return name && span_eq(m, span_of(module)) ? name : "";
}

static void kernel(void)
{
	struct str text = {0};
	struct kallsyms k;

	str_adds(&text, "ffffffffc0a00100 t ext4_readpage\t[ext4]\n0000000000000000 A fixed_percpu_data\n"
			"ffffffff81000000 T _text\nffffffff81000100 T vfs_read\nffffffff81000108 D data\n"
			"ffffffff81000100 t __vfs_read_local\nffffffff81000200 T end\nrubbish\n");
	kallsyms_parse(&k, &text);
	CHECK(strcmp(kernel_name(&k, 0xffffffff81000110, "[kernel.kallsyms]"), "vfs_read") == 0);
	CHECK(strcmp(kernel_name(&k, 0xffffffffc0a00110, "[ext4]"), "ext4_readpage") == 0);
	CHECK(strcmp(kernel_name(&k, 0xffffffff90000000, "[kernel.kallsyms]"), "") == 0);
	CHECK(k.text_start == 0xffffffff81000000 && !k.restricted);
	kallsyms_release(&k);
	str_adds(&text, "0000000000000000 T _text\n0000000000000000 T vfs_read\n");
	kallsyms_parse(&k, &text);
	CHECK(k.restricted && k.symtab.n == 0);
	kallsyms_release(&k);
}

static int demangles(const char *symbol, const char *name)
{
	struct str s = {0};
	int good = demangle(symbol, &s) ? name && strcmp(s.p, name) == 0 : !name;

	if (!good)
		printf("# %s: %s\n", symbol, s.p ? s.p : "-");
	str_release(&s);
	return good;
}

static void names(void)
{
	struct str bomb = {0};

	CHECK(demangles(
	    "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"));
	CHECK(demangles("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"));
	CHECK(demangles("_RNvC7mycrate3foo", "mycrate::foo"));
	CHECK(demangles("_D3std5stdio7writelnFZv", "std.stdio.writeln()"));
	CHECK(demangles("_ZN3FooC1Ev@plt", "Foo::Foo@plt"));
	CHECK(demangles("main", NULL) && demangles("_start", NULL) && demangles("__libc_start_main", NULL));
	CHECK(demangles("_Z", NULL) && demangles("_R", NULL) && demangles("_D", NULL));
	/* Template arguments, each twice as long as the one before: 2^30 names in 250 bytes. */
	str_adds(&bomb, "_Z1fI1AIiE1BIS1_S1_E");
	for (unsigned i = 3; i < 33; i++) {
		const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

		str_addf(&bomb, "S2_IS%c_S%c_E", digits[i], digits[i]);
	}
	str_adds(&bomb, "Evv");
	CHECK(demangles(bomb.p, NULL));
	str_release(&bomb);
}

static uint32_t object_at(const struct space *s, uint64_t addr, uint64_t *offset)
{
	const struct mapping *m = space_find(s, addr);

	*offset = m ? addr - m->start + m->pgoff : 0;
	return m ? m->object : 0;
}

static void mappings(void)
{
	struct spaces all = {0};
	struct space *a = space_new(&all), *b;
	uint64_t offset;
	uint32_t generation;

	space_map(&all, &a, &(struct mapping){0x1000, 0x9000, 0x100, 1});
	space_map(&all, &a, &(struct mapping){0x3000, 0x5000, 0, 2});
	CHECK(object_at(a, 0x2fff, &offset) == 1 && offset == 0x20ff);
	CHECK(object_at(a, 0x3000, &offset) == 2 && offset == 0);
	CHECK(object_at(a, 0x5000, &offset) == 1 && offset == 0x4100);
	CHECK(object_at(a, 0x9000, &offset) == 0 && object_at(a, 0xfff, &offset) == 0);
	generation = a->generation;
	b = space_ref(a);
	space_map(&all, &b, &(struct mapping){0x3000, 0x5000, 0, 2});
	CHECK(a == b && a->generation == generation);
	space_map(&all, &b, &(struct mapping){0, UINT64_MAX, 0, 3});
	CHECK(a != b && b->generation != generation && a->generation == generation && b->n == 1);
	CHECK(object_at(b, 0x4000, &offset) == 3 && object_at(a, 0x4000, &offset) == 2);
	space_map(&all, &a, &(struct mapping){0x7000, 0x7000, 0, 4});
	CHECK(a->generation == generation && a->n == 3);
	space_unref(a);
	space_unref(b);
}

int main(void)
{
	overlaps();
	aliases();
	latest();
	kernel();
	names();
	mappings();
	return check_done();
}
