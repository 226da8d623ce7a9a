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

@test "stacks of code without frame pointers are unwound while recording" {
	collect -q -F 999 -g dwarf -o "$REC" -- python3 -c 'sum(i * i for i in range(3000000))'
	fold "$REC" 2>/dev/null | stacks | awk '{ n = $NF; all += n; if (/;_start;/) whole += n } END { exit !(all > 20 && whole > 0.7 * all) }'
}

@test "off-CPU time is in microseconds" {
	needs_root
	collect -q -a --off-cpu -o "$REC" -- sleep 0.5
	fold --event off-cpu "$REC" 2>/dev/null | grep '^sleep;' | total | awk '{ exit !($1 > 490000 && $1 < 560000) }'
}

@test "a process that runs, one of its threads, a name: their samples and no others" {
	needs_root
	"$W/known" threads 20 2 >/dev/null 3>&- &
	pid=$!
	sleep 0.2
	collect -q -F 999 -p $pid --duration 0.3 -o "$REC"
	[ "$(fold "$REC" 2>/dev/null | stacks | cut -d';' -f1 | grep -vc '^worker-\|^known')" = 0 ]
	collect -q -F 999 -t "$(ls /proc/$pid/task | tail -n 1)" --duration 0.3 -o "$REC"
	[ "$(fold "$REC" 2>/dev/null | stacks | cut -d';' -f1 | sort -u | grep -c worker-)" = 1 ]
	collect -q -F 999 --comm worker-0 --duration 0.3 -o "$REC"
	[ "$(fold "$REC" 2>/dev/null | stacks | cut -d';' -f1 | sort -u)" = worker-0 ]
	kill $pid
}

@test "a tracepoint: each hit is a sample, but for those that the filter refuses" {
	needs_root
	collect --list | grep -q '^sched:sched_process_exec$' || skip "no tracepoints here"
	collect -q -a -e sched:sched_process_exec -o "$REC" -- sh -c '/bin/true; /bin/true; /bin/true'
	[ "$(fold "$REC" 2>/dev/null | grep '^true;' | total)" = 3 ]
	collect -q -a -e sched:sched_process_exec --filter 'pid < 0' -o "$REC" -- sh -c /bin/true
	run fold "$REC"
	[ "$status" = 1 ]
}

@test "files are rotated, and each stands alone" {
	collect -q -F 999 --rotate 1s --keep 1 -o "$REC" -- "$W/known" shares 2.5 >/dev/null
	set -- "$REC".*
	[ $# = 1 ]
	fold "$1" 2>/dev/null | grep -q ';hot70 '
	run fold "$REC" # which may have begun a moment ago
	[[ "$output" != *"cut short"* ]]
}

@test "a flight recorder writes the last seconds" {
	collect -q -F 999 --flight 0.5 -o "$REC" -- "$W/known" phases 3 >/dev/null
	fold "$REC" 2>/dev/null | grep -q kernel_phase
	[ "$(fold "$REC" 2>/dev/null | grep -c user_phase)" = 0 ]
}

@test "both writers write the same kind of file" {
	for w in write mmap; do
		collect -q -F 999 --writer=$w -o "$REC" -- "$W/known" shares 0.3 >/dev/null
		fold "$REC" 2>/dev/null | grep -q ';hot70 '
		[ "$(stat -c %s "$REC")" -lt 100000 ]
	done
}

@test "sampling begins and ends when the FIFO says so" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	{ sleep 0.3; echo enable; sleep 0.3; echo disable; sleep 0.2; echo stop; } >"$BATS_TEST_TMPDIR/fifo" &
	collect -F 999 --delay -1 --control "$BATS_TEST_TMPDIR/fifo" -o "$REC" -- "$W/known" shares 1 2>"$BATS_TEST_TMPDIR/err" >/dev/null
	fold "$REC" 2>/dev/null | total | awk '{ exit !($1 > 50 && $1 < 900) }'
}

@test "an ordinary user gets the user side of his own processes" {
	needs_root
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip "kernel.perf_event_paranoid is not 2"
	run setpriv --reuid=65534 --regid=65534 --clear-groups collect -F 999 -- "$W/known" shares 0.3
	[ "$status" = 0 ]
	[[ "$output" == *"user side only"* ]]
	run setpriv --reuid=65534 --regid=65534 --clear-groups collect -a -o /dev/null -- true
	[ "$status" = 1 ]
	[[ "$output" == *"kernel.perf_event_paranoid is 2"*"0 or less"* ]]
}

@test "Ctrl-C ends sampling and writes what is there" {
	collect -a -F 999 -o "$REC" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	sleep 0.7
	kill -INT $pid
	wait $pid
	grep -q 'samples taken' "$BATS_TEST_TMPDIR/err"
	run fold "$REC"
	[[ "$output" != *"cut short"* ]]
}

@test "a start that is refused leaves an earlier recording alone" {
	needs_sampling
	echo precious >"$BATS_TEST_TMPDIR/old.rec"
	run collect -p 4194303 -o "$BATS_TEST_TMPDIR/old.rec"
	[ "$status" = 1 ]
	[ "$(cat "$BATS_TEST_TMPDIR/old.rec")" = precious ]
}

@test "a target that has ended and was not waited for ends the recording" {
	needs_sampling
	needs python3
	python3 - "$BATS_TEST_TMPDIR/z.rec" <<'END'
import subprocess, sys, time
p = subprocess.Popen(["sleep", "0.3"])
c = subprocess.Popen(["collect", "-q", "-p", str(p.pid), "-o", sys.argv[1]])
sys.exit(c.wait(10))
END
}

@test "a rate above the kernel's is named" {
	max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	run collect -F $((max + 1)) -o "$BATS_TEST_TMPDIR/x" -- true
	[ "$status" = 1 ]
	[[ "$output" == *"$max"* ]]
}

@test "an empty event, an open group, and a process that is not there are said" {
	run collect -e '' -o "$BATS_TEST_TMPDIR/x" -- true
	[ "$status" = 2 ]
	run collect -e '{cpu-clock' -o "$BATS_TEST_TMPDIR/x" -- true
	[ "$status" = 2 ]
	sleep 5 &
	run collect -p "$!,4194303" --duration 0.2 -o "$BATS_TEST_TMPDIR/x"
	kill %1
	[ "$status" = 0 ]
	[[ "$output" == *"no process 4194303"* ]]
}
