/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangling with libiberty through its callbacks, so that a bomb ends at a limit and not with the machine's memory. */
#include "lib/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

#include "lib/arena.h"

/* libiberty's own would come with its xmalloc, which lib/arena.h has already. */
void *xrealloc(void *p, size_t n);

void *xrealloc(void *p, size_t n)
{
	return xreallocarray(p, n ? n : 1, 1);
}

enum { NAME_MAX_SIZE = 16 * 1024, SYMBOL_MAX_SIZE = 16 * 1024 };

struct catcher {
	struct str *out;
	size_t start;
	jmp_buf too_long;
};

/* The demanglers cannot be told to stop; they keep nothing that a jump over them would lose. */
static void catch_part(const char *part, size_t n, void *opaque)
{
	struct catcher *c = opaque;

	if (c->out->n - c->start + n > NAME_MAX_SIZE)
		longjmp(c->too_long, 1);
	str_add(c->out, part, n);
}

typedef int demangler(const char *, int, demangle_callbackref, void *);

static bool run(demangler *f, const char *symbol, struct str *out)
{
	struct catcher c = {.out = out, .start = out->n};

	if (setjmp(c.too_long) == 0 && f(symbol, DMGL_NO_OPTS, catch_part, &c))
		return true;
	out->n = c.start;
	return false;
}

static int dlang(const char *symbol, int options, demangle_callbackref callback, void *opaque)
{
	char *name = dlang_demangle(symbol, options);

	if (!name)
		return 0;
	/* A jump out of the callback would lose name. */
	if (strlen(name) <= NAME_MAX_SIZE)
		callback(name, strlen(name), opaque);
	free(name);
	return 1;
}

static bool is_d(const char *symbol)
{
	return symbol[0] == '_' && symbol[1] == 'D' &&
	       ((symbol[2] >= '0' && symbol[2] <= '9') || strcmp(symbol, "_Dmain") == 0);
}

/* The symbol itself, without anything after an '@'. */
static bool demangle_plain(const char *symbol, struct str *out)
{
	size_t start = out->n;

	/* macOS and some JITs put one more underscore before. */
	while (symbol[0] == '_' && symbol[1] == '_')
		symbol++;
	if (symbol[0] != '_')
		return false;
	if (symbol[1] == 'R' || symbol[1] == 'Z')
		return run(rust_demangle_callback, symbol, out) ||
		       (symbol[1] == 'Z' && run(cplus_demangle_v3_callback, symbol, out));
	return is_d(symbol) && run(dlang, symbol, out) && out->n > start;
}

bool demangle(const char *symbol, struct str *out)
{
	const char *at;
	char *plain;
	bool good;

	if (symbol[0] != '_' || strlen(symbol) > SYMBOL_MAX_SIZE)
		return false;
	at = strchr(symbol, '@');
	if (!at)
		return demangle_plain(symbol, out);
	plain = strndup(symbol, (size_t)(at - symbol));
	good = plain && demangle_plain(plain, out);
	free(plain);
	if (good)
		str_adds(out, at);
	return good;
}
