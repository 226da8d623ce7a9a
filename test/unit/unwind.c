/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib/cfi and lib/unwind against libgcc's own unwinder, at every instruction that code without frame pointers executes:
   recursion, callbacks through libc's qsort, alloca, a signal handler, a thread. What no table describes is known by construction. */
#include "lib/unwind.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include "test/unit/check.h"

#ifdef __x86_64__

enum { OBJECTS = 32, FRAMES = 256, COPY = 256 * 1024 };

struct object {
	uint64_t bias, start, end;
	struct elf *elf;
	struct cfi *cfi;
};

struct walk_of {
	uint64_t at[FRAMES];
	size_t n;
};

static struct object objects[OBJECTS];
static size_t nobjects;
static struct unwinder *unwinder;
static uint64_t jit_start, jit_end;
static uint64_t stack_top; /* of the thread that is looked at */

static volatile long steps, wrong, not_whole, skipped;
static uint64_t wrong_pc;
static volatile long sink;
static struct walk_of got, expected;
static enum unwind_end got_end;

static int add_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct object o = {.bias = info->dlpi_addr, .start = UINT64_MAX};

	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD)
			continue;
		if (start < o.start)
			o.start = start;
		if (start + ph->p_memsz > o.end)
			o.end = start + ph->p_memsz;
	}
	if (o.start == getauxval(AT_SYSINFO_EHDR))
		o.elf = elf_open_memory((struct span){(const char *)o.start, o.end - o.start});
	else
		o.elf = elf_open(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe");
	if (o.elf && nobjects < OBJECTS) {
		o.cfi = cfi_open(o.elf);
		objects[nobjects++] = o;
	}
	return 0;
}

static bool find(void *ctx, uint64_t addr, struct unwind_code *code)
{
	(void)ctx;
	for (size_t i = 0; i < nobjects; i++)
		if (addr >= objects[i].start && addr < objects[i].end) {
			*code = (struct unwind_code){objects[i].cfi, addr - objects[i].bias};
			return true;
		}
	*code = (struct unwind_code){0};
	return addr >= jit_start && addr < jit_end;
}

/* Registers in perf's order: ax bx cx dx si di bp sp ip, r8 to r15. */
static void unwind_context(const ucontext_t *uc)
{
	static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	    REG_RIP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	uint64_t regs[17], sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
	size_t left = stack_top - sp;
	struct unwind_input in = {
	    2, unwind_regs_mask(MACHINE_X86_64), regs, {(const char *)sp, left < COPY ? left : COPY}};

	for (int i = 0; i < 17; i++)
		regs[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
	got.n = unwinder_run(unwinder, &in, find, NULL, got.at, FRAMES, &got_end);
}

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *pc)
{
	uint64_t ip = _Unwind_GetIP(context);

	/* The frames of the handler itself come before the address that it interrupted. */
	if ((expected.n || ip == *(uint64_t *)pc) && expected.n < FRAMES)
		expected.at[expected.n++] = ip;
	return _URC_NO_REASON;
}

static void compare(const ucontext_t *uc)
{
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	size_t n;

	unwind_context(uc);
	expected.n = 0;
	_Unwind_Backtrace(note, &pc);
	n = expected.n;
	/* libgcc hands out a caller at address 0 where we say that there is none. */
	while (n && expected.at[n - 1] == 0)
		n--;
	steps++;
	if (!n) {
		skipped++; /* it has no table for the instruction itself */
		return;
	}
	not_whole += got_end != UNWIND_WHOLE;
	if (got.n != n || memcmp(got.at, expected.at, n * sizeof *got.at) != 0) {
		if (!wrong++)
			wrong_pc = pc;
	}
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	compare(context);
}

/* The processor's trap flag: a signal after each instruction. */
__asm__("trap_on: .cfi_startproc\n pushf\n .cfi_adjust_cfa_offset 8\n orl $0x100, (%rsp)\n"
	"popf\n .cfi_adjust_cfa_offset -8\n ret\n .cfi_endproc\n"
	"trap_off: .cfi_startproc\n pushf\n .cfi_adjust_cfa_offset 8\n andl $~0x100, (%rsp)\n"
	"popf\n .cfi_adjust_cfa_offset -8\n ret\n .cfi_endproc\n");
void trap_on(void);
void trap_off(void);

__attribute__((noinline)) static long recurse(long depth)
{
	long local[8] = {depth};

	__asm__ volatile("" ::"r"(local) : "memory");
	return depth ? recurse(depth - 1) + local[0] : 1;
}

static int by_value(const void *a, const void *b)
{
	const long x = *(const long *)a, y = *(const long *)b;

	sink += recurse(1);
	return (x > y) - (x < y);
}

__attribute__((noinline)) static void with_alloca(size_t n)
{
	char *p = __builtin_alloca(n);

	memset(p, 1, n);
	sink += recurse(2) + p[n - 1];
}

/* Sixteen bytes more aligned than the stack is: the frame's address is kept in another register. */
__attribute__((noinline)) static void with_aligned(void)
{
	_Alignas(64) char p[64];

	memset(p, 1, sizeof p);
	__asm__ volatile("" ::"r"(p) : "memory");
	sink += recurse(1) + p[5];
}

static void on_user(int sig)
{
	(void)sig;
	trap_on();
	sink += recurse(1);
	trap_off();
}

__attribute__((noinline)) static void work(void)
{
	long values[] = {5, 3, 8, 1};

	trap_on();
	sink += recurse(5);
	qsort(values, 4, sizeof *values, by_value);
	with_alloca(100 + (size_t)values[0]);
	with_aligned();
	sink += strtol("77", NULL, 10);
	trap_off();
	raise(SIGUSR1);
}

static void *thread(void *ctx)
{
	pthread_attr_t attr;
	void *start;
	size_t size;

	(void)ctx;
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &start, &size);
	pthread_attr_destroy(&attr);
	stack_top = (uint64_t)start + size;
	work();
	return NULL;
}

/* Code that no table describes and that keeps a frame pointer, as a just-in-time compiler makes it:
   push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char jit_code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};

__attribute__((noinline)) static void capture(void)
{
	ucontext_t uc;

	getcontext(&uc);
	unwind_context(&uc);
	sink++;
}

static bool has(uint64_t addr)
{
	for (size_t i = 0; i < got.n; i++)
		if (got.at[i] == addr)
			return true;
	return false;
}

static void jit(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*code)(void (*)(void));

	if (p == MAP_FAILED)
		return;
	memcpy(p, jit_code, sizeof jit_code);
	jit_start = (uint64_t)p;
	jit_end = jit_start + sizeof jit_code;
	memcpy(&code, &p, sizeof code);
	code(capture);
	CHECK(got_end == UNWIND_WHOLE);
	CHECK(has(jit_start + 6));
	CHECK(got.n > 4);
}

/* The same state with less and less of the stack, and with registers and stack of any content: an end, and no read outside. */
static void damage(void)
{
	uint64_t regs[17], seed = 1, chain[64];
	enum unwind_end end;
	long lost = 0, cut = 0;

	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)round % 300;
		char *stack = malloc(n ? n : 1);

		for (size_t i = 0; i < n; i++)
			stack[i] = (char)((seed = seed * 6364136223846793005u + 1) >> 56);
		for (int i = 0; i < 17; i++)
			regs[i] = (uint64_t)stack + ((seed = seed * 6364136223846793005u + 1) >> 33) % 512;
		regs[7] = (uint64_t)stack;
		regs[8] = objects[(size_t)round % nobjects].start + (seed >> 20) % 200000;
		unwinder_run(unwinder,
		    &(struct unwind_input){2, unwind_regs_mask(MACHINE_X86_64), regs, {stack, n}}, find, NULL,
		    chain, 64, &end);
		lost += end == UNWIND_LOST;
		cut += end == UNWIND_CUT;
		free(stack);
	}
	CHECK(lost > 100 && cut > 100);
}

static void on_x86_64(char **argv)
{
	struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	struct sigaction user = {.sa_handler = on_user};
	pthread_t t;

	/* The strings that the kernel put at the stack's top stand above all frames. */
	stack_top = (uint64_t)argv;
	dl_iterate_phdr(add_object, NULL);
	CHECK(nobjects >= 3);
	unwinder = unwinder_open(MACHINE_X86_64);
	sigaction(SIGTRAP, &trap, NULL);
	sigaction(SIGUSR1, &user, NULL);
	work();
	printf("# %ld instructions, %ld without a table, %ld differ (first at 0x%llx), %ld do not reach the "
	       "start\n",
	    steps, skipped, wrong, (unsigned long long)wrong_pc, not_whole);
	if (!steps) {
		printf("ok unit unwind # skip single steps do not arrive here (valgrind)\n");
	} else {
		CHECK(steps > 1000);
		CHECK(skipped * 20 < steps);
		CHECK(wrong == 0);
		CHECK(not_whole == 0);
		steps = 0;
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
		CHECK(steps > 200);
		CHECK(wrong == 0);
		CHECK(not_whole == 0);
	}
	stack_top = (uint64_t)argv;
	jit();
	damage();
	unwinder_close(unwinder);
	for (size_t i = 0; i < nobjects; i++) {
		cfi_close(objects[i].cfi);
		elf_close(objects[i].elf);
	}
}
#endif

int main(int argc, char **argv)
{
	(void)argc;
#ifdef __x86_64__
	on_x86_64(argv);
#else
	(void)argv;
	printf("ok unit unwind # skip registers are taken on x86-64 only\n");
#endif
	return check_done();
}
