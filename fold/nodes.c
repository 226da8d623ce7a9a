/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees in which every node names its parent, and samples of their nodes. */
#include "fold/nodes.h"

#include <stdlib.h>

#define NO_OWNER UINT32_MAX

uint32_t nodes_at(struct nodes *t, int64_t id)
{
	uint32_t node = intern(&t->ids, (struct span){(const char *)&id, sizeof id});

	if (node == t->n) {
		t->items = grow(t->items, t->n, &t->cap, sizeof *t->items);
		t->items[t->n++] = (struct node){.parent = NODE_NONE, .owner = NO_OWNER};
	}
	return node;
}

struct span nodes_copy(struct nodes *t, struct span s)
{
	return s.n ? intern_span(&t->texts, intern(&t->texts, s)) : SPAN("");
}

/* The frames from a node to its root. */
static void push_frames(struct nodes *t, uint32_t node, struct chain *chain)
{
	struct frame cut = {.name = SPAN("[truncated]"), .kind = FRAME_LABEL};
	size_t most = work_most(&t->work, NODES_MAX_DEPTH);

	for (; node != NODE_NONE; node = t->items[node].parent) {
		if (chain->n == most) {
			chain_refer(chain, &cut);
			break;
		}
		if (!t->items[node].is_root)
			chain_refer(chain, &t->items[node].frame);
	}
	t->work.frames += chain->n;
}

void nodes_count(struct nodes *t, uint32_t node, struct chain *chain, struct sink *sink, struct stack *stack)
{
	struct node *item = &t->items[node];

	if (item->owner != t->owner) {
		push_frames(t, node, chain);
		if (!chain->n && !stack->comm.n)
			chain_refer(chain, &(struct frame){0});
		stack->frames = chain->frames;
		stack->nframes = chain->n;
		item->handle = sink_stack(sink, stack);
		item->owner = t->owner;
		chain_reset(chain);
	}
	sink_count(sink, item->handle, &stack->amount);
}

void nodes_forget(struct nodes *t)
{
	t->owner++;
}

void nodes_release(struct nodes *t)
{
	intern_release(&t->ids);
	intern_release(&t->texts);
	free(t->items);
	*t = (struct nodes){0};
}
