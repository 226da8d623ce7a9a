/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as people want to read them. */
#include "fold/tidy.h"

#include <ctype.h>

#include "fold/haskell.h"
#include "lib/demangle.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Brackets that nothing closes cost a look at the whole rest of the name each: after so many it is no name with brackets. */
enum { MAX_UNCLOSED = 16 };

static struct span from(struct span s, size_t at)
{
	return (struct span){s.p + at, s.n - at};
}

/* At "operator" of C++: the length of it and its punctuation ("operator<<", "operator()", "operator->"); otherwise 0. */
static size_t operator_length(struct span name, size_t at)
{
	static const struct span ops[] = {SPAN("()"), SPAN("[]"), SPAN("->*"), SPAN("->"), SPAN("<=>"),
	    SPAN("<<="), SPAN("<<"), SPAN("<="), SPAN("<"), SPAN(">>="), SPAN(">>"), SPAN(">="), SPAN(">")};
	struct span word = SPAN("operator"), rest = from(name, at);

	if (!span_starts(rest, word) || (at && is_word(name.p[at - 1])))
		return 0;
	rest = from(rest, word.n);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (span_starts(rest, ops[i]))
			return word.n + ops[i].n;
	return 0;
}

/* A bracket that opens at depth 0 and the place after the one that closes it. name.n when none does. */
static size_t bracket_end(struct span name, size_t at)
{
	size_t depth = 0;

	while (at < name.n) {
		size_t op = operator_length(name, at);
		char c = name.p[at];

		if (op) {
			at += op;
			continue;
		}
		if (c == '-' && at + 1 < name.n && name.p[at + 1] == '>')
			at++;
		else if (c == '(' || c == '<' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == '>' || c == ']' || c == '}') && --depth == 0)
			return at + 1;
		at++;
	}
	return name.n;
}

/* Was the bracket that bracket_end found the end of really closed? */
static bool is_closed(struct span name, size_t end)
{
	return end < name.n || strchr(")>]}", name.p[end - 1]) != NULL;
}

/* Does a part of a qualified name follow a parameter list, so that it belongs to an enclosing function: "f(int) const::{lambda"? */
static bool is_scope(struct span rest)
{
	static const struct span qualifiers[] = {SPAN(" const"), SPAN(" volatile"), SPAN(" &&"), SPAN(" &")};

	for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
		if (span_starts(rest, qualifiers[i]))
			rest = from(rest, qualifiers[i].n);
	return span_starts(rest, SPAN("::"));
}

static bool ends_with(struct span name, size_t at, struct span word)
{
	return span_ends((struct span){name.p, at}, word);
}

/* Is the parenthesis at `at` (closed before end) part of the name itself rather than a parameter list? */
static bool belongs_to_name(struct span name, size_t at, size_t end)
{
	struct span rest = from(name, at);

	if (at == 0 || span_starts(rest, SPAN("(anonymous namespace)")))
		return true;
	/* Go's method of a pointer, "net/http.(*Client).Do"; D's template arguments, "map!(f)"; a return type. */
	if (name.p[at - 1] == '.' || name.p[at - 1] == '!')
		return end < name.n;
	if (ends_with(name, at, SPAN("decltype ")) || ends_with(name, at, SPAN("decltype")))
		return true;
	/* "RegExp (a.js)", "void (*signal(int))(int)": a parameter list directly follows its function. */
	if (name.p[at - 1] == ' ' && is_closed(name, end))
		return true;
	return is_scope(from(name, end));
}

/* Swift's labels are part of a function's name, "insert(_:at:)": every parameter ends in a colon and none has a type. */
static bool is_labels(struct span list)
{
	bool label = false;

	for (size_t i = 0; i < list.n; i++) {
		if (list.p[i] == ':' && label)
			label = false;
		else if (is_word(list.p[i]))
			label = true;
		else
			return false;
	}
	return !label && list.n > 0;
}

/* The label of a Swift parameter, "at: Swift.Int", at the start of s; empty when there is none. */
static struct span label(struct span s)
{
	size_t n = 0;

	while (n < s.n && is_word(s.p[n]))
		n++;
	if (n + 1 >= s.n || s.p[n] != ':' || s.p[n + 1] != ' ')
		return SPAN("");
	return (struct span){s.p, n};
}

/* Adds the labels of a Swift parameter list with types, "(at: Swift.Int, _: A)" as "(at:_:)": functions that differ in them alone
   are different functions. Nothing for the lists of other languages. */
static void add_labels(struct str *out, struct span list)
{
	size_t depth = 0, before = out->n;

	if (list.n < 2 || !label(from(list, 1)).n)
		return;
	for (size_t i = 0; i < list.n; i++) {
		char c = list.p[i];
		struct span name;

		if (c == '(' || c == '<' || c == '[')
			depth++;
		else if ((c == ')' || c == ']' || (c == '>' && list.p[i - 1] != '-')) && --depth == 0)
			break;
		if (depth != 1 || (c != '(' && c != ','))
			continue;
		str_adds(out, out->n == before ? "(" : "");
		name = label(from(list, c == ',' && i + 1 < list.n ? i + 2 : i + 1));
		str_add(out, name.n ? name.p : "_", name.n ? name.n : 1);
		str_addc(out, ':');
	}
	str_addc(out, ')');
}

/* Length of the name up to its parameter list. */
static size_t without_parameters(struct span name)
{
	size_t at = 0, unclosed = 0;

	while (at < name.n && unclosed < MAX_UNCLOSED) {
		size_t op = operator_length(name, at);
		char c = name.p[at];
		size_t end;

		if (op) {
			at += op;
			continue;
		}
		if (c != '(' && c != '<' && c != '[' && c != '{') {
			at++;
			continue;
		}
		end = bracket_end(name, at);
		if (c == '(' && !belongs_to_name(name, at, end)) {
			if (end - at > 2 && is_labels((struct span){name.p + at + 1, end - at - 2}))
				return end;
			return at;
		}
		/* A bracket that nothing closes is punctuation ("RegExp:[&<>"). */
		if (is_closed(name, end)) {
			at = end;
		} else {
			at++;
			unclosed++;
		}
	}
	return name.n;
}

static bool is_hex(char c)
{
	return isdigit((unsigned char)c) || (c >= 'a' && c <= 'f');
}

/* Length without Rust's legacy hash, "::h" and 16 hexadecimal digits. */
static size_t without_rust_hash(struct span name)
{
	enum { HASH = 19 };

	if (name.n <= HASH || !span_starts(from(name, name.n - HASH), SPAN("::h")))
		return name.n;
	for (size_t i = name.n - HASH + 3; i < name.n; i++)
		if (!is_hex(name.p[i]))
			return name.n;
	return name.n - HASH;
}

/* At "$LT$" and the like of Rust's legacy mangling: its length, and what it stands for in *c; 0 when it is none. */
static size_t rust_escape(struct span rest, char *c)
{
	static const struct {
		struct span code;
		char c;
	} codes[] = {{SPAN("$LT$"), '<'}, {SPAN("$GT$"), '>'}, {SPAN("$LP$"), '('}, {SPAN("$RP$"), ')'},
	    {SPAN("$RF$"), '&'}, {SPAN("$BP$"), '*'}, {SPAN("$SP$"), '@'}, {SPAN("$C$"), ','}};
	uint64_t value;

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (span_starts(rest, codes[i].code)) {
			*c = codes[i].c;
			return codes[i].code.n;
		}
	if (rest.n < 5 || !span_starts(rest, SPAN("$u")) || rest.p[4] != '$')
		return 0;
	if (!span_u64((struct span){rest.p + 2, 2}, 16, &value) || value < ' ' || value > '~')
		return 0;
	*c = (char)value;
	return 5;
}

/* Undoes what perf's C++ demangler leaves of Rust's legacy mangling: "_$LT$a..B$u20$as$u20$C$GT$::d" is "<a::B as C>::d". */
static void add_rust(struct str *out, struct span name)
{
	size_t i = span_starts(name, SPAN("_$")) ? 1 : 0;

	while (i < name.n) {
		char c = name.p[i];
		size_t n = rust_escape(from(name, i), &c);

		if (!n && span_starts(from(name, i), SPAN(".."))) {
			str_adds(out, "::");
			i += 2;
			continue;
		}
		str_addc(out, c);
		i += n ? n : 1;
	}
}

static void add_without_quotes(struct str *out, struct span name)
{
	char *to = str_room(out, name.n);
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] != '"' && name.p[i] != '\'')
			to[n++] = name.p[i];
	to[n] = '\0';
	out->n += n;
}

/* A Java class as the JVM writes it, "Lorg/app/Outer;::run" or, in a Java process, anything with a slash. */
static bool is_java_class(struct span name, bool java)
{
	size_t slash = span_find(name, 0, '/'), semicolon = span_find(name, 0, ';');

	if (name.n < 2 || name.p[0] != 'L' || slash == name.n)
		return false;
	return java || (slash < semicolon && semicolon < name.n && span_find(name, 0, ' ') == name.n);
}

/* LLVM's promotion of a local function to other units adds " (.llvm.123)" to its name. */
static struct span without_llvm(struct span name)
{
	const char *at = name.n && name.p[name.n - 1] == ')' ? memmem(name.p, name.n, " (.llvm.", 8) : NULL;

	if (at && at > name.p)
		name.n = (size_t)(at - name.p);
	return name;
}

/* Names that a linker knows, from formats or tools that leave them as they are. */
static bool add_demangled(struct str *out, struct span name)
{
	char symbol[1024];

	if (name.n < 4 || name.n >= sizeof symbol || name.p[0] != '_')
		return false;
	memcpy(symbol, name.p, name.n);
	symbol[name.n] = '\0';
	return demangle(symbol, out);
}

static void add_tidied(struct str *out, struct span name)
{
	size_t n = without_rust_hash(name), before = out->n;

	if (n < name.n) {
		add_rust(out, (struct span){name.p, n});
		return;
	}
	n = without_parameters(name);
	add_without_quotes(out, (struct span){name.p, n});
	if (out->n == before)
		str_add(out, name.p, name.n);
	else if (n < name.n)
		add_labels(out, from(name, n));
}

void tidy_name(struct str *out, struct span name, unsigned flags)
{
	struct str demangled = {0};

	name = without_llvm(name);
	if (is_java_class(name, flags & TIDY_JAVA))
		name = from(name, 1);
	if (!(flags & TIDY_MANGLED) && haskell_decode(out, name))
		return;
	if (!(flags & TIDY_MANGLED) && add_demangled(&demangled, name))
		name = str_span(&demangled);
	add_tidied(out, name);
	str_release(&demangled);
}

static bool is_arrow(struct span s, size_t at)
{
	if (s.p[at] != '-' || at + 2 >= s.n || s.p[at + 1] != '>' || at == 0)
		return false;
	return s.p[at - 1] != ' ' && s.p[at + 2] != ' ';
}

/* The place of the next arrow between inlined methods; s.n when there is none. */
static size_t find_arrow(struct span s)
{
	size_t at = 0, unclosed = 0;

	while (at < s.n && unclosed < MAX_UNCLOSED) {
		size_t op = operator_length(s, at), end;

		if (op) {
			at += op;
			continue;
		}
		if (is_arrow(s, at))
			return at;
		if (!strchr("(<[{", s.p[at]) || !s.p[at]) {
			at++;
			continue;
		}
		end = bracket_end(s, at);
		unclosed += !is_closed(s, end);
		at = is_closed(s, end) ? end : at + 1;
	}
	return s.n;
}

void tidy_cut_inlined(struct span *rest, struct span *name)
{
	size_t at = rest->n && memmem(rest->p, rest->n, "->", 2) ? find_arrow(*rest) : rest->n;

	*name = (struct span){rest->p, at};
	*rest = at == rest->n ? SPAN("") : from(*rest, at + 2);
}

struct span tidy_module(struct span module)
{
	const char *slash = module.n ? memrchr(module.p, '/', module.n) : NULL;

	return slash && slash + 1 < module.p + module.n ? from(module, (size_t)(slash + 1 - module.p))
							: module;
}

/* "perf-123.map" and "jitted-123-4.so" hold code made at run time. */
static bool is_jit_file(struct span base)
{
	if (span_starts(base, SPAN("jitted-")) && span_ends(base, SPAN(".so")))
		return true;
	return span_starts(base, SPAN("perf-")) && span_ends(base, SPAN(".map"));
}

/* "btrfs.ko", also compressed. */
static bool is_kernel_object(struct span base)
{
	static const struct span ends[] = {
	    SPAN(".ko"), SPAN(".ko.gz"), SPAN(".ko.xz"), SPAN(".ko.zst"), SPAN(".ko.debug")};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (span_ends(base, ends[i]))
			return true;
	return false;
}

/* Names in brackets that are parts of a process and no kernel modules. */
static bool is_pseudo(struct span module)
{
	static const struct span names[] = {SPAN("[vdso"), SPAN("[vsyscall"), SPAN("[heap"), SPAN("[stack"),
	    SPAN("[anon"), SPAN("[unknown"), SPAN("[uprobes"), SPAN("[vvar")};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_starts(module, names[i]))
			return true;
	return false;
}

enum frame_kind tidy_module_kind(struct span module)
{
	struct span base, deleted = SPAN(" (deleted)");

	if (span_ends(module, deleted))
		module.n -= deleted.n;
	base = tidy_module(module);
	if (span_starts(module, SPAN("[JIT]")) || span_starts(module, SPAN("[JIT app")) || is_jit_file(base))
		return FRAME_JIT;
	if (span_starts(base, SPAN("vmlinux")) || is_kernel_object(base))
		return FRAME_KERNEL;
	if (module.n && module.p[0] == '[' && !is_pseudo(module))
		return FRAME_KERNEL;
	return FRAME_USER;
}
