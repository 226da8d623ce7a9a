#!/usr/bin/env bats
# Inlined functions of perf script text, from the debug information of the programs on this machine.
bats_require_minimum_version 1.5.0
load helper

# A program whose main is nothing but an inlined loop, and a sample of each address in main.
setup() {
	needs gcc nm
	cd "$BATS_TEST_TMPDIR"
	cat >prog.c <<'END'
static inline __attribute__((always_inline)) int work(volatile int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += p[i & 7];
	return s;
}
int main(int argc, char **argv)
{
	volatile int p[8] = {0};
	(void)argv;
	return work(p, 100 + argc);
}
END
	gcc -O2 -g -o prog prog.c
	read -r addr size _ < <(nm -S prog | grep ' main$')
	for ((i = 0; i < 16#$size; i++)); do
		printf 'prog 1 1.5: 1 cycles:\n\t%16x main+0x%x (%s/prog)\n\n' $((16#$addr + i)) $i "$PWD"
	done >in
}

@test "--inline shows what was inlined, without losing a sample" {
	run -0 fold -q --no-header in
	[ "$output" = "prog;main $((16#$size))" ]
	run -0 fold -q --no-header --inline in
	[ "$(total <<<"$output")" = $((16#$size)) ]
	[[ $output = *'prog;main;work_[i] '* ]]
}

@test "--context adds files and lines" {
	run -0 fold -q --no-header --context in
	[ "$(total <<<"$output")" = $((16#$size)) ]
	[[ $output = *'prog;main:prog.c:12;work:prog.c:5_[i] '* ]]
}

@test "a file that is another one than was profiled adds nothing" {
	sed 's/main+/other+/' in >other
	run -0 fold -q --no-header --inline other
	[ "$output" = "prog;other $((16#$size))" ]
}
