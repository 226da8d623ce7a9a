# flamepipe: the whole pipe as one command.
load helper

@test "without arguments it says what is missing, status 2" {
	run flamepipe
	[ "$status" = 2 ]
	[[ "$output" == *"--help"* ]]
}

@test "--help and --version go to stdout" {
	flamepipe --help | grep -q '^usage: flamepipe'
	[ "$(flamepipe --version)" = "flamepipe 0.1" ]
}


@test "an unknown program is an option of collect, which refuses it" {
	run flamepipe --no-such-option -- true
	[ "$status" != 0 ]
}

@test "the command's status is passed on, also when it is too short to draw" {
	needs_sampling
	cd "$BATS_TEST_TMPDIR"
	run flamepipe -o x.svg -- sh -c 'exit 7'
	[ "$status" = 7 ]
	run flamepipe --no-such-option -o x.svg -- true
	[ "$status" = 2 ]
	[ ! -e x.svg.*.part ]
}

@test "a command that stands without -- keeps its options" {
	needs_sampling
	cd "$BATS_TEST_TMPDIR"
	flamepipe -o y.svg -F 999 timeout 0.3 "$B/test/workload/known" shares 5 -o z || [ $? = 124 ]
	[ -s y.svg ]
	[ ! -e z ]
}

@test "SIGTERM ends the sampling, finishes the picture and leaves nothing else" {
	needs_sampling
	cd "$BATS_TEST_TMPDIR"
	flamepipe -F 997 -o t.svg -- "$B/test/workload/known" shares 20 &
	sleep 1
	kill -TERM $!
	wait $! || true
	grep -q '<title>hot70 (' t.svg
	[ "$(ls | grep -v "^probe")" = t.svg ]
}

@test "without a standard input it works all the same" {
	needs_sampling
	cd "$BATS_TEST_TMPDIR"
	flamepipe -F 997 -o q.svg -- "$B/test/workload/known" shares 0.3 <&-
	grep -q '<title>hot70 (' q.svg
}

@test "installed anywhere, it finds the programs" {
	make -s -C "$ROOT" install B="$B" DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/usr >/dev/null
	dir=$("$BATS_TEST_TMPDIR/root/usr/bin/flamepipe" --exec-path)
	[ -x "$dir/fold" ]
	"$BATS_TEST_TMPDIR/root/usr/bin/flamepipe" fold --help | grep -q usage
	[ -f "$BATS_TEST_TMPDIR/root/usr/share/man/man1/collect.1" ]
}
