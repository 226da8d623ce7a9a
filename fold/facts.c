/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the inputs said about themselves, merged. */
#include "fold/facts.h"

#include <stdlib.h>

#include "lib/arena.h"

/* More are no facts but an attack on the search through them. */
enum { MAX_FACTS = 256 };

static struct fact *find(const struct facts *f, struct span key)
{
	for (size_t i = 0; i < f->n; i++)
		if (span_eq(span_of(f->items[i].key), key))
			return &f->items[i];
	return NULL;
}

void facts_add(struct facts *f, struct span key, struct span value)
{
	struct fact *fact = find(f, key);

	if (fact) {
		fact->differs = fact->differs || !span_eq(str_span(&fact->value), value);
		return;
	}
	if (f->n == MAX_FACTS)
		return;
	f->items = grow(f->items, f->n, &f->cap, sizeof *f->items);
	fact = &f->items[f->n++];
	*fact = (struct fact){.key = xcalloc(1, key.n + 1)};
	memcpy(fact->key, key.p, key.n);
	str_add(&fact->value, value.p, value.n);
}

const struct str *facts_get(const struct facts *f, const char *key)
{
	const struct fact *fact = find(f, span_of(key));

	return fact && !fact->differs ? &fact->value : NULL;
}

static int rank(const char *key)
{
	static const char *const order[] = {
	    "event", "weight", "freq_hz", "period", "duration_s", "host", "kernel", "command"};

	for (int i = 0; i < (int)(sizeof order / sizeof *order); i++)
		if (strcmp(order[i], key) == 0)
			return i;
	return (int)(sizeof order / sizeof *order);
}

static int compare(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	int d = rank(x->key) - rank(y->key);

	return d ? d : strcmp(x->key, y->key);
}

void facts_sort(struct facts *f)
{
	if (f->n)
		qsort(f->items, f->n, sizeof *f->items, compare);
}

void facts_release(struct facts *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->items[i].key);
		str_release(&f->items[i].value);
	}
	free(f->items);
	*f = (struct facts){0};
}
