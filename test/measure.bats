#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	measure -e task-clock -- true 2>/dev/null || skip "this user may not count events here"
}

@test "one run: counts, metric, times; no error bars and no NaN" {
	run -0 measure -e task-clock,page-faults -- sh -c 'echo out; exit 0'
	[[ $output = *out*"Performance counter stats for 'sh -c "*'msec task-clock'*'CPUs utilized'*'page-faults'* ]]
	[[ $output = *'seconds time elapsed'*'seconds user'*'seconds sys'* ]]
	[[ $output != *+-* && $output != *[Nn][Aa][Nn]* ]]
}

@test "several runs: the mean of all, standard error and interval" {
	needs python3
	run -0 measure -r 5 -e task-clock,context-switches -- sleep 0.01
	[[ $output = *'(5 runs)'*'task-clock'*'( +-'*'%'*'95%: ['* ]]
	measure -r 5 --json -o out.json -e task-clock,page-faults -- sh -c ':'
	python3 - <<'END'
import json, statistics as st
d = json.load(open("out.json"))
for e in d["sides"][0]["events"]:
    assert e["n"] == 5 == len(e["runs"]), e
    m, sd = st.mean(e["runs"]), st.stdev(e["runs"])
    assert abs(e["mean"] - m) <= 1e-9 * abs(m) and abs(e["sd"] - sd) <= 1e-6 * abs(sd) + 1e-12, e
    if m:
        assert abs(e["noise_percent"] - 100 * sd / 5 ** .5 / m) < 1e-6, e
    half = 2.7764451 * sd / 5 ** .5
    assert abs(e["ci95"][0] - (m - half)) <= 1e-6 * (abs(m) + half), e
END
}

@test "the exit status is the command's, the first that is not 0" {
	run -7 measure -r 2 -e task-clock -- sh -c 'exit 7'
	[[ $output = *'2 of 2 runs failed, the first with status 7'* ]]
	run -137 measure -e task-clock -- sh -c 'kill -9 $$'
	run -127 measure -e task-clock -- ./nowhere
	[[ $output = 'measure: cannot execute ./nowhere: No such file or directory' ]]
	echo data >data
	run -126 measure -e task-clock -- ./data
	printf 'x' >count
	run -3 measure -r 3 -e task-clock -- sh -c 'printf x >>count; [ "$(wc -c <count)" != 3 ] || exit 3'
	run -2 measure -r x -- true
	run -2 measure -e no-such-event -- true
	run -2 measure -I 10 -r 2 -- true
	run -1 measure -o /nowhere/out -- true
	run -1 bash -c 'measure -o - -e task-clock -- true >/dev/full'
}

@test "SIGTERM is handed on, the results are printed, no child is left" {
	measure -e task-clock -- sleep 97 2>out & pid=$!
	sleep 0.3
	child=$(pgrep -P $pid)
	kill -TERM $pid
	status=0; wait $pid || status=$?
	[ $status = 143 ]
	grep -q 'task-clock' out
	run -1 kill -0 "$child"
}

@test "Ctrl-C in the middle: the run in progress is left out, those before are reported" {
	python3 - <<'END'
import os, signal, subprocess, time
p = subprocess.Popen(["measure", "-r", "5", "-e", "task-clock", "--", "sh", "-c", "echo >>begun; sleep 0.4"],
                     stderr=open("out", "w"), start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while not os.path.exists("begun") or os.path.getsize("begun") < 2:
    time.sleep(0.02)
os.killpg(p.pid, signal.SIGINT)
assert p.wait() == 130, p.returncode
END
	grep -q '(1 run of 5)' out
	grep -q 'the run in progress is left out' out
}

@test "-x has perf's fields, one row an event; --json parses" {
	needs python3
	run -0 --separate-stderr measure -x , -o - -r 2 -e task-clock,page-faults -- true
	[[ ${lines[0]} =~ ^[0-9.]+,msec,task-clock,[0-9.]+%,[0-9]+,100.00,[0-9.]+,CPUs\ utilized$ ]]
	run -0 --separate-stderr measure -x , -o - -e page-faults -- true
	[[ ${lines[0]} =~ ^[0-9]+,,page-faults,[0-9]+,100.00,,$ ]]
	measure --json -o - -e task-clock,L1-dcache-loads -- true | python3 -c '
import json, sys
d = json.load(sys.stdin)
e = {e["event"]: e for e in d["sides"][0]["events"]}
assert e["task-clock"]["status"] == "counted" and e["task-clock"]["mean"] > 0
assert e["L1-dcache-loads"]["status"] in ("counted", "not_supported", "not_counted")'
}

@test "the command's output stays, unless results use standard output" {
	run -0 --separate-stderr measure -e task-clock -- echo hello
	[ "$output" = hello ]
	run -0 --separate-stderr measure -o - -e task-clock -- echo hello
	[ "$stderr" = hello ]
	[[ $output = *task-clock* ]]
}

@test "-I prints what was counted in between, and the rest at the end" {
	run -0 --separate-stderr measure -I 50 --json -o - -e task-clock -- sleep 0.12
	[ "${#lines[@]}" = 3 ]
	[[ ${lines[2]} = '{"interval":0.1'*'"event":"task-clock"'* ]]
}

@test "-p ends with its process, -a with the command, --duration with the time" {
	sleep 0.3 & 
	run -0 measure -e task-clock -p $!
	[[ $output =~ \ 0\.[23][0-9]*\ seconds\ time\ elapsed ]]
	run -2 measure -a -p 1 -- true
	run -143 measure -e task-clock --duration 0.1 -- sleep 5
	if [ "$(id -u)" = 0 ]; then
		run -0 measure -a -e task-clock -- sleep 0.05
		[[ $output = *task-clock* ]]
	fi
}

@test "--vs runs both in turn and compares; --collect records each run" {
	run -0 measure -r 6 -e page-faults --vs 'seq 200000 | sort >/dev/null; :' -- sh -c ':'
	[[ $output = *' orig '*' patched '*'page-faults'*'higher'* ]]
	needs_sampling
	run -0 measure -r 2 -e page-faults --collect runs -F 199 --vs true -- true
	[ "$(ls runs/orig runs/patched | grep -c '^[12]$')" = 4 ]
	run -1 measure -r 2 --collect runs -- true
	[[ $output = *'is not empty'* ]]
}

@test "noise is called noise, and how many runs would do" {
	run -0 measure -r 3 -e task-clock -- sh -c '[ $(($(cat n 2>/dev/null || echo 0) % 2)) = 1 ] && sleep 0.05; echo $(($(cat n 2>/dev/null || echo 0) + 1)) >n'
	[[ $output =~ 'cannot be trusted: '[0-9]+'% noise; about '[0-9]+' runs would do' ]]
}

@test "--warmup does not count, --table has every run" {
	run -0 measure -r 2 --warmup 3 --table -e task-clock -- sh -c 'echo x >>ran'
	[ "$(wc -l <ran)" = 5 ]
	[[ $output = *'(2 runs)'*'Table of individual measurements'*'Final result'* ]]
	[ "$(grep -c '(.*) #' <<<"$output")" = 2 ]
}

@test "perf stat counts the same system calls" {
	needs perf
	needs_root
	local e=syscalls:sys_enter_write
	perf stat -x , -o theirs -e $e -- dd if=/dev/zero of=/dev/null bs=1 count=1000 2>/dev/null || skip "no tracepoints here"
	measure -x , -o ours -e $e -- dd if=/dev/zero of=/dev/null bs=1 count=1000 2>/dev/null
	[ "$(grep $e ours | cut -d, -f1)" = "$(grep $e theirs | cut -d, -f1)" ]
	[ "$(grep $e ours | cut -d, -f1)" -ge 1000 ]
}

@test "compare reads what measure wrote" {
	measure -r 3 --json -o a.json -e page-faults -- sh -c ':'
	measure -r 3 --json -o b.json -e page-faults -- sh -c 'seq 200000 | sort >/dev/null'
	run -0 compare --no-plot a.json b.json
	[[ $output = *page-faults*'Difference at 95% confidence: higher'*'elapsed, s'* ]]
	measure -r 3 --vs 'seq 200000 | sort >/dev/null' --json -o ab.json -e page-faults -- sh -c ':'
	run -0 compare --no-plot ab.json
	[[ $output = *page-faults*'Difference at 95% confidence: higher'* ]]
}

@test "case 107 from public reports" {
	needs_shared cases
	needs python3 cc
	run -0 env STAT=measure python3 "$SHARED/cases/_tools/check.py" "$SHARED"/cases/107-*
}
