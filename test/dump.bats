# dump prints what perf script would, and folding it changes nothing. SPDX-License-Identifier: GPL-2.0-or-later
load helper

record() {
	needs_sampling
	collect -F 1999 -o "$BATS_TEST_TMPDIR/rec" -- sh -c 'for i in 1 2 3 4 5 6; do ls -l /usr/bin; done | sort' >/dev/null 2>&1
}

@test "folding dump's text equals folding the recording, by samples and by period" {
	record
	for weight in samples period; do
		fold -q --no-header --weight $weight "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/direct"
		dump -q "$BATS_TEST_TMPDIR/rec" | fold -q --no-header --weight $weight >"$BATS_TEST_TMPDIR/text"
		[ -s "$BATS_TEST_TMPDIR/direct" ]
		cmp "$BATS_TEST_TMPDIR/direct" "$BATS_TEST_TMPDIR/text"
	done
}

@test "the same for processes, threads and kinds of frames" {
	record
	fold -q --no-header --tid --all --weight samples "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/direct"
	dump -q "$BATS_TEST_TMPDIR/rec" | fold -q --no-header --tid --all --weight samples >"$BATS_TEST_TMPDIR/text"
	cmp "$BATS_TEST_TMPDIR/direct" "$BATS_TEST_TMPDIR/text"
}

@test "a pipe and a file give the same text, in order of time" {
	record
	dump -q "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/file"
	cat "$BATS_TEST_TMPDIR/rec" | dump -q >"$BATS_TEST_TMPDIR/pipe"
	cmp "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/pipe"
	sed -n 's|^[^ ].*/[0-9]* \[[0-9]*\] \([0-9.]*\): .*|\1|p' "$BATS_TEST_TMPDIR/file" >"$BATS_TEST_TMPDIR/times"
	[ -s "$BATS_TEST_TMPDIR/times" ]
	sort -c -n "$BATS_TEST_TMPDIR/times"
}

@test "perf's own file gives the stacks that perf script prints" {
	needs perf
	perf record -N -B -F 1999 -g -o "$BATS_TEST_TMPDIR/data" -- sh -c 'ls -l /usr/bin | sort' >/dev/null 2>&1 || skip "perf record does not work here"
	# perf 6.1 prints addresses of user frames as their files have them: only the kernel's can be compared.
	perf script -i "$BATS_TEST_TMPDIR/data" 2>/dev/null >"$BATS_TEST_TMPDIR/theirs" || skip "perf script does not work here"
	dump -q "$BATS_TEST_TMPDIR/data" >"$BATS_TEST_TMPDIR/ours"
	[ "$(grep -c '^[^	]' "$BATS_TEST_TMPDIR/ours")" -gt 0 ]
	for frames in '[^	]' '	' '	ffffffff'; do
		[ "$(grep -c "^$frames" "$BATS_TEST_TMPDIR/ours")" = "$(grep -c "^$frames" "$BATS_TEST_TMPDIR/theirs")" ]
	done
	# Of several names of one address each may take another.
	grep -o '^	ffffffff[0-9a-f]*' "$BATS_TEST_TMPDIR/theirs" | sort >"$BATS_TEST_TMPDIR/theirs.kernel"
	grep -o '^	ffffffff[0-9a-f]*' "$BATS_TEST_TMPDIR/ours" | sort | cmp - "$BATS_TEST_TMPDIR/theirs.kernel"
}

@test "what is no recording, is not there or cannot be written is an error" {
	run dump /dev/null
	[ "$status" = 1 ]
	[[ "$output" == *"/dev/null"*"empty"* ]]
	run dump /nonexistent
	[ "$status" = 1 ]
	[[ "$output" == *"cannot open /nonexistent"* ]]
	run dump "$ROOT/Makefile"
	[ "$status" = 1 ]
	[[ "$output" == *"neither a recording nor a perf.data"* ]]
	run dump --nonsense
	[ "$status" = 2 ]
	record
	run sh -c "dump -q '$BATS_TEST_TMPDIR/rec' >/dev/full"
	[ "$status" = 1 ]
	[[ "$output" == *"cannot write"* ]]
}

@test "--help has every option of the page" {
	run dump --help
	[ "$status" = 0 ]
	for option in inline srcline symfs debug-dir kallsyms vmlinux no-demangle quiet help version; do
		[[ "$output" == *"--$option"* ]]
		grep -q -- "$(sed 's/-/\\\\-/g' <<<"--$option")" "$ROOT/fold/dump.1"
	done
}
