/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as kallsyms, as perf-PID.map, as a SYMBOLS block and as a linker's name. What is found covers what was asked for. */
#include "lib/demangle.h"
#include "lib/embedded.h"
#include "lib/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_kallsyms(struct span s)
{
	struct str text = {0};
	struct kallsyms k;
	struct span module;
	uint64_t start, end;

	str_add(&text, s.p, s.n);
	kallsyms_parse(&k, &text);
	for (size_t i = 0; i < k.symtab.n; i++)
		if (!kallsyms_find(&k, k.symtab.items[i].addr, &module, &start, &end) || start >= end)
			__builtin_trap();
	kallsyms_release(&k);
}

static void as_perfmap(struct span s)
{
	struct str text = {0};
	struct symtab t = {0};

	str_add(&text, s.p, s.n);
	perfmap_parse(&t, &text);
	for (size_t i = 1; i < t.n; i++)
		if (t.items[i].addr < t.items[i - 1].end)
			__builtin_trap();
	symtab_release(&t);
	str_release(&text);
}

static void as_embedded(struct span s)
{
	struct embedded e = {0};

	embedded_read(&e, s);
	embedded_find(&e, embedded_group(&e, SPAN("/bin/x"), SPAN(""), false), 4096);
	embedded_find(&e, embedded_group(&e, SPAN(""), SPAN(""), true), 4096);
	embedded_release(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span s = {(const char *)data, size};
	struct str symbol = {0}, name = {0};

	str_add(&symbol, s.p, s.n);
	demangle(symbol.p ? symbol.p : "", &name);
	as_kallsyms(s);
	as_perfmap(s);
	as_embedded(s);
	str_release(&symbol);
	str_release(&name);
	return 0;
}
