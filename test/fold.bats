#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load helper

@test "folded lines are merged and sorted by frames, not by bytes" {
	run -0 fold -q --no-header <<'END'
foo;bar 30
foo.cold;c 20
foo 50
foo;bar 1.5
END
	[ "$output" = "$(printf 'foo 50\nfoo;bar 31.5\nfoo.cold;c 20')" ]
}

@test "a line that is no stack is counted, and the first is quoted with its place" {
	run -0 fold --no-header <<'END'
a;b 1
what is this
a;b 2
and this
END
	[[ $output = *'a;b 3'* ]]
	[[ $output = *"2 lines not understood, the first <stdin>: line 2: 'what is this'"* ]]
}

@test "perf script text: last sample without an empty line, CRLF, comm with blanks" {
	printf 'my prog 12 1.5: 7 cycles:\r\n\t40 leaf+0x1 (/bin/x)\r\n\t41 main+0x2 (/bin/x)' |
		{ run -0 fold -q --no-header; [ "$output" = "my_prog;main;leaf 7" ]; }
}

@test "the first event is folded, the others are counted and named" {
	run -0 --separate-stderr fold --no-header <<'END'
x 1 1.0: 5 cycles:
	1 f (/x)

x 1 1.1: 3 instructions:
	1 f (/x)
END
	[ "$output" = "x;f 5" ]
	[[ $stderr = *"left out: 1 of instructions (other events: see --event and --by event)"* ]]
}

@test "an input without one stack is an error that says what it was taken for" {
	run -1 fold <<<'# captured on    : Mon Jan  1 00:00:00 2024'
	[[ $output = *"not one stack in it; it was taken for text of perf script"* ]]
}

@test "empty input, missing file, unknown format, full disk, wrong usage" {
	run -1 fold </dev/null
	[[ $output = "fold: <stdin>: empty" ]]
	run -1 fold /nowhere
	[[ $output = "fold: cannot open /nowhere: No such file or directory" ]]
	run -1 fold <<<'nothing to see'
	run -1 bash -c 'echo "a 1" | fold >/dev/full'
	run -2 fold --nonsense
	run -2 fold --by nothing
	run -2 fold -p x
	run -2 fold --format nonsense
}

@test "several files are added up, and - is standard input" {
	cd "$BATS_TEST_TMPDIR"
	echo 'a;b 1' >one
	echo 'a;b 2' >two
	run -0 fold -q --no-header one - two <<<'a;c 5'
	[ "$output" = "$(printf 'a;b 3\na;c 5')" ]
}
