#!/usr/bin/env bats
# Data of others (../shared/corpus), and what their collapsers print for it. Where an expectation is wrong, the function below says
# why and corrects it, so that the rest is still compared byte for byte.
bats_require_minimum_version 1.5.0
load helper

OPTIONS="pid tid kernel jit all addrs"

# stackcollapse-perf.pl hands a sample over at the empty line after it and loses the last one of a file that ends without.
last_sample() { # NAME OPTION
	case $1-$2 in
	perf-dd-*-pid) echo 'dd-?;[unknown];system_call 10101010' ;;
	perf-dd-*-tid) echo 'dd-?/29776;[unknown];system_call 10101010' ;;
	perf-dd-*-kernel | perf-dd-*-all) echo 'dd;[unknown];system_call_[k] 10101010' ;;
	perf-dd-*-jit) echo 'dd;[unknown];system_call 10101010' ;;
	perf-dd-*-addrs) echo 'dd;[unknown <246>];system_call 10101010' ;;
	perf-iperf-*-pid) echo 'iperf-27409;[unknown];[unknown];[iperf] 1' ;;
	perf-iperf-*-tid) echo 'iperf-27409/28744;[unknown];[unknown];[iperf] 1' ;;
	perf-iperf-*-addrs) echo 'iperf;[unknown <0>];[unknown <7f259c0008f0>];[iperf <762f>] 1' ;;
	perf-iperf-*) echo 'iperf;[unknown];[unknown];[iperf] 1' ;;
	perf-mirageos-*-pid) echo 'mir-console-?;camlMain__fun_1418;camlLwt__return_1285 1' ;;
	perf-mirageos-*-tid) echo "mir-console-?/23166;camlMain__fun_1418;camlLwt__return_1285 1" ;;
	perf-mirageos-*) echo 'mir-console;camlMain__fun_1418;camlLwt__return_1285 1' ;;
	perf-java-stacks-01-*) ab_sample "$2" ;;
	esac
}

ab_sample() {
	local k= root=ab unknown='[unknown]' vdso='[[vdso]]'
	case $1 in
	pid) root='ab-?' ;;
	tid) root='ab-?/23927' ;;
	kernel | all) k='_[k]' ;;
	addrs) unknown='[unknown <1000100000001>]' vdso='[[vdso] <7fffa95fe250>]' ;;
	esac
	echo "$root;$unknown;$vdso;__epoll_wait_nocancel;system_call_fastpath$k;sys_epoll_wait$k;ep_poll$k;schedule_hrtimeout_range$k;schedule_hrtimeout_range_clock$k;schedule$k;__schedule$k 1"
}

corrected() { # NAME OPTION, expectation on stdin
	{
		case $1-$2 in
		# Recorded before the L of Java class names was stripped with --pid and --tid as it is without.
		perf-java-*-pid | perf-java-*-tid) sed 's/;L\([a-z]*\/\)/;\1/g' ;;
		# [vdso] is no kernel code: it runs in the process.
		perf-iperf-*-kernel | perf-iperf-*-all) sed 's/;__vdso_gettimeofday_\[k\]/;__vdso_gettimeofday/' ;;
		*) cat ;;
		esac
		last_sample "$1" "$2"
	} | awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort
}

@test "perf script text folds as stackcollapse-perf.pl's expectations say, 54 times" {
	needs_shared corpus/perf-script
	local f name option n=0
	for f in "$SHARED"/corpus/perf-script/*.txt; do
		name=$(basename "$f" .txt)
		for option in $OPTIONS; do
			corrected "$name" "$option" <"$SHARED/corpus/perf-script/expected/$name-collapsed-$option.txt" >"$BATS_TEST_TMPDIR/want"
			fold -q --no-header "--$option" "$f" | sort >"$BATS_TEST_TMPDIR/got"
			diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" || { echo "in $name --$option"; return 1; }
			n=$((n + 1))
		done
	done
	[ "$n" = 54 ]
}

inferno() { # NAME [OPTION]
	sort "$SHARED/corpus/inferno/collapse-perf/results/$1-collapsed${2:+-${2#--}}.txt" >"$BATS_TEST_TMPDIR/want"
	fold -q --no-header $2 "$SHARED/corpus/inferno/collapse-perf/$1.txt" | sort >"$BATS_TEST_TMPDIR/got"
	diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

@test "perf script text folds as inferno's expectations say" {
	needs_shared corpus/inferno/collapse-perf
	inferno go-stacks
	inferno single-event
	inferno sourcepawn-jitdump --jit
}

@test "the brackets of operator() are kept, which inferno takes for a parameter list" {
	needs_shared corpus/inferno/collapse-perf
	run -1 inferno cpp-stacks-std-function
	[ "$(grep -c '^[<>]' <<<"$output")" = 2 ]
	[ "$(sed -n 's/^< //p' <<<"$output" | sed 's/::operator;/::operator();/')" = "$(sed -n 's/^> //p' <<<"$output")" ]
}

@test "cycles and cycles:u are two events, which inferno adds up" {
	needs_shared corpus/inferno/collapse-perf
	run -1 inferno single-line-stacks
	[ "$output" = "$(printf '2d1\n< false;_dl_start 1')" ]
	run -0 fold -q --no-header --event cycles "$SHARED/corpus/inferno/collapse-perf/single-line-stacks.txt"
	[ "$output" = "$(printf 'false;[unknown] 1\nfalse;_dl_start 1')" ]
}

@test "an empty line between a header and its frames" {
	needs_shared corpus/inferno/collapse-perf
	run -0 fold -q --no-header "$SHARED/corpus/inferno/collapse-perf/empty-line.txt"
	[ "$output" = "inline-counter;main 500000" ]
}

@test "cases 001 to 033" {
	needs_shared cases
	needs python3
	cd "$BATS_TEST_TMPDIR"
	run -0 env FOLD=fold python3 "$SHARED/cases/_tools/check.py" "$SHARED"/cases/0[0-2]* "$SHARED"/cases/03[0-3]*
	[ "$(grep -c '^PASS ' <<<"$output")" = 17 ]
}
