#!/usr/bin/env bats
bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	printf '50\n200\n150\n400\n750\n400\n150\n' >iguana
	printf '150\n400\n720\n500\n930\n' >chameleon
	printf '10.1\n10.2\n10.3\n10.2\n10.1\n10.2\n' >ten
	printf '12.1\n12.2\n12.3\n12.2\n12.1\n12.2\n' >twelve
}

@test "plain numbers: plot, vitals, Welch's test with its degrees of freedom" {
	run -0 compare iguana chameleon
	[[ $output = *$'\n+  5 '* ]] || [[ $output = *$'\n+   5           150           930           500           540     299.08193\n'* ]]
	[[ $output = *'No difference proven at 95% confidence; undecided: about '*' more runs a side'* ]]
	[[ $output = *"(Welch's t, df 7.425, p = 0.18; Mann-Whitney p = "* ]]
	[[ $output = *$'\t+240 +/- 376.793'* ]]
}

@test "what is proven, in percent with Fieller's interval" {
	needs_shared corpus/ministat
	cd "$SHARED/corpus/ministat"
	run -0 compare --no-plot pmc_head_real.log pmc_pcpu_real.log
	[[ $output = *'Difference at 95% confidence: lower'* ]]
	[[ $output = *'-32.06% [-39.45%, -22.62%]'* ]]
	[[ $output = *'spread 50.4 times smaller'* ]]
	run -0 compare --no-plot pmc_head_sys.log pmc_pcpu_sys.log
	[[ $output = *'[-75.4'*'%, -54.7'*'%]'* ]]
}

@test "a shift of 50 standard deviations near 10^9 is found, the same data twice is not" {
	printf '1000000000.1\n1000000000.2\n1000000000.3\n' >far
	printf '1000000005.1\n1000000005.2\n1000000005.3\n' >farther
	run -0 compare far farther
	[[ $output = *'Difference at 95% confidence: higher'* ]]
	run -0 compare --margin 5 ten ten
	[[ $output = *'No change larger than 0.0'*'at 95% confidence'* ]]
	[[ $output != *nan* ]]
}

@test "a reference that cannot be told from 0 has no percentage" {
	printf -- '-1\n0\n1\n' >zero
	printf '100\n101\n102\n' >hundred
	run -0 compare zero hundred
	[[ $output = *'in percent: undefined'* ]]
}

@test "--fail-if-slower looks at the lower end of the interval" {
	run -3 compare --no-plot --fail-if-slower 15 ten twelve
	run -0 compare --no-plot --fail-if-slower 20 ten twelve
	run -0 compare --no-plot --fail-if-slower 0 twelve ten
	run -0 compare --no-plot --fail-if-slower 0 iguana chameleon
}

@test "--json, --column, --delimiters, --vs" {
	needs python3
	compare --json ten twelve | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["verdict"] == "higher" and abs(d["diff"] - 2) < 1e-9 and d["orig"]["n"] == 6, d
assert d["mann_whitney_p"] < 0.05 and d["ratio_ci"][0] < d["ratio"] < d["ratio_ci"][1], d'
	printf 'r,1\nr,2\nr,3\n' >csv
	run -0 compare --no-plot --column 2 --delimiters , csv csv
	[[ $output = *'x   3             1             3             2             2             1'* ]]
	run -0 compare --no-plot ten ten --vs twelve
	[[ $output = *$'\nx  12 '*$'\n+   6 '* ]]
}

@test "too few values, no number, infinity, wrong usage" {
	echo 1 >one
	run -1 compare one ten
	[[ $output = *'one: 1 value: at least 2 are needed to tell a difference from noise'* ]]
	printf '1\ninf\n' >inf
	run -1 compare --column 1 inf ten
	[[ $output = *"inf: line 2: 'inf' is no number"* ]]
	run -2 compare --confidence 100 ten ten
	run -2 compare --margin x ten ten
	run -2 compare --width 0 ten ten
	run -2 compare ten
}

@test "measure's JSON: a block for each event that both sides counted; slower is the elapsed time" {
	cat >a.json <<'END'
{"flamepipe":"measure","version":1,"sides":[{"command":"old","events":[
{"event":"task-clock","unit":"msec","runs":[10,11,10.5]},
{"event":"cycles","status":"not_supported","runs":[]},
{"event":"elapsed","unit":"s","runs":[1.0,1.1,1.05]}]}]}
END
	sed 's/\[1.0,1.1,1.05\]/[2.0,2.1,2.05]/; s/old/new/' a.json >b.json
	run -0 compare --no-plot a.json b.json
	[[ $output = *'task-clock, msec'*'No difference proven'*'elapsed, s'*'Difference at 95% confidence: higher'* ]]
	[[ $output != *cycles* ]]
	run -3 compare --no-plot --fail-if-slower 10 a.json b.json
	run -0 bash -c 'compare --json a.json b.json | python3 -m json.tool'
	sed 's/"version":1/"version":2/' a.json >v2.json
	run -1 compare v2.json b.json
	[[ $output = *'version 2'* ]]
	run -1 compare a.json
	echo '{"flamepipe":"measure","version":1' >cut.json
	run -1 compare cut.json b.json
}

@test "--paired: what slows the machine down slows both" {
	printf '10\n20\n30\n40\n50\n' >first
	printf '11\n21.2\n31.1\n40.9\n51.1\n' >second
	run -0 compare --no-plot first second
	[[ $output = *'No difference proven'* ]]
	run -0 compare --no-plot --paired first second
	[[ $output = *'Difference at 95% confidence: higher'*"(Student's paired t, df 4, p = "* ]]
	echo 60 >>first
	run -1 compare --paired first second
	[[ $output = *'--paired: 6 and 5 values make no pairs'* ]]
}
