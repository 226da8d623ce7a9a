/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug information of one object, through libdwarf. */
#include "lib/dwarf.h"

#include <dwarf.h>
#include <libdwarf.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/rnglist.h"
#include "lib/segments.h"

/* libdwarf before 0.1, in the date-numbered releases that Debian 12 and Ubuntu 22.04 have, named these differently. */
#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Obj_Access_Interface_a access_interface;
typedef Dwarf_Obj_Access_Methods_a access_methods;
typedef Dwarf_Obj_Access_Section_a access_section;
#if DW_LIBDWARF_VERSION_MAJOR == 0 && DW_LIBDWARF_VERSION_MINOR < 7
typedef Dwarf_Half section_number;
#else
typedef Dwarf_Unsigned section_number;
#endif
#define METHOD(name) .om_##name
#define FIELD(name) as_##name
#define INTERFACE(name) ai_##name
#define finish_object(dbg) dwarf_object_finish(dbg)
#define free_ranges(dbg, ranges, n) dwarf_dealloc_ranges(dbg, ranges, n)
#else
typedef Dwarf_Obj_Access_Interface access_interface;
typedef Dwarf_Obj_Access_Methods access_methods;
typedef Dwarf_Obj_Access_Section access_section;
typedef Dwarf_Half section_number;
#define METHOD(name) .name
#define FIELD(name) name
#define INTERFACE(name) name
#define finish_object(dbg) dwarf_object_finish(dbg, NULL)
#define free_ranges(dbg, ranges, n) dwarf_ranges_dealloc(dbg, ranges, n)
#endif

enum {
	DEPTH_MAX = 200, /* of nested entries that are looked into */
	HOPS_MAX = 8, /* from a function to the entry that has its name */
	FRAMES_MAX = 100, /* inlined into each other */
	FILES_MAX = 1 << 20 /* in a unit */
};

/* A file with debug information: the object itself, an alternate or a split one. */
struct source {
	struct elf *elf;
	Dwarf_Debug dbg;
	Dwarf_Error error;
	access_interface interface;
	struct source *alt;
	struct source *next; /* of those to be closed with the object */
	bool owns_elf;
	char *path;
};

/* A function that has code, its own or inlined. */
struct scope {
	uint32_t parent; /* the scope around it; SEGMENT_NONE: none */
	uint32_t call_file, call_line; /* of an inlined function: where it is called */
	bool inlined, named;
	struct source *source;
	uint64_t die; /* where the function is described */
	struct span name;
};

struct row {
	uint64_t addr;
	uint32_t file, line;
	uint32_t order; /* as the table has them; end is first among equals */
	bool end; /* of a sequence: no line from here on */
};

struct unit {
	uint64_t die;
	bool is_loaded, has_signature;
	Dwarf_Sig8 signature; /* of the split unit */
	struct segments segments;
	struct scope *scopes;
	size_t nscopes, scopes_cap;
	struct row *rows;
	size_t nrows, rows_cap;
	struct span *files;
	size_t nfiles, first_file;
};

struct dwarf {
	struct source *main, *sources;
	struct source *dwp;
	bool looked_for_dwp;
	char *debug_dir;
	struct unit *units;
	size_t nunits, units_cap;
	struct segments segments; /* of units */
	struct arena strings;
	struct frame frames[FRAMES_MAX];
};

/* The sections that libdwarf is to read; what it cannot see can not lead it astray. */
static bool is_wanted(const char *name)
{
	static const char *const wanted[] = {".debug_info", ".debug_abbrev", ".debug_line", ".debug_line_str",
	    ".debug_str", ".debug_str_offsets", ".debug_addr", ".debug_ranges", ".debug_cu_index",
	    ".debug_tu_index"};
	size_t n = strlen(name);

	if (n > 4 && strcmp(name + n - 4, ".dwo") == 0)
		n -= 4;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (strlen(wanted[i]) == n && memcmp(wanted[i], name, n) == 0)
			return true;
	return false;
}

static int section_info(void *obj, section_number i, access_section *to, int *error)
{
	const struct source *s = obj;
	const struct elf_section *from;

	(void)error;
	if (i >= elf_nsections(s->elf))
		return DW_DLV_NO_ENTRY;
	from = elf_section(s->elf, i);
	memset(to, 0, sizeof *to);
	to->FIELD(name) = "";
	if (is_wanted(from->name)) {
		to->FIELD(name) = from->name;
		to->FIELD(size) = from->size;
		to->FIELD(type) = 1; /* SHT_PROGBITS, whatever it is: sections are handed over decompressed */
	}
	return DW_DLV_OK;
}

static int load_section(void *obj, section_number i, Dwarf_Small **to, int *error)
{
	const struct source *s = obj;
	struct span data;

	if (!elf_section_data(s->elf, i, &data)) {
		*error = DW_DLE_MDE; /* any will do */
		return DW_DLV_ERROR;
	}
	*to = (Dwarf_Small *)(uintptr_t)data.p;
	return DW_DLV_OK;
}

static Dwarf_Small word_size(void *obj)
{
	return elf_is64(((const struct source *)obj)->elf) ? 8 : 4;
}

/* Sections say for themselves when they are of the 64-bit format. */
static Dwarf_Small length_size(void *obj)
{
	return word_size(obj);
}

static Dwarf_Unsigned section_count(void *obj)
{
	return elf_nsections(((const struct source *)obj)->elf);
}

#ifdef DW_LIBDWARF_VERSION
static Dwarf_Small byte_order(void *obj)
{
	return elf_big_endian(((const struct source *)obj)->elf) ? DW_END_big : DW_END_little;
}

static Dwarf_Unsigned file_size(void *obj)
{
	(void)obj;
	return INT64_MAX;
}
#else
static Dwarf_Endianness byte_order(void *obj)
{
	return elf_big_endian(((const struct source *)obj)->elf) ? DW_OBJECT_MSB : DW_OBJECT_LSB;
}
#endif

static const access_methods methods = {
    METHOD(get_section_info) = section_info,
    METHOD(get_byte_order) = byte_order,
    METHOD(get_length_size) = length_size,
    METHOD(get_pointer_size) = word_size,
    METHOD(get_section_count) = section_count,
    METHOD(load_section) = load_section,
#ifdef DW_LIBDWARF_VERSION
    METHOD(get_filesize) = file_size,
#endif
};

/* Did a call of libdwarf find what it was asked for? */
static bool good(struct source *s, int status)
{
	if (status == DW_DLV_ERROR && s->error)
		dwarf_dealloc(s->dbg, s->error, DW_DLA_ERROR);
	s->error = NULL;
	return status == DW_DLV_OK;
}

static void close_source(struct source *s)
{
	if (s->dbg)
		finish_object(s->dbg);
	if (s->owns_elf)
		elf_close(s->elf);
	free(s->path);
	free(s);
}

/* NULL when there is no debug information, or the object is still to be linked, and e is closed if it was to be owned. Closed with d. */
static struct source *add_source(struct dwarf *d, struct elf *e, bool owned, const char *path)
{
	struct source *s = xcalloc(1, sizeof *s);

	s->elf = e;
	s->owns_elf = owned;
	s->path = path ? xstrdup(path) : NULL;
	s->interface.INTERFACE(object) = s;
	s->interface.INTERFACE(methods) = &methods;
	if ((!elf_section_named(e, ".debug_info") && !elf_section_named(e, ".debug_info.dwo")) ||
	    (!owned && elf_is_relocatable(e)) ||
	    !good(
		s, dwarf_object_init_b(&s->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &s->dbg, &s->error))) {
		s->dbg = NULL;
		close_source(s);
		return NULL;
	}
	s->next = d->sources;
	d->sources = s;
	return s;
}

/* A source at dir/name, or at name when that is absolute. */
static struct source *open_source(struct dwarf *d, struct span dir, struct span name, struct span build_id)
{
	struct str path = {0};
	struct source *s = NULL;
	struct elf *e;

	if (dir.n && !span_starts(name, SPAN("/"))) {
		str_add(&path, dir.p, dir.n);
		str_addc(&path, '/');
	}
	str_add(&path, name.p, name.n);
	e = elf_open(path.p ? path.p : "");
	if (e && build_id.n && !span_eq(elf_build_id(e), build_id))
		elf_close(e);
	else if (e)
		s = add_source(d, e, true, path.p);
	str_release(&path);
	return s;
}

static struct span folder_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? (struct span){path, (size_t)(slash - path)} : SPAN(".");
}

/* What dwz has put into a file of its own. */
static struct source *open_alt(struct dwarf *d, struct elf *e, const char *path)
{
	struct span name, id;
	struct str by_id = {0};
	struct source *s;

	if (!elf_debugaltlink(e, &name, &id))
		return NULL;
	s = open_source(d, folder_of(path), name, id);
	if (s || id.n < 2)
		return s;
	str_addf(&by_id, "%s/.build-id/%02x/", d->debug_dir, (unsigned char)id.p[0]);
	for (size_t i = 1; i < id.n; i++)
		str_addf(&by_id, "%02x", (unsigned char)id.p[i]);
	str_adds(&by_id, ".debug");
	s = open_source(d, SPAN(""), str_span(&by_id), id);
	str_release(&by_id);
	return s;
}

static bool has_attr(struct source *s, Dwarf_Die die, Dwarf_Half code, Dwarf_Attribute *attr)
{
	return good(s, dwarf_attr(die, code, attr, &s->error));
}

static void free_attr(const struct source *s, Dwarf_Attribute attr)
{
	dwarf_dealloc(s->dbg, attr, DW_DLA_ATTR);
}

static void free_die(const struct source *s, Dwarf_Die die)
{
	dwarf_dealloc(s->dbg, die, DW_DLA_DIE);
}

/* A number, or an offset in a section; 0 where there is no such attribute. */
static uint64_t number_attr(struct source *s, Dwarf_Die die, Dwarf_Half code)
{
	Dwarf_Unsigned v = 0;
	Dwarf_Signed sv = 0;
	Dwarf_Off offset = 0;
	Dwarf_Attribute attr;

	if (!has_attr(s, die, code, &attr))
		return 0;
	if (!good(s, dwarf_formudata(attr, &v, &s->error))) {
		if (good(s, dwarf_formsdata(attr, &sv, &s->error)))
			v = (Dwarf_Unsigned)sv;
		else if (good(s, dwarf_global_formref(attr, &offset, &s->error)))
			v = offset;
	}
	free_attr(s, attr);
	return v;
}

/* Empty where there is no such attribute. The bytes are the section's. */
static struct span text_attr(struct source *s, Dwarf_Die die, Dwarf_Half code)
{
	char *text = NULL;

	return good(s, dwarf_die_text(die, code, &text, &s->error)) && text ? span_of(text) : SPAN("");
}

/* The entry that an attribute refers to, perhaps in the alternate file. */
static bool reference_attr(
    struct source *s, Dwarf_Die die, Dwarf_Half code, struct source **to, uint64_t *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Half form = 0;
	Dwarf_Off at = 0;
	bool found;

	if (!has_attr(s, die, code, &attr))
		return false;
	found = good(s, dwarf_whatform(attr, &form, &s->error)) && form != DW_FORM_ref_sig8 &&
		good(s, dwarf_global_formref(attr, &at, &s->error));
	free_attr(s, attr);
	*to =
	    form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 ? s->alt : s;
	*offset = at;
	return found && *to;
}

typedef void range_fn(void *ctx, uint64_t start, uint64_t end);

static struct span section_named(struct source *s, const char *name)
{
	size_t i = elf_section_named(s->elf, name);
	struct span data;

	return i && elf_section_data(s->elf, i, &data) ? data : SPAN("");
}

static struct span part(struct span s, uint64_t from, uint64_t n)
{
	from = from < s.n ? from : s.n;
	return (struct span){s.p + from, n < s.n - from ? n : s.n - from};
}

/* What the addresses of a unit's entries depend on. */
struct ranges {
	struct source *source; /* of the entries */
	unsigned version;
	uint64_t base; /* the unit's lowest address */
	struct rnglists lists;
	/* Of a split unit, whose skeleton has the addresses: */
	struct source *skeleton; /* NULL: the unit is not split */
	uint64_t old_base; /* of its part of the skeleton's .debug_ranges */
};

/* DWARF 4 and older: pairs relative to a base. */
static void each_old_range(const struct ranges *r, uint64_t offset, range_fn *each, void *ctx)
{
	struct source *s = r->skeleton ? r->skeleton : r->source;
	uint64_t base = r->base;
	Dwarf_Ranges *ranges;
	Dwarf_Signed n;
	Dwarf_Unsigned nbytes;
	Dwarf_Off real;

	/* Given an entry, libdwarf would add a base that it takes to be the unit's. */
	if (!good(s, dwarf_get_ranges_b(
			 s->dbg, offset + r->old_base, NULL, &real, &ranges, &n, &nbytes, &s->error)))
		return;
	for (Dwarf_Signed i = 0; i < n; i++) {
		if (ranges[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = ranges[i].dwr_addr2;
		else if (ranges[i].dwr_type == DW_RANGES_ENTRY)
			each(ctx, base + ranges[i].dwr_addr1, base + ranges[i].dwr_addr2);
	}
	free_ranges(s->dbg, ranges, n);
}

static void each_new_range(const struct ranges *r, Dwarf_Half form, uint64_t value, range_fn *each, void *ctx)
{
	if (form != DW_FORM_rnglistx || rnglist_offset(&r->lists, value, &value))
		rnglist_each(&r->lists, value, r->base, each, ctx);
}

static void each_listed_range(const struct ranges *r, Dwarf_Attribute attr, range_fn *each, void *ctx)
{
	struct source *s = r->source;
	Dwarf_Unsigned value = 0;
	Dwarf_Half form;

	if (!good(s, dwarf_whatform(attr, &form, &s->error)))
		return;
	if ((form == DW_FORM_rnglistx || !good(s, dwarf_global_formref(attr, &value, &s->error))) &&
	    !good(s, dwarf_formudata(attr, &value, &s->error)))
		return;
	if (r->version < 5)
		each_old_range(r, value, each, ctx);
	else
		each_new_range(r, form, value, each, ctx);
}

/* An entry's lowest address. libdwarf 20210528 does not know the base of the numbers that split units have for addresses. */
static bool read_low_pc(const struct ranges *r, Dwarf_Die die, uint64_t *low)
{
	struct source *s = r->source;
	Dwarf_Attribute attr;
	Dwarf_Unsigned i;
	Dwarf_Addr addr = 0;
	Dwarf_Half form = 0;
	bool found;

	if (!has_attr(s, die, DW_AT_low_pc, &attr))
		return false;
	found = good(s, dwarf_whatform(attr, &form, &s->error));
	if (found && r->skeleton && form != DW_FORM_addr) {
		found = good(s, dwarf_get_debug_addr_index(attr, &i, &s->error)) &&
			rnglist_address(&r->lists, i, low);
	} else if (found) {
		found = good(s, dwarf_formaddr(attr, &addr, &s->error));
		*low = addr;
	}
	free_attr(s, attr);
	return found;
}

/* Calls each for the addresses of an entry. Code that the linker has left out is at address 0 or at the end of all. */
static void each_range(const struct ranges *r, Dwarf_Die die, range_fn *each, void *ctx)
{
	struct source *s = r->source;
	enum Dwarf_Form_Class class;
	Dwarf_Addr high;
	uint64_t low;
	Dwarf_Attribute attr;
	Dwarf_Half form;

	if (has_attr(s, die, DW_AT_ranges, &attr)) {
		each_listed_range(r, attr, each, ctx);
		free_attr(s, attr);
	} else if (read_low_pc(r, die, &low) &&
		   good(s, dwarf_highpc_b(die, &high, &form, &class, &s->error))) {
		each(ctx, low, class == DW_FORM_CLASS_ADDRESS ? high : low + high);
	}
}

/* Reading a unit. */
struct reading {
	struct unit *unit;
	struct ranges ranges;
	uint64_t budget; /* of entries; damaged references may lead in circles */
	uint32_t scope, depth; /* that ranges are added to */
	bool has_code;
};

static bool is_code(uint64_t start, uint64_t end)
{
	return start != 0 && end > start && end <= INT64_MAX;
}

static void add_scope_range(void *ctx, uint64_t start, uint64_t end)
{
	struct reading *r = ctx;

	if (!is_code(start, end))
		return;
	segments_add(&r->unit->segments, &(struct interval){start, end, r->depth, r->scope});
	r->has_code = true;
}

/* A scope for a function's entry if it has code. Returns the scope that its children are in. */
static uint32_t add_scope(struct reading *r, Dwarf_Die die, uint32_t parent, uint32_t depth, bool inlined)
{
	struct unit *u = r->unit;
	struct source *s = r->ranges.source;
	struct scope scope = {.parent = parent, .inlined = inlined, .source = s};
	Dwarf_Off at;

	r->scope = (uint32_t)u->nscopes;
	r->depth = depth;
	r->has_code = false;
	each_range(&r->ranges, die, add_scope_range, r);
	/* An inlined function whose list of addresses is empty, as GCC 12 writes it for one that begins with nothing at the
	   unit's start, still has those inlined into it. */
	if ((!r->has_code && !inlined) || !good(s, dwarf_dieoffset(die, &at, &s->error)))
		return parent;
	scope.die = at;
	if (inlined) {
		scope.call_file = (uint32_t)number_attr(s, die, DW_AT_call_file);
		scope.call_line = (uint32_t)number_attr(s, die, DW_AT_call_line);
	}
	u->scopes = grow(u->scopes, u->nscopes, &u->scopes_cap, sizeof *u->scopes);
	u->scopes[u->nscopes++] = scope;
	return r->scope;
}

static void walk(struct reading *r, Dwarf_Die die, uint32_t scope, uint32_t depth);

/* One entry; what has no functions in it is not looked into. */
static void visit(struct reading *r, Dwarf_Die die, uint32_t scope, uint32_t depth)
{
	Dwarf_Half tag = 0;

	if (!good(r->ranges.source, dwarf_tag(die, &tag, &r->ranges.source->error)))
		return;
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_entry_point:
		/* A function defined inside another one is not part of its code. */
		walk(r, die, add_scope(r, die, SEGMENT_NONE, depth, false), depth);
		break;
	case DW_TAG_inlined_subroutine:
		walk(r, die, add_scope(r, die, scope, depth, true), depth);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
	case DW_TAG_common_block:
		walk(r, die, scope, depth);
		break;
	default:
		break;
	}
}

/* The children of an entry. */
static void walk(struct reading *r, Dwarf_Die die, uint32_t scope, uint32_t depth)
{
	struct source *s = r->ranges.source;
	Dwarf_Die child, next;

	if (depth >= DEPTH_MAX || !good(s, dwarf_child(die, &child, &s->error)))
		return;
	while (r->budget) {
		bool more;

		r->budget--;
		visit(r, child, scope, depth + 1);
		more = good(s, dwarf_siblingof_b(s->dbg, child, 1, &next, &s->error));
		free_die(s, child);
		if (!more)
			return;
		child = next;
	}
	free_die(s, child);
}

/* The name of file number i of a line table: an absolute path where one can be made. */
static struct span file_name(
    struct dwarf *d, struct source *s, Dwarf_Line_Context table, Dwarf_Signed i, unsigned version)
{
	const char *name = NULL, *dir = NULL, *unit_dir = NULL;
	Dwarf_Unsigned dir_index = 0, time, size;
	Dwarf_Form_Data16 *md5 = NULL;
	struct str path = {0};
	struct span copy;

	if (!good(
		s, dwarf_srclines_files_data_b(table, i, &name, &dir_index, &time, &size, &md5, &s->error)) ||
	    !name)
		return SPAN("");
	if (*name != '/') {
		good(s, dwarf_srclines_comp_dir(table, &unit_dir, &s->error));
		if (dir_index || version >= 5)
			good(s,
			    dwarf_srclines_include_dir_data(table, (Dwarf_Signed)dir_index, &dir, &s->error));
		if (unit_dir && !(dir && *dir == '/'))
			str_addf(&path, "%s/", unit_dir);
		if (dir && *dir)
			str_addf(&path, "%s/", dir);
	}
	str_adds(&path, name);
	copy = (struct span){arena_copy(&d->strings, path.p, path.n), path.n};
	str_release(&path);
	return copy;
}

static void read_files(
    struct dwarf *d, struct unit *u, struct source *s, Dwarf_Line_Context table, unsigned version)
{
	Dwarf_Signed first, n, end;

	if (!good(s, dwarf_srclines_files_indexes(table, &first, &n, &end, &s->error)) || first < 0 ||
	    end <= first || end - first > FILES_MAX)
		return;
	u->first_file = (size_t)first;
	u->nfiles = (size_t)(end - first);
	u->files = xcalloc(u->nfiles, sizeof *u->files);
	for (Dwarf_Signed i = first; i < end; i++)
		u->files[i - first] = file_name(d, s, table, i, version);
}

static void add_row(struct unit *u, struct source *s, Dwarf_Line line)
{
	Dwarf_Unsigned number = 0, file = 0, isa, discriminator;
	Dwarf_Bool end = 0, prologue, epilogue = 0;
	Dwarf_Addr addr;

	if (!good(s, dwarf_lineaddr(line, &addr, &s->error)))
		return;
	good(s, dwarf_lineendsequence(line, &end, &s->error));
	/* libdwarf 20210528 takes the beginning of an epilogue for the end of a sequence. */
	if (end &&
	    good(s, dwarf_prologue_end_etc(line, &prologue, &epilogue, &isa, &discriminator, &s->error)))
		end = !epilogue;
	if (!end) {
		good(s, dwarf_lineno(line, &number, &s->error));
		good(s, dwarf_line_srcfileno(line, &file, &s->error));
	}
	u->rows = grow(u->rows, u->nrows, &u->rows_cap, sizeof *u->rows);
	u->rows[u->nrows] =
	    (struct row){addr, (uint32_t)file, (uint32_t)number, (uint32_t)u->nrows, end != 0};
	u->nrows++;
}

static int by_addr(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->end != y->end)
		return x->end ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Takes out the sequences of code that the linker has left out, and sorts the others. */
static void finish_rows(struct unit *u)
{
	size_t kept = 0, start = 0;

	for (size_t i = 0; i < u->nrows; i++) {
		if (!u->rows[i].end && i + 1 < u->nrows)
			continue;
		if (is_code(u->rows[start].addr, u->rows[i].addr)) {
			memmove(u->rows + kept, u->rows + start, (i + 1 - start) * sizeof *u->rows);
			kept += i + 1 - start;
		}
		start = i + 1;
	}
	u->nrows = kept;
	if (kept)
		qsort(u->rows, kept, sizeof *u->rows, by_addr);
}

static void read_lines(struct dwarf *d, struct unit *u, struct source *s, Dwarf_Die die)
{
	Dwarf_Line_Context table;
	Dwarf_Unsigned version;
	Dwarf_Small ntables;
	Dwarf_Line *lines;
	Dwarf_Signed n;

	if (!good(s, dwarf_srclines_b(die, &version, &ntables, &table, &s->error)))
		return;
	read_files(d, u, s, table, (unsigned)version);
	if (ntables == 1 && good(s, dwarf_srclines_from_linecontext(table, &lines, &n, &s->error)))
		for (Dwarf_Signed i = 0; i < n; i++)
			add_row(u, s, lines[i]);
	dwarf_srclines_dealloc_b(table);
	finish_rows(u);
}

static uint64_t low_pc(struct source *s, Dwarf_Die die)
{
	Dwarf_Addr low = 0;

	return good(s, dwarf_lowpc(die, &low, &s->error)) ? low : 0;
}

/* The unit's entry in a split file. */
static Dwarf_Die split_unit(struct source *s, const struct unit *u)
{
	Dwarf_Die die, found = NULL;
	Dwarf_Unsigned header, type_offset, next;
	Dwarf_Off abbrev;
	Dwarf_Half version, word, length, extension, type;
	Dwarf_Sig8 signature;

	/* To the end each time: libdwarf starts over after that. */
	while (good(s, dwarf_next_cu_header_d(s->dbg, 1, &header, &version, &abbrev, &word, &length,
			   &extension, &signature, &type_offset, &next, &type, &s->error))) {
		if (!good(s, dwarf_siblingof_b(s->dbg, NULL, 1, &die, &s->error)))
			continue;
		if (version < 5) {
			uint64_t id = number_attr(s, die, DW_AT_GNU_dwo_id);

			memcpy(&signature, &id, sizeof signature);
		}
		if (!found && memcmp(&signature, &u->signature, sizeof signature) == 0)
			found = die;
		else
			free_die(s, die);
	}
	return found;
}

/* Opens the file that a skeleton unit stands for; *split is the unit's entry there. */
static struct source *open_split(struct dwarf *d, struct unit *u, Dwarf_Die skeleton, Dwarf_Die *split)
{
	struct source *main = d->main, *s;
	struct span name = text_attr(main, skeleton, DW_AT_dwo_name);
	struct span dir = text_attr(main, skeleton, DW_AT_comp_dir);
	struct str dwp = {0};

	if (!name.n)
		name = text_attr(main, skeleton, DW_AT_GNU_dwo_name);
	if (!name.n)
		return NULL;
	if (!d->looked_for_dwp && main->path) {
		d->looked_for_dwp = true;
		str_addf(&dwp, "%s.dwp", main->path);
		d->dwp = open_source(d, SPAN(""), str_span(&dwp), SPAN(""));
		str_release(&dwp);
		if (d->dwp)
			good(d->dwp, dwarf_set_tied_dbg(d->dwp->dbg, main->dbg, &d->dwp->error));
	}
	if (d->dwp && (*split = split_unit(d->dwp, u)))
		return d->dwp;
	s = open_source(d, dir, name, SPAN(""));
	if (!s)
		s = open_source(d, folder_of(main->path), name, SPAN(""));
	if (!s || !good(s, dwarf_set_tied_dbg(s->dbg, main->dbg, &s->error)) || !(*split = split_unit(s, u)))
		return NULL;
	return s;
}

/* Where a unit's addresses are, by its entry or its skeleton's. */
static struct ranges find_ranges(struct source *s, Dwarf_Die die, unsigned version)
{
	const uint16_t one = 1;
	bool little = *(const unsigned char *)&one == 1;

	return (struct ranges){
	    .source = s,
	    .version = version,
	    .base = low_pc(s, die),
	    .lists =
		{
		    .lists = section_named(s, ".debug_rnglists"),
		    .table = number_attr(s, die, DW_AT_rnglists_base),
		    .addrs = part(section_named(s, ".debug_addr"),
			number_attr(s, die, version < 5 ? DW_AT_GNU_addr_base : DW_AT_addr_base), UINT64_MAX),
		    .word = elf_is64(s->elf) ? 8 : 4,
		    .swap = elf_big_endian(s->elf) == little,
		},
	};
}

/* The same for the split unit of a skeleton, whose ranges r is. */
static void find_split_ranges(struct ranges *r, Dwarf_Die skeleton_die, struct source *split, Dwarf_Die die)
{
	struct Dwarf_Debug_Fission_Per_CU_s parts;
	uint64_t from = 0, n = UINT64_MAX;

	memset(&parts, 0, sizeof parts);
	/* In a package, each unit has its part of the section. */
	if (good(split, dwarf_get_debugfission_for_die(die, &parts, &split->error)) &&
	    parts.pcu_size[DW_SECT_RNGLISTS]) {
		from = parts.pcu_offset[DW_SECT_RNGLISTS];
		n = parts.pcu_size[DW_SECT_RNGLISTS];
	}
	r->skeleton = r->source;
	r->source = split;
	r->old_base = number_attr(r->skeleton, skeleton_die, DW_AT_GNU_ranges_base);
	r->lists.lists = part(section_named(split, ".debug_rnglists.dwo"), from, n);
	rnglist_first_table(&r->lists);
}

static void load_unit(struct dwarf *d, struct unit *u)
{
	struct source *s = d->main, *split;
	struct reading r = {.unit = u};
	Dwarf_Die die, split_die = NULL;
	Dwarf_Half version = 4, length;

	u->is_loaded = true;
	if (!good(s, dwarf_offdie_b(s->dbg, u->die, 1, &die, &s->error)))
		return;
	dwarf_get_version_of_die(die, &version, &length);
	r.ranges = find_ranges(s, die, version);
	r.budget = section_named(s, ".debug_info").n;
	read_lines(d, u, s, die);
	split = open_split(d, u, die, &split_die);
	if (split) {
		find_split_ranges(&r.ranges, die, split, split_die);
		r.budget = section_named(split, ".debug_info.dwo").n;
		walk(&r, split_die, SEGMENT_NONE, 0);
		free_die(split, split_die);
	} else {
		walk(&r, die, SEGMENT_NONE, 0);
	}
	segments_finish(&u->segments);
	free_die(s, die);
}

/* Adding a unit's addresses to the object's. */
struct adding {
	struct dwarf *d;
	uint32_t unit;
};

static void add_unit_range(void *ctx, uint64_t start, uint64_t end)
{
	struct adding *a = ctx;

	if (is_code(start, end))
		segments_add(&a->d->segments, &(struct interval){start, end, 0, a->unit});
}

static void add_unit(struct dwarf *d, Dwarf_Die die, unsigned version, const Dwarf_Sig8 *signature)
{
	struct source *s = d->main;
	struct adding adding = {d, (uint32_t)d->nunits};
	const struct ranges ranges = find_ranges(s, die, version);
	struct unit u = {0};
	Dwarf_Off at;

	if (!good(s, dwarf_dieoffset(die, &at, &s->error)))
		return;
	u.die = at;
	u.signature = *signature;
	if (version < 5) {
		uint64_t id = number_attr(s, die, DW_AT_GNU_dwo_id);

		memcpy(&u.signature, &id, sizeof u.signature);
	}
	d->units = grow(d->units, d->nunits, &d->units_cap, sizeof *d->units);
	d->units[d->nunits++] = u;
	each_range(&ranges, die, add_unit_range, &adding);
}

/* Reads the head of every unit. */
static void list_units(struct dwarf *d)
{
	struct source *s = d->main;
	Dwarf_Unsigned header, type_offset, next;
	Dwarf_Off abbrev;
	Dwarf_Half version, word, length, extension, type;
	Dwarf_Sig8 signature = {0};
	Dwarf_Die die;

	while (good(s, dwarf_next_cu_header_d(s->dbg, 1, &header, &version, &abbrev, &word, &length,
			   &extension, &signature, &type_offset, &next, &type, &s->error))) {
		if (!good(s, dwarf_siblingof_b(s->dbg, NULL, 1, &die, &s->error)))
			continue;
		if (type == DW_UT_compile || type == DW_UT_skeleton || version < 5)
			add_unit(d, die, version, &signature);
		free_die(s, die);
	}
	segments_finish(&d->segments);
}

struct dwarf *dwarf_open(struct elf *e, const struct dwarf_search *where)
{
	struct dwarf *d = xcalloc(1, sizeof *d);

	d->debug_dir = xstrdup(where->debug_dir ? where->debug_dir : "/usr/lib/debug");
	d->main = add_source(d, e, false, where->path);
	if (!d->main) {
		dwarf_close(d);
		return NULL;
	}
	d->main->alt = open_alt(d, e, where->path);
	if (d->main->alt)
		good(d->main, dwarf_set_tied_dbg(d->main->dbg, d->main->alt->dbg, &d->main->error));
	list_units(d);
	return d;
}

void dwarf_close(struct dwarf *d)
{
	struct source *next;

	if (!d)
		return;
	/* Later ones are tied to earlier ones, which come after them here. */
	for (struct source *s = d->sources; s; s = next) {
		next = s->next;
		close_source(s);
	}
	for (size_t i = 0; i < d->nunits; i++) {
		segments_release(&d->units[i].segments);
		free(d->units[i].scopes);
		free(d->units[i].rows);
		free(d->units[i].files);
	}
	segments_release(&d->segments);
	free(d->units);
	free(d->debug_dir);
	arena_release(&d->strings);
	free(d);
}

/* The linker's name of a function if any entry that describes it has one, else its name in the source. */
static struct span function_name(struct source *s, uint64_t offset)
{
	struct span name = SPAN(""), linkage;
	Dwarf_Die die;

	for (int hops = 0; hops < HOPS_MAX && good(s, dwarf_offdie_b(s->dbg, offset, 1, &die, &s->error));
	     hops++) {
		struct source *from = s;
		bool more;

		linkage = text_attr(s, die, DW_AT_linkage_name);
		if (!linkage.n)
			linkage = text_attr(s, die, DW_AT_MIPS_linkage_name);
		if (!name.n)
			name = text_attr(s, die, DW_AT_name);
		more = reference_attr(from, die, DW_AT_abstract_origin, &s, &offset) ||
		       reference_attr(from, die, DW_AT_specification, &s, &offset);
		free_die(from, die);
		if (linkage.n)
			return linkage;
		if (!more)
			break;
	}
	return name;
}

static struct span scope_name(struct scope *scope)
{
	if (!scope->named)
		scope->name = function_name(scope->source, scope->die);
	scope->named = true;
	return scope->name;
}

static struct span unit_file(const struct unit *u, uint32_t file)
{
	return file >= u->first_file && file - u->first_file < u->nfiles ? u->files[file - u->first_file]
									 : SPAN("");
}

/* The row that holds at an address; NULL when none does. [*start, *end) is narrowed to where that is so. */
static const struct row *find_row(const struct unit *u, uint64_t addr, uint64_t *start, uint64_t *end)
{
	size_t low = 0, high = u->nrows;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (u->rows[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && u->rows[low - 1].addr > *start)
		*start = u->rows[low - 1].addr;
	if (low < u->nrows && u->rows[low].addr < *end)
		*end = u->rows[low].addr;
	return low && !u->rows[low - 1].end ? &u->rows[low - 1] : NULL;
}

/* Fills frames with a scope and those around it; returns how many. */
static size_t fill_frames(struct dwarf *d, struct unit *u, uint32_t scope, struct span file, uint32_t line)
{
	size_t n = 0;

	while (scope < u->nscopes && n < FRAMES_MAX) {
		struct scope *s = &u->scopes[scope];

		d->frames[n++] = (struct frame){
		    .name = scope_name(s),
		    .file = file,
		    .line = line,
		    .inlined = s->inlined && s->parent != SEGMENT_NONE,
		};
		file = unit_file(u, s->call_file);
		line = s->call_line;
		scope = s->parent;
	}
	if (n == 0)
		d->frames[n++] = (struct frame){.file = file, .line = line};
	return n;
}

bool dwarf_look_up(struct dwarf *d, uint64_t vaddr, struct dwarf_place *place)
{
	uint64_t start, end;
	uint32_t unit, scope;
	const struct row *row;
	struct unit *u;
	bool found;

	if (!segments_find(&d->segments, vaddr, &unit, &place->start, &place->end))
		return false;
	u = &d->units[unit];
	if (!u->is_loaded)
		load_unit(d, u);
	found = segments_find(&u->segments, vaddr, &scope, &start, &end);
	if (start > place->start)
		place->start = start;
	if (end < place->end)
		place->end = end;
	row = find_row(u, vaddr, &place->start, &place->end);
	if (!found && !row)
		return false;
	place->frames = d->frames;
	place->n = fill_frames(d, u, found ? scope : SEGMENT_NONE, row ? unit_file(u, row->file) : SPAN(""),
	    row ? row->line : 0);
	return true;
}
