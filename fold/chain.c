/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks in the making: frame by frame, or as the way to a row of a call tree. */
#include "fold/chain.h"

#include <stdlib.h>

struct span chain_copy(struct chain *c, struct span s)
{
	return (struct span){s.n ? arena_copy(&c->text, s.p, s.n) : "", s.n};
}

void chain_refer(struct chain *c, const struct frame *f)
{
	static const struct frame truncated = {.name = SPAN("[truncated]"), .kind = FRAME_LABEL};

	if (c->n == CHAIN_MAX_FRAMES) {
		c->frames[c->n - 1] = truncated;
		return;
	}
	c->frames = grow(c->frames, c->n, &c->cap, sizeof *c->frames);
	c->frames[c->n++] = *f;
}

void chain_push(struct chain *c, const struct frame *f)
{
	struct frame copy = *f;

	if (c->n == CHAIN_MAX_FRAMES) {
		chain_refer(c, f);
		return;
	}
	copy.name = chain_copy(c, f->name);
	copy.module = chain_copy(c, f->module);
	copy.file = chain_copy(c, f->file);
	chain_refer(c, &copy);
}

void chain_reverse(struct chain *c)
{
	for (size_t i = 0; i < c->n / 2; i++) {
		struct frame f = c->frames[i];

		c->frames[i] = c->frames[c->n - 1 - i];
		c->frames[c->n - 1 - i] = f;
	}
}

void chain_reset(struct chain *c)
{
	c->n = 0;
	arena_reset(&c->text);
}

void chain_release(struct chain *c)
{
	free(c->frames);
	arena_release(&c->text);
	*c = (struct chain){0};
}

void chain_add(struct chain *c, struct sink *sink, struct stack *stack, u128 n)
{
	stack->frames = c->frames;
	stack->nframes = c->n;
	stack->amount.weight = n;
	stack->amount.samples = n;
	sink_add(sink, stack);
}

struct span path_copy(struct path *p, struct span s)
{
	return s.n ? intern_span(&p->names, intern(&p->names, s)) : SPAN("");
}

size_t work_most(const struct work *w, size_t n)
{
	uint64_t limit = WORK_BASE + WORK_PER_BYTE * (w->in ? w->in->offset : 0);

	return n > WORK_SHORT && w->frames > limit ? WORK_SHORT : n;
}

/* The n innermost frames of the rows, leaf first; cut ones are marked. */
static void turn(struct path *p, size_t n)
{
	static const struct frame truncated = {.name = SPAN("[truncated]"), .kind = FRAME_LABEL};

	for (size_t i = 0; i < n; i++)
		p->turned[i] = p->from_leaf ? p->frames[i] : p->frames[p->n - 1 - i];
	if (n < p->n)
		p->turned[n - 1] = truncated;
}

void path_self(struct path *p, u128 count)
{
	struct stack stack = p->stack;

	if (!count)
		return;
	stack.nframes = work_most(&p->work, p->n);
	p->work.frames += stack.nframes;
	turn(p, stack.nframes);
	stack.frames = p->turned;
	stack.amount.weight = count;
	if (p->us)
		stack.amount.time_us = count_scale(count, p->us, 1);
	else
		stack.amount.samples = count;
	sink_add(p->sink, &stack);
}

void path_leave(struct path *p, size_t depth)
{
	for (; p->n > depth; p->n--)
		path_self(p, p->left[p->n - 1]);
}

bool path_enter(struct path *p, size_t depth, const struct frame *f, u128 inclusive)
{
	path_leave(p, depth);
	if (depth > p->n || depth == PATH_MAX_DEPTH || (depth && p->left[depth - 1] < inclusive))
		return false;
	if (depth)
		p->left[depth - 1] -= inclusive;
	p->frames = grow(p->frames, p->n, &p->frames_cap, sizeof *p->frames);
	p->turned = grow(p->turned, p->n, &p->turned_cap, sizeof *p->turned);
	p->left = grow(p->left, p->n, &p->left_cap, sizeof *p->left);
	p->left[p->n] = inclusive;
	p->frames[p->n++] = *f;
	return true;
}

void path_release(struct path *p)
{
	free(p->frames);
	free(p->turned);
	free(p->left);
	intern_release(&p->names);
}
