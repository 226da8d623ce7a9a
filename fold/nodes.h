/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees in which every node names its parent, as JSON formats hold them, and samples of their nodes. */
#ifndef FLAMEPIPE_NODES_H
#define FLAMEPIPE_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/chain.h"
#include "fold/sink.h"
#include "lib/frame.h"
#include "lib/intern.h"

#define NODE_NONE UINT32_MAX

/* Deeper stacks are cut and marked [truncated]: this also bounds what a cycle of parents, or a chain of nodes that are all sampled, can ask for. */
enum { NODES_MAX_DEPTH = 8192 };

/* Nodes are numbered from 0 in order of first mention. A zeroed struct is empty. */
struct nodes {
	struct work work;
	struct intern ids; /* the format's own numbers */
	struct intern texts;
	struct node {
		struct frame frame;
		uint32_t parent; /* or NODE_NONE */
		uint32_t handle; /* of the sink, for samples of the owner */
		uint32_t owner;
		bool is_root; /* stands for the whole and is shown nowhere */
	} * items;
	size_t n, cap;
	uint32_t owner; /* counts up from 0 with nodes_forget */
};

/* The node of the format's own number. */
uint32_t nodes_at(struct nodes *t, int64_t id);

/* A copy of s that lives until nodes_release. */
struct span nodes_copy(struct nodes *t, struct span s);

/* Counts a node's stack; stack has what all samples of these nodes have in common. A node that was only mentioned is unknown. */
void nodes_count(struct nodes *t, uint32_t node, struct chain *chain, struct sink *sink, struct stack *stack);

/* Samples of another thread follow: what they have in common is another thing now. */
void nodes_forget(struct nodes *t);

void nodes_release(struct nodes *t);

#endif
