#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf '50\n200\n150\n400\n750\n400\n150\n' >iguana
	printf '150\n400\n720\n500\n930\n' >chameleon
	printf 'tall\n5\n5\n5\n5\n9\n' | tail -n +2 >tall
	printf '1\n3\n7\n' >flat
}

# What Debian's older ministat prints alike: all but the relative error and, for an even number of values, the median.
same_as_peer() {
	diff <(ministat "$@" | grep -v '%.*+/-') <(compare --ministat "$@" | grep -v '%.*+/-')
}

@test "the six comparisons of the FreeBSD change, to the byte" {
	needs_shared corpus/ministat
	cd "$SHARED/corpus/ministat"
	local pair n=0
	for pair in baseline_real:head_real baseline_real:pcpu_real baseline_sys:head_sys baseline_sys:pcpu_sys \
		head_real:pcpu_real head_sys:pcpu_sys; do
		compare --ministat "pmc_${pair%:*}.log" "pmc_${pair#*:}.log" | cmp - "new_${pair%:*}_${pair#*:}.txt"
		n=$((n + 1))
	done
	[ $n = 6 ]
}

@test "the manual page's animals" {
	run -0 compare --ministat -n iguana chameleon
	[ "${lines[0]}" = 'x iguana' ]
	[ "${lines[3]}" = 'x   7            50           750           200           300     238.04761' ]
	[ "${lines[4]}" = '+   5           150           930           500           540     299.08193' ]
	run -0 compare --ministat -A -c 80 iguana chameleon
	[ "${lines[5]}" = 'Difference at 80.0% confidence' ]
	[ "${lines[6]}" = $'\t240 +/- 212.215' ]
	[[ ${lines[7]} = $'\t80% +/- '* ]]
	[ "${lines[8]}" = $'\t(Student\'s t, pooled s = 264.159)' ]
	run -0 compare --ministat -A iguana chameleon
	[ "${lines[5]}" = 'No difference proven at 95.0% confidence' ]
}

@test "options: column, delimiters, quiet, width, separate bars, standard input" {
	printf '# x\nr,1,9\nr,,2\nr,# 8\n\nr,4,7\n' >csv
	run -0 compare --ministat -q -n -C 2 -d , csv
	[ "$output" = 'x   3             1             4             2     2.3333333     1.5275252' ]
	run -0 compare --ministat -w 20 -s iguana chameleon
	[ "${lines[2]}" = "+$(printf -- '-%.0s' {1..20})+" ]
	[ "$(grep -c '[AM]' <<<"$(printf '%s\n' "${lines[@]:3:6}")")" -ge 2 ]
	run -0 compare --ministat <iguana
	[ "${lines[0]}" = 'x <stdin>' ]
}

@test "errors have ministat's statuses" {
	printf '1\ntwo\n3\n' >bad
	run -2 compare --ministat bad
	[[ $output = *'Invalid data on line 2 in bad'* ]]
	printf '1\n2\n' >short
	run -2 compare --ministat short
	[[ $output = *'Dataset short must contain at least 3 data points'* ]]
	run -2 compare --ministat nowhere
	run -2 compare --ministat -c 97 iguana
	run -2 compare --ministat -C 0 iguana
	run -2 compare --ministat iguana iguana iguana iguana iguana iguana iguana iguana
	run -1 bash -c 'compare --ministat iguana >/dev/full'
}

@test "one value everywhere has no plot, narrow plots stay inside" {
	printf '1\n1\n1\n' >same
	run -0 compare --ministat same same
	[[ $output = *'[no plot, span is zero width]'*'No difference proven'* ]]
	for w in 0 1 2; do run -0 compare --ministat -w $w iguana chameleon; done
}

@test "Debian's ministat draws the same plots and bars" {
	needs ministat
	same_as_peer iguana chameleon
	same_as_peer -s iguana chameleon tall
	same_as_peer -w 33 tall flat
	same_as_peer flat tall iguana
	same_as_peer -c 99.5 iguana chameleon
	same_as_peer -n tall flat
}
