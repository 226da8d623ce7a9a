/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as the kernel wrote them, on their way into a timeline. */
#ifndef FLAMEPIPE_VERBATIM_H
#define FLAMEPIPE_VERBATIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold/timeline.h"

/* A zeroed struct but for swap and ip_register is a start. */
struct verbatim {
	bool swap;
	unsigned ip_register; /* bit of the instruction pointer among the recording machine's registers */
	uint64_t last_time, max_time; /* of the samples so far */
	uint64_t *chain; /* the one in hand */
	size_t chain_cap;
};

/* By the name of the machine as uname has it; "" is this one. */
unsigned verbatim_ip_register(const char *arch);

/* The user's registers (values has room for 64 of them) and stack, as an event with this attr samples them. False when there are
   none that can be unwound. */
bool verbatim_stack(const struct perfrec_attr *attr, bool swap, struct span regs, uint64_t abi,
    struct span stack, uint64_t *values, struct user_stack *out);

/* Pushes a sample of an event with this attr. One without a time gets that of the sample before. False when its fields do not
   fit the record. */
bool verbatim_push(struct verbatim *v, struct timeline *t, const struct perfrec *rec,
    const struct perfrec_attr *attr, uint32_t event);

void verbatim_release(struct verbatim *v);

#endif
