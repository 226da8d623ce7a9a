/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a place in an object to frames with names: what the recording brought along first, then what is found here. */
#include "lib/symbols.h"

#include <stdlib.h>
#include <sys/auxv.h>

#include "lib/arena.h"
#include "lib/binary.h"
#include "lib/demangle.h"
#include "lib/dwarf.h"
#include "lib/embedded.h"
#include "lib/intern.h"
#include "lib/kallsyms.h"
#include "lib/recording.h"

enum {
	TEXT_FILE_MAX = 1 << 30, /* of kallsyms and perf-PID.map */
	VDSO_SIZE = 2 * 4096,
};

enum object_kind { KIND_UNKNOWN, KIND_KERNEL, KIND_FILE, KIND_VDSO, KIND_ANONYMOUS };

struct object {
	enum object_kind kind;
	struct span path, build_id;
	uint32_t pid; /* of a process that has it mapped */
	bool opened;
	uint32_t group; /* of names that came along */
	size_t embedded_seen; /* how many there were when group was looked up */
	struct binary *binary;
	struct span map_path; /* /tmp/perf-PID.map: what anonymous memory is called where it has names */
	struct str map_text;
	struct symtab map;
};

struct kernel_map {
	uint64_t addr, end;
	struct span path;
};

struct symbols {
	struct symbols_options options;
	bool foreign;
	struct arena arena;
	struct intern keys; /* of objects, by number; less the two that are always there */
	struct object *objects;
	size_t n, cap;
	struct intern listed; /* paths whose build-ids a list told */
	struct span *listed_ids;
	size_t listed_cap;
	struct embedded embedded;

	struct intern texts; /* names and files out of debug information */
	struct intern mangled;
	struct span *demangled; /* by id of mangled; p is NULL until it is asked for */
	size_t demangled_cap;

	struct kernel_map *kernel_maps;
	size_t nkernel_maps, kernel_maps_cap;
	uint64_t kernel_ref; /* address of _text when recorded */
	struct span kernel_build_id;
	struct symtab ksymbols; /* as they came */
	struct symtab ksymbols_found; /* ready for looking up, made of the first ksymbols_done of them */
	size_t ksymbols_done;
	struct kallsyms kallsyms;
	struct binary *vmlinux;
	uint64_t vmlinux_slide; /* recorded address less the one in vmlinux */
};

static struct span keep(struct symbols *s, struct span text)
{
	return (struct span){arena_copy(&s->arena, text.p, text.n), text.n};
}

static uint32_t add_object(
    struct symbols *s, enum object_kind kind, struct span path, struct span build_id, uint32_t pid)
{
	s->objects = grow(s->objects, s->n, &s->cap, sizeof *s->objects);
	s->objects[s->n] = (struct object){
	    .kind = kind,
	    .path = keep(s, path),
	    .build_id = keep(s, build_id),
	    .pid = pid,
	    .embedded_seen = SIZE_MAX,
	};
	return (uint32_t)s->n++;
}

struct symbols *symbols_open(const struct symbols_options *options)
{
	struct symbols *s = xcalloc(1, sizeof *s);

	s->options = *options;
	add_object(s, KIND_UNKNOWN, SPAN(""), SPAN(""), 0);
	add_object(s, KIND_KERNEL, SPAN("[kernel.kallsyms]"), SPAN(""), 0);
	return s;
}

void symbols_close(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		binary_close(s->objects[i].binary);
		str_release(&s->objects[i].map_text);
		symtab_release(&s->objects[i].map);
	}
	binary_close(s->vmlinux);
	kallsyms_release(&s->kallsyms);
	symtab_release(&s->ksymbols);
	symtab_release(&s->ksymbols_found);
	embedded_release(&s->embedded);
	intern_release(&s->keys);
	intern_release(&s->listed);
	intern_release(&s->texts);
	intern_release(&s->mangled);
	free(s->listed_ids);
	free(s->demangled);
	free(s->kernel_maps);
	free(s->objects);
	arena_release(&s->arena);
	free(s);
}

void symbols_foreign(struct symbols *s)
{
	s->foreign = true;
}

/* Memory that no file stands behind, although some of it has the name of one. */
static bool is_anonymous(struct span path)
{
	static const char *const NAMES[] = {
	    "//anon", "/anon_hugepage", "/memfd:", "/dev/zero", "/SYSV", "/dev/shm/"};

	if (!path.n || path.p[0] != '/')
		return true;
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
		if (span_starts(path, span_of(NAMES[i])))
			return true;
	return false;
}

static enum object_kind kind_of(struct span path)
{
	if (span_starts(path, SPAN("[vdso")))
		return KIND_VDSO;
	return is_anonymous(path) ? KIND_ANONYMOUS : KIND_FILE;
}

uint32_t symbols_object(struct symbols *s, struct span path, struct span build_id, uint32_t pid)
{
	enum object_kind kind = kind_of(path);
	struct str key = {0};
	uint32_t known = s->keys.n, id;

	str_add(&key, path.p, path.n);
	str_addc(&key, '\0');
	str_add(&key, build_id.p, build_id.n);
	if (kind == KIND_ANONYMOUS)
		str_addf(&key, "%u", pid);
	id = intern(&s->keys, str_span(&key));
	str_release(&key);
	return id == known ? add_object(s, kind, path, build_id, pid) : id + OBJECT_FIRST;
}

bool symbols_by_address(const struct symbols *s, uint32_t object)
{
	return s->objects[object].kind != KIND_FILE && s->objects[object].kind != KIND_VDSO;
}

struct span symbols_path(const struct symbols *s, uint32_t object)
{
	return s->objects[object].path;
}

void symbols_build_id(struct symbols *s, struct span path, struct span build_id)
{
	uint32_t known = s->listed.n, id;

	if (span_starts(path, SPAN("[kernel.kallsyms]")) && build_id.n)
		s->kernel_build_id = keep(s, build_id);
	id = intern(&s->listed, path);
	if (id != known)
		return;
	s->listed_ids = grow(s->listed_ids, id, &s->listed_cap, sizeof *s->listed_ids);
	s->listed_ids[id] = keep(s, build_id);
}

void symbols_kernel_map(
    struct symbols *s, struct span path, uint64_t addr, uint64_t len, uint64_t ref, struct span build_id)
{
	bool text = span_starts(path, SPAN("[kernel.kallsyms]"));
	uint64_t end;

	if (__builtin_add_overflow(addr, len, &end))
		end = UINT64_MAX;
	if (text && ref)
		s->kernel_ref = ref;
	if (text && build_id.n)
		s->kernel_build_id = keep(s, build_id);
	if (text || end <= addr)
		return;
	s->kernel_maps = grow(s->kernel_maps, s->nkernel_maps, &s->kernel_maps_cap, sizeof *s->kernel_maps);
	s->kernel_maps[s->nkernel_maps++] = (struct kernel_map){addr, end, keep(s, path)};
}

void symbols_ksymbol(struct symbols *s, uint64_t addr, uint64_t len, struct span name)
{
	struct symtab_entry e = {.addr = addr, .name = keep(s, name).p};

	if (!__builtin_add_overflow(addr, len, &e.end))
		symtab_add(&s->ksymbols, &e);
}

/* The name that people know a linker's symbol by. */
static struct span readable(struct symbols *s, const char *symbol)
{
	uint32_t known = s->mangled.n, id;
	struct str name = {0};

	if (s->options.no_demangle || symbol[0] != '_')
		return span_of(symbol);
	id = intern(&s->mangled, span_of(symbol));
	if (id == known) {
		s->demangled = grow(s->demangled, id, &s->demangled_cap, sizeof *s->demangled);
		s->demangled[id] =
		    demangle(symbol, &name) ? keep(s, str_span(&name)) : keep(s, span_of(symbol));
		str_release(&name);
	}
	return s->demangled[id];
}

/* ELF versions of symbols ("memcpy@@GLIBC_2.14") are no part of the name; "@plt" is. */
static struct span without_version(struct symbols *s, const char *symbol)
{
	const char *at = strchr(symbol, '@');

	if (!at || at == symbol || strcmp(at, "@plt") == 0)
		return readable(s, symbol);
	return readable(s, arena_copy(&s->arena, symbol, (size_t)(at - symbol)));
}

/* One frame with what is known of the object, for one place. */
static struct symbol_frames nameless(
    struct symbols *s, const struct object *o, uint64_t place, struct frame **frame)
{
	*frame = arena_alloc(&s->arena, sizeof **frame);
	**frame =
	    (struct frame){.module = o->path, .kind = o->kind == KIND_KERNEL ? FRAME_KERNEL : FRAME_USER};
	return (struct symbol_frames){*frame, 1, place, place + 1, UINT64_MAX};
}

/* What frames and SYMBOLS blocks call an object that has names: anonymous memory by its process, as perf does. */
static struct span named_path(struct symbols *s, struct object *o)
{
	struct str path = {0};

	if (o->kind != KIND_ANONYMOUS)
		return o->path;
	if (!o->map_path.n) {
		str_addf(&path, "/tmp/perf-%u.map", o->pid);
		o->map_path = keep(s, str_span(&path));
		str_release(&path);
	}
	return o->map_path;
}

static void find_group(struct symbols *s, struct object *o)
{
	o->group = embedded_group(&s->embedded, named_path(s, o), o->build_id, o->kind == KIND_KERNEL);
	o->embedded_seen = s->embedded.n;
}

static enum frame_kind embedded_kind(const struct embedded_entry *e)
{
	if (e->flags & EMBEDDED_RUNNING_KERNEL)
		return FRAME_KERNEL;
	return e->flags & EMBEDDED_JIT ? FRAME_JIT : FRAME_USER;
}

/* Names that came along with the recording. */
static bool embedded_frames(struct symbols *s, struct object *o, uint64_t place, struct symbol_frames *out)
{
	const struct embedded_entry *e;
	struct frame *frames;
	uint32_t n;

	if (!s->embedded.n)
		return false;
	if (o->embedded_seen != s->embedded.n)
		find_group(s, o);
	e = o->group == EMBEDDED_NONE ? NULL : embedded_find(&s->embedded, o->group, place);
	if (!e)
		return false;
	n = s->options.inlines ? e->nframes : 1;
	frames = arena_alloc(&s->arena, n * sizeof *frames);
	for (uint32_t i = 0; i < n; i++) {
		const struct embedded_frame *f = &s->embedded.frames[e->first + n - 1 - i];
		struct span name = intern_span(&s->embedded.strings, f->name);

		frames[i] = (struct frame){
		    .name = name.n ? without_version(s, name.p) : name,
		    .module = o->kind == KIND_KERNEL ? intern_span(&s->embedded.strings, e->path)
						     : named_path(s, o),
		    .kind = embedded_kind(e),
		    .inlined = i + 1 < n,
		};
		if (s->options.lines) {
			frames[i].file = intern_span(&s->embedded.strings, f->file);
			frames[i].line = f->line;
		}
	}
	*out = (struct symbol_frames){frames, n, e->start, e->end, UINT64_MAX};
	return true;
}

static void open_vdso(struct object *o)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);

	if (!image)
		return;
	o->binary = binary_open_memory((struct span){image, VDSO_SIZE});
	if (o->binary && o->build_id.n && !span_starts(o->build_id, elf_build_id(binary_elf(o->binary)))) {
		binary_close(o->binary);
		o->binary = NULL;
	}
}

static void open_file(struct symbols *s, struct object *o)
{
	const struct binary_search where = {s->options.symfs, s->options.debug_dir, s->foreign};
	struct span path = o->path;
	uint32_t listed = o->build_id.n ? UINT32_MAX : intern_find(&s->listed, path);

	if (listed != UINT32_MAX)
		o->build_id = s->listed_ids[listed];
	if (span_ends(path, SPAN(" (deleted)")))
		path.n -= strlen(" (deleted)");
	o->binary = binary_open(&where, path, o->build_id, o->pid);
}

/* The last number of the NSpid line of /proc/PID/status: what the process takes itself for. */
static uint32_t inner_pid(uint32_t pid)
{
	struct str text = {0}, path = {0};
	struct span rest, line;
	uint64_t inner = pid;

	str_addf(&path, "/proc/%u/status", pid);
	read_text_file(path.p, &text, 1 << 16);
	rest = str_span(&text);
	while (span_line(&rest, &line))
		if (span_starts(line, SPAN("NSpid:"))) {
			const char *tab = memrchr(line.p, '\t', line.n);

			if (tab)
				span_u64(
				    (struct span){tab + 1, line.n - (size_t)(tab + 1 - line.p)}, 10, &inner);
		}
	str_release(&text);
	str_release(&path);
	return inner <= UINT32_MAX ? (uint32_t)inner : pid;
}

/* The map of a just-in-time compiler: in a container it has the name that the process knows itself by. */
static void open_map(struct symbols *s, struct object *o)
{
	struct str path = {0};

	if (s->foreign || !o->pid)
		return;
	str_addf(&path, "/proc/%u/root/tmp/perf-%u.map", o->pid, inner_pid(o->pid));
	if (!read_text_file(path.p, &o->map_text, TEXT_FILE_MAX)) {
		str_reset(&path);
		str_addf(&path, "%s/tmp/perf-%u.map", s->options.symfs ? s->options.symfs : "", o->pid);
		read_text_file(path.p, &o->map_text, TEXT_FILE_MAX);
	}
	perfmap_parse(&o->map, &o->map_text);
	str_release(&path);
}

static bool read_kallsyms(struct symbols *s, const char *path)
{
	struct str text = {0};

	if (!read_text_file(path, &text, TEXT_FILE_MAX)) {
		str_release(&text);
		return false;
	}
	kallsyms_parse(&s->kallsyms, &text);
	return s->kallsyms.symtab.n > 0;
}

static bool read_cached_kallsyms(struct symbols *s)
{
	const char *home = getenv("HOME");
	struct str path = {0};
	bool good;

	if (!home || !s->kernel_build_id.n)
		return false;
	str_addf(&path, "%s/.debug/[kernel.kallsyms]/", home);
	for (size_t i = 0; i < s->kernel_build_id.n; i++)
		str_addf(&path, "%02x", (unsigned char)s->kernel_build_id.p[i]);
	str_adds(&path, "/kallsyms");
	good = read_kallsyms(s, path.p);
	str_release(&path);
	return good;
}

static void find_ref(void *ctx, const struct elf_symbol *sym)
{
	if (strcmp(sym->name, "_text") == 0 || strcmp(sym->name, "_stext") == 0)
		*(uint64_t *)ctx = sym->addr;
}

static void open_vmlinux(struct symbols *s)
{
	const struct binary_search where = {.debug_dir = s->options.debug_dir};
	uint64_t text = 0;

	s->vmlinux = binary_open(&where, span_of(s->options.vmlinux), SPAN(""), 0);
	if (!s->vmlinux || !binary_elf(s->vmlinux) || !s->kernel_ref)
		return;
	elf_symbols(binary_elf(s->vmlinux), find_ref, &text);
	if (text)
		s->vmlinux_slide = s->kernel_ref - text;
}

/* The running kernel's symbols only when it is the recorded one: it must stand at the recorded address. */
static void open_kernel(struct symbols *s)
{
	if (s->options.vmlinux)
		open_vmlinux(s);
	if (s->options.kallsyms) {
		read_kallsyms(s, s->options.kallsyms);
		return;
	}
	if (s->vmlinux || read_cached_kallsyms(s) || s->foreign)
		return;
	read_kallsyms(s, "/proc/kallsyms");
	if (s->kernel_ref && s->kallsyms.text_start && s->kernel_ref != s->kallsyms.text_start)
		kallsyms_release(&s->kallsyms);
}

static void open_object(struct symbols *s, struct object *o)
{
	o->opened = true;
	switch (o->kind) {
	case KIND_UNKNOWN:
		break;
	case KIND_KERNEL:
		open_kernel(s);
		break;
	case KIND_FILE:
		open_file(s, o);
		break;
	case KIND_VDSO:
		if (!s->foreign)
			open_vdso(o);
		break;
	case KIND_ANONYMOUS:
		open_map(s, o);
		break;
	}
}

static struct span kernel_module_at(const struct symbols *s, uint64_t addr, struct span otherwise)
{
	for (size_t i = s->nkernel_maps; i-- > 0;)
		if (addr >= s->kernel_maps[i].addr && addr < s->kernel_maps[i].end)
			return s->kernel_maps[i].path;
	return otherwise;
}

static const struct symtab_entry *find_ksymbol(struct symbols *s, uint64_t addr)
{
	if (s->ksymbols_done != s->ksymbols.n) {
		symtab_release(&s->ksymbols_found);
		for (size_t i = 0; i < s->ksymbols.n; i++)
			symtab_add(&s->ksymbols_found, &s->ksymbols.items[i]);
		symtab_finish_latest(&s->ksymbols_found);
		s->ksymbols_done = s->ksymbols.n;
	}
	return symtab_find(&s->ksymbols_found, addr);
}

static struct symbol_frames kernel_frames(struct symbols *s, struct object *o, uint64_t addr)
{
	struct frame *frame;
	struct symbol_frames out = nameless(s, o, addr, &frame);
	const struct symtab_entry *e = find_ksymbol(s, addr);
	const char *name = NULL;

	if (e) {
		frame->name = span_of(e->name);
		frame->module = SPAN("[bpf]");
		out.function = out.start = e->addr;
		out.end = e->end;
		return out;
	}
	frame->module = kernel_module_at(s, addr, o->path);
	name = kallsyms_find(&s->kallsyms, addr, &frame->module, &out.start, &out.end);
	if (!name && s->vmlinux) {
		name = binary_symbol(s->vmlinux, addr - s->vmlinux_slide, &out.start, &out.end);
		if (name) {
			out.start += s->vmlinux_slide;
			out.end += s->vmlinux_slide;
		}
	}
	if (name) {
		frame->name = readable(s, name);
		out.function = out.start;
	}
	return out;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A frame of debug information; the outermost one is the function that has a symbol, whose name is the one that counts. */
static struct frame debug_frame(
    struct symbols *s, const struct object *o, const struct frame *from, bool outermost, struct span symbol)
{
	struct frame f = {.name = symbol, .module = o->path, .kind = FRAME_USER, .inlined = !outermost};

	if ((!outermost || !symbol.n) && from->name.n)
		f.name = readable(s, intern_span(&s->texts, intern(&s->texts, from->name)).p);
	if (s->options.lines) {
		f.file = intern_span(&s->texts, intern(&s->texts, from->file));
		f.line = from->line;
	}
	return f;
}

/* Adds what debug information knows of the place that out names by its symbol: inlined functions and lines. */
static void add_debug_info(
    struct symbols *s, struct object *o, uint64_t vaddr, uint64_t offset, struct symbol_frames *out)
{
	struct dwarf *d = binary_dwarf(o->binary, s->options.debug_dir);
	struct span symbol = out->frames[0].name;
	struct dwarf_place place;
	struct frame *frames;
	size_t n;

	if (!d || !dwarf_look_up(d, vaddr, &place)) {
		/* The next address may be known. */
		out->start = offset;
		out->end = offset + 1;
		return;
	}
	n = s->options.inlines ? place.n : 1;
	frames = arena_alloc(&s->arena, n * sizeof *frames);
	for (size_t i = 0; i < n; i++)
		frames[i] = debug_frame(s, o, &place.frames[i], i + 1 == n, symbol);
	if (symbol.n) {
		out->start = greater(out->start, offset - smaller(offset, vaddr - place.start));
		out->end = smaller(out->end, offset + (place.end - vaddr));
	} else {
		out->start = offset;
		out->end = offset + 1;
	}
	out->frames = frames;
	out->n = n;
}

static struct symbol_frames file_frames(struct symbols *s, struct object *o, uint64_t offset)
{
	struct frame *frame;
	struct symbol_frames out = nameless(s, o, offset, &frame);
	uint64_t vaddr, start, end;
	const char *name;

	if (!o->binary)
		return out;
	vaddr = binary_vaddr(o->binary, offset);
	name = binary_symbol(o->binary, vaddr, &start, &end);
	if (name) {
		frame->name = without_version(s, name);
		out.function = out.start = offset - (vaddr - start);
		out.end = offset + (end - vaddr);
	}
	if (s->options.inlines || s->options.lines)
		add_debug_info(s, o, vaddr, offset, &out);
	return out;
}

static struct symbol_frames map_frames(struct symbols *s, struct object *o, uint64_t addr)
{
	struct frame *frame;
	struct symbol_frames out = nameless(s, o, addr, &frame);
	const struct symtab_entry *e = symtab_find(&o->map, addr);

	if (!e)
		return out;
	frame->name = span_of(e->name);
	frame->module = named_path(s, o);
	frame->kind = FRAME_JIT;
	out.function = out.start = e->addr;
	out.end = e->end;
	return out;
}

static struct symbol_frames frames_at(struct symbols *s, uint32_t object, uint64_t place)
{
	struct object *o = &s->objects[object];
	struct symbol_frames out;

	if (embedded_frames(s, o, place, &out))
		return out;
	if (!o->opened)
		open_object(s, o);
	switch (o->kind) {
	case KIND_KERNEL:
		return kernel_frames(s, o, place);
	case KIND_FILE:
	case KIND_VDSO:
		return file_frames(s, o, place);
	case KIND_UNKNOWN:
	case KIND_ANONYMOUS:
		break;
	}
	return map_frames(s, o, place);
}

const struct cfi *symbols_cfi(struct symbols *s, uint32_t object, uint64_t place, uint64_t *vaddr)
{
	struct object *o = &s->objects[object];

	if (o->kind != KIND_FILE && o->kind != KIND_VDSO)
		return NULL;
	if (!o->opened)
		open_object(s, o);
	if (!o->binary)
		return NULL;
	*vaddr = binary_vaddr(o->binary, place);
	return binary_cfi(o->binary);
}

struct symbol_frames symbols_look_up(struct symbols *s, uint32_t object, uint64_t place, enum place_kind kind)
{
	struct symbol_frames out = frames_at(s, object, place);

	/* A signal's handler returns to the start of the trampoline, which nothing has called. */
	if (kind == PLACE_ENTRY || (kind == PLACE_RETURN && !out.frames[0].name.n)) {
		struct symbol_frames at = frames_at(s, object, place + 1);
		uint64_t start = at.function == UINT64_MAX ? at.start : at.function;

		if (at.frames[0].name.n && start == place + 1)
			return at;
	}
	return out;
}

void symbols_hold(struct symbols *s, uint32_t object)
{
	struct object *o = &s->objects[object];

	if (!o->opened && o->kind == KIND_FILE)
		open_object(s, o);
}

bool symbols_embed(struct symbols *s, struct span body)
{
	return embedded_read(&s->embedded, body);
}

static int by_object(const void *a, const void *b)
{
	const struct symbol_hit *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* One object's entries while they are gathered. */
struct export
{
	struct symbols *s;
	struct str *body;
	uint32_t nobjects;
	uint32_t object;
	struct span module; /* of the kernel */
	unsigned flags;
	struct str entries;
	uint64_t n, last_start, last_end;
};

static void export_object(struct export *x)
{
	struct object *o = &x->s->objects[x->object];

	if (x->n) {
		put_string(x->body, o->kind == KIND_KERNEL ? x->module : named_path(x->s, o));
		put_string(x->body, o->build_id);
		put_number(x->body, x->flags);
		put_number(x->body, x->n);
		str_add(x->body, x->entries.p, x->entries.n);
		x->nobjects++;
	}
	str_reset(&x->entries);
	x->n = x->last_start = x->last_end = 0;
}

static unsigned export_flags(const struct object *o, const struct frame *leaf)
{
	if (o->kind == KIND_KERNEL)
		return EMBEDDED_RUNNING_KERNEL;
	if (o->kind == KIND_FILE || o->kind == KIND_VDSO)
		return EMBEDDED_FILE_OFFSETS;
	return leaf->kind == FRAME_JIT ? EMBEDDED_JIT : 0;
}

static void export_entry(struct export *x, const struct symbol_frames *f)
{
	put_number(&x->entries, f->start - x->last_start);
	put_number(&x->entries, f->end - f->start);
	put_number(&x->entries, f->n);
	for (size_t i = f->n; i-- > 0;) {
		put_string(&x->entries, f->frames[i].name);
		put_string(&x->entries, f->frames[i].file);
		put_number(&x->entries, f->frames[i].line);
	}
	x->last_start = f->start;
	x->last_end = f->end;
	x->n++;
}

static void export_hit(struct export *x, const struct symbol_hit *hit)
{
	const struct object *o = &x->s->objects[hit->object];
	struct symbol_frames f;

	if (hit->object == x->object && hit->place < x->last_end && hit->kind != PLACE_ENTRY)
		return;
	f = symbols_look_up(x->s, hit->object, hit->place, hit->kind);
	if (!f.frames[0].name.n)
		return;
	if (hit->object != x->object || (o->kind == KIND_KERNEL && !span_eq(f.frames[0].module, x->module)))
		export_object(x);
	x->object = hit->object;
	x->module = f.frames[0].module;
	x->flags = export_flags(o, &f.frames[0]);
	/* What has been named already: a function that overlaps the one before, or the same one by another way. */
	if (f.start < x->last_end)
		f.start = x->last_end;
	if (f.start < f.end)
		export_entry(x, &f);
}

uint32_t symbols_export(struct symbols *s, struct symbol_hit *hits, size_t n, struct str *body)
{
	struct export x = {.s = s, .body = body};

	if (n)
		qsort(hits, n, sizeof *hits, by_object);
	for (size_t i = 0; i < n; i++)
		export_hit(&x, &hits[i]);
	export_object(&x);
	str_release(&x.entries);
	return x.nobjects;
}

bool symbols_kernel_hidden(const struct symbols *s)
{
	return s->kallsyms.restricted;
}
