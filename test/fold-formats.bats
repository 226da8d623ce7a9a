#!/usr/bin/env bats
# Examples written from each format's definition: test/data/fold/FORMAT[_WHAT].EXT, and .folded beside it.
bats_require_minimum_version 1.5.0
load helper

# The example of an expectation.
example() {
	ls "${1%.folded}".* | grep -v '\.folded$'
}

@test "every format's example folds to the stacks beside it" {
	local want n=0
	for want in "$DATA"/fold/*.folded; do
		fold -q --no-header "$(example "$want")" >"$BATS_TEST_TMPDIR/got"
		diff "$want" "$BATS_TEST_TMPDIR/got" || { echo "in $want"; return 1; }
		n=$((n + 1))
	done
	[ "$n" -ge 13 ]
}

@test "lines that end in CR LF fold to the same" {
	local want n=0
	for want in "$DATA"/fold/*.folded; do
		case $(example "$want") in *.txt | *.csv) ;; *) continue ;; esac
		sed 's/$/\r/' "$(example "$want")" | fold -q --no-header >"$BATS_TEST_TMPDIR/got"
		diff "$want" "$BATS_TEST_TMPDIR/got" || { echo "in $want"; return 1; }
		n=$((n + 1))
	done
	[ "$n" -ge 13 ]
}

@test "pmcstat: rows that an excerpt lacks are counted, other text is quoted" {
	run -0 fold --no-header <<'END'
@ CYCLES [302 samples]

50.00%  [173]      foo @ /boot/kernel/kernel
 95.95%  [166]       bar
[...]
   100.0%  [166]       orphan
END
	[ "${lines[0]}" = "bar;foo 166" ] || [ "${lines[0]}" = "foo 7" ]
	[[ $output = *"129 unreadable"* ]]
	[[ $output = *"2 lines not understood, the first <stdin>: line 5: '[...]'"* ]]
}

@test "pmcstat: an event is chosen by name, and kernel code is marked" {
	run -0 fold -q --no-header --event STALLS --kernel "$DATA/fold/pmcstat.txt"
	[ "$output" = "mb_free_ext_[k] 3" ]
}

@test "dtrace, sample: modules and offsets as asked for" {
	run -0 fold -q --no-header --no-modules --includeoffset "$DATA/fold/dtrace.txt"
	[[ $output = *'sys_syscall+0x17a;LockFoo+0x20 3'* ]]
	run -0 fold -q --no-header --no-modules "$DATA/fold/sample.txt"
	[[ $output = *';start;main;-[NSFoo(Category) bar:];ns::f 700'* ]]
}

@test "a thread that waits is left out of a thread dump, and counted" {
	run -0 fold --no-header "$DATA/fold/jstack.txt"
	[[ $output = *"3 samples in 2 stacks; 0 lost; left out: 2 of threads that wait"* ]]
}

@test "tid of threads: gdb, eu-stack, jstack" {
	run -0 fold -q --no-header --tid "$DATA/fold/gdb.txt"
	[[ $output = *'/4243;'* ]]
	run -0 fold -q --no-header --tid "$DATA/fold/eu-stack.txt"
	[[ $output = *'-1234/1235;__poll 1'* ]]
	run -0 fold -q --no-header --tid "$DATA/fold/jstack.txt"
	[[ $output = *'pool-1-thread-?/20738;'* ]]
}

@test "a stack that lacks its count at the end is reported" {
	local f
	for f in dtrace stap bcc_profile bpftrace; do
		printf '\n    last\n    frame\n' | cat "$DATA/fold/$f.txt" - >"$BATS_TEST_TMPDIR/cut"
		[ $f = bpftrace ] && printf '@x[\n    frame\n' >>"$BATS_TEST_TMPDIR/cut"
		run -0 fold --no-header "$BATS_TEST_TMPDIR/cut"
		[[ $output = *"not understood"* ]] || { echo "$f: $output"; return 1; }
	done
}

@test "SVG flame graphs of others fold to what they show, to the digit" {
	needs_shared corpus/svg
	local p
	for p in pf1 pf1_orig; do
		fold -q --no-header "$SHARED/corpus/svg/$p.svg" | sort >"$BATS_TEST_TMPDIR/got"
		sort "$SHARED/corpus/svg/$p.folded" | diff - "$BATS_TEST_TMPDIR/got"
	done
}
