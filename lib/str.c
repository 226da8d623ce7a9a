/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings with a length: a borrowed range of bytes (span) and a growing buffer (str). */
#include "lib/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/die.h"

int span_cmp(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool span_starts(struct span s, struct span prefix)
{
	return s.n >= prefix.n && memcmp(s.p, prefix.p, prefix.n) == 0;
}

bool span_ends(struct span s, struct span suffix)
{
	return s.n >= suffix.n && memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trim(struct span s)
{
	while (s.n && is_blank(s.p[0]))
		s.p++, s.n--;
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool span_line(struct span *rest, struct span *line)
{
	size_t end;

	if (!rest->n)
		return false;
	end = span_find(*rest, 0, '\n');
	*line = (struct span){rest->p, end};
	if (end < rest->n)
		end++;
	rest->p += end;
	rest->n -= end;
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

size_t span_find(struct span s, size_t from, char needle)
{
	const char *hit = from < s.n ? memchr(s.p + from, needle, s.n - from) : NULL;

	return hit ? (size_t)(hit - s.p) : s.n;
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

bool span_u64(struct span s, int base, uint64_t *value)
{
	uint64_t v = 0;

	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = digit_value(s.p[i]);

		if (d >= (unsigned)base || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, d, &v))
			return false;
	}
	*value = v;
	return true;
}

char *str_room(struct str *s, size_t n)
{
	size_t want;

	if (__builtin_add_overflow(s->n, n + 1, &want))
		die("out of memory (string of %zu bytes)", s->n);
	if (want > s->cap) {
		s->cap = want > 2 * s->cap ? want : 2 * s->cap;
		s->p = xreallocarray(s->p, s->cap, 1);
	}
	return s->p + s->n;
}

void str_add(struct str *s, const char *p, size_t n)
{
	char *to = str_room(s, n);

	if (n)
		memcpy(to, p, n);
	s->n += n;
	s->p[s->n] = '\0';
}

void str_adds(struct str *s, const char *text)
{
	str_add(s, text, strlen(text));
}

void str_addc(struct str *s, char c)
{
	str_add(s, &c, 1);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	str_room(s, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(s->p + s->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	s->n += (size_t)n;
}

void str_addu(struct str *s, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do
		digits[sizeof digits - ++n] = (char)('0' + v % 10);
	while (v /= 10);
	str_add(s, digits + sizeof digits - n, n);
}

void str_reset(struct str *s)
{
	s->n = 0;
	if (s->p)
		s->p[0] = '\0';
}

void str_release(struct str *s)
{
	free(s->p);
	*s = (struct str){0};
}
