#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# A table of N runs a side in which every run of g is GROWTH percent more on the patched side, plus noise that repeats.
table() { # N GROWTH
	awk -v n="$1" -v growth="$2" 'BEGIN {
		split("3 -5 1 4 -2 0 -4 2 5 -3", noise, " ")
		printf "# flamepipe weight=samples freq_hz=100 command=x columns="
		for (i = 1; i <= 2 * n; i++) printf "%s%s/%d", (i > 1 ? "," : ""), (i > n ? "patched" : "orig"), (i > n ? i - n : i)
		print " ."
		split("main;f main;g main;h;k", stack, " ")
		for (s = 1; s <= 3; s++) {
			printf "%s", stack[s]
			for (i = 1; i <= 2 * n; i++)
				printf " %d", s * 200 + noise[(i * s + s) % 10 + 1] + (i > n && s == 2 ? 4 * growth : 0)
			print ""
		}
	}'
}

@test "the one function that got slower is found, its caller's change is not its own" {
	table 8 20 >t
	run -0 compare --report t
	[[ $output = *'CPU time (fixed work)'*'over 3 candidates'* ]]
	[[ $output = *'Total'*' s -> '*': higher'* ]]
	[ "$(grep -c ' slower ' <<<"$output")" = 1 ]
	[[ $(grep ' slower ' <<<"$output") = *'* '*' g <- main' ]]
	[[ $output = *' same (no change > '*' f <- main'* ]]
	[[ $output = *'k <- h <- main'* ]]
}

@test "nothing is found where nothing is, and --aa says that the method holds" {
	table 8 0 >t
	run -0 compare --report t
	[[ $output = *'3 candidates: 0 slower, 0 faster'* ]]
	run -0 compare --aa -q t
	[[ ${lines[0]} =~ ^orig:\ ([0-9]+)\ of\ 200\ random\ splits\ of\ its\ 8\ runs ]]
	[ "${BASH_REMATCH[1]}" -le 20 ]
}

@test "shares instead of time: what did not change shrinks" {
	table 8 20 >t
	run -0 compare --report --observe share t
	[[ $output = *"share of the run's samples"* ]]
	[[ $(grep 'f <- main' <<<"$output") = *' less '* ]]
}

@test "single runs are exploratory, whatever they show" {
	printf 'a;b 100\na;c 900\n' >orig
	printf 'a;b 900\na;c 100\n' >patched
	run -0 compare --report orig patched
	[[ $output = *'EXPLORATORY'* ]]
	[[ $output = *' 10.00%  90.00%   +80.00 '* ]]
	[[ $output != *slower* && $output != *significant* && $output != *nan* ]]
	run -0 compare -q orig patched
	[[ $output != *verdict* ]]
	run -0 compare --report --fail-if-slower 1 orig patched
	[[ $output = *'fewer than 3 runs a side prove nothing'* ]]
}

@test "an empty side has a report without NaN" {
	: >empty
	echo 'a;b 5' >full
	for sides in 'empty full' 'full empty' 'empty empty'; do
		run -0 compare --report $sides
		[[ $output != *nan* && $output != *inf* ]]
	done
}

@test "verdicts for render: comments that no tool takes for stacks" {
	table 8 20 >t
	run -0 compare -q t
	grep -q '^# verdict finding=slower .* stack=main;g \.$' <<<"$output"
	grep -q '^# verdict finding=undecided .* chain=1 stack=main;h;k \.$' <<<"$output"
	[ "$(fold -q --no-header <<<"$output" | wc -l)" = 3 ]
}

@test "--json has it all, also by function and self" {
	needs python3
	table 8 20 >t
	for unit in path function self; do
		compare --json --unit $unit t | python3 -c '
import json, sys
d = json.load(sys.stdin)
slower = [c["function"] for c in d["candidates"] if c["finding"] == "slower"]
assert slower in (["g"], ["main", "g"]), slower
assert d["total"]["finding"] == "slower" and len(d["orig"]) == 8 and not d["exploratory"], d'
	done
	printf 'a;b 1\n' >one
	compare -q --json one one | python3 -m json.tool >/dev/null
}

@test "--fail-if-slower fails on a proven slow-down of the total" {
	table 8 20 >t
	run -3 compare --report --fail-if-slower 5 t
	run -0 compare --report --fail-if-slower 10 t
	table 8 0 >same
	run -0 compare --report --fail-if-slower 0 same
}

@test "--exclude renormalises and says how much it took out" {
	printf 'a;pmc 700\na;b 100\na;c 200\n' >orig
	printf 'a;b 200\na;c 800\n' >patched
	run -0 compare --report --exclude pmc orig patched
	[[ $output = *'orig     orig: 1 run, 300 samples, 0 lost, 70.0% left out by options'* ]]
	[[ $output = *' 33.33%  20.00%   -13.33 '* ]]
}

@test "lossy runs are refused" {
	for i in 1 2 3; do printf '# flamepipe samples=100 lost=5 .\na;b 100\n' >lossy$i; done
	run -1 compare --report lossy1 lossy2 lossy3 --vs lossy1 lossy2 lossy3
	[[ $output = *'lossy1: 4.76% of its samples were lost (--max-loss=1)'* ]]
	run -0 compare --report --max-loss 5 lossy1 lossy2 lossy3 --vs lossy1 lossy2 lossy3
}

@test "the FreeBSD change: the profiler's 70% gone, page faults from 23% to 91%" {
	needs_shared corpus/svg
	cd "$SHARED/corpus/svg"
	run -0 compare --report pf1_orig.svg pf1.svg
	[[ $output = *' 68.75%   0.00% '*'lock_delay <- _mtx_lock_spin_cookie <- pmclog_reserve'* ]]
	[[ $output = *' 23.47%  91.05% '*'vm_fault_hold'* ]]
	# Whoever spins in lock_delay: hardly a change, until the profiler's own part is taken out.
	run -0 compare --report --unit function pf1_orig.svg pf1.svg
	before=$(grep -E ' lock_delay$' <<<"$output")
	run -0 compare --report --unit function --exclude 'pmc|lapic_handle_timer' pf1_orig.svg pf1.svg
	after=$(grep -E ' lock_delay$' <<<"$output")
	[ "$(awk '{ print int($3) }' <<<"$before")" -lt 0 ]
	[ "$(awk '{ print int($3) }' <<<"$after")" -ge 8 ]
}

# test/data/fixed_work.folded: 20 runs of test/workload/fixed_work and 20 in which hash_step does 20% more, recorded in turn by
# test/bench/compare with stacks cut to six frames. A true 5% gives more than 21 of 200 once in a thousand times.
@test "stored recordings: false alarms in random splits of the same version" {
	run -0 compare --aa -q "$DATA/fixed_work.folded"
	[ "${#lines[@]}" = 2 ]
	for line in "${lines[@]}"; do
		[[ $line =~ :\ ([0-9]+)\ of\ 200\ random\ splits\ of\ its\ 20\ runs ]]
		[ "${BASH_REMATCH[1]}" -le 21 ]
	done
}

@test "stored recordings: a true 20% is found with 10 runs, hardly any innocent place" {
	cd "$ROOT"
	run -0 env DRAWS=20 test/bench/compare "$DATA/fixed_work.folded"
	[[ $output = *'found in 20 of 20 draws of 10 runs a side'* ]]
	[[ $output =~ 'innocent places called changed: 0.'[0-9]+' a draw' ]]
}

@test "--paired for runs in turn" {
	run -0 compare --report --paired "$DATA/fixed_work.folded"
	[[ $output = *"Student's paired test"* ]]
	[[ $(grep ' slower ' <<<"$output") = *'hash_step <- main'* ]]
	printf 'a;b 1\n' >one
	run -1 compare --paired one one --vs one
}

@test "runs made in two blocks are called so, runs in turn are not" {
	for i in 1 2 3; do
		for side in a b; do echo 'x;y 100' >$side$i; done
		touch -d "2026-01-01 00:00:0$i" a$i
		touch -d "2026-01-01 00:00:1$i" b$i
	done
	run -0 compare --report a1 a2 a3 --vs b1 b2 b3
	[[ $output = *'all runs of one side were made before those of the other'* ]]
	run -0 compare --report a1 b2 a3 --vs b1 a2 b3
	[[ $output != *'made before'* ]]
}

@test "what is gone and what is new is said" {
	printf 'a;b 500\na;c 500\n' >orig
	printf 'a;d 500\na;c 500\n' >patched
	run -0 compare --report orig patched
	[[ $(grep ' b <- a' <<<"$output") = *' 50.00%   0.00% '*'gone, it seems'* ]]
	[[ $(grep ' d <- a' <<<"$output") = *'new, it seems'* ]]
}
