/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples as the kernel wrote them, on their way into a timeline. */
#include "fold/verbatim.h"

#include <stdlib.h>
#include <sys/utsname.h>

#include "lib/arena.h"

enum { IP_X86 = 8, IP_ARM64 = 32, IP_ARM = 15, IP_RISCV = 0 };

unsigned verbatim_ip_register(const char *arch)
{
	struct utsname here;

	if (!*arch && uname(&here) == 0)
		arch = here.machine;
	if (strncmp(arch, "aarch64", 7) == 0)
		return IP_ARM64;
	if (strncmp(arch, "arm", 3) == 0)
		return IP_ARM;
	return strncmp(arch, "riscv", 5) == 0 ? IP_RISCV : IP_X86;
}

static bool has_user_part(const uint64_t *chain, uint32_t n, enum perfrec_mode mode)
{
	for (uint32_t i = 0; i < n; i++)
		if (chain[i] >= CONTEXT_FIRST)
			mode = chain[i] == CONTEXT_USER ? MODE_USER : MODE_UNKNOWN;
		else if (mode == MODE_USER)
			return true;
	return false;
}

/* Where the user's program stood, by its registers; 0 when they do not tell. */
static uint64_t user_ip(
    const struct verbatim *v, const struct perfrec_attr *attr, const struct perfrec_sample *s)
{
	uint64_t below = attr->regs_user & ((1ull << v->ip_register) - 1), ip = 0;
	size_t at = 8 * (size_t)__builtin_popcountll(below);

	if (s->regs_abi && attr->regs_user >> v->ip_register & 1 && at + 8 <= s->regs.n)
		perfrec_u64s((struct span){s->regs.p + at, 8}, v->swap, &ip, 1);
	return ip;
}

/* The number of the chain: what the kernel walked, or at least the instruction sampled; then the user's side by its registers
   where the kernel was told to leave that to us. */
static uint32_t make_chain(struct verbatim *v, struct timeline *t, enum perfrec_mode mode,
    const struct perfrec_attr *attr, const struct perfrec_sample *s)
{
	uint32_t n = s->nchain, first = 0;
	bool exact = true;
	uint64_t ip;

	if (v->chain_cap < (size_t)n + 4) {
		v->chain_cap = (size_t)n + 1024;
		v->chain = xreallocarray(v->chain, v->chain_cap, sizeof *v->chain);
	}
	perfrec_u64s(s->chain, v->swap, v->chain, n);
	while (first < n && v->chain[first] >= CONTEXT_FIRST)
		first++;
	if (first == n && attr->sample_type & SAMPLE_IP) {
		v->chain[0] = s->ip;
		n = s->ip ? 1 : 0;
	} else if (attr->sample_type & SAMPLE_IP) {
		exact = v->chain[first] == s->ip;
	}
	ip = attr->regs_user ? user_ip(v, attr, s) : 0;
	if (ip && !has_user_part(v->chain, n, mode)) {
		v->chain[n++] = CONTEXT_USER;
		v->chain[n++] = ip;
	}
	return timeline_chain(t, v->chain, n, mode, exact);
}

bool verbatim_stack(const struct perfrec_attr *attr, bool swap, struct span regs, uint64_t abi,
    struct span stack, uint64_t *values, struct user_stack *out)
{
	size_t n = (size_t)__builtin_popcountll(attr->regs_user);

	/* All machines that are unwound for are little-endian. */
	if (swap || !abi || !stack.n || !n || regs.n < 8 * n)
		return false;
	perfrec_u64s(regs, swap, values, n);
	*out = (struct user_stack){abi, attr->regs_user, values, stack};
	return true;
}

bool verbatim_push(struct verbatim *v, struct timeline *t, const struct perfrec *rec,
    const struct perfrec_attr *attr, uint32_t event)
{
	struct perfrec_sample s;
	struct timeline_sample out;
	struct user_stack stack;
	uint64_t regs[64];
	bool has_stack;

	if (!perfrec_sample_parse(rec, attr, v->swap, &s))
		return false;
	if (!(attr->sample_type & SAMPLE_TIME))
		s.time = v->last_time;
	v->last_time = s.time;
	if (s.time > v->max_time)
		v->max_time = s.time;
	out = (struct timeline_sample){
	    .time = s.time,
	    .period = s.period ? s.period : 1,
	    .pid = s.pid,
	    .tid = s.tid,
	    .cpu = s.cpu,
	    .event = event,
	    .chain = make_chain(v, t, (enum perfrec_mode)(rec->misc & MISC_MODE_MASK), attr, &s),
	};
	has_stack = verbatim_stack(attr, v->swap, s.regs, s.regs_abi, s.stack, regs, &stack);
	timeline_push(t, &out, has_stack ? &stack : NULL);
	return true;
}

void verbatim_release(struct verbatim *v)
{
	free(v->chain);
}
