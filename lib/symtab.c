/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of address ranges: from symbols in any order to ranges that do not overlap. */
#include "lib/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

uint8_t symtab_rank(bool function, enum symtab_binding binding)
{
	return (uint8_t)((function ? 0 : 4) + binding);
}

void symtab_add(struct symtab *t, const struct symtab_entry *e)
{
	t->items = grow(t->items, t->n, &t->cap, sizeof *t->items);
	t->items[t->n++] = *e;
}

void symtab_release(struct symtab *t)
{
	free(t->items);
	*t = (struct symtab){0};
}

static bool is_sorted(const struct symtab *t)
{
	for (size_t i = 1; i < t->n; i++)
		if (t->items[i].addr < t->items[i - 1].addr)
			return false;
	return true;
}

/* One pass of a radix sort, stable. */
static void scatter(const struct symtab_entry *from, struct symtab_entry *to, size_t n, unsigned shift)
{
	size_t at[RADIX] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i].addr >> shift & (RADIX - 1)]++;
	for (size_t i = 0; i < RADIX; i++) {
		size_t count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].addr >> shift & (RADIX - 1)]++] = from[i];
}

/* By address, stable: symbols of a large program in a few passes. */
static void sort_by_addr(struct symtab *t)
{
	struct symtab_entry *other;
	uint64_t varying = 0;

	if (is_sorted(t))
		return;
	for (size_t i = 1; i < t->n; i++)
		varying |= t->items[i].addr ^ t->items[0].addr;
	other = xreallocarray(NULL, t->n, sizeof *other);
	for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
		struct symtab_entry *swap = t->items;

		if (!(varying >> shift & (RADIX - 1)))
			continue;
		scatter(t->items, other, t->n, shift);
		t->items = other;
		other = swap;
	}
	t->cap = t->n;
	free(other);
}

/* Is a a better name than b for the address that both begin at? */
static bool better(const struct symtab_entry *a, const struct symtab_entry *b)
{
	size_t na = strlen(a->name), nb = strlen(b->name);
	size_t ua = strspn(a->name, "_"), ub = strspn(b->name, "_");

	if ((a->end > a->addr) != (b->end > b->addr))
		return a->end > a->addr;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (ua != ub)
		return ua < ub;
	if (na != nb)
		return na > nb;
	return strcmp(a->name, b->name) < 0;
}

/* Of the symbols at one address only the best stays. */
static void choose_aliases(struct symtab *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (n && t->items[n - 1].addr == t->items[i].addr) {
			if (better(&t->items[i], &t->items[n - 1]))
				t->items[n - 1] = t->items[i];
		} else {
			t->items[n++] = t->items[i];
		}
	}
	t->n = n;
}

static void emit(struct symtab *out, const struct symtab_entry *e, uint64_t from, uint64_t to)
{
	struct symtab_entry range = *e;

	if (from >= to)
		return;
	range.addr = from;
	range.end = to;
	symtab_add(out, &range);
}

/* Symbols that cover the present place, outermost first. */
struct cover {
	const struct symtab_entry **items;
	size_t n, cap;
};

/* Ends every range that does not reach addr; *done is up to where ranges have been written. */
static void close_until(struct symtab *out, struct cover *open, uint64_t addr, uint64_t *done)
{
	while (open->n && open->items[open->n - 1]->end <= addr) {
		const struct symtab_entry *top = open->items[--open->n];

		emit(out, top, *done > top->addr ? *done : top->addr, top->end);
		if (*done < top->end)
			*done = top->end;
	}
}

static uint64_t sizeless_end(const struct symtab *t, size_t i)
{
	uint64_t end = t->items[i].limit;

	if (i + 1 < t->n && (end <= t->items[i].addr || t->items[i + 1].addr < end))
		end = t->items[i + 1].addr;
	return end;
}

void symtab_finish(struct symtab *t)
{
	struct symtab out = {0};
	struct cover open = {0};
	uint64_t done = 0;

	sort_by_addr(t);
	choose_aliases(t);
	for (size_t i = 0; i < t->n; i++) {
		const struct symtab_entry *e = &t->items[i];

		close_until(&out, &open, e->addr, &done);
		if (e->end <= e->addr && open.n)
			continue;
		if (e->end <= e->addr) {
			emit(&out, e, e->addr, sizeless_end(t, i));
			continue;
		}
		if (open.n)
			emit(&out, open.items[open.n - 1],
			    done > open.items[open.n - 1]->addr ? done : open.items[open.n - 1]->addr,
			    e->addr);
		done = e->addr;
		open.items = grow(open.items, open.n, &open.cap, sizeof *open.items);
		open.items[open.n++] = e;
	}
	close_until(&out, &open, UINT64_MAX, &done);
	free(open.items);
	free(t->items);
	*t = out;
}

/* A heap of entries in which the latest, the one with the highest number, is on top. */
struct heap {
	size_t *items;
	size_t n, cap;
};

static void heap_push(struct heap *h, size_t number)
{
	size_t i = h->n;

	h->items = grow(h->items, h->n++, &h->cap, sizeof *h->items);
	for (; i && h->items[(i - 1) / 2] < number; i = (i - 1) / 2)
		h->items[i] = h->items[(i - 1) / 2];
	h->items[i] = number;
}

static void heap_pop(struct heap *h)
{
	size_t last = h->items[--h->n], i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < h->n && h->items[child + 1] > h->items[child])
			child++;
		if (child >= h->n || h->items[child] <= last)
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	if (h->n)
		h->items[i] = last;
}

/* Writes what the covering entries give from *done to addr. */
static void sweep_until(
    struct symtab *out, struct heap *h, const struct symtab_entry *entries, uint64_t addr, uint64_t *done)
{
	while (h->n && *done < addr) {
		const struct symtab_entry *top = &entries[h->items[0]];
		uint64_t end = top->end < addr ? top->end : addr;

		if (top->end > *done) {
			emit(out, top, *done, end);
			*done = end;
		}
		if (top->end <= *done)
			heap_pop(h);
	}
	*done = addr;
}

void symtab_finish_latest(struct symtab *t)
{
	struct symtab_entry *entries = xreallocarray(NULL, t->n ? t->n : 1, sizeof *entries);
	struct symtab out = {0};
	struct heap open = {0};
	uint64_t done = 0;

	/* The limit holds the order of the list while the entries are sorted by address. */
	if (t->n)
		memcpy(entries, t->items, t->n * sizeof *entries);
	for (size_t i = 0; i < t->n; i++)
		t->items[i].limit = i;
	sort_by_addr(t);
	for (size_t i = 0; i < t->n; i++) {
		sweep_until(&out, &open, entries, t->items[i].addr, &done);
		heap_push(&open, (size_t)t->items[i].limit);
	}
	sweep_until(&out, &open, entries, UINT64_MAX, &done);
	free(open.items);
	free(entries);
	free(t->items);
	*t = out;
}

const struct symtab_entry *symtab_find(const struct symtab *t, uint64_t addr)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->items[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < t->items[low - 1].end ? &t->items[low - 1] : NULL;
}
