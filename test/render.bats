# render: folded lines in, a picture out.
load helper
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

draw() { printf '%s\n' "$@" | render -q; }

@test "titles have name, count with commas and percentage" {
	draw "main;work 1234" "main;rest 8766" >o.svg
	grep -qF '<title>work (1,234 samples, 12.34%)</title>' o.svg
	grep -qF '<title>all (10,000 samples, 100%)</title>' o.svg
}

@test "the same bytes for shuffled lines and in any locale" {
	sort -R --random-source=/dev/zero "$DATA/render/shapes.folded" >shuffled
	render -q "$DATA/render/shapes.folded" >a.svg
	render -q shuffled >b.svg
	LC_ALL=C render -q shuffled >c.svg
	cmp a.svg b.svg
	cmp a.svg c.svg
}

@test "any bytes give well-formed XML" {
	needs xmllint
	for i in $(seq 0 255); do printf "a\\x$(printf %02x "$i")b;<&\">'\\xff\\xc3\\xe2\\x28 %d\n" 1; done >bytes
	render -q --title $'<&"\x01--\xff' --subtitle '<b>' --notes 'a--b-' --countname '"<' --nametype '&' --fonttype "x'<y" bytes >o.svg
	xmllint --noout o.svg
	[ "$(iconv -f UTF-8 -t UTF-8 o.svg | wc -c)" = "$(wc -c <o.svg)" ]
}

@test "an input without a stack is an error, and says so" {
	run render </dev/null
	[ "$status" = 1 ]
	[[ "$output" == *"no stack"* ]]
}

@test "lines without a count are counted and the first is quoted" {
	run --separate-stderr bash -c 'printf "a;b 1\nnonsense\nmore nonsense\n" | render -q'
	[ "$status" = 0 ]
	[[ "$stderr" == *"2 lines"*"line 2: nonsense"* ]]
}

@test "a full disk is an error" {
	run bash -c "render -q '$DATA/render/shapes.folded' >/dev/full"
	[ "$status" = 1 ]
}

@test "a missing file is an error that names it" {
	run render /nonexistent/file
	[ "$status" = 1 ]
	[[ "$output" == *"/nonexistent/file"* ]]
}

@test "an unknown option is a wrong use" {
	run render --no-such-option
	[ "$status" = 2 ]
}

@test "frames below the minimum width are left out and counted" {
	run --separate-stderr bash -c 'printf "a;b 99999\na;c 1\n" | render'
	[[ "$stderr" == *"1 frames"* ]]
	[[ "$output" != *"<title>c ("* ]]
	draw "a;b 99999" "a;c 1" | grep -c '<title>c (' | grep -q 0
	printf "a;b 99999\na;c 1\n" | render -q --minwidth 0 | grep -q '<title>c (1 samples, 0.00%)'
}

@test "two columns are a difference: the second is drawn, the first compared with" {
	draw "a;grown 5 25" "a;shrunk 10 5" >o.svg
	grep -q '<title>grown (25 samples, 83.33%; +66.67%)' o.svg
	grep -q '<title>shrunk (5 samples, 16.67%; -16.67%)' o.svg
}

@test "a frame that ends in a number is no column" {
	draw "a;worker 7 50" "a;b 50" >o.svg
	grep -q '<title>worker 7 (50 samples, 50.00%)' o.svg
}

@test "the header's facts stand under the picture" {
	draw "# flamepipe event=cpu-clock freq_hz=99 samples=7 lost=0 ." "a 7" | grep -q 'id="provenance".*cpu-clock at 99 Hz.*7 samples, 0 lost'
}

@test "palette.map keeps colours, also of names with an arrow" {
	cd "$BATS_TEST_TMPDIR"
	printf 'p::operator->->rgb(1,2,3)\n' >palette.map
	draw_cp() { printf 'p::operator-> 5\nplain 5\n' | render -q --cp; }
	draw_cp | grep -q 'operator-&gt; (5.*fill="rgb(1,2,3)"'
	grep -qx 'p::operator->->rgb(1,2,3)' palette.map
	grep -q '^plain->rgb(' palette.map
	cp palette.map before
	draw_cp >/dev/null
	cmp before palette.map
}

@test "every palette draws, an unknown one is refused" {
	for p in hot mem io java js perl python rust wakeup chain red green blue aqua yellow purple orange; do
		render -q --colors $p "$DATA/render/shapes.folded" | grep -q 'fill="rgb('
	done
	run render --colors nosuch "$DATA/render/shapes.folded"
	[ "$status" = 2 ]
}

@test "in a browser: zoom, search, reset, history" {
	needs node chromium
	render -q --width 1200 "$DATA/render/shapes.folded" >"$BATS_TEST_TMPDIR/o.svg"
	TMPDIR=$BATS_TEST_TMPDIR node "$ROOT/test/browser/svg.js" "$BATS_TEST_TMPDIR/o.svg" ${SHOTS:-}
}

@test "the cases of others" {
	needs_shared cases
	needs python3
	for c in 043 045 047 049 051 053 055 057 059 061; do
		RENDER=render run python3 "$SHARED/cases/_tools/check.py" "$SHARED"/cases/$c-*
		echo "$output"
		[ "$status" = 0 ]
	done
}

@test "fold gives back every stack of a picture, also those too narrow to be drawn" {
	{ echo "# flamepipe event=cycles samples=100001 lost=3 excluded=0 ."; printf 'a;b 99999\na;c 1\na;c;d 1\n'; } >in
	for o in "" --reverse --inverted "--width 300" --flamechart; do
		render -q $o in >o.svg
		fold -q o.svg >back
		cmp in back
	done
	render -q in | grep -c '<title>c (' | grep -qx 0
}

@test "both columns of a difference come back" {
	printf 'a;b 1.5 2\na;gone 7 0\n' >in
	render -q in | fold -q --no-header | cmp - in
}
