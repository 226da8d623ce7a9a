/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compact samples inside SAMPLES blocks: packing on the collecting side, unpacking on the reading one. */
#include "lib/sample.h"

#include <stdlib.h>

#include "lib/arena.h"
#include "lib/hash.h"
#include "lib/wire.h"

enum {
	TAG_NEW_THREAD = 1 << 0,
	TAG_SAME_THREAD = 1 << 1,
	TAG_NEW_CHAIN = 1 << 2,
	TAG_SAME_CHAIN = 1 << 3,
	TAG_EVENT = 1 << 4,
	TAG_PERIOD = 1 << 5,
	TAG_EXTRAS = 1 << 6,
	TAG_RESERVED = 1 << 7,

	/* What an epoch's chains may hold, so that a reader's memory is bounded by what it read. */
	EPOCH_ENTRIES = 65536,
	EPOCH_ENTRIES_PER_BYTE = 64,
};

static uint64_t entries_allowed(uint64_t nbytes)
{
	return EPOCH_ENTRIES + EPOCH_ENTRIES_PER_BYTE * nbytes;
}

/* A hash table from 64-bit hashes to numbers counted up from 0; the owner compares what the numbers stand for. */
struct table {
	uint64_t *hashes; /* of each slot; ids[i] = number + 1, 0 = free */
	uint32_t *ids;
	size_t nslots; /* a power of two */
	uint32_t n;
};

static void table_clear(struct table *t)
{
	if (t->n)
		memset(t->ids, 0, t->nslots * sizeof *t->ids);
	t->n = 0;
}

static void table_release(struct table *t)
{
	free(t->hashes);
	free(t->ids);
}

static size_t table_free_slot(const struct table *t, uint64_t hash)
{
	size_t i = hash & (t->nslots - 1);

	while (t->ids[i])
		i = (i + 1) & (t->nslots - 1);
	return i;
}

static void table_grow(struct table *t)
{
	struct table old = *t;

	t->nslots = old.nslots ? old.nslots * 2 : 1024;
	t->hashes = xcalloc(t->nslots, sizeof *t->hashes);
	t->ids = xcalloc(t->nslots, sizeof *t->ids);
	for (size_t i = 0; i < old.nslots; i++) {
		size_t to;

		if (!old.ids[i])
			continue;
		to = table_free_slot(t, old.hashes[i]);
		t->hashes[to] = old.hashes[i];
		t->ids[to] = old.ids[i];
	}
	table_release(&old);
}

static void table_add(struct table *t, uint64_t hash)
{
	size_t i;

	if ((size_t)t->n * 2 >= t->nslots)
		table_grow(t);
	i = table_free_slot(t, hash);
	t->hashes[i] = hash;
	t->ids[i] = ++t->n;
}

struct packed_chain {
	size_t start; /* in entries */
	uint32_t n;
};

struct packer {
	uint32_t cpu;
	size_t epoch_bytes;
	uint64_t seq;

	/* The epoch's dictionaries. */
	struct table threads;
	uint64_t *thread_ids; /* pid << 32 | tid, by number */
	size_t threads_cap;
	struct table chains;
	struct packed_chain *chain; /* by number */
	size_t chains_cap;
	uint64_t *entries; /* of all chains, one after the other */
	size_t nentries, entries_cap;
	size_t epoch_size; /* bytes of the epoch's earlier blocks */
	uint64_t shared_entries; /* entries of the epoch's chains that were written as shared */
	bool starts_epoch; /* the present block does */

	/* The present block. */
	struct str body;
	uint32_t nrecords;
	uint64_t first_ns, last_ns;
	uint32_t last_thread, last_chain, last_event;
};

struct packer *packer_open(uint32_t cpu, size_t epoch_bytes)
{
	struct packer *p = xcalloc(1, sizeof *p);

	p->cpu = cpu;
	p->epoch_bytes = epoch_bytes;
	p->starts_epoch = true;
	return p;
}

void packer_close(struct packer *p)
{
	if (!p)
		return;
	table_release(&p->threads);
	table_release(&p->chains);
	free(p->thread_ids);
	free(p->chain);
	free(p->entries);
	str_release(&p->body);
	free(p);
}

size_t packer_nbytes(const struct packer *p)
{
	return p->nrecords ? p->body.n : 0;
}

/* The number of a thread; *is_new when it had none. */
static uint32_t number_thread(struct packer *p, uint32_t pid, uint32_t tid, bool *is_new)
{
	uint64_t key = (uint64_t)pid << 32 | tid, hash;
	struct table *t = &p->threads;

	*is_new = false;
	if (p->last_thread != UINT32_MAX && p->thread_ids[p->last_thread] == key)
		return p->last_thread;
	hash = hash64(&key, sizeof key);
	for (size_t i = hash & (t->nslots - 1); t->nslots && t->ids[i]; i = (i + 1) & (t->nslots - 1))
		if (t->hashes[i] == hash && p->thread_ids[t->ids[i] - 1] == key)
			return t->ids[i] - 1;
	*is_new = true;
	p->thread_ids = grow(p->thread_ids, t->n, &p->threads_cap, sizeof *p->thread_ids);
	p->thread_ids[t->n] = key;
	table_add(t, hash);
	return t->n - 1;
}

static bool is_chain(const struct packer *p, uint32_t number, const struct sample *s)
{
	const struct packed_chain *c = &p->chain[number];

	return c->n == s->nchain &&
	       (c->n == 0 || memcmp(p->entries + c->start, s->chain, c->n * sizeof *s->chain) == 0);
}

static void keep_chain(struct packer *p, const struct sample *s, uint64_t hash)
{
	while (p->entries_cap < p->nentries + s->nchain) {
		p->entries_cap = p->entries_cap ? p->entries_cap * 2 : CHAIN_MAX;
		p->entries = xreallocarray(p->entries, p->entries_cap, sizeof *p->entries);
	}
	p->chain = grow(p->chain, p->chains.n, &p->chains_cap, sizeof *p->chain);
	p->chain[p->chains.n] = (struct packed_chain){p->nentries, s->nchain};
	if (s->nchain)
		memcpy(p->entries + p->nentries, s->chain, s->nchain * sizeof *s->chain);
	p->nentries += s->nchain;
	table_add(&p->chains, hash);
}

/* The number of a callchain; *is_new when it had none. */
static uint32_t number_chain(struct packer *p, const struct sample *s, bool *is_new)
{
	struct table *t = &p->chains;
	uint64_t hash;

	*is_new = false;
	if (p->last_chain != UINT32_MAX && is_chain(p, p->last_chain, s))
		return p->last_chain;
	hash = hash64(s->chain, s->nchain * sizeof *s->chain);
	for (size_t i = hash & (t->nslots - 1); t->nslots && t->ids[i]; i = (i + 1) & (t->nslots - 1))
		if (t->hashes[i] == hash && is_chain(p, t->ids[i] - 1, s))
			return t->ids[i] - 1;
	*is_new = true;
	keep_chain(p, s, hash);
	return t->n - 1;
}

/* Entries at the root end that the newest chain has in common with the one before it. */
static uint32_t shared_with_previous(const struct packer *p)
{
	const struct packed_chain *now = &p->chain[p->chains.n - 1];
	const struct packed_chain *before = now - 1;
	uint32_t n = 0;

	if (p->chains.n < 2)
		return 0;
	while (n < now->n && n < before->n &&
	       p->entries[now->start + now->n - 1 - n] == p->entries[before->start + before->n - 1 - n])
		n++;
	return n;
}

static void put_chain(struct packer *p)
{
	const struct packed_chain *c = &p->chain[p->chains.n - 1];
	uint32_t shared = shared_with_previous(p);
	unsigned char *to;
	uint64_t before = 0;

	if (p->shared_entries + c->n > entries_allowed(p->epoch_size + p->body.n))
		shared = 0;
	p->shared_entries += shared ? c->n : 0;
	to = (unsigned char *)str_room(&p->body, 20 + 10 * (size_t)c->n);
	to = put_varint(to, shared);
	to = put_varint(to, c->n - shared);
	for (uint32_t i = 0; i < c->n - shared; i++) {
		uint64_t entry = p->entries[c->start + i];

		to = put_zigzag(to, (int64_t)(entry - before));
		before = entry;
	}
	p->body.n = (size_t)((char *)to - p->body.p);
}

static void put_extras(struct packer *p, const struct sample *s)
{
	put_number(&p->body, s->nextras);
	for (uint32_t i = 0; i < s->nextras; i++) {
		put_number(&p->body, s->extras[i].kind);
		put_string(&p->body, s->extras[i].bytes);
	}
}

static void start_block(struct packer *p, uint64_t time_ns)
{
	if (p->starts_epoch) {
		table_clear(&p->threads);
		table_clear(&p->chains);
		p->nentries = 0;
		p->epoch_size = 0;
		p->shared_entries = 0;
	}
	p->first_ns = p->last_ns = time_ns;
	p->last_thread = p->last_chain = UINT32_MAX;
	p->last_event = 0;
}

bool packer_add(struct packer *p, const struct sample *s)
{
	bool new_thread, new_chain;
	uint32_t thread, chain;
	unsigned tag;
	unsigned char *to;

	if (!p->nrecords)
		start_block(p, s->time_ns);
	thread = number_thread(p, s->pid, s->tid, &new_thread);
	chain = number_chain(p, s, &new_chain);
	tag = (unsigned)(new_thread		    ? TAG_NEW_THREAD
			 : thread == p->last_thread ? TAG_SAME_THREAD
						    : 0) |
	      (unsigned)(new_chain		  ? TAG_NEW_CHAIN
			 : chain == p->last_chain ? TAG_SAME_CHAIN
						  : 0) |
	      (s->event != p->last_event ? TAG_EVENT : 0) | (s->period ? TAG_PERIOD : 0) |
	      (s->nextras ? TAG_EXTRAS : 0);
	to = (unsigned char *)str_room(&p->body, 64);
	*to++ = (unsigned char)tag;
	to = put_zigzag(to, (int64_t)(s->time_ns - p->last_ns));
	if (tag & TAG_NEW_THREAD)
		to = put_zigzag(put_zigzag(to, (int32_t)s->pid), (int32_t)s->tid);
	else if (!(tag & TAG_SAME_THREAD))
		to = put_varint(to, thread);
	p->body.n = (size_t)((char *)to - p->body.p);
	if (tag & TAG_NEW_CHAIN)
		put_chain(p);
	else if (!(tag & TAG_SAME_CHAIN))
		put_number(&p->body, chain);
	if (tag & TAG_EVENT)
		put_number(&p->body, s->event);
	if (tag & TAG_PERIOD)
		put_number(&p->body, s->period);
	if (tag & TAG_EXTRAS)
		put_extras(p, s);
	p->last_ns = s->time_ns;
	p->last_thread = thread;
	p->last_chain = chain;
	p->last_event = s->event;
	p->nrecords++;
	return new_chain;
}

uint32_t packer_chain(const struct packer *p)
{
	return p->last_chain;
}

void packer_take(struct packer *p, struct block *b)
{
	*b = (struct block){
	    .type = BLOCK_SAMPLES,
	    .flags = p->starts_epoch ? BLOCK_EPOCH : 0,
	    .cpu = p->cpu,
	    .nrecords = p->nrecords,
	    .seq = p->seq++,
	    .first_ns = p->first_ns,
	    .last_ns = p->last_ns,
	    .body = str_span(&p->body),
	};
	p->epoch_size += p->body.n;
	p->starts_epoch = p->epoch_size >= p->epoch_bytes;
	p->body.n = 0;
	p->nrecords = 0;
}

/* A chain as it stands in the recording: its new entries, and the rest in an earlier chain. owner is the newest earlier chain
   that itself brought the entry at the place where this one's new part ends, so following owners takes at most as many steps
   as the chain has entries. */
struct unpacked_chain {
	size_t start; /* of the new entries */
	uint32_t n, nnew;
	uint32_t owner; /* number + 1; 0 = none, then n == nnew */
};

struct unpacker {
	struct wire w;
	uint32_t left; /* samples of the block that are still to come */
	uint64_t first_ns, last_ns;
	uint32_t last_thread, last_chain, last_event;

	bool usable; /* the epoch was read without a gap so far */
	uint64_t next_seq;
	uint64_t *threads;
	size_t nthreads, threads_cap;
	struct unpacked_chain *chains;
	size_t nchains, chains_cap;
	uint64_t *entries;
	size_t nentries, entries_cap;
	uint64_t epoch_size;
	const unsigned char *block_start;
	uint64_t shared_entries;

	uint64_t *scratch; /* a whole chain */
	size_t scratch_cap;
	struct sample_extra *extras;
	size_t extras_cap;
};

struct unpacker *unpacker_open(void)
{
	return xcalloc(1, sizeof(struct unpacker));
}

void unpacker_close(struct unpacker *u)
{
	if (!u)
		return;
	free(u->threads);
	free(u->chains);
	free(u->entries);
	free(u->scratch);
	free(u->extras);
	free(u);
}

bool unpacker_block(struct unpacker *u, const struct block *b)
{
	if (b->flags & BLOCK_EPOCH) {
		u->nthreads = u->nchains = u->nentries = 0;
		u->epoch_size = u->shared_entries = 0;
		u->usable = true;
	} else if (b->seq != u->next_seq) {
		u->usable = false;
	}
	u->next_seq = b->seq + 1;
	u->w = wire_init(b->body.p, b->body.n, false);
	u->block_start = u->w.p;
	u->left = b->nrecords;
	u->first_ns = u->last_ns = b->first_ns;
	u->last_thread = u->last_chain = UINT32_MAX;
	u->last_event = 0;
	return u->usable;
}

uint32_t unpacker_left(const struct unpacker *u)
{
	return u->left;
}

const uint64_t *unpacker_chain(struct unpacker *u, uint32_t chain_id, uint32_t *nchain)
{
	const struct unpacked_chain *c = &u->chains[chain_id];
	uint32_t n = c->n, done = 0;

	if (u->scratch_cap < n) {
		u->scratch_cap = n;
		u->scratch = xreallocarray(u->scratch, n, sizeof *u->scratch);
	}
	*nchain = n;
	while (done < n) {
		/* The last n - done entries of c, the first of which is one of its new ones. */
		uint32_t skip = c->n - (n - done);
		uint32_t take = c->nnew - skip;

		memcpy(u->scratch + done, u->entries + c->start + skip, take * sizeof *u->scratch);
		done += take;
		if (c->owner)
			c = &u->chains[c->owner - 1];
	}
	return u->scratch;
}

/* The chain that itself brought the entry which is the shared-th from the root: number + 1. */
static uint32_t find_owner(const struct unpacker *u, uint32_t shared)
{
	uint32_t owner = (uint32_t)u->nchains;

	while (u->chains[owner - 1].n - u->chains[owner - 1].nnew >= shared)
		owner = u->chains[owner - 1].owner;
	return owner;
}

/* Reads a chain's definition; its number is nchains - 1 then. */
static bool define_chain(struct unpacker *u)
{
	uint64_t shared = wire_varint(&u->w);
	uint64_t nnew = wire_varint(&u->w);
	uint64_t entry = 0;
	struct unpacked_chain c;

	if (u->w.failed || nnew > wire_left(&u->w) ||
	    shared > (u->nchains ? u->chains[u->nchains - 1].n : 0) || shared + nnew > CHAIN_MAX ||
	    u->nchains >= UINT32_MAX - 1)
		return false;
	u->shared_entries += shared ? shared + nnew : 0;
	if (u->shared_entries > entries_allowed(u->epoch_size + (uint64_t)(u->w.p - u->block_start)))
		return false;
	c = (struct unpacked_chain){u->nentries, (uint32_t)(shared + nnew), (uint32_t)nnew, 0};
	if (shared)
		c.owner = find_owner(u, (uint32_t)shared);
	for (uint64_t i = 0; i < nnew; i++) {
		entry += (uint64_t)wire_zigzag(&u->w);
		u->entries = grow(u->entries, u->nentries, &u->entries_cap, sizeof *u->entries);
		u->entries[u->nentries++] = entry;
	}
	u->chains = grow(u->chains, u->nchains, &u->chains_cap, sizeof *u->chains);
	u->chains[u->nchains++] = c;
	return !u->w.failed;
}

static bool read_thread(struct unpacker *u, unsigned tag, struct sample *s)
{
	uint64_t number = u->last_thread;

	if (tag & TAG_NEW_THREAD) {
		uint64_t pid = (uint32_t)wire_zigzag(&u->w);

		u->threads = grow(u->threads, u->nthreads, &u->threads_cap, sizeof *u->threads);
		u->threads[u->nthreads] = pid << 32 | (uint32_t)wire_zigzag(&u->w);
		number = u->nthreads++;
	} else if (!(tag & TAG_SAME_THREAD)) {
		number = wire_varint(&u->w);
	}
	if (u->w.failed || number >= u->nthreads)
		return false;
	u->last_thread = (uint32_t)number;
	s->pid = (uint32_t)(u->threads[number] >> 32);
	s->tid = (uint32_t)u->threads[number];
	return true;
}

static bool read_chain(struct unpacker *u, unsigned tag, struct sample *s)
{
	uint64_t number = u->last_chain;

	if (tag & TAG_NEW_CHAIN) {
		if (!define_chain(u))
			return false;
		number = u->nchains - 1;
	} else if (!(tag & TAG_SAME_CHAIN)) {
		number = wire_varint(&u->w);
	}
	if (u->w.failed || number >= u->nchains)
		return false;
	u->last_chain = (uint32_t)number;
	s->chain_id = (uint32_t)number;
	s->new_chain = tag & TAG_NEW_CHAIN;
	s->nchain = u->chains[number].n;
	if (s->new_chain)
		s->chain = unpacker_chain(u, s->chain_id, &s->nchain);
	return true;
}

static bool read_extras(struct unpacker *u, struct sample *s)
{
	uint64_t n = wire_varint(&u->w);

	if (n > wire_left(&u->w))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		u->extras = grow(u->extras, i, &u->extras_cap, sizeof *u->extras);
		u->extras[i].kind = wire_varint(&u->w);
		u->extras[i].bytes = wire_str(&u->w);
	}
	s->extras = u->extras;
	s->nextras = (uint32_t)n;
	return !u->w.failed;
}

static bool read_sample(struct unpacker *u, struct sample *s)
{
	unsigned tag = wire_u8(&u->w);
	uint64_t event;

	*s = (struct sample){.event = u->last_event};
	s->time_ns = u->last_ns += (uint64_t)wire_zigzag(&u->w);
	if (tag & TAG_RESERVED || u->w.failed || !read_thread(u, tag, s) || !read_chain(u, tag, s))
		return false;
	if (tag & TAG_EVENT) {
		event = wire_varint(&u->w);
		if (event > UINT32_MAX)
			return false;
		s->event = u->last_event = (uint32_t)event;
	}
	if (tag & TAG_PERIOD)
		s->period = wire_varint(&u->w);
	return !u->w.failed && (!(tag & TAG_EXTRAS) || read_extras(u, s));
}

bool unpacker_next(struct unpacker *u, struct sample *s, bool *bad)
{
	*bad = false;
	if (u->usable && u->left && read_sample(u, s)) {
		u->left--;
		return true;
	}
	*bad = u->usable && (u->left || wire_left(&u->w));
	if (*bad)
		u->usable = false;
	u->epoch_size += (uint64_t)(u->w.end - u->block_start);
	u->block_start = u->w.p = u->w.end;
	return false;
}
