/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/perfrec: every optional field of a sample is passed over, in both byte orders, and short records are refused. */
#include "lib/perfrec.h"

#include "test/unit/check.h"

struct maker {
	unsigned char bytes[4096];
	size_t n;
	bool big;
};

static void put(struct maker *m, uint64_t v, int nbytes)
{
	for (int i = 0; i < nbytes; i++)
		m->bytes[m->n++] = (unsigned char)(v >> 8 * (m->big ? nbytes - 1 - i : i));
}

static void put_flags(struct maker *m, uint64_t flags)
{
	for (int i = 0; i < 8; i++) {
		unsigned char byte = (unsigned char)(flags >> 8 * i), turned = 0;

		for (int b = 0; b < 8; b++)
			turned |= (unsigned char)((byte >> b & 1) << (7 - b));
		m->bytes[m->n++] = m->big ? turned : byte;
	}
}

static void put_attr(struct maker *m, uint64_t sample_type, uint64_t read_format, uint32_t size)
{
	size_t start = m->n;

	put(m, 1, 4);
	put(m, size, 4);
	put(m, 0, 8);
	put(m, 4999, 8);
	put(m, sample_type, 8);
	put(m, read_format, 8);
	put_flags(m, 1u << 10 | 1u << 18);
	put(m, 0, 8); /* wakeup, bp_type */
	put(m, 0, 8);
	put(m, 0, 8);
	put(m, 1u << 17, 8); /* branch_sample_type: hw index */
	put(m, 0x1c0, 8);
	put(m, 16, 4);
	put(m, 0, 4);
	put(m, 0x3, 8);
	while (m->n < start + size)
		put(m, 0xff, 1);
}

/* A sample with every field, whose last field is what the test looks for. */
static void put_sample(struct maker *m)
{
	put(m, PERFREC_SAMPLE, 4);
	put(m, MODE_USER, 2);
	put(m, 0, 2);
	put(m, 77, 8); /* identifier */
	put(m, 0x401100, 8);
	put(m, 100, 4);
	put(m, 101, 4);
	put(m, 5000, 8); /* time */
	put(m, 1, 8); /* addr */
	put(m, 77, 8); /* id */
	put(m, 78, 8); /* stream */
	put(m, 3, 4); /* cpu */
	put(m, 0, 4);
	put(m, 9, 8); /* period */
	put(m, 2, 8); /* read: group of 2, times, id, lost */
	for (int i = 0; i < 2 + 2 * 3; i++)
		put(m, 0, 8);
	put(m, 2, 8); /* chain */
	put(m, CONTEXT_USER, 8);
	put(m, 0x401100, 8);
	put(m, 12, 4); /* raw */
	put(m, 0, 8);
	put(m, 0, 4);
	put(m, 1, 8); /* branch stack with index */
	put(m, 0, 8);
	for (int i = 0; i < 3; i++)
		put(m, 0xb0 + i, 8);
	put(m, 2, 8); /* user registers */
	for (int i = 0; i < 3; i++)
		put(m, 0x700 + i, 8);
	put(m, 16, 8); /* user stack, 8 of 16 bytes copied */
	put(m, 1, 8);
	put(m, 2, 8);
	put(m, 8, 8);
	put(m, 5, 8); /* weight */
	put(m, 6, 8); /* data_src */
	put(m, 0, 8); /* transaction */
	put(m, 2, 8); /* interrupted registers */
	put(m, 0, 8);
	put(m, 0, 8);
	put(m, 0, 8); /* phys_addr */
	put(m, 4242, 8); /* cgroup */
	put(m, 4096, 8); /* page sizes */
	put(m, 4096, 8);
	put(m, 8, 8); /* aux */
	put(m, 0, 8);
	m->bytes[m->big ? 6 : 7] = (unsigned char)(m->n >> 8);
	m->bytes[m->big ? 7 : 6] = (unsigned char)m->n;
}

static void both_orders(bool big)
{
	const uint64_t all = (1u << 25) - 1 - SAMPLE_WEIGHT_STRUCT;
	bool swap = big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	struct maker a = {.big = big}, m = {.big = big};
	struct perfrec_attr attr;
	struct perfrec_sample s;
	struct perfrec rec;
	size_t size;
	uint64_t chain[2], id = 0;

	put_attr(&a, all, 0x1f, 144);
	CHECK(perfrec_attr_parse((struct span){(char *)a.bytes, a.n}, swap, &attr));
	CHECK(attr.freq_hz == 4999 && attr.period == 0 && attr.sample_id_all && !attr.inherit &&
	      attr.size == 144);
	CHECK(attr.regs_user == 0x1c0 && attr.stack_user == 16 && attr.regs_intr == 3);
	put_sample(&m);
	CHECK(perfrec_parse((struct span){(char *)m.bytes, m.n}, swap, &rec, &size) && size == m.n);
	CHECK(perfrec_sample_parse(&rec, &attr, swap, &s));
	CHECK(s.ip == 0x401100 && s.pid == 100 && s.tid == 101 && s.cpu == 3 && s.period == 9 && s.id == 77);
	CHECK(s.nchain == 2 && s.raw.n == 12 && s.branches.n == 24 && s.regs.n == 24 && s.stack.n == 8);
	CHECK(s.weight == 5 && s.data_src == 6 && s.cgroup == 4242);
	perfrec_u64s(s.chain, swap, chain, 2);
	CHECK(chain[0] == CONTEXT_USER && chain[1] == 0x401100);
	CHECK(perfrec_sample_id(&rec, &attr, swap, &id) && id == 77);
	/* Fields that do not fit are noticed wherever the record ends. */
	while (rec.body.n > 0) {
		rec.body.n--;
		if (perfrec_sample_parse(&rec, &attr, swap, &s))
			break;
	}
	CHECK(rec.body.n == 0);
	CHECK(!perfrec_parse((struct span){(char *)m.bytes, m.n - 1}, swap, &rec, &size) && size == m.n);
	m.bytes[6] = m.bytes[7] = 0;
	CHECK(!perfrec_parse((struct span){(char *)m.bytes, m.n}, swap, &rec, &size) && size == 0);
}

static void old_attr(void)
{
	struct maker a = {0};
	struct perfrec_attr attr;
	struct str name = {0};

	put_attr(&a, SAMPLE_IP, 0, 64);
	CHECK(perfrec_attr_parse((struct span){(char *)a.bytes, 64}, false, &attr));
	CHECK(attr.regs_user == 0 && attr.stack_user == 0 && attr.branch_type == 0);
	perfrec_event_name(&attr, &name);
	CHECK(name.p && strcmp(name.p, "cpu-clock") == 0);
	str_release(&name);
	CHECK(!perfrec_attr_parse((struct span){(char *)a.bytes, 63}, false, &attr));
}

int main(void)
{
	both_orders(false);
	both_orders(true);
	old_attr();
	return check_done();
}
