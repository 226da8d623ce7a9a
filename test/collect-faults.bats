# collect when things go wrong: what was written can be read, and every sample is accounted for. REPEAT=200 repeats what is random.
load helper

setup() {
	needs_sampling
	W=$B/test/workload
	REC=$BATS_TEST_TMPDIR/a.rec
	ERR=$BATS_TEST_TMPDIR/err
}

# The figures of the summary line: taken kept lost excluded
figures() {
	sed -nE 's/^collect: ([0-9]+) samples taken.*: ([0-9]+) kept, ([0-9]+) lost, ([0-9]+) excluded.*/\1 \2 \3 \4/p' "$1"
}

# What fold found in $REC is what collect said it kept.
same_as_kept() {
	figures "$ERR" >"$BATS_TEST_TMPDIR/figures"
	awk '{ exit !($1 == $2 + $3 + $4) }' "$BATS_TEST_TMPDIR/figures"
	fold "$REC" 2>/dev/null | total >"$BATS_TEST_TMPDIR/total"
	[ "$(cat "$BATS_TEST_TMPDIR/total")" = "$(cut -d' ' -f2 "$BATS_TEST_TMPDIR/figures")" ]
}

@test "killed at any moment, the recording reads" {
	needs_root
	for ((i = 0; i < ${REPEAT:-3}; i++)); do
		rm -f "$REC"
		collect -q -a -F 4999 -o "$REC" -- sleep 3 2>/dev/null 3>&- &
		pid=$!
		for ((k = 0; k < 50; k++)); do [ -s "$REC" ] && break; sleep 0.1; done
		sleep "1.$((RANDOM % 10))$((RANDOM % 10))"
		kill -9 $pid
		wait $pid 2>/dev/null || true
		run fold "$REC"
		[ "$status" -le 1 ]
		[[ "$output" == *"cut short"* ]]
		[[ "$output" != *"skipped"* ]]
	done
}

@test "the reader of the pipe dies" {
	run bash -c "collect -F 999 -- '$W/known' shares 0.3 | head -c 100 >/dev/null; exit \${PIPESTATUS[0]}"
	[ "$status" = 1 ]
	[[ "$output" == *"Broken pipe"* ]]
}

@test "the disk is full: what fits can be read" {
	needs_root
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=128k none "$BATS_TEST_TMPDIR/small" 2>/dev/null || skip "no mount here"
	for w in write mmap; do
		run collect -a -c 20000 -e cpu-clock -g none --writer=$w -o "$BATS_TEST_TMPDIR/small/a.rec" -- "$W/known" shares 3
		[ "$status" = 1 ] || { umount "$BATS_TEST_TMPDIR/small"; false; }
		[[ "$output" == *"No space left"* ]]
	done
	run fold "$BATS_TEST_TMPDIR/small/a.rec"
	umount "$BATS_TEST_TMPDIR/small"
	[ "$status" -le 1 ]
}

@test "the target ends at once" {
	collect -F 999 -o "$REC" -- true
	(exit 0) &
	run collect -F 999 -p $! -o "$REC"
	[ "$status" -le 1 ]
}

@test "thousands of short processes" {
	needs_root
	collect -a -F 4999 -o "$REC" -- bash -c 'for ((i = 0; i < 500; i++)); do /bin/true; done' 2>"$ERR"
	same_as_kept
}

@test "more processes than CPUs, and stacks are copied" {
	needs_root
	collect -a -F 999 -g dwarf -o "$REC" -- sh -c "for i in 1 2 3 4; do '$W/known' shares 0.3 & done; wait" >/dev/null 2>"$ERR"
	same_as_kept
}

@test "a ring that runs full is enlarged, and what was lost is counted" {
	needs_root
	collect -a -F 4999 -g dwarf --unwind=later --ring 64K -o "$REC" -- "$W/known" shares 1 >/dev/null 2>"$ERR"
	grep -q 'enlarged to' "$ERR"
	same_as_kept
}

@test "kept and lost are what the CPU time calls for" {
	collect -c 1000000 -e cpu-clock -o "$REC" -- "$W/known" shares 1 2>"$ERR" >"$BATS_TEST_TMPDIR/cpu"
	cpu_ms=$(awk '{ s += $2 } END { printf "%d", 1000 * s }' "$BATS_TEST_TMPDIR/cpu")
	figures "$ERR" | awk -v ms="$cpu_ms" '{ n = $2 + $3; exit !(n > 0.95 * ms && n < 1.10 * ms) }'
}

@test "more threads than descriptors" {
	needs_root
	(ulimit -n 60; exec collect -a -F 99 -o "$REC" -- true) 2>/dev/null
	"$W/known" threads 20 40 >/dev/null 3>&- &
	pid=$!
	sleep 0.3
	(ulimit -n 60; exec collect -F 999 -p $pid --duration 0.5 -o "$REC") 2>"$ERR"
	grep -q 'dropping the rest' "$ERR"
	same_as_kept
	[ "$(fold "$REC" 2>/dev/null | stacks | cut -d';' -f1 | grep -vc '^worker-\|^known')" = 0 ]
	kill $pid
}
