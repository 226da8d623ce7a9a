/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places in a profile that are worth testing. */
#include "fold/candidates.h"

#include <stdlib.h>

/* A callee with this part of its caller's counts stands for both. */
#define CHAIN_PART 0.98

static void add_stack(void *ctx, struct span stack, uint32_t slice, const u128 *counts)
{
	struct tree *tree = ctx;

	(void)slice;
	tree_add(tree, stack, counts, false);
}

void profile_build(struct profile *p, const struct runs *runs)
{
	p->nruns = runs->n;
	tree_init(&p->tree, TREE_MERGED, (unsigned)runs->n);
	stacks_each(&runs->stacks, add_stack, &p->tree);
	tree_finish(&p->tree);
	p->counts = xcalloc(p->tree.n, runs->n * sizeof *p->counts);
	for (uint32_t node = 0; node < p->tree.n; node++)
		for (size_t run = 0; run < runs->n; run++)
			p->counts[node * runs->n + run] =
			    count_double(tree_total(&p->tree, node, (unsigned)run));
	p->totals = p->counts; /* the root's */
}

void profile_release(struct profile *p)
{
	tree_release(&p->tree);
	free(p->counts);
}

static bool is_used(const struct candidates_how *how, size_t run)
{
	return !how->use || how->use[run];
}

/* What the used runs have on average of their totals, whichever side they are of. */
static double mean_share(const struct profile *p, const struct candidates_how *how, const double *counts)
{
	double sum = 0, n = 0;

	for (size_t run = 0; run < p->nruns; run++) {
		if (!is_used(how, run))
			continue;
		n++;
		sum += p->totals[run] > 0 ? counts[run] / p->totals[run] : 0;
	}
	return n > 0 ? sum / n : 0;
}

static bool is_worth_it(const struct profile *p, const struct candidates_how *how, const double *counts)
{
	double samples = 0;

	for (size_t run = 0; run < p->nruns; run++)
		samples += is_used(how, run) ? counts[run] * how->samples_per_count : 0;
	return samples >= how->least_samples && mean_share(p, how, counts) >= how->least_share;
}

static struct candidate *add_candidate(struct candidates *c, const struct profile *p, uint32_t name)
{
	c->items = grow(c->items, c->n, &c->cap, sizeof *c->items);
	c->items[c->n] = (struct candidate){.name = name, .parent = SIZE_MAX};
	c->items[c->n].counts = arena_alloc(&c->memory, p->nruns * sizeof(double));
	return &c->items[c->n++];
}

/* Paths. */

struct paths {
	const struct profile *p;
	double *shares; /* of each node */
	unsigned *chain; /* callers that a node stands for */
	bool *dominated; /* the node has a callee that stands for it */
	size_t *candidate; /* of each node, or of the nearest above it */
};

static void find_chains(struct paths *w)
{
	const struct tree *t = &w->p->tree;

	for (uint32_t node = 0; node < t->n; node++)
		for (uint32_t child = t->nodes[node].child; child; child = t->nodes[child].next) {
			if (w->shares[child] < CHAIN_PART * w->shares[node] || w->shares[child] <= 0)
				continue;
			w->dominated[node] = true;
			w->chain[child] = w->chain[node] + (node != 0);
		}
}

/* Is it one of those below the root that have all there is? The total speaks for them. */
static bool is_whole(const struct paths *w, uint32_t node)
{
	return w->shares[node] >= CHAIN_PART * w->shares[0];
}

static void add_path(struct candidates *c, struct paths *w, uint32_t node)
{
	const struct profile *p = w->p;
	struct candidate *new = add_candidate(c, p, p->tree.nodes[node].name);

	new->node = node;
	new->chain = w->chain[node];
	new->parent = w->candidate[node];
	new->own = arena_alloc(&c->memory, p->nruns * sizeof(double));
	for (size_t run = 0; run < p->nruns; run++)
		new->counts[run] = new->own[run] = p->counts[node * p->nruns + run];
	for (size_t run = 0; new->parent != SIZE_MAX &&run < p->nruns; run++)
		c->items[new->parent].own[run] -= new->counts[run];
	w->candidate[node] = c->n - 1;
}

static void choose_paths(struct candidates *c, const struct profile *p, const struct candidates_how *how)
{
	uint32_t n = p->tree.n;
	struct paths w = {p, xcalloc(n, sizeof(double)), xcalloc(n, sizeof(unsigned)),
	    xcalloc(n, sizeof(bool)), xcalloc(n, sizeof(size_t))};

	for (uint32_t node = 0; node < n; node++)
		w.shares[node] = mean_share(p, how, p->counts + node * p->nruns);
	find_chains(&w);
	w.candidate[0] = SIZE_MAX;
	for (uint32_t node = 1; node < n; node++) { /* callers come before callees */
		w.candidate[node] = w.candidate[p->tree.nodes[node].parent];
		if (!w.dominated[node] && !is_whole(&w, node) &&
		    is_worth_it(p, how, p->counts + node * p->nruns))
			add_path(c, &w, node);
	}
	free(w.shares);
	free(w.chain);
	free(w.dominated);
	free(w.candidate);
}

/* Functions. */

/* Adds one node's own counts to its name and, unless that is all that is asked for, to those above it, each name once. */
static void count_node(const struct profile *p, uint32_t node, enum unit unit, const double *self,
    uint32_t *seen, double *counts)
{
	for (uint32_t at = node; at; at = p->tree.nodes[at].parent) {
		uint32_t name = p->tree.nodes[at].name;

		if (seen[name] != node)
			for (size_t run = 0; run < p->nruns; run++)
				counts[name * p->nruns + run] += self[run];
		seen[name] = node;
		if (unit == UNIT_SELF)
			break;
	}
}

/* Counts of each name. The caller frees them. */
static double *count_names(const struct profile *p, enum unit unit)
{
	const struct tree *t = &p->tree;
	size_t nnames = t->names.n ? t->names.n : 1;
	double *counts = xcalloc(nnames, p->nruns * sizeof *counts);
	double *self = xcalloc(p->nruns, sizeof *self);
	uint32_t *seen = xcalloc(nnames, sizeof *seen); /* the last node that counted for a name */

	for (uint32_t node = 1; node < t->n; node++) {
		bool any = false;

		for (size_t run = 0; run < p->nruns; run++) {
			self[run] = count_double(tree_self(t, node, (unsigned)run));
			any |= self[run] > 0;
		}
		if (any)
			count_node(p, node, unit, self, seen, counts);
	}
	free(self);
	free(seen);
	return counts;
}

static void choose_names(struct candidates *c, const struct profile *p, const struct candidates_how *how)
{
	double *counts = count_names(p, how->unit);

	for (uint32_t name = 0; name < p->tree.names.n; name++) {
		const double *of_name = counts + name * p->nruns;

		if (!is_worth_it(p, how, of_name))
			continue;
		memcpy(add_candidate(c, p, name)->counts, of_name, p->nruns * sizeof *of_name);
	}
	free(counts);
}

void candidates_choose(struct candidates *c, const struct profile *p, const struct candidates_how *how)
{
	if (how->unit == UNIT_PATH)
		choose_paths(c, p, how);
	else
		choose_names(c, p, how);
}

void candidates_release(struct candidates *c)
{
	free(c->items);
	arena_release(&c->memory);
	*c = (struct candidates){0};
}
