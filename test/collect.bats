# collect: sampling, statuses and messages.
load helper
bats_require_minimum_version 1.5.0

setup() {
	needs_sampling
	W=$B/test/workload
	REC=$BATS_TEST_TMPDIR/a.rec
}

@test "a recording starts with the preamble and says how many samples" {
	collect -F 999 -o "$REC" -- "$W/known" shares 0.3 2>"$BATS_TEST_TMPDIR/err"
	[ "$(head -c 4 "$REC" | od -An -tx1 | tr -d ' ')" = 89464c50 ]
	grep -q 'samples taken in .*: [1-9][0-9]* kept, 0 lost' "$BATS_TEST_TMPDIR/err"
}

@test "kept, lost and excluded add up to taken" {
	collect -a -F 4999 -o "$REC" -- "$W/known" shares 0.3 2>"$BATS_TEST_TMPDIR/err"
	sed -nE 's/^collect: ([0-9]+) samples taken.*: ([0-9]+) kept, ([0-9]+) lost, ([0-9]+) excluded.*/\1 \2 \3 \4/p' \
		"$BATS_TEST_TMPDIR/err" | awk '{ exit !($1 > 100 && $1 == $2 + $3 + $4) }'
}

@test "the command's status is passed on" {
	run collect -o "$REC" -- sh -c 'exit 7'
	[ "$status" = 7 ]
	run collect -o "$REC" -- sh -c 'kill -TERM $$'
	[ "$status" = 143 ]
}

@test "a command that is not there gives 127, one that is not executable 126" {
	run -127 collect -o "$REC" -- /no/such/command
	[ "$status" = 127 ]
	[[ "$output" == *"cannot execute /no/such/command"* ]]
	run collect -o "$REC" -- /etc/passwd
	[ "$status" = 126 ]
}

@test "the command's output goes to stderr when the recording uses stdout" {
	collect -- echo hello >"$REC" 2>"$BATS_TEST_TMPDIR/err"
	grep -q hello "$BATS_TEST_TMPDIR/err"
	[ "$(head -c 4 "$REC" | od -An -tx1 | tr -d ' ')" = 89464c50 ]
	[ "$(collect -o "$REC" -- echo hello 2>/dev/null)" = hello ]
}

@test "a terminal is refused, status 2" {
	needs script
	run script -qec "$B/bin/collect -- true" /dev/null
	[ "$status" = 2 ]
	[[ "$output" == *terminal* ]]
}

@test "/dev/full gives a message and status 1" {
	run collect -o /dev/full -- true
	[ "$status" = 1 ]
	[[ "$output" == *"cannot write /dev/full"* ]]
}

@test "an unknown event and an unknown option are usage errors" {
	run collect -e no-such-event -o "$REC" -- true
	[ "$status" = 2 ]
	[[ "$output" == *no-such-event* ]]
	run collect --no-such-option -- true
	[ "$status" = 2 ]
}

@test "--help lists every option of the man page" {
	for o in $(sed -nE 's/.*\\-\\-([a-z]+).*/\1/p' "$ROOT/collect/collect.1" | sort -u); do
		[ "$o" = COMMAND ] || collect --help | grep -q -- "--$o" || { echo "--$o"; false; }
	done
}
