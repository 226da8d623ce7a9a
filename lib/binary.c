/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program or library that was mapped: finding its file and debug file, and its symbols. */
#include "lib/binary.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/symtab.h"

struct binary {
	struct elf *elf, *debug;
	struct str path, debug_path;
	struct symtab symtab;
	bool has_symtab;
	struct dwarf *dwarf;
	bool has_dwarf; /* it was looked for */
	struct cfi *cfi;
	bool has_cfi; /* it was looked for */
};

static const char *debug_dir(const struct binary_search *where)
{
	return where->debug_dir ? where->debug_dir : "/usr/lib/debug";
}

static bool has_build_id(const struct elf *e, struct span build_id)
{
	struct span id = elf_build_id(e);

	/* The kernel's records pad shorter ids with zeros. */
	if (id.n < build_id.n)
		for (size_t i = id.n; i < build_id.n; i++)
			if (build_id.p[i])
				return false;
	return id.n && memcmp(id.p, build_id.p, id.n < build_id.n ? id.n : build_id.n) == 0;
}

/* e when it has the build-id, or when none is known; else NULL, with e closed. */
static struct elf *check_build_id(struct elf *e, struct span build_id)
{
	if (e && build_id.n && !has_build_id(e, build_id)) {
		elf_close(e);
		return NULL;
	}
	return e;
}

static struct elf *open_if(const char *path, struct span build_id)
{
	return check_build_id(elf_open(path), build_id);
}

static void set_path(struct str *to, const char *prefix, struct span path)
{
	str_reset(to);
	str_adds(to, prefix);
	str_add(to, path.p, path.n);
}

/* Does the process see another root directory than this one? */
static bool has_other_root(uint32_t pid, struct str *root)
{
	struct stat mine, theirs;

	if (!pid)
		return false;
	str_reset(root);
	str_addf(root, "/proc/%u/root", pid);
	return stat("/", &mine) == 0 && stat(root->p, &theirs) == 0 &&
	       (mine.st_ino != theirs.st_ino || mine.st_dev != theirs.st_dev);
}

/* The file that a living process has mapped, when its name is gone: through the links in /proc/PID/map_files. */
static struct elf *open_mapped(uint32_t pid, struct span path, struct span build_id, struct str *found)
{
	struct str wanted = {0};
	struct dirent *entry;
	struct elf *e = NULL;
	char target[4096];
	DIR *dir;

	str_reset(found);
	str_addf(found, "/proc/%u/map_files", pid);
	dir = opendir(found->p);
	str_add(&wanted, path.p, path.n);
	str_adds(&wanted, " (deleted)");
	while (dir && !e && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof target);
		int fd;

		if (n <= 0 || !span_eq((struct span){target, (size_t)n}, str_span(&wanted)))
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
		e = fd >= 0 ? check_build_id(elf_open_fd(fd), build_id) : NULL;
		if (fd >= 0)
			close(fd);
		break;
	}
	if (dir)
		closedir(dir);
	str_release(&wanted);
	return e;
}

static struct elf *open_file(const struct binary_search *where, struct span path, struct span build_id,
    uint32_t pid, struct str *found)
{
	struct str root = {0};
	struct elf *e = NULL;

	if (where->symfs && *where->symfs) {
		set_path(found, where->symfs, path);
		if (!(e = open_if(found->p, build_id)) && strrchr(found->p, '/')) {
			/* A folder of loose files, as people copy them. */
			struct span base = path;

			base.p = memrchr(path.p, '/', path.n);
			base.p = base.p ? base.p : path.p;
			base.n = path.n - (size_t)(base.p - path.p);
			set_path(found, where->symfs, base);
			e = open_if(found->p, build_id);
		}
		return e;
	}
	if (where->foreign && !build_id.n)
		return NULL;
	if (!where->foreign && has_other_root(pid, &root)) {
		set_path(found, root.p, path);
		e = open_if(found->p, build_id);
	}
	if (!e) {
		set_path(found, "", path);
		e = open_if(found->p, build_id);
	}
	if (!e && !where->foreign && pid)
		e = open_mapped(pid, path, build_id, found);
	str_release(&root);
	return e;
}

static void add_hex(struct str *out, struct span bytes)
{
	for (size_t i = 0; i < bytes.n; i++)
		str_addf(out, "%02x", (unsigned char)bytes.p[i]);
}

/* PREFIX/.build-id/ab/cdef...SUFFIX */
static void build_id_path(struct str *to, const char *prefix, struct span id, const char *suffix)
{
	str_reset(to);
	str_addf(to, "%s/.build-id/%02x/", prefix, (unsigned char)id.p[0]);
	add_hex(to, (struct span){id.p + 1, id.n - 1});
	str_adds(to, suffix);
}

static struct elf *debug_by_build_id(const struct binary_search *where, struct span id, struct str *found)
{
	struct str prefix = {0};
	struct elf *e = NULL;

	if (id.n < 2)
		return NULL;
	if (where->symfs && *where->symfs) {
		str_addf(&prefix, "%s%s", where->symfs, debug_dir(where));
		build_id_path(found, prefix.p, id, ".debug");
		e = open_if(found->p, id);
		str_release(&prefix);
	}
	if (e)
		return e;
	build_id_path(found, debug_dir(where), id, ".debug");
	return open_if(found->p, id);
}

/* The file itself in perf's cache, when the place it was run from does not have it any more. */
static struct elf *cached_file(struct span id, struct str *found)
{
	const char *home = getenv("HOME");
	struct str prefix = {0};
	struct elf *e;

	if (id.n < 2 || !home)
		return NULL;
	str_addf(&prefix, "%s/.debug", home);
	build_id_path(found, prefix.p, id, "/elf");
	e = open_if(found->p, id);
	str_release(&prefix);
	return e;
}

static struct elf *open_linked(const char *path, uint32_t crc, struct span id)
{
	struct elf *e = elf_open(path);

	if (e && !(id.n && span_eq(elf_build_id(e), id)) && elf_crc(e) != crc) {
		elf_close(e);
		return NULL;
	}
	return e;
}

/* As gdb does: beside the file, in .debug beside it, and in the same folder under the debug directory. */
static struct elf *debug_by_link(const struct binary_search *where, struct binary *b)
{
	struct span name, id = elf_build_id(b->elf);
	const char *slash = b->path.p ? strrchr(b->path.p, '/') : NULL;
	struct elf *e = NULL;
	uint32_t crc;

	if (!slash || !elf_debuglink(b->elf, &name, &crc) || memchr(name.p, '/', name.n))
		return NULL;
	for (int i = 0; i < 3 && !e; i++) {
		str_reset(&b->debug_path);
		if (i == 2)
			str_adds(&b->debug_path, debug_dir(where));
		str_add(&b->debug_path, b->path.p, (size_t)(slash - b->path.p) + 1);
		if (i == 1)
			str_adds(&b->debug_path, ".debug/");
		str_add(&b->debug_path, name.p, name.n);
		if (strcmp(b->debug_path.p, b->path.p) != 0)
			e = open_linked(b->debug_path.p, crc, id);
	}
	return e;
}

static bool has_debug_info(struct elf *e)
{
	return elf_section_named(e, ".debug_info") != 0;
}

static void find_debug(const struct binary_search *where, struct binary *b, struct span build_id)
{
	if (b->elf) {
		if (elf_has_symtab(b->elf) && has_debug_info(b->elf))
			return;
		build_id = elf_build_id(b->elf);
	}
	b->debug = debug_by_build_id(where, build_id, &b->debug_path);
	if (!b->debug && b->elf)
		b->debug = debug_by_link(where, b);
}

struct binary *binary_open(
    const struct binary_search *where, struct span path, struct span build_id, uint32_t pid)
{
	struct binary *b = xcalloc(1, sizeof *b);

	b->elf = open_file(where, path, build_id, pid, &b->path);
	if (!b->elf)
		b->elf = cached_file(build_id, &b->path);
	find_debug(where, b, build_id);
	if (b->elf || b->debug)
		return b;
	binary_close(b);
	return NULL;
}

struct binary *binary_open_memory(struct span image)
{
	struct binary *b = xcalloc(1, sizeof *b);

	b->elf = elf_open_memory(image);
	if (b->elf)
		return b;
	binary_close(b);
	return NULL;
}

void binary_close(struct binary *b)
{
	if (!b)
		return;
	symtab_release(&b->symtab);
	dwarf_close(b->dwarf);
	cfi_close(b->cfi);
	elf_close(b->elf);
	elf_close(b->debug);
	str_release(&b->path);
	str_release(&b->debug_path);
	free(b);
}

struct elf *binary_elf(const struct binary *b)
{
	return b->elf;
}

struct elf *binary_debug(const struct binary *b)
{
	return b->debug;
}

const char *binary_path(const struct binary *b)
{
	return b->elf ? b->path.p : NULL;
}

const char *binary_debug_path(const struct binary *b)
{
	return b->debug ? b->debug_path.p : binary_path(b);
}

const struct cfi *binary_cfi(struct binary *b)
{
	if (!b->has_cfi)
		b->cfi = cfi_open(b->elf ? b->elf : b->debug);
	b->has_cfi = true;
	return b->cfi;
}

uint64_t binary_vaddr(const struct binary *b, uint64_t offset)
{
	uint64_t vaddr;

	if (elf_vaddr(b->elf ? b->elf : b->debug, offset, &vaddr))
		return vaddr;
	return offset;
}

static void add_symbol(void *ctx, const struct elf_symbol *sym)
{
	struct binary *b = ctx;
	enum symtab_binding binding = sym->binding == BIND_GLOBAL ? SYMTAB_GLOBAL
				      : sym->binding == BIND_WEAK ? SYMTAB_WEAK
								  : SYMTAB_LOCAL;
	struct symtab_entry e = {
	    .addr = sym->addr,
	    .limit = sym->section_end,
	    .name = sym->name,
	    .rank = symtab_rank(sym->function, binding),
	};

	if (__builtin_add_overflow(sym->addr, sym->size, &e.end))
		e.end = e.addr;
	symtab_add(&b->symtab, &e);
}

/* The debug file's table is the whole one; the file itself may have only what the dynamic linker needs. The PLT's bytes are in
   the file itself. */
static void read_symbols(struct binary *b)
{
	b->has_symtab = true;
	if (b->debug)
		elf_symbols(b->debug, add_symbol, b);
	if (b->elf)
		elf_symbols(b->elf, add_symbol, b);
	symtab_finish(&b->symtab);
}

const char *binary_symbol(struct binary *b, uint64_t vaddr, uint64_t *start, uint64_t *end)
{
	const struct symtab_entry *e;

	if (!b->has_symtab)
		read_symbols(b);
	e = symtab_find(&b->symtab, vaddr);
	if (!e)
		return NULL;
	*start = e->addr;
	*end = e->end;
	return e->name;
}

struct dwarf *binary_dwarf(struct binary *b, const char *debug_dir_option)
{
	bool in_debug = b->debug && (has_debug_info(b->debug) || !b->elf);
	const struct dwarf_search where = {in_debug ? b->debug_path.p : binary_path(b), debug_dir_option};

	if (!b->has_dwarf)
		b->dwarf = dwarf_open(in_debug ? b->debug : b->elf, &where);
	b->has_dwarf = true;
	return b->dwarf;
}
