/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files: sections, segments, notes and symbols. The bytes come from one mapping of the file; libelf reads the headers and
   symbols in it, whatever their class and byte order. */
#include "lib/elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/compress.h"
#include "lib/wire.h"

enum {
	NOTE_BUILD_ID = 3,
	COMPRESSED_ZLIB = 1,
	COMPRESSED_ZSTD = 2,
	SECTION_MAX = 1 << 30, /* of a decompressed section */
	RATIO_MAX = 2048, /* deflate reaches 1032, zstd more on zeros only */
	PLT_ENTRY = 16,
	SYMBOL_IFUNC = 10,
};

struct segment {
	uint64_t offset, vaddr, filesz, memsz;
	bool exec;
};

struct elf {
	Elf *elf;
	struct span image;
	bool mapped; /* image is ours to unmap */
	GElf_Ehdr ehdr;
	struct elf_section *sections;
	struct str *unpacked; /* by section: bytes after decompression */
	size_t nsections;
	struct segment *segments;
	size_t nsegments;
	struct arena names; /* ".debug_x" for ".zdebug_x", and names of PLT entries */
};

static struct span subspan(struct span s, uint64_t offset, uint64_t n)
{
	if (offset > s.n || n > s.n - offset)
		return (struct span){"", 0};
	return (struct span){s.p + offset, (size_t)n};
}

static bool swapped(const struct elf *e)
{
	return elf_big_endian(e) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

static bool is_zdebug(const char *name)
{
	return strncmp(name, ".zdebug_", 8) == 0;
}

static const char *section_name(struct elf *e, const char *name)
{
	size_t n;
	char *copy;

	if (!name)
		return "";
	if (!is_zdebug(name))
		return name;
	n = strlen(name);
	copy = arena_copy(&e->names, name, n);
	memmove(copy + 1, copy + 2, n - 1);
	return copy;
}

/* Size after decompression, as the section's own header promises. */
static uint64_t promised_size(const struct elf *e, size_t i, const GElf_Shdr *sh, const char *name)
{
	struct span s = subspan(e->image, sh->sh_offset, sh->sh_size);
	struct wire w = wire_init(s.p, s.n, swapped(e));

	if (sh->sh_type == SHT_NOBITS || i == 0)
		return sh->sh_size;
	if (sh->sh_flags & SHF_COMPRESSED) {
		wire_skip(&w, elf_is64(e) ? 8 : 4);
		return elf_is64(e) ? wire_u64(&w) : wire_u32(&w);
	}
	if (name && is_zdebug(name) && s.n >= 12 && memcmp(s.p, "ZLIB", 4) == 0) {
		w = wire_init(s.p + 4, 8, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
		return wire_u64(&w);
	}
	return sh->sh_size;
}

static void read_sections(struct elf *e)
{
	size_t n = 0, names = 0;

	if (elf_getshdrnum(e->elf, &n) != 0 || n == 0)
		return;
	elf_getshdrstrndx(e->elf, &names);
	e->sections = xcalloc(n, sizeof *e->sections);
	e->unpacked = xcalloc(n, sizeof *e->unpacked);
	for (size_t i = 0; i < n; i++) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(elf_getscn(e->elf, i), &sh))
			break;
		name = i ? elf_strptr(e->elf, names, sh.sh_name) : NULL;
		e->sections[i] = (struct elf_section){
		    .name = section_name(e, name),
		    .addr = sh.sh_addr,
		    .offset = sh.sh_offset,
		    .size = promised_size(e, i, &sh, name),
		    .entsize = sh.sh_entsize,
		    .flags = sh.sh_flags,
		    .type = sh.sh_type,
		    .link = sh.sh_link,
		    .info = sh.sh_info,
		};
		e->nsections = i + 1;
	}
}

static void read_segments(struct elf *e)
{
	size_t n = 0;

	if (elf_getphdrnum(e->elf, &n) != 0 || n == 0)
		return;
	e->segments = xcalloc(n, sizeof *e->segments);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(e->elf, (int)i, &ph))
			break;
		if (ph.p_type == PT_LOAD)
			e->segments[e->nsegments++] = (struct segment){
			    ph.p_offset, ph.p_vaddr, ph.p_filesz, ph.p_memsz, ph.p_flags & PF_X};
	}
}

static struct elf *open_image(struct span image, bool mapped)
{
	struct elf *e = xcalloc(1, sizeof *e);

	elf_version(EV_CURRENT);
	e->image = image;
	e->mapped = mapped;
	e->elf = image.n >= EI_NIDENT ? elf_memory((char *)image.p, image.n) : NULL;
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &e->ehdr)) {
		elf_close(e);
		return NULL;
	}
	read_sections(e);
	read_segments(e);
	return e;
}

struct elf *elf_open_memory(struct span image)
{
	return open_image(image, false);
}

struct elf *elf_open_fd(int fd)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return NULL;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	return p == MAP_FAILED ? NULL : open_image((struct span){p, (size_t)st.st_size}, true);
}

struct elf *elf_open(const char *path)
{
	/* Not to wait for the other end of a FIFO that has the name of a binary. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct elf *e;

	if (fd < 0)
		return NULL;
	e = elf_open_fd(fd);
	close(fd);
	return e;
}

void elf_close(struct elf *e)
{
	if (!e)
		return;
	elf_end(e->elf);
	for (size_t i = 0; i < e->nsections; i++)
		str_release(&e->unpacked[i]);
	free(e->sections);
	free(e->unpacked);
	free(e->segments);
	arena_release(&e->names);
	if (e->mapped)
		munmap((void *)e->image.p, e->image.n);
	free(e);
}

bool elf_is64(const struct elf *e)
{
	return e->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

bool elf_big_endian(const struct elf *e)
{
	return e->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
}

unsigned elf_machine(const struct elf *e)
{
	return e->ehdr.e_machine;
}

bool elf_is_relocatable(const struct elf *e)
{
	return e->ehdr.e_type == ET_REL;
}

/* A build-id among the notes in s, which are aligned to align bytes. */
static struct span find_build_id(const struct elf *e, struct span s, size_t align)
{
	struct wire w = wire_init(s.p, s.n, swapped(e));

	align = align == 8 ? 8 : 4;
	while (wire_left(&w) >= 12) {
		uint32_t name_size = wire_u32(&w), desc_size = wire_u32(&w), type = wire_u32(&w);
		struct span name = wire_bytes(&w, name_size), desc;

		wire_skip(&w, -(12 + (size_t)name_size) & (align - 1));
		desc = wire_bytes(&w, desc_size);
		if (w.failed)
			break;
		if (type == NOTE_BUILD_ID && span_eq(name, (struct span){"GNU", 4}) && desc.n)
			return desc;
		if (wire_left(&w) >= (-(size_t)desc_size & (align - 1)))
			wire_skip(&w, -(size_t)desc_size & (align - 1));
	}
	return (struct span){"", 0};
}

struct span elf_build_id(const struct elf *e)
{
	struct span id = {"", 0};
	size_t n = 0;

	for (size_t i = 1; i < e->nsections && !id.n; i++) {
		GElf_Shdr sh;

		if (e->sections[i].type == SHT_NOTE && gelf_getshdr(elf_getscn(e->elf, i), &sh))
			id = find_build_id(e, subspan(e->image, sh.sh_offset, sh.sh_size), sh.sh_addralign);
	}
	if (id.n || elf_getphdrnum(e->elf, &n) != 0)
		return id;
	for (size_t i = 0; i < n && !id.n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(e->elf, (int)i, &ph) && ph.p_type == PT_NOTE)
			id = find_build_id(e, subspan(e->image, ph.p_offset, ph.p_filesz), ph.p_align);
	}
	return id;
}

bool elf_vaddr(const struct elf *e, uint64_t offset, uint64_t *vaddr)
{
	const struct segment *best = NULL;

	for (size_t i = 0; i < e->nsegments; i++) {
		const struct segment *s = &e->segments[i];

		if (offset >= s->offset && offset - s->offset < s->filesz && (!best || s->exec))
			best = s;
	}
	/* What the mapping of whole pages brings in around a segment. */
	for (size_t i = 0; !best && i < e->nsegments; i++) {
		const struct segment *s = &e->segments[i];

		if (s->filesz && offset / 4096 >= s->offset / 4096 &&
		    offset / 4096 <= (s->offset + s->filesz - 1) / 4096)
			best = s;
	}
	if (!best)
		return false;
	*vaddr = offset - best->offset + best->vaddr;
	return true;
}

bool elf_offset(const struct elf *e, uint64_t vaddr, uint64_t *offset)
{
	for (size_t i = 0; i < e->nsegments; i++) {
		const struct segment *s = &e->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz) {
			*offset = vaddr - s->vaddr + s->offset;
			return true;
		}
	}
	return false;
}

uint64_t elf_base(const struct elf *e)
{
	return e->nsegments ? e->segments[0].vaddr & ~(uint64_t)4095 : 0;
}

size_t elf_nsections(const struct elf *e)
{
	return e->nsections;
}

const struct elf_section *elf_section(const struct elf *e, size_t i)
{
	return &e->sections[i];
}

size_t elf_section_named(const struct elf *e, const char *name)
{
	for (size_t i = 1; i < e->nsections; i++)
		if (strcmp(e->sections[i].name, name) == 0)
			return i;
	return 0;
}

static bool unpack(struct str *out, struct span packed, uint32_t method, uint64_t size)
{
	if (size > SECTION_MAX || size / RATIO_MAX > packed.n)
		return false;
	if (method == COMPRESSED_ZLIB)
		return decompress_zlib(out, packed, (size_t)size) && out->n == size;
	return method == COMPRESSED_ZSTD && decompress_zstd(out, packed, (size_t)size) && out->n == size;
}

/* Both ways in which a section can be compressed; stored is what the file has. */
static bool unpack_section(struct elf *e, size_t i, struct span stored)
{
	struct elf_section *s = &e->sections[i];
	struct wire w = wire_init(stored.p, stored.n, swapped(e));
	uint32_t method;

	if (!(s->flags & SHF_COMPRESSED))
		return unpack(&e->unpacked[i], subspan(stored, 12, stored.n - 12), COMPRESSED_ZLIB, s->size);
	method = wire_u32(&w);
	wire_skip(&w, elf_is64(e) ? 20 : 8);
	return !w.failed && unpack(&e->unpacked[i], wire_bytes(&w, wire_left(&w)), method, s->size);
}

bool elf_section_data(struct elf *e, size_t i, struct span *data)
{
	struct elf_section *s = &e->sections[i];
	GElf_Shdr sh;
	struct span stored;

	if (i == 0 || s->type == SHT_NOBITS || !gelf_getshdr(elf_getscn(e->elf, i), &sh))
		return false;
	stored = subspan(e->image, sh.sh_offset, sh.sh_size);
	if (stored.n != sh.sh_size)
		return false;
	*data = stored;
	if (sh.sh_size == s->size && !(s->flags & SHF_COMPRESSED))
		return true;
	if (!e->unpacked[i].p && !unpack_section(e, i, stored))
		return false;
	*data = str_span(&e->unpacked[i]);
	return true;
}

/* The string at the start of a section, and a cursor on what follows it. */
static bool link_section(struct elf *e, const char *section, struct span *name, struct wire *w)
{
	size_t i = elf_section_named(e, section);
	struct span data;

	if (!i || !elf_section_data(e, i, &data))
		return false;
	*w = wire_init(data.p, data.n, swapped(e));
	*name = wire_string(w);
	return !w->failed && name->n;
}

bool elf_debuglink(struct elf *e, struct span *name, uint32_t *crc)
{
	struct wire w;

	if (!link_section(e, ".gnu_debuglink", name, &w))
		return false;
	wire_skip(&w, -(name->n + 1) & 3);
	*crc = wire_u32(&w);
	return !w.failed;
}

bool elf_debugaltlink(struct elf *e, struct span *name, struct span *build_id)
{
	struct wire w;

	if (!link_section(e, ".gnu_debugaltlink", name, &w))
		return false;
	*build_id = wire_bytes(&w, wire_left(&w));
	return build_id->n != 0;
}

uint32_t elf_crc(const struct elf *e)
{
	return crc32_of(e->image);
}

static size_t section_of_type(const struct elf *e, uint32_t type)
{
	for (size_t i = 1; i < e->nsections; i++)
		if (e->sections[i].type == type)
			return i;
	return 0;
}

bool elf_has_symtab(const struct elf *e)
{
	return section_of_type(e, SHT_SYMTAB) != 0;
}

/* Marks of the assembler and compiler that name no function: $x, $d, $a, $t (perhaps followed by .NUMBER), .L123. */
static bool is_mark(const char *name)
{
	if (name[0] == '.' && name[1] == 'L')
		return true;
	return name[0] == '$' && name[1] && strchr("xdatm", name[1]) && (!name[2] || name[2] == '.');
}

/* A symbol that names code in section shndx. False for all others. */
static bool code_symbol(const struct elf *e, const GElf_Sym *sym, const char *name, struct elf_symbol *out)
{
	unsigned type = GELF_ST_TYPE(sym->st_info), binding = GELF_ST_BIND(sym->st_info);
	bool function = type == STT_FUNC || type == SYMBOL_IFUNC;
	const struct elf_section *s;

	if (!name || !*name || sym->st_shndx == SHN_UNDEF || sym->st_shndx >= e->nsections ||
	    (!function && type != STT_NOTYPE))
		return false;
	s = &e->sections[sym->st_shndx];
	if (!(s->flags & SHF_EXECINSTR) || (!function && is_mark(name)))
		return false;
	*out = (struct elf_symbol){
	    .name = name,
	    .addr = sym->st_value,
	    .size = sym->st_size,
	    .section_end = s->addr + s->size,
	    .binding = binding == STB_LOCAL  ? BIND_LOCAL
		       : binding == STB_WEAK ? BIND_WEAK
					     : BIND_GLOBAL,
	    .function = function,
	};
	if (e->ehdr.e_machine == EM_ARM && function)
		out->addr &= ~(uint64_t)1;
	if (elf_is_relocatable(e)) {
		out->addr += s->offset;
		out->section_end = s->offset + s->size;
	}
	return true;
}

static size_t each_of_table(struct elf *e, size_t table, elf_symbol_fn *each, void *ctx)
{
	Elf_Data *data = elf_getdata(elf_getscn(e->elf, table), NULL);
	size_t entry = elf_is64(e) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t n = data && data->d_buf ? data->d_size / entry : 0, found = 0;

	for (size_t i = 1; i < n; i++) {
		struct elf_symbol out;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		if (code_symbol(e, &sym, elf_strptr(e->elf, e->sections[table].link, sym.st_name), &out)) {
			each(ctx, &out);
			found++;
		}
	}
	return found;
}

/* A slot of the global offset table and the symbol that it will hold the address of. */
struct slot {
	uint64_t addr, symbol, addend;
};

struct slots {
	struct slot *items;
	size_t n, cap;
	size_t symtab; /* section of the symbols */
};

static int by_addr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Most relocations of a library only add its base address: they name nothing. */
static bool is_relative(const struct elf *e, uint64_t info)
{
	enum { X86_RELATIVE = 8, AARCH64_RELATIVE = 1027 };

	return GELF_R_TYPE(info) == (e->ehdr.e_machine == EM_AARCH64 ? AARCH64_RELATIVE : X86_RELATIVE);
}

static void add_relocations(struct elf *e, size_t section, struct slots *slots)
{
	Elf_Data *data = elf_getdata(elf_getscn(e->elf, section), NULL);
	bool rela = e->sections[section].type == SHT_RELA;
	size_t entry = gelf_fsize(e->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	size_t n = data && data->d_buf && entry ? data->d_size / entry : 0;

	slots->symtab = e->sections[section].link;
	for (size_t i = 0; i < n; i++) {
		GElf_Rela r = {0};
		GElf_Rel rel;

		if (rela && !gelf_getrela(data, (int)i, &r))
			continue;
		if (!rela) {
			if (!gelf_getrel(data, (int)i, &rel))
				continue;
			r.r_offset = rel.r_offset;
			r.r_info = rel.r_info;
		}
		if (is_relative(e, r.r_info))
			continue;
		slots->items = grow(slots->items, slots->n, &slots->cap, sizeof *slots->items);
		slots->items[slots->n++] =
		    (struct slot){r.r_offset, GELF_R_SYM(r.r_info), (uint64_t)r.r_addend};
	}
}

/* Where the jump in a PLT entry of at most n bytes at p, which is at addr, takes its target from; 0 when it is no such jump. */
static uint64_t x86_slot(const struct elf *e, const unsigned char *p, size_t n, uint64_t addr, uint64_t got)
{
	for (size_t i = 0; i + 6 <= n; i++) {
		int32_t disp;

		memcpy(&disp, p + i + 2, sizeof disp);
		if (p[i] == 0xff && p[i + 1] == 0x25)
			return elf_is64(e) ? addr + i + 6 + (uint64_t)(int64_t)disp : (uint32_t)disp;
		if (p[i] == 0xff && p[i + 1] == 0xa3 && !elf_is64(e))
			return (uint32_t)(got + (uint64_t)(int64_t)disp);
	}
	return 0;
}

/* adrp x16, PAGE; ldr x17, [x16, OFFSET] at the start or after a bti. */
static uint64_t aarch64_slot(const unsigned char *p, size_t n, uint64_t addr)
{
	for (size_t i = 0; i + 8 <= n && i <= 4; i += 4) {
		uint32_t adrp, ldr;
		int64_t page;

		memcpy(&adrp, p + i, 4);
		memcpy(&ldr, p + i + 4, 4);
		if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
			continue;
		page = (int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 45) >> 31 | (int64_t)(adrp >> 29 & 3)
										    << 12;
		return ((addr + i) & ~(uint64_t)4095) + (uint64_t)page + (ldr >> 10 & 0xfff) * 8;
	}
	return 0;
}

/* "NAME@plt" of what a slot will hold; NULL when the slot has no symbol. */
static const char *plt_name(struct elf *e, const struct slots *slots, uint64_t slot)
{
	const struct slot key = {.addr = slot};
	const struct slot *hit = slots->n ? bsearch(&key, slots->items, slots->n, sizeof key, by_addr) : NULL;
	Elf_Data *data = hit ? elf_getdata(elf_getscn(e->elf, slots->symtab), NULL) : NULL;
	struct str text = {0};
	GElf_Sym sym;
	const char *name;

	if (!hit)
		return NULL;
	if (hit->symbol && data && gelf_getsym(data, (int)hit->symbol, &sym) &&
	    (name = elf_strptr(e->elf, e->sections[slots->symtab].link, sym.st_name)) && *name)
		str_adds(&text, name);
	else
		str_addf(&text, "*ABS*+0x%llx", (unsigned long long)hit->addend);
	str_adds(&text, "@plt");
	name = arena_copy(&e->names, text.p, text.n);
	str_release(&text);
	return name;
}

static size_t each_plt_entry(
    struct elf *e, size_t section, const struct slots *slots, elf_symbol_fn *each, void *ctx)
{
	const struct elf_section *s = &e->sections[section];
	size_t got = elf_section_named(e, ".got.plt"), found = 0;
	size_t step = s->entsize == 8 || strcmp(s->name, ".plt.got") == 0 ? 8 : PLT_ENTRY;
	struct span code;

	if (!elf_section_data(e, section, &code))
		return 0;
	for (size_t at = 0; at + step <= code.n; at += step) {
		const unsigned char *p = (const unsigned char *)code.p + at;
		uint64_t addr = s->addr + at;
		uint64_t slot = e->ehdr.e_machine == EM_AARCH64
				    ? aarch64_slot(p, code.n - at, addr)
				    : x86_slot(e, p, step, addr, got ? e->sections[got].addr : 0);
		const char *name = slot ? plt_name(e, slots, slot) : NULL;

		if (!name)
			continue;
		each(ctx, &(struct elf_symbol){
			      .name = name,
			      .addr = addr,
			      .size = step,
			      .section_end = s->addr + s->size,
			      .binding = BIND_LOCAL,
			      .function = true,
			  });
		found++;
	}
	return found;
}

static size_t each_plt(struct elf *e, elf_symbol_fn *each, void *ctx)
{
	unsigned machine = e->ehdr.e_machine;
	struct slots slots = {0};
	size_t found = 0;

	if ((machine != EM_X86_64 && machine != EM_386 && machine != EM_AARCH64) || elf_big_endian(e))
		return 0;
	for (size_t i = 1; i < e->nsections; i++)
		if ((e->sections[i].type == SHT_RELA || e->sections[i].type == SHT_REL) &&
		    e->sections[i].flags & SHF_ALLOC)
			add_relocations(e, i, &slots);
	if (slots.n && slots.symtab < e->nsections) {
		qsort(slots.items, slots.n, sizeof *slots.items, by_addr);
		for (size_t i = 1; i < e->nsections; i++)
			if (strncmp(e->sections[i].name, ".plt", 4) == 0)
				found += each_plt_entry(e, i, &slots, each, ctx);
	}
	free(slots.items);
	return found;
}

size_t elf_symbols(struct elf *e, elf_symbol_fn *each, void *ctx)
{
	size_t table = section_of_type(e, SHT_SYMTAB);
	size_t found = 0;

	if (!table)
		table = section_of_type(e, SHT_DYNSYM);
	if (table)
		found = each_of_table(e, table, each, ctx);
	return found + each_plt(e, each, ctx);
}
