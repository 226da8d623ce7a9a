#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# compare's lines without header and summary.
columns() {
	compare -q --no-header "$@"
}

@test "two columns, the original's first; a stack of one side counts 0 on the other" {
	printf 'a;b 3\na;c 1\n' >orig
	printf 'a;b 4\na;d 2\n' >patched
	run -0 columns orig patched
	[ "$output" = "$(printf 'a;b 3 4\na;c 1 0\na;d 0 2')" ]
}

@test "stacks that occur twice are added up, decimals stay exact" {
	printf 'a;b 3\na;b 0.1\na;b 0.2\n' >orig
	printf 'a;b 18446744073709551615\na;b 1\n' >patched
	run -0 columns orig patched
	[ "$output" = 'a;b 3.3 18446744073709551616' ]
}

@test "an empty side counts nothing, with and without -n, either way round" {
	: >empty
	echo 'a;b 5' >full
	run -0 columns -n empty full
	[[ $output = *'a;b 0 5' ]]
	run -0 columns -n full empty
	[[ $output = *'a;b 5 0' ]]
	run -0 columns empty empty
	[[ $output != *nan* ]]
}

@test "the header names a column for each run, and --no-header leaves it out" {
	mkdir orig patched
	for i in 1 2 10; do echo "a;b $i" >orig/$i; echo "a;b 10$i" >patched/$i; done
	run -0 --separate-stderr compare orig patched
	[[ ${lines[0]} = '# flamepipe '*' columns=orig/1,orig/2,orig/3,patched/1,patched/2,patched/3 .' ]]
	[ "${lines[1]}" = 'a;b 1 2 10 101 102 1010' ]
	[[ $stderr = 'compare: orig: 3 runs, 13 samples, 0 lost; patched: 3 runs, 1,213 samples, 0 lost; 1 stacks' ]]
	run -0 columns orig/* --vs patched/*
	[ "$output" = 'a;b 1 10 2 101 1010 102' ]
	compare -q orig patched >table
	run -0 compare -q table
	[ "$output" = "$(cat table)" ]
}

@test "-n scales every run to the total of the mean patched run" {
	echo 'a;b 1' >orig
	printf 'a;b 2\na;c 1\n' >two
	printf 'a;b 2\na;c 3\n' >patched
	run -0 columns -n orig two --vs patched
	[ "$output" = "$(printf 'a;b 5 3.333333333333 2\na;c 0 1.666666666667 3')" ]
}

@test "-s makes addresses of different builds equal" {
	echo 'a;0x12ab;f+0xF0 1' >orig
	echo 'a;0x99;f+0x1 2' >patched
	run -0 columns -s orig patched
	[ "$output" = 'a;0x...;f+0x... 1 2' ]
}

@test "any format, and fold's options, on both sides" {
	printf 'x 1 1.0: 5 cycles:\n\t1 f (/x)\n\nx 1 1.1: 3 instructions:\n\t1 g (/x)\n' >script
	echo 'x;f 7' >folded
	run -0 columns script folded
	[ "$output" = 'x;f 5 7' ]
	run -0 --separate-stderr compare --exclude 'f$' --no-header script script
	[ "$output" = '' ]
	[[ $stderr = *'samples left out'* ]]
}

@test "a line that is no stack is counted and quoted, a missing file and wrong usage are errors" {
	printf 'a;b 1\nno count\na;c 2\n' >bad
	run -0 compare bad bad
	[[ $output = *"bad: 3 samples in 2 stacks"*"not understood"*"line 2: 'no count'"* ]]
	run -1 compare bad missing
	run -1 bash -c 'compare bad bad >/dev/full'
	run -2 compare
	run -2 compare bad bad bad
	run -2 compare --vs bad
	run -2 compare bad --vs
	run -1 compare bad
	[[ $output = *'one input has to be a table that compare wrote'* ]]
}

@test "difffolded.pl's results: default, -n (without its truncation), -s" {
	needs_shared corpus/inferno/diff-folded
	local d=$SHARED/corpus/inferno/diff-folded
	[ "$(columns "$d/before.txt" "$d/after.txt" | sort)" = "$(sort "$d/results/default.txt")" ]
	[ "$(columns -s "$d/before.txt" "$d/after.txt" | sort)" = "$(sort "$d/results/strip_hex.txt")" ]
	[ "$(columns -n "$d/before.txt" "$d/after.txt" | sed -E 's/\.[0-9]+//g' | sort)" = "$(sort "$d/results/normalize.txt")" ]
	# results/fractionals.txt truncates decimals, which is the old tool's fault: ours keep them.
	[ "$(columns "$d/before_fractionals.txt" "$d/after.txt" | sed -E 's/\.[0-9]+//g' | sort)" = "$(sort "$d/results/fractionals.txt")" ]
	run -0 columns "$d/before_fractionals.txt" "$d/after.txt"
	[[ $output = *'fdget_pos_[k] 11.98 15'* ]]
}

@test "the two SVG flame graphs of the FreeBSD change add up to their samples" {
	needs_shared corpus/svg
	run -0 --separate-stderr compare "$SHARED/corpus/svg/pf1_orig.svg" "$SHARED/corpus/svg/pf1.svg"
	[[ $stderr = *'orig: 1 run, 198,799 samples'*'patched: 1 run, 36,230,674 samples'* ]]
}

@test "cases 063, 065, 067 and 069 from public reports" {
	needs_shared cases
	for c in 063 065 067 069; do
		run -0 env DIFF=compare RENDER=render COLLECT=collect FOLD=fold STAT=measure \
			python3 "$SHARED/cases/_tools/check.py" "$SHARED"/cases/$c-*
	done
}
