/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/dwarf and lib/segments: what is known of this program itself. With a file as argument, a stand-in for addr2line -afi: reads
   addresses and prints functions and lines, for test/dwarf.bats. */
#include "lib/dwarf.h"

#include <link.h>
#include <stdlib.h>

#include "lib/segments.h"
#include "test/unit/check.h"

struct mark {
	uint64_t pc;
	uint32_t line;
};

static struct mark inner_mark, outer_mark;
static volatile int zero;

/* Where this very line is in the code. */
#ifdef __x86_64__
#define MARK(m)                                                                                              \
	do {                                                                                                 \
		uint64_t pc_;                                                                                \
		__asm__ volatile("lea 0(%%rip), %0" : "=r"(pc_));                                            \
		(m)->line = __LINE__;                                                                        \
		(m)->pc = pc_;                                                                               \
	} while (0)
#else
#define MARK(m)                                                                                              \
	do {                                                                                                 \
		uint64_t pc_;                                                                                \
		__asm__ volatile("adr %0, ." : "=r"(pc_));                                                   \
		(m)->line = __LINE__;                                                                        \
		(m)->pc = pc_;                                                                               \
	} while (0)
#endif

__attribute__((always_inline)) static inline void innermost(int n)
{
	MARK(&inner_mark);
	zero += n;
}

__attribute__((always_inline)) static inline void middle(int n)
{
	innermost(n + zero);
}

static const uint32_t middle_line = __LINE__ - 3;

__attribute__((noinline)) static void outermost(int n)
{
	MARK(&outer_mark);
	middle(n);
}

static const uint32_t outer_line = __LINE__ - 3;

static void print(const struct dwarf_place *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct frame *f = &p->frames[i];

		printf("%.*s\n%.*s:%u\n", (int)f->name.n, f->name.p ? f->name.p : "", (int)f->file.n,
		    f->file.p ? f->file.p : "", f->line);
	}
}

static int look_up_all(const char *path)
{
	struct elf *e = elf_open(path);
	struct dwarf *d = e ? dwarf_open(e, &(struct dwarf_search){.path = path}) : NULL;
	struct dwarf_place place;
	char line[100];

	while (d && fgets(line, sizeof line, stdin)) {
		uint64_t addr = strtoull(line, NULL, 16);

		printf("0x%016llx\n", (unsigned long long)addr);
		/* Between functions there are lines without one. */
		if (dwarf_look_up(d, addr, &place) && place.frames[place.n - 1].name.n)
			print(&place);
	}
	dwarf_close(d);
	elf_close(e);
	return d == NULL;
}

static int note_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the first is the program */
}

static bool is(const struct frame *f, const char *name, uint32_t line, bool inlined)
{
	return span_eq(f->name, span_of(name)) && f->line == line && f->inlined == inlined &&
	       span_ends(f->file, SPAN("test/unit/dwarf.c"));
}

static void on_itself(void)
{
	struct elf *e = elf_open("/proc/self/exe");
	struct dwarf *d = dwarf_open(e, &(struct dwarf_search){0});
	struct dwarf_place p;
	uint64_t bias = 0;

	if (!d) {
		printf("ok unit dwarf # skip built without debug information\n");
		elf_close(e);
		return;
	}
	dl_iterate_phdr(note_bias, &bias);
	outermost(0);
	CHECK(dwarf_look_up(d, inner_mark.pc - bias, &p) && p.n == 3);
	if (p.n == 3) {
		CHECK(is(&p.frames[0], "innermost", inner_mark.line, true));
		CHECK(is(&p.frames[1], "middle", middle_line, true));
		CHECK(is(&p.frames[2], "outermost", outer_line, false));
		CHECK(p.start <= inner_mark.pc - bias && inner_mark.pc - bias < p.end);
	}
	CHECK(dwarf_look_up(d, outer_mark.pc - bias, &p) && p.n == 1);
	CHECK(is(&p.frames[0], "outermost", outer_mark.line, false));
	CHECK(!dwarf_look_up(d, 0, &p) && p.end > 0);
	CHECK(!dwarf_look_up(d, UINT64_MAX, &p) && p.start <= UINT64_MAX);
	dwarf_close(d);
	elf_close(e);
}

static void nested(void)
{
	static const struct interval all[] = {{10, 100, 1, 0}, {20, 30, 2, 1}, {20, 30, 3, 2}, {30, 40, 2, 3},
	    {90, 110, 2, 4}, {200, 200, 1, 5}};
	static const uint32_t expected[][2] = {{9, SEGMENT_NONE}, {10, 0}, {19, 0}, {20, 2}, {29, 2}, {30, 3},
	    {40, 0}, {89, 0}, {90, 4}, {109, 4}, {110, SEGMENT_NONE}, {200, SEGMENT_NONE}};
	struct segments s = {0};
	uint64_t start, end;
	uint32_t id;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		segments_add(&s, &all[i]);
	segments_finish(&s);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		bool found = segments_find(&s, expected[i][0], &id, &start, &end);

		CHECK(id == expected[i][1] && found == (id != SEGMENT_NONE));
		CHECK(start <= expected[i][0] && expected[i][0] < end);
	}
	segments_find(&s, 25, &id, &start, &end);
	CHECK(start == 20 && end == 30);
	segments_release(&s);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return look_up_all(argv[1]);
	nested();
	on_itself();
	return check_done();
}
