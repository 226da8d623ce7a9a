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

# Same titles (name, count, percentage, difference) as an SVG of inferno: agrees EXPECTED OPTION... ; lines of its that are wrong
# match the expression in $except, as do ours.
agrees() {
	local expected=$SHARED/corpus/inferno/flamegraph/$1
	shift
	render -q --minwidth 0.01% "$@" >o.svg
	diff <("$ROOT/test/frames" "$expected" | grep -vE "${except:-^$}") <("$ROOT/test/frames" o.svg | grep -vE "${except:-^$}")
}

@test "frame for frame what inferno draws" {
	needs_shared corpus/inferno/flamegraph
	d=$SHARED/corpus/inferno/flamegraph
	agrees differential/diff.svg --diff one "$d"/differential/*.txt
	agrees differential/diff-negated.svg --diff one --negate "$d"/differential/*.txt
	agrees flamechart/flame.svg --flamechart "$d/flamechart/flames.txt"
	agrees narrow-blocks/narrow-blocks.svg "$d/narrow-blocks/narrow-blocks.txt"
	agrees grey-frames/grey-frames.svg "$d/grey-frames/grey-frames.txt"
	agrees ../colors/async-profiler-java.svg --colors java "$d/../colors/async-profiler-collapsed-part.txt"
	# flamegraph.pl drops the empty frame after a final semicolon, as we do; inferno draws it.
	except='^ \(3 samples, 1.05%\)$' agrees palette-map/consistent-palette.svg "$d"/unsorted-input/*.txt
}

@test "decimals are kept where inferno cuts them" {
	needs_shared corpus/inferno/flamegraph
	render -q "$SHARED/corpus/inferno/flamegraph/fractional-samples/fractional.txt" >o.svg
	grep -qF '<title>_IO_file_read (1.4 samples, 0.42%)</title>' o.svg
}

@test "--nameattr: title, link, attributes; nonsense is counted" {
	printf 'main\ttitle=foo\tclass=x\thref=http://a/?b&c\tg_extra=stroke="green"\n\nwork\tid=w\tbogus=1\n' >attr
	printf 'main;work 5\n' >in
	run --separate-stderr render -q --nameattr attr in
	[ "$status" = 0 ]
	[[ "$stderr" == *"attr: 1 attributes"* ]]
	[[ "$output" == *'<a data-name="main" data-title="1" class="x" xlink:href="http://a/?b&amp;c" stroke="green" target="_top"><title>foo</title>'* ]]
	[[ "$output" == *'<g data-name="work" id="w"><title>work (5 samples'* ]]
}

@test "--base keeps stacks with a frame, from it on, and counts the others" {
	run --separate-stderr bash -c 'printf "x;rt;job;a 3\nx;rt;b 1\njob 2\n" | render --base job'
	[[ "$stderr" == *"1 stacks without"* ]]
	[[ "$output" == *'<title>job (5 samples, 100.00%)'* ]]
	[[ "$output" != *'<title>rt '* ]]
}

@test "--no-sort and --flamechart keep the order of the input" {
	[ "$(printf 'z 1\na 1\nz 1\n' | render -q --no-sort | grep -oE '<title>[az] \([0-9]+' | tr '\n' ' ')" = '<title>z (2 <title>a (1 ' ]
	[ "$(printf 'z 1\na 1\nz 1\n' | render -q --flamechart | grep -cE '<title>[az] \(1 ')" = 3 ]
}

@test "--total, --factor, --countname, --nametype, --stroke-color, --uicolor" {
	draw() { printf 'a 25\n' | render -q "$@"; }
	draw --total 100 | grep -q '<title>a (25 samples, 25.00%)'
	draw --factor 10 --countname ms | grep -q '<title>a (250 ms, 100.00%)'
	draw --nametype Method: | grep -q 'data-type="Method:"'
	draw --stroke-color '#010203' | grep -q 'stroke:rgb(1,2,3)'
	draw --uicolor '#010203' | grep -q 'fill:rgb(1,2,3)'
	run draw --uicolor red
	[ "$status" = 2 ]
}

@test "--colordiffusion, --truncate-text-left, prefixes of options" {
	printf 'abcdefghijklmnopqrstuvwxyz 1\nb 99\n' | render -q --colordiff --min 0 --width 6000 --trunc=x 2>/dev/null && false
	printf 'abcdefghijklmnopqrstuvwxyz 1\nb 99\n' | render -q --colordiff --width 6000 --truncate-text-l >o.svg
	grep -q '>\.\.[a-z]*xyz</text>' o.svg
	grep -q 'b (99 .*fill="rgb(255,100,100)"' o.svg
}

@test "--pretty-xml and --encoding give well-formed XML with the same frames" {
	needs xmllint
	printf 'é;<b> 3\na 4\n' >in
	render -q in >a.svg
	render -q --pretty-xml --encoding ISO-8859-1 --title ü in >b.svg
	xmllint --noout b.svg
	LC_ALL=C run ! grep -q '[^ -~	]' b.svg
	diff <("$ROOT/test/frames" a.svg) <(xmllint --encode UTF-8 b.svg | "$ROOT/test/frames" /dev/stdin)
	grep -qE '^ +<rect' b.svg
	run render --encoding UTF-16 in
	[ "$status" = 2 ]
}

@test "two columns: both sides are drawn, also what has vanished" {
	printf 'a;gone 10 0\na;same 5 5\na;new 0 15\n' | render -q >o.svg
	grep -qF '<title>gone (10 samples, 66.67%; -50.00%)</title>' o.svg
	grep -qF '<title>new (15 samples, 75.00%; +75.00%)</title>' o.svg
	[ "$(grep -c '<title>same (5' o.svg)" = 1 ]
	printf 'a;gone 10 0\n' | render -q | grep -q '<title>gone (10'
}

shapes() { render -q "$@" "$DATA/render/shapes.folded"; }

@test "--format folded is sorted by frames, and counts stay" {
	printf '# flamepipe event=x .\nfoo.cold;c 20\nfoo;bar 30\nfoo 50\n 1.5\n' | render -q --format folded >o
	printf '# flamepipe event=x .\n 1.5\nfoo 50\nfoo;bar 30\nfoo.cold;c 20\n' | diff - o
}

@test "--format text: a tree with shares" {
	shapes --format text >o
	grep -qx ' 60.00%   0.00%    a' o
	grep -qx ' 60.00%  10.00%      b' o
	grep -qx ' 30.00%  30.00%        d' o
}

@test "--format term: rows as wide as asked for" {
	shapes --format term --width 60 | sed 's/\x1b\[[0-9;]*m//g' >o
	[ "$(awk '{ print length }' o | sort -nu | tail -n 1)" = 60 ]
	head -n 1 o | grep -qx 'all *'
}

@test "other tools' formats come back through fold" {
	shapes --format folded | sort >want
	for f in speedscope pprof html; do
		shapes --format $f >o.$f
		fold -q --no-header o.$f | sort | diff want -
	done
	# Firefox names the thread: fold puts it at the root.
	shapes --format firefox >o.firefox
	fold -q --no-header o.firefox | sed 's/^profile;//' | sort | diff want -
	for f in d3 speedscope firefox; do shapes --format $f | python3 -m json.tool >/dev/null; done
}

@test "--format d3: values with what is called, differences" {
	needs python3
	printf 'a 5 3\na;b 1 10\nc;d;e 1 1\nf 1 1\n' | render -q --format d3 >o.json
	python3 - <<'PY'
import json
t = json.load(open("o.json"))
a, c, f = t["children"]
assert (t["name"], t["value"]) == ("all", 15)
assert (a["value"], a["delta"], a["children"][0]["value"]) == (13, -2, 10)
assert c["children"][0]["children"][0]["name"] == "e" and f["name"] == "f"
PY
}

@test "an unknown format is refused" {
	run render --format nosuch "$DATA/render/shapes.folded"
	[ "$status" = 2 ]
}

@test "--format png goes through rsvg-convert, or says what is missing" {
	if command -v rsvg-convert >/dev/null; then
		shapes --format png | head -c 8 | cmp - <(printf '\x89PNG\r\n\x1a\n')
	else
		run render -q --format png "$DATA/render/shapes.folded"
		[ "$status" = 1 ]
		[[ "$output" == *"rsvg-convert"* ]]
	fi
}

@test "--format heatmap needs timed lines" {
	run render --format heatmap "$DATA/render/shapes.folded"
	[ "$status" = 1 ]
	[[ "$output" == *"--timed"* ]]
}

@test "in a browser: every feature of the page" {
	needs node chromium
	render -q --width 1200 "$DATA/render/shapes.folded" >o.svg
	{ cat "$DATA/render/shapes.folded"; printf 'r;r;r;x 100000\ntiny;f1 1\ntiny;f2 1\n'; } | render -q --width 1200 >deep.svg
	printf 'a;gone 10 0\na;same 5 5\na;new 0 15\n' | render -q --width 1200 >sides.svg
	shapes --format html >o.html
	printf 'a;b @0.0 3\na;c @0.1 1\nd @1.1 6\n' | render -q --format heatmap >heat.html
	TMPDIR=$BATS_TEST_TMPDIR node "$ROOT/test/browser/features.js" "$BATS_TEST_TMPDIR" ${SHOTS:-}
}

@test "runs of a side are added up, and only what is proven is painted" {
	cat >in <<'END'
# flamepipe columns=orig/1,orig/2,orig/3,new/1,new/2,new/3 .
# verdict finding=more change=24 low=20 high=28 q=0.001 runs=3+3 chain=1 stack=a;grow;x .
# verdict finding=undecided chain=0 stack=a;noise .
a;grow;x 1 1 1 3 3 3
a;noise 5 5 5 5 6 5
END
	render -q in >o.svg
	grep -q '<title>x (9 samples, 36.00%; +24.00%)</title>.*fill="rgb(255,80,80)"' o.svg
	grep -q '<title>noise (16 .*fill="rgb(200,200,200)"' o.svg
	grep -q 'data-proven="2 3 "' o.svg
	# The tooltip says how sure that is.
	grep -q 'data-verdicts="2:more: 24 \[20, 28\], q 0.001, 3+3 runs|3:more: 24 ' o.svg
	grep -q 'may be chance' o.svg
	grep -q 'id="before-label".*>orig<' o.svg
	grep -q 'id="after-label".*>new<' o.svg
	# What is painted is a frame's own change, so that has to be proven.
	sed 's/ chain=1 / own_finding=same&/' in | render -q >own.svg
	grep -q '<title>x (9 .*fill="rgb(200,200,200)"' own.svg
}

@test "more than two columns that are no two sides are added up" {
	printf '# flamepipe columns=cpu0,cpu1,cpu2 .\na 1 2 3\nb 0 0 4\n' | render -q >o.svg
	grep -q '<title>a (6 samples, 60.00%)</title>' o.svg
}

@test "random bytes give well-formed SVG, pages without markup of their own, and valid JSON" {
	needs xmllint
	needs python3
	for seed in 1 2 3 4 5 6 7 8; do
		python3 - $seed >in <<'PY'
import random, sys
r = random.Random(int(sys.argv[1]))
for i in range(60):
    frames = [bytes(r.choice(b"<>&'\"-]\\/;\x00\x01\x1b\x7f\x80\xc3\xa9\xef\xbf\xbe\xed\xa0 ab()%") for _ in range(r.randrange(12))) for _ in range(r.randrange(1, 6))]
    sys.stdout.buffer.write(b";".join(frames).replace(b"\n", b"") + b" %d\n" % r.randrange(1, 99))
PY
		render -q --minwidth 0 in >o.svg
		xmllint --noout o.svg
		for f in d3 speedscope firefox; do render -q --format $f in | python3 -m json.tool >/dev/null; done
		render -q --format html in | grep -c '<script' | grep -qx 2
		sum() { LC_ALL=C awk '{ s += $NF } END { print s }'; }
		[ "$(fold -q --no-header o.svg | sum)" = "$(sum <in)" ]
	done
}

@test "a tower that is gone is blue to its foot, whatever little its frames gained" {
	printf 'timer;hook;lock 700 1\ntimer;hook 0 20\ntimer 0 20\nfault;zero 300 900\n' | render -q >o.svg
	for f in timer hook lock; do
		grep -E "<title>$f \(" o.svg | tail -n 1 | grep -qE 'fill="rgb\([0-9]+,[0-9]+,255\)"'
	done
	grep -E '<title>fault \(' o.svg | tail -n 1 | grep -q 'fill="rgb(255,'
}
