/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an object with debug information, asked about the addresses where a small library has its code. */
#include "lib/dwarf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t touched;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf *e = elf_open_memory((struct span){(const char *)data, size});
	struct dwarf *d = e ? dwarf_open(e, &(struct dwarf_search){.debug_dir = "/nonexistent"}) : NULL;
	struct dwarf_place place;

	for (uint64_t at = 0; d && at<8192; at = place.end> at ? place.end : at + 1) {
		if (!dwarf_look_up(d, at, &place))
			continue;
		if (place.start > at || place.end <= at || !place.n)
			__builtin_trap();
		for (size_t i = 0; i < place.n; i++)
			for (size_t k = 0; k < place.frames[i].name.n; k++)
				touched += (unsigned char)place.frames[i].name.p[k];
	}
	dwarf_close(d);
	elf_close(e);
	return 0;
}
