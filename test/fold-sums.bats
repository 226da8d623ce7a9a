#!/usr/bin/env bats
# What holds for every profile: what goes in comes out, in whatever order and cut in whatever pieces it comes.
bats_require_minimum_version 1.5.0
load helper

# samples SEED N: perf script text of N samples of two events, with the sum of the periods of the first one in ./sum
samples() {
	awk -v seed="$1" -v n="$2" -v sum="$BATS_TEST_TMPDIR/sum" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			event = i && rand() < .1 ? "faults" : "cycles:u"
			period = int(rand() * 1e6) + 1
			if (event != "faults") total += period
			comm = "c" int(rand() * 3)
			if (rand() < .5) comm = comm " x"
			printf "%s %d/%d [%03d] %d.%06d: %d %s: \n", comm, 1 + rand() * 3, 4 + rand() * 3, rand() * 2, i / 1000, i % 1000 * 1000, period, event
			for (d = int(rand() * 12); d > 0; d--)
				printf "\t%16x %s+0x%x (%s)\n", rand() * 1e9, rand() < .2 ? "[unknown]" : "f" int(rand() * 5) "(int)", rand() * 99, rand() < .5 ? "/bin/x" : "[kernel.kallsyms]"
			print ""
		}
		printf "%d\n", total > sum
	}'
}

sum_of() {
	fold -q --no-header "$@" | total
}

@test "no option that only names or places frames changes the sum" {
	cd "$BATS_TEST_TMPDIR"
	samples 1 3000 >in
	for o in --pid --tid --all --addrs --includeoffset --no-tidy --merge-recursive --max-depth=2 --skip-after=f3 --srcline --timed \
		--timed=0.001 --by=cpu --by=comm '--by tid --by pid' '--weight period'; do
		[ "$(sum_of $o in)" = "$(cat sum)" ] || { echo "with $o"; return 1; }
	done
	[ "$(sum_of --weight samples in)" = "$(grep -c ' cycles:u: ' in)" ]
}

@test "filters split the sum" {
	cd "$BATS_TEST_TMPDIR"
	samples 2 3000 >in
	[ $(($(sum_of -p 1 in) + $(sum_of -p 2-3 in))) = "$(cat sum)" ]
	[ $(($(sum_of -t 4,5 in) + $(sum_of -t 6 in))) = "$(cat sum)" ]
	[ $(($(sum_of -C 0 in) + $(sum_of -C 1 in))) = "$(cat sum)" ]
	[ $(($(sum_of --time ,1.5 in) + $(sum_of --time 1.5, in))) = "$(cat sum)" ]
	[ $(($(sum_of --include f1 in) + $(sum_of --exclude f1 in))) = "$(cat sum)" ]
	[ $(($(sum_of --comm c0,c1,c2 in) + $(sum_of --comm 'c0 x,c1 x,c2 x' in))) = "$(cat sum)" ]
	[ $(($(sum_of --weight samples in) + $(sum_of --weight samples --event faults in))) = 3000 ]
	[ "$(sum_of --weight samples --by event in)" = 3000 ]
}

@test "the order of samples does not matter, nor how the input is cut" {
	cd "$BATS_TEST_TMPDIR"
	samples 3 4000 >in
	fold -q --no-header --event cycles in >want
	awk 'BEGIN { RS = "" } { s[NR] = $0 } END { for (i = NR; i; i--) print s[i] "\n" }' in | fold -q --no-header --event cycles | cmp - want
	head -n 9999 in >one
	tail -n +10000 in >two
	cat one two | fold -q --no-header | cmp - want
	{ cat one; sleep 0.2; cat two; } | fold -q --no-header | cmp - want
	sed 's/$/\r/' in | fold -q --no-header | cmp - want
	needs taskset
	taskset -c 0 fold -q --no-header in | cmp - want
}

@test "the sum of one half and the other, folded again, is the whole" {
	cd "$BATS_TEST_TMPDIR"
	samples 4 2000 >in
	awk 'BEGIN { RS = "" } NR % 2 { print $0 "\n" }' in | fold -q >one
	awk 'BEGIN { RS = "" } NR % 2 == 0 { print $0 "\n" }' in | fold -q --event cycles >two
	fold -q --no-header one two | cmp - <(fold -q --no-header in)
}
