/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text files of symbols: /proc/kallsyms and perf-PID.map. */
#include "lib/kallsyms.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KERNEL_FUNCTION_MAX = 1 << 20 }; /* a symbol covers no more: what comes after it has no name */

bool read_text_file(const char *path, struct str *out, size_t limit)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t start = out->n;
	struct stat st;
	ssize_t got;

	if (fd < 0)
		return false;
	got = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? 1 : -1;
	while (got > 0 && out->n - start <= limit) {
		got = read(fd, str_room(out, 1 << 18), 1 << 18);
		if (got > 0)
			out->n += (size_t)got;
	}
	close(fd);
	if (got != 0)
		out->n = start;
	if (out->p)
		out->p[out->n] = '\0';
	return got == 0;
}

/* A number at *p in hexadecimal, with or without 0x; *p is after it then. */
static bool take_hex(char **p, const char *end, uint64_t *value)
{
	char *s = *p;
	uint64_t v = 0;
	unsigned digits = 0;

	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (; s < end && digits <= 16; s++, digits++) {
		unsigned char c = (unsigned char)*s, lower = c | 0x20;

		if (c >= '0' && c <= '9')
			v = v << 4 | (c - (unsigned)'0');
		else if (lower >= 'a' && lower <= 'f')
			v = v << 4 | (lower - (unsigned)'a' + 10);
		else
			break;
	}
	*p = s;
	*value = v;
	return digits > 0 && digits <= 16;
}

static char *skip_blanks(char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static char *skip_word(char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t' && *p != '\r')
		p++;
	return p;
}

/* Cuts [module] off the end of a line; 0 is the kernel itself. */
static uint32_t take_module(struct kallsyms *k, char *p, char *end)
{
	char *stop;

	p = skip_blanks(p, end);
	stop = skip_word(p, end);
	if (p == end || *p != '[')
		return 0;
	return intern(&k->modules, (struct span){p, (size_t)(stop - p)});
}

/* One line "ADDRESS TYPE NAME[\t[MODULE]]" from p to end, where a NUL may be written. */
static void take_line(struct kallsyms *k, char *p, char *end)
{
	struct symtab_entry e = {0};
	char *name, *stop;
	char type;

	if (!take_hex(&p, end, &e.addr))
		return;
	p = skip_blanks(p, end);
	if (end - p < 3 || (p[1] != ' ' && p[1] != '\t'))
		return;
	type = *p;
	name = skip_blanks(p + 1, end);
	stop = skip_word(name, end);
	if (name == stop)
		return;
	if (e.addr && stop - name == 5 && memcmp(name, "_text", 5) == 0)
		k->text_start = e.addr;
	k->restricted = k->restricted && !e.addr;
	if (!strchr("tTwWiI", type) || !e.addr)
		return;
	e.group = take_module(k, stop, end);
	*stop = '\0';
	e.name = name;
	e.end = e.addr;
	e.limit = e.addr + KERNEL_FUNCTION_MAX;
	e.rank = symtab_rank(true, type == 'T' ? SYMTAB_GLOBAL : type == 't' ? SYMTAB_LOCAL : SYMTAB_WEAK);
	symtab_add(&k->symtab, &e);
}

static void each_line(struct str *text, void (*take)(void *ctx, char *p, char *end), void *ctx)
{
	char *p = text->p, *end = p ? p + text->n : NULL;

	while (p && p < end) {
		char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end;
		take(ctx, p, eol);
		p = eol + 1;
	}
}

static void take_kallsyms_line(void *ctx, char *p, char *end)
{
	take_line(ctx, p, end);
}

void kallsyms_parse(struct kallsyms *k, struct str *text)
{
	*k = (struct kallsyms){.text = *text, .restricted = text->n > 0};
	*text = (struct str){0};
	intern(&k->modules, SPAN("[kernel.kallsyms]"));
	each_line(&k->text, take_kallsyms_line, k);
	symtab_finish(&k->symtab);
}

const char *kallsyms_find(
    const struct kallsyms *k, uint64_t addr, struct span *module, uint64_t *start, uint64_t *end)
{
	const struct symtab_entry *e = symtab_find(&k->symtab, addr);

	if (!e)
		return NULL;
	*module = intern_span(&k->modules, e->group);
	*start = e->addr;
	*end = e->end;
	return e->name;
}

void kallsyms_release(struct kallsyms *k)
{
	str_release(&k->text);
	symtab_release(&k->symtab);
	intern_release(&k->modules);
	*k = (struct kallsyms){0};
}

static void take_perfmap_line(void *ctx, char *p, char *end)
{
	struct symtab_entry e = {0};
	uint64_t size;

	if (end > p && end[-1] == '\r')
		end--;
	if (!take_hex(&p, end, &e.addr) || skip_blanks(p, end) == p)
		return;
	p = skip_blanks(p, end);
	if (!take_hex(&p, end, &size) || skip_blanks(p, end) == p)
		return;
	p = skip_blanks(p, end);
	if (p == end || __builtin_add_overflow(e.addr, size ? size : 1, &e.end))
		return;
	*end = '\0';
	e.name = p;
	symtab_add(ctx, &e);
}

void perfmap_parse(struct symtab *t, struct str *text)
{
	each_line(text, take_perfmap_line, t);
	symtab_finish_latest(t);
}
