/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's record ABI as bytes that nobody has checked. */
#include "lib/perfrec.h"

#include "lib/wire.h"

enum {
	ATTR_SIZE_VER0 = 64,
	FLAG_INHERIT = 1,
	FLAG_EXCLUDE_USER = 4,
	FLAG_EXCLUDE_KERNEL = 5,
	FLAG_EXCLUDE_HV = 6,
	FLAG_FREQ = 10,
	FLAG_PRECISE = 15, /* and 16 */
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_BUILD_ID = 34,

	FORMAT_TIME_ENABLED = 1 << 0,
	FORMAT_TIME_RUNNING = 1 << 1,
	FORMAT_ID = 1 << 2,
	FORMAT_GROUP = 1 << 3,
	FORMAT_LOST = 1 << 4,

	BRANCH_HW_INDEX = 1 << 17,
	BRANCH_COUNTERS = 1 << 19,
	BRANCH_ENTRY_SIZE = 24,
	BUILD_ID_MAX = 20,
};

/* Bit-fields are laid out from the other end on big-endian machines: the bytes keep their order, the bits in them do not. */
static bool attr_flag(struct span flags, bool big_endian, unsigned bit)
{
	unsigned in_byte = big_endian ? 7 - bit % 8 : bit % 8;

	return ((unsigned char)flags.p[bit / 8] >> in_byte) & 1;
}

static bool is_big_endian(bool swap)
{
	return swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

bool perfrec_attr_parse(struct span bytes, bool swap, struct perfrec_attr *attr)
{
	struct wire w = wire_init(bytes.p, bytes.n, swap);
	bool big = is_big_endian(swap);
	uint64_t rate;
	struct span flags;

	*attr = (struct perfrec_attr){0};
	if (bytes.n < ATTR_SIZE_VER0)
		return false;
	attr->type = wire_u32(&w);
	attr->size = wire_u32(&w);
	attr->config = wire_u64(&w);
	rate = wire_u64(&w);
	attr->sample_type = wire_u64(&w);
	attr->read_format = wire_u64(&w);
	flags = wire_bytes(&w, 8);
	/* An attr of size 0 is of the first version. What lies after its own size belongs to somebody else. */
	if (attr->size < ATTR_SIZE_VER0)
		attr->size = ATTR_SIZE_VER0;
	if (attr->size < bytes.n)
		w.end = (const unsigned char *)bytes.p + attr->size;
	attr->freq = attr_flag(flags, big, FLAG_FREQ);
	*(attr->freq ? &attr->freq_hz : &attr->period) = rate;
	attr->inherit = attr_flag(flags, big, FLAG_INHERIT);
	attr->exclude_user = attr_flag(flags, big, FLAG_EXCLUDE_USER);
	attr->exclude_kernel = attr_flag(flags, big, FLAG_EXCLUDE_KERNEL);
	attr->exclude_hv = attr_flag(flags, big, FLAG_EXCLUDE_HV);
	attr->precise = attr_flag(flags, big, FLAG_PRECISE) || attr_flag(flags, big, FLAG_PRECISE + 1);
	attr->sample_id_all = attr_flag(flags, big, FLAG_SAMPLE_ID_ALL);
	attr->build_id = attr_flag(flags, big, FLAG_BUILD_ID);
	wire_skip(&w, 24); /* wakeup, bp_type, config1, config2 */
	attr->branch_type = wire_u64(&w);
	attr->regs_user = wire_u64(&w);
	attr->stack_user = wire_u32(&w);
	wire_skip(&w, 4); /* clockid */
	attr->regs_intr = wire_u64(&w);
	return true;
}

static const char *const HARDWARE[] = {"cycles", "instructions", "cache-references", "cache-misses",
    "branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend",
    "ref-cycles"};
static const char *const SOFTWARE[] = {"cpu-clock", "task-clock", "page-faults", "context-switches",
    "cpu-migrations", "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
    "bpf-output", "cgroup-switches"};
static const char *const KINDS[] = {"hardware", "software", "tracepoint", "cache", "raw", "breakpoint"};

void perfrec_event_name(const struct perfrec_attr *attr, struct str *out)
{
	uint64_t config = attr->config;

	if (attr->type == 0 && (config & UINT32_MAX) < sizeof HARDWARE / sizeof *HARDWARE)
		str_adds(out, HARDWARE[config & UINT32_MAX]);
	else if (attr->type == 1 && config < sizeof SOFTWARE / sizeof *SOFTWARE)
		str_adds(out, SOFTWARE[config]);
	else if (attr->type < sizeof KINDS / sizeof *KINDS)
		str_addf(out, "%s 0x%llx", KINDS[attr->type], (unsigned long long)config);
	else
		str_addf(out, "pmu %u 0x%llx", attr->type, (unsigned long long)config);
	if (attr->exclude_kernel && !attr->exclude_user)
		str_adds(out, ":u");
	else if (attr->exclude_user && !attr->exclude_kernel)
		str_adds(out, ":k");
}

bool perfrec_parse(struct span bytes, bool swap, struct perfrec *rec, size_t *size)
{
	struct wire w = wire_init(bytes.p, bytes.n, swap);

	*size = PERFREC_HEADER_SIZE;
	if (bytes.n < PERFREC_HEADER_SIZE)
		return false;
	rec->type = wire_u32(&w);
	rec->misc = wire_u16(&w);
	rec->size = wire_u16(&w);
	*size = rec->size < PERFREC_HEADER_SIZE ? 0 : rec->size;
	if (!*size || bytes.n < rec->size)
		return false;
	rec->body = wire_bytes(&w, rec->size - (size_t)PERFREC_HEADER_SIZE);
	return true;
}

void perfrec_mistrust(struct perfrec *rec, const struct perfrec_attr *attr)
{
	if (rec->type == PERFREC_MMAP2 && !attr->build_id)
		rec->misc &= (uint16_t)~MISC_MMAP_BUILD_ID;
}

void perfrec_u64s(struct span bytes, bool swap, uint64_t *to, size_t n)
{
	if (n)
		memcpy(to, bytes.p, n * sizeof *to);
	if (swap)
		for (size_t i = 0; i < n; i++)
			to[i] = __builtin_bswap64(to[i]);
}

static struct wire body_of(const struct perfrec *rec, bool swap)
{
	return wire_init(rec->body.p, rec->body.n, swap);
}

/* Bytes of the sample_id fields. */
static size_t id_size(uint64_t sample_type)
{
	const uint64_t fields =
	    SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER;

	return 8 * (size_t)__builtin_popcountll(sample_type & fields);
}

void perfrec_id_parse(
    const struct perfrec *rec, const struct perfrec_attr *attr, bool swap, struct perfrec_id *id)
{
	size_t n = id_size(attr->sample_type);
	uint64_t type = attr->sample_type;
	struct wire w;

	*id = (struct perfrec_id){0};
	if (!attr->sample_id_all || n > rec->body.n || rec->type >= PERFREC_USER_FIRST)
		return;
	w = wire_init(rec->body.p + rec->body.n - n, n, swap);
	if (type & SAMPLE_TID) {
		id->pid = wire_u32(&w);
		id->tid = wire_u32(&w);
	}
	if (type & SAMPLE_TIME) {
		id->time = wire_u64(&w);
		id->has_time = true;
	}
	if (type & SAMPLE_ID)
		id->id = wire_u64(&w);
	if (type & SAMPLE_STREAM_ID)
		wire_u64(&w);
	if (type & SAMPLE_CPU) {
		id->cpu = wire_u32(&w);
		wire_u32(&w);
	}
	if (type & SAMPLE_IDENTIFIER)
		id->id = wire_u64(&w);
}

bool perfrec_sample_id(const struct perfrec *rec, const struct perfrec_attr *attr, bool swap, uint64_t *id)
{
	const uint64_t before = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR;
	struct wire w = body_of(rec, swap);

	if (!(attr->sample_type & (SAMPLE_IDENTIFIER | SAMPLE_ID)))
		return false;
	if (!(attr->sample_type & SAMPLE_IDENTIFIER))
		wire_skip(&w, 8 * (size_t)__builtin_popcountll(attr->sample_type & before));
	*id = wire_u64(&w);
	return !w.failed;
}

/* The values of the counters that PERF_SAMPLE_READ adds. */
static void skip_read(struct wire *w, uint64_t format)
{
	uint64_t n = 1;
	size_t times = ((format & FORMAT_TIME_ENABLED) != 0) + (size_t)((format & FORMAT_TIME_RUNNING) != 0);
	size_t each = 1 + (size_t)((format & FORMAT_ID) != 0) + ((format & FORMAT_LOST) != 0);

	if (format & FORMAT_GROUP)
		n = wire_u64(w);
	wire_skip(w, 8 * times);
	if (n > wire_left(w) / 8)
		w->failed = true;
	else
		wire_skip(w, 8 * each * (size_t)n);
}

/* n entries of size bytes each, n from the wire. */
static struct span read_array(struct wire *w, uint64_t n, size_t size)
{
	if (n > wire_left(w) / size) {
		w->failed = true;
		return (struct span){"", 0};
	}
	return wire_bytes(w, (size_t)n * size);
}

static struct span read_branches(struct wire *w, uint64_t branch_type)
{
	uint64_t n = wire_u64(w);
	struct span entries;

	if (branch_type & BRANCH_HW_INDEX)
		wire_u64(w);
	entries = read_array(w, n, BRANCH_ENTRY_SIZE);
	if (branch_type & BRANCH_COUNTERS)
		read_array(w, n, 8);
	return entries;
}

static struct span read_regs(struct wire *w, uint64_t mask, uint64_t *abi)
{
	*abi = wire_u64(w);
	return *abi ? wire_bytes(w, 8 * (size_t)__builtin_popcountll(mask)) : (struct span){"", 0};
}

static struct span read_stack(struct wire *w)
{
	uint64_t n = wire_u64(w), copied;
	struct span stack = {"", 0};

	if (!n)
		return stack;
	stack = read_array(w, n, 1);
	copied = wire_u64(w);
	if (copied < stack.n)
		stack.n = (size_t)copied;
	return stack;
}

/* The fields that only some profilers ask for, in the order of the ABI from PERF_SAMPLE_RAW on. */
static void read_extras(struct wire *w, const struct perfrec_attr *attr, struct perfrec_sample *s)
{
	uint64_t type = attr->sample_type, abi;

	if (type & SAMPLE_RAW)
		s->raw = read_array(w, wire_u32(w), 1);
	if (type & SAMPLE_BRANCH_STACK)
		s->branches = read_branches(w, attr->branch_type);
	if (type & SAMPLE_REGS_USER)
		s->regs = read_regs(w, attr->regs_user, &s->regs_abi);
	if (type & SAMPLE_STACK_USER)
		s->stack = read_stack(w);
	if (type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		s->weight = wire_u64(w);
	if (type & SAMPLE_DATA_SRC)
		s->data_src = wire_u64(w);
	if (type & SAMPLE_TRANSACTION)
		wire_u64(w);
	if (type & SAMPLE_REGS_INTR)
		read_regs(w, attr->regs_intr, &abi);
	if (type & SAMPLE_PHYS_ADDR)
		wire_u64(w);
	if (type & SAMPLE_CGROUP)
		s->cgroup = wire_u64(w);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		wire_u64(w);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		wire_u64(w);
	if (type & SAMPLE_AUX)
		read_array(w, wire_u64(w), 1);
}

bool perfrec_sample_parse(
    const struct perfrec *rec, const struct perfrec_attr *attr, bool swap, struct perfrec_sample *s)
{
	struct wire w = body_of(rec, swap);
	uint64_t type = attr->sample_type;

	memset(s, 0, sizeof *s);
	s->period = attr->period;
	if (type & SAMPLE_IDENTIFIER)
		s->id = wire_u64(&w);
	if (type & SAMPLE_IP)
		s->ip = wire_u64(&w);
	if (type & SAMPLE_TID) {
		s->pid = wire_u32(&w);
		s->tid = wire_u32(&w);
	}
	if (type & SAMPLE_TIME)
		s->time = wire_u64(&w);
	if (type & SAMPLE_ADDR)
		s->addr = wire_u64(&w);
	if (type & SAMPLE_ID)
		s->id = wire_u64(&w);
	if (type & SAMPLE_STREAM_ID)
		s->stream_id = wire_u64(&w);
	if (type & SAMPLE_CPU) {
		s->cpu = wire_u32(&w);
		wire_u32(&w);
	}
	if (type & SAMPLE_PERIOD)
		s->period = wire_u64(&w);
	if (type & SAMPLE_READ)
		skip_read(&w, attr->read_format);
	if (type & SAMPLE_CALLCHAIN) {
		s->chain = read_array(&w, wire_u64(&w), 8);
		s->nchain = (uint32_t)(s->chain.n / 8);
	}
	if (type >> 10)
		read_extras(&w, attr, s);
	return !w.failed;
}

bool perfrec_mmap_parse(const struct perfrec *rec, bool swap, struct perfrec_mmap *m)
{
	struct wire w = body_of(rec, swap);

	*m = (struct perfrec_mmap){.data = rec->misc & MISC_MMAP_DATA};
	m->pid = wire_u32(&w);
	m->tid = wire_u32(&w);
	m->addr = wire_u64(&w);
	m->len = wire_u64(&w);
	m->pgoff = wire_u64(&w);
	if (rec->type == PERFREC_MMAP2) {
		struct span id = wire_bytes(&w, 24);
		struct wire fields = wire_init(id.p, id.n, swap);

		if (id.n && rec->misc & MISC_MMAP_BUILD_ID) {
			m->build_id = (struct span){id.p + 4, (unsigned char)id.p[0]};
			if (m->build_id.n > BUILD_ID_MAX)
				m->build_id.n = 0;
		} else {
			wire_skip(&fields, 8); /* major, minor */
			m->inode = wire_u64(&fields);
		}
		m->prot = wire_u32(&w);
		wire_u32(&w); /* flags */
	}
	m->path = wire_string(&w);
	return !w.failed;
}

bool perfrec_task_parse(const struct perfrec *rec, bool swap, struct perfrec_task *t)
{
	struct wire w = body_of(rec, swap);

	t->pid = wire_u32(&w);
	t->ppid = wire_u32(&w);
	t->tid = wire_u32(&w);
	t->ptid = wire_u32(&w);
	t->time = wire_u64(&w);
	return !w.failed;
}

bool perfrec_comm_parse(const struct perfrec *rec, bool swap, struct perfrec_comm *c)
{
	struct wire w = body_of(rec, swap);

	c->pid = wire_u32(&w);
	c->tid = wire_u32(&w);
	c->comm = wire_string(&w);
	c->exec = rec->misc & MISC_COMM_EXEC;
	return !w.failed;
}

bool perfrec_ksymbol_parse(const struct perfrec *rec, bool swap, struct perfrec_ksymbol *k)
{
	struct wire w = body_of(rec, swap);

	k->addr = wire_u64(&w);
	k->len = wire_u32(&w);
	wire_u16(&w); /* kind */
	k->unregister = wire_u16(&w) & 1;
	k->name = wire_string(&w);
	return !w.failed;
}

uint64_t perfrec_lost(const struct perfrec *rec, bool swap)
{
	struct wire w = body_of(rec, swap);

	if (rec->type == PERFREC_LOST)
		wire_u64(&w); /* id */
	return wire_u64(&w);
}
