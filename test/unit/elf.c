/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/elf on the test's own binary: segments, symbols and PLT agree with what runs; cut and altered copies do no harm. */
#include "lib/elf.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "test/unit/check.h"

struct seen {
	uint64_t main_addr, main_end;
	unsigned nplt, nsymbols;
};

static void look(void *ctx, const struct elf_symbol *s)
{
	struct seen *seen = ctx;

	seen->nsymbols++;
	if (strcmp(s->name, "main") == 0 && s->function) {
		seen->main_addr = s->addr;
		seen->main_end = s->section_end;
	}
	seen->nplt += strcmp(s->name, "getauxval@plt") == 0;
}

/* Everything that can be asked of it. */
static void ask_all(struct span image)
{
	struct elf *e = elf_open_memory(image);
	struct seen seen = {0};
	struct span s;
	uint64_t v;
	uint32_t crc;

	if (!e)
		return;
	elf_build_id(e);
	elf_symbols(e, look, &seen);
	elf_debuglink(e, &s, &crc);
	elf_debugaltlink(e, &s, &s);
	elf_vaddr(e, 4096, &v);
	for (size_t i = 0; i < elf_nsections(e); i++)
		elf_section_data(e, i, &s);
	elf_close(e);
}

/* Copies of the vdso, which is a small whole ELF file, cut and with each header byte altered. */
static void damage(void)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	size_t n = 4096;
	char *copy;

	if (!vdso)
		return;
	for (size_t cut = 0; cut < n; cut += 7) {
		copy = malloc(cut ? cut : 1);
		memcpy(copy, vdso, cut);
		ask_all((struct span){copy, cut});
		free(copy);
	}
	copy = malloc(n);
	for (size_t i = 16; i < 1024; i++) {
		memcpy(copy, vdso, n);
		copy[i] = (char)~copy[i];
		ask_all((struct span){copy, n});
	}
	free(copy);
	CHECK("damaged copies did no harm");
}

int main(void)
{
	struct elf *e = elf_open("/proc/self/exe");
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct seen seen = {0};
	uint64_t offset = 0, back = 0;
	struct span data;

	CHECK(e);
	if (!e)
		return 1;
	CHECK(elf_build_id(e).n == 20);
	CHECK(elf_has_symtab(e) && elf_symbols(e, look, &seen) > 10);
	CHECK(seen.main_addr && seen.main_end > seen.main_addr);
	CHECK(seen.nplt == 1);
	CHECK(
	    elf_offset(e, seen.main_addr, &offset) && elf_vaddr(e, offset, &back) && back == seen.main_addr);
	CHECK(!elf_vaddr(e, UINT64_MAX / 2, &back));
	CHECK(elf_section_data(e, elf_section_named(e, ".text"), &data) && data.n);
	CHECK(!elf_section_data(e, elf_section_named(e, ".bss"), &data));
	CHECK(elf_section_named(e, ".nothing") == 0);
	elf_close(e);
	CHECK(!elf_open("/dev/null") && !elf_open("/nonexistent") && !elf_open("/"));
	if (vdso) {
		struct elf *v = elf_open_memory((struct span){vdso, 4096});

		CHECK(v && elf_build_id(v).n == 20);
		elf_close(v);
	}
	damage();
	return check_done();
}
