#!/usr/bin/env bats
# Examples written from each format's definition: test/data/fold/FORMAT[_WHAT].EXT, and .folded beside it.
bats_require_minimum_version 1.5.0
load helper

# The example of an expectation.
example() {
	ls "${1%.folded}".* | grep -v '\.folded$'
}

@test "every format's example folds to the stacks beside it" {
	local want n=0
	for want in "$DATA"/fold/*.folded; do
		fold -q --no-header "$(example "$want")" >"$BATS_TEST_TMPDIR/got"
		diff "$want" "$BATS_TEST_TMPDIR/got" || { echo "in $want"; return 1; }
		n=$((n + 1))
	done
	[ "$n" -ge 13 ]
}

@test "lines that end in CR LF fold to the same" {
	local want n=0
	for want in "$DATA"/fold/*.folded; do
		case $(example "$want") in *.txt | *.csv) ;; *) continue ;; esac
		sed 's/$/\r/' "$(example "$want")" | fold -q --no-header >"$BATS_TEST_TMPDIR/got"
		diff "$want" "$BATS_TEST_TMPDIR/got" || { echo "in $want"; return 1; }
		n=$((n + 1))
	done
	[ "$n" -ge 13 ]
}

@test "pmcstat: rows that an excerpt lacks are counted, other text is quoted" {
	run -0 fold --no-header <<'END'
@ CYCLES [302 samples]

50.00%  [173]      foo @ /boot/kernel/kernel
 95.95%  [166]       bar
[...]
   100.0%  [166]       orphan
END
	[ "${lines[0]}" = "bar;foo 166" ] || [ "${lines[0]}" = "foo 7" ]
	[[ $output = *"129 unreadable"* ]]
	[[ $output = *"2 lines not understood, the first <stdin>: line 5: '[...]'"* ]]
}

@test "pmcstat: an event is chosen by name, and kernel code is marked" {
	run -0 fold -q --no-header --event STALLS --kernel "$DATA/fold/pmcstat.txt"
	[ "$output" = "mb_free_ext_[k] 3" ]
}

@test "dtrace, sample: modules and offsets as asked for" {
	run -0 fold -q --no-header --no-modules --includeoffset "$DATA/fold/dtrace.txt"
	[[ $output = *'sys_syscall+0x17a;LockFoo+0x20 3'* ]]
	run -0 fold -q --no-header --no-modules "$DATA/fold/sample.txt"
	[[ $output = *';start;main;-[NSFoo(Category) bar:];ns::f 700'* ]]
}

@test "a thread that waits is left out of a thread dump, and counted" {
	run -0 fold --no-header "$DATA/fold/jstack.txt"
	[[ $output = *"3 samples in 2 stacks; 0 lost; left out: 2 of threads that wait"* ]]
}

@test "tid of threads: gdb, eu-stack, jstack" {
	run -0 fold -q --no-header --tid "$DATA/fold/gdb.txt"
	[[ $output = *'/4243;'* ]]
	run -0 fold -q --no-header --tid "$DATA/fold/eu-stack.txt"
	[[ $output = *'-1234/1235;__poll 1'* ]]
	run -0 fold -q --no-header --tid "$DATA/fold/jstack.txt"
	[[ $output = *'pool-1-thread-?/20738;'* ]]
}

@test "a stack that lacks its count at the end is reported" {
	local f
	for f in dtrace stap bcc_profile bpftrace; do
		printf '\n    last\n    frame\n' | cat "$DATA/fold/$f.txt" - >"$BATS_TEST_TMPDIR/cut"
		[ $f = bpftrace ] && printf '@x[\n    frame\n' >>"$BATS_TEST_TMPDIR/cut"
		run -0 fold --no-header "$BATS_TEST_TMPDIR/cut"
		[[ $output = *"not understood"* ]] || { echo "$f: $output"; return 1; }
	done
}

@test "SVG flame graphs of others fold to what they show, to the digit" {
	needs_shared corpus/svg
	local p
	for p in pf1 pf1_orig; do
		fold -q --no-header "$SHARED/corpus/svg/$p.svg" | sort >"$BATS_TEST_TMPDIR/got"
		sort "$SHARED/corpus/svg/$p.folded" | diff - "$BATS_TEST_TMPDIR/got"
	done
}

@test "inferno's SVG files fold to as many samples as they say, and to the stacks they were drawn from" {
	needs_shared corpus/inferno
	local svg total n=0
	for svg in "$SHARED"/corpus/inferno/*/*/*.svg "$SHARED"/corpus/inferno/colors/*.svg; do
		total=$(sed -n 's/.*total_samples="\([0-9]*\)".*/\1/p' "$svg")
		[ -n "$total" ] || continue
		[ "$(fold -q --no-header "$svg" | total)" = "$total" ] || { echo "$svg"; return 1; }
		n=$((n + 1))
	done
	[ "$n" -ge 11 ]
	cd "$SHARED/corpus/inferno/flamegraph"
	# Titles lack the suffixes of kernel frames.
	fold -q --no-header grey-frames/grey-frames.txt | sed 's/_\[k\]//g' >"$BATS_TEST_TMPDIR/want"
	fold -q --no-header grey-frames/grey-frames.svg | diff "$BATS_TEST_TMPDIR/want" -
	# A picture of a difference shows what is after it.
	sed 's/ [0-9]* \([0-9]*\)$/ \1/; / 0$/d; s/_\[k\]//g' differential/perf-cycles-*-diff.txt | fold -q --no-header >"$BATS_TEST_TMPDIR/want"
	fold -q --no-header differential/diff.svg | diff "$BATS_TEST_TMPDIR/want" -
}

@test "an SVG that is cut short ends with an error after what is whole; one without frames is an error" {
	head -n 12 "$DATA/fold/svg_flamegraph.svg" >"$BATS_TEST_TMPDIR/cut.svg"
	run -1 fold --no-header "$BATS_TEST_TMPDIR/cut.svg"
	[[ $output = *"std::less<int>::operator() (a) 400"* ]]
	[[ $output = *"the SVG is cut short"* ]]
	run -1 fold <<<'<svg xmlns="http://www.w3.org/2000/svg"></svg>'
	[[ $output = *"not one stack in it"* ]]
}

@test "entities in an SVG are never expanded into others" {
	cat >"$BATS_TEST_TMPDIR/bomb.svg" <<'END'
<?xml version="1.0"?>
<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"> <!ENTITY c SYSTEM "file:///etc/passwd">]>
<svg><g><title>&b;&c;&lt;&#x41; (5 samples, 100%)</title><rect x="1" y="1" width="9" height="15"/></g></svg>
END
	run -0 fold -q --no-header "$BATS_TEST_TMPDIR/bomb.svg"
	[ "$output" = '&b:&c:<A 5' ]
}

# stackcollapse.pl's rule, which these were made with, cuts a name after "::" at the last "<" and so makes one of Core<T,S>::poll and
# every other method of Core<T,S>: ours keep them apart.
uncut() {
	sed 's/\(harness::Harness\|core::Core\);/\1<T,S>::poll;/g; s/scoped::Scoped;/scoped::Scoped<T>::set;/g
		s/poll_fn::PollFn;/poll_fn::PollFn<F> as core::future::future::Future>::poll;/g
		s/FramedImpl \([0-9]*\)$/FramedImpl<T,U,R> as futures_core::stream::Stream>::poll_next \1/' "$1" | sort
}

@test "DTrace output folds as others' expectations say" {
	needs_shared corpus/inferno/collapse-dtrace
	local name option
	cd "$SHARED/corpus/inferno/collapse-dtrace"
	for name in hex-addresses stack-ustack flamegraph-bug; do
		option=; [ $name = flamegraph-bug ] && option=--includeoffset
		fold -q --no-header $option $name.txt | sort >"$BATS_TEST_TMPDIR/got"
		uncut results/$name.txt | diff - "$BATS_TEST_TMPDIR/got"
	done
	run -1 fold only-header-lines.txt
	[[ $output = *"not one stack in it; it was taken for DTrace's stack() and ustack()"* ]]
}

@test "DevTools' profile and slices of one trace are different events" {
	run -0 fold --no-header "$DATA/fold/chrome-trace_profile.json"
	[[ $output = *"left out: 1 of slices"* ]]
	run -0 fold -q --no-header --event slices "$DATA/fold/chrome-trace_profile.json"
	[ "$output" = "task 9" ]
	run -0 fold -q --no-header --weight time "$DATA/fold/chrome-trace_profile.json"
	[ "$output" = "$(printf '[unknown] 5\nf 5\nf;g 7')" ]
}

@test "a .cpuprofile that Node.js writes folds to as many samples as it has" {
	needs node
	cd "$BATS_TEST_TMPDIR"
	echo 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } console.log(fib(28))' >fib.js
	node --cpu-prof --cpu-prof-name=p.cpuprofile fib.js
	[ "$(fold -q --no-header p.cpuprofile | total)" = "$(node -p 'JSON.parse(require("fs").readFileSync("p.cpuprofile")).samples.length')" ]
	fold -q --no-header p.cpuprofile | grep -q ';fib;fib;fib'
}

@test "JSON that is cut short ends with an error after what is whole" {
	head -c 700 "$DATA/fold/cpuprofile.json" >"$BATS_TEST_TMPDIR/cut"
	run -1 fold "$BATS_TEST_TMPDIR/cut"
	[[ $output = *"the text ends inside a value"* ]]
}

@test "gzip is undone for every format; a damaged one is used as far as it goes, a bomb is refused" {
	cd "$BATS_TEST_TMPDIR"
	gzip -c "$DATA/fold/gdb.txt" | fold -q --no-header | diff "$DATA/fold/gdb.folded" -
	for i in $(seq 2000); do echo "main;f$i $i"; done | gzip >many.gz
	head -c 3000 many.gz >cut.gz
	run -1 fold --no-header cut.gz
	[[ $output = *"main;f99 99"* ]]
	[[ $output = *"gzip: damaged, cut short"* ]]
	head -c 50000000 /dev/zero | gzip >bomb.gz
	run -1 fold bomb.gz
}

@test "pprof: a value that is not the default is another event; time on demand" {
	run -0 fold -q --no-header --weight time "$DATA/fold/pprof.pb"
	[ "${lines[0]}" = "main.main 20000" ]
	run -0 fold -q --no-header --addrs "$DATA/fold/pprof.pb"
	[[ $output = *"[libz.so <7f00>]"* ]]
	head -c 100 "$DATA/fold/pprof.pb" >"$BATS_TEST_TMPDIR/cut.pb"
	run -1 fold "$BATS_TEST_TMPDIR/cut.pb"
	[[ $output = *"the profile is damaged or cut short"* ]]
}

@test "callgrind: the costs add up to the total, for every event" {
	local want
	want=$(fold -q --no-header --event Dr "$DATA/fold/callgrind.out" | total)
	[ "$want" = 80 ]
	[ "$(fold -q --no-header --by event "$DATA/fold/callgrind.out" | total)" = 1080 ]
	needs valgrind cc
	cd "$BATS_TEST_TMPDIR"
	echo 'int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int main(void) { return f(15) == 0; }' >f.c
	cc -O1 -fno-inline -o f f.c
	valgrind --tool=callgrind --callgrind-out-file=out ./f 2>/dev/null
	[ "$(fold -q --no-header out | total)" = "$(sed -n 's/^totals: //p' out)" ]
}

@test "tables of VTune, Visual Studio and GHC: other columns are other events" {
	[ "$(fold -q --no-header --event 'Allocation Size:Self' "$DATA/fold/vtune_memory.csv" | total)" = 5120 ]
	run -0 fold -q --no-header --event 'Elapsed Exclusive Time %' "$DATA/fold/vsprof_calls.csv"
	[ "${lines[1]}" = 'Tracer.<TraceImage>b__5_0(int32) 18.39' ]
	[ "$(fold -q --no-header --event bytes "$DATA/fold/ghcprof.prof" | total)" = 760 ]
	# Windows writes them with a byte order mark, or in UTF-16.
	python3 -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1]).read().encode("utf-16"))' "$DATA/fold/vsprof.csv" |
		fold -q --no-header | diff "$DATA/fold/vsprof.folded" -
}

@test "weights of time on demand: xctrace, jfr, vtune, instruments" {
	[ "$(fold -q --no-header --weight time "$DATA/fold/vtune.csv" | total)" = 1751500 ]
	[ "$(fold -q --no-header --weight time "$DATA/fold/instruments.txt" | total)" = 65512500 ]
	[ "$(fold -q --no-header --weight time "$DATA/fold/xctrace.xml" | total)" = 6000 ]
	run -0 fold -q --no-header --event jdk.JavaMonitorEnter --weight time "$DATA/fold/jfr.txt"
	[ "$output" = "main;J.f 12500" ]
}

@test "what gdb prints of a process is read" {
	needs gdb
	sleep 9 3>&- &
	gdb -p $! -batch -ex bt >"$BATS_TEST_TMPDIR/bt" 2>/dev/null || true
	kill $!
	grep -q '^#1 ' "$BATS_TEST_TMPDIR/bt" || skip "gdb may not trace here"
	run -0 fold -q --no-header "$BATS_TEST_TMPDIR/bt"
	[[ $output = *';'*' 1' ]]
}

@test "perf-sched: time off the CPU from sched_stat, or from the switch back" {
	cat >"$BATS_TEST_TMPDIR/sched" <<'END'
my app 101/102 [001] 100.000000: sched:sched_switch: prev_comm=my app prev_pid=102 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
	ffffffff81 schedule+0x1 ([kernel.kallsyms])
	4000 main+0x1 (/bin/app)

swapper 0/0 [001] 100.500000: sched:sched_stat_sleep: comm=my app pid=102 delay=499999000 [ns]
	ffffffff82 ttwu+0x1 ([kernel.kallsyms])

swapper 0/0 [001] 100.500001: sched:sched_stat_sleep: comm=my app pid=102 delay=499999000 [ns]

swapper 0/0 [001] 100.500100: sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my app next_pid=102 next_prio=120
	ffffffff83 idle+0x1 ([kernel.kallsyms])

my app 101/102 [001] 101.000000: sched:sched_switch: prev_comm=my app prev_pid=102 prev_prio=120 prev_state=D ==> next_comm=swapper/1 next_pid=0 next_prio=120
	ffffffff81 schedule+0x1 ([kernel.kallsyms])
END
	run -0 --separate-stderr fold --no-header --format perf-sched "$BATS_TEST_TMPDIR/sched"
	[ "$output" = "my_app;main;schedule 499999" ]
	[[ $stderr = *"left out: 1 that tell no time"* ]]
	sed '/sched_stat/d' "$BATS_TEST_TMPDIR/sched" >"$BATS_TEST_TMPDIR/switches"
	run -0 fold -q --no-header --tid --format perf-sched "$BATS_TEST_TMPDIR/switches"
	[ "$output" = "my_app-101/102;main;schedule 500100" ]
}

# What a format adds to every stack.
plain() { # FORMAT
	case $1 in
	bcc) sed 's/^comm;//' ;;
	lldb) sed 's/m`//g' ;;
	jstack) sed 's/^t;//' ;;
	faulthandler) sed 's/x.py:1://g' ;;
	*) cat ;;
	esac
}

@test "random stacks written in 24 formats fold to the same stacks, none lost" {
	local seed want name n=0
	for seed in 1 2 3 4 5; do
		mkdir "$BATS_TEST_TMPDIR/$seed"
		python3 test/generate.py $seed "$BATS_TEST_TMPDIR/$seed"
		for want in "$BATS_TEST_TMPDIR/$seed"/*.folded; do
			name=$(basename "$want" .folded)
			fold -q --no-header "${want%.folded}" | plain "$name" >"$BATS_TEST_TMPDIR/got"
			fold -q --no-header "$want" | diff - "$BATS_TEST_TMPDIR/got" || { echo "in $name, seed $seed"; return 1; }
			n=$((n + 1))
		done
	done
	[ "$n" = 120 ]
}

@test "deeply nested small inputs end soon, with their counts whole" {
	cd "$BATS_TEST_TMPDIR"
	python3 - <<'END'
n = 20000
with open("chrome", "w") as f:
    f.write("[" + ",".join('{"ph":"B","name":"f%d","ts":%d}' % (i % 9, i) for i in range(n)))
with open("cpuprofile", "w") as f:
    f.write('{"nodes":[' + ",".join('{"id":%d,"callFrame":{"functionName":"f%d"},"children":[%d]}' % (i, i % 9, i + 1) for i in range(n)))
    f.write('],"samples":[' + ",".join(map(str, range(n))) + "]}")
END
	[ "$(timeout 60 fold -q --no-header cpuprofile | total)" = 20000 ]
	fold -q --no-header cpuprofile | grep -q '^\[truncated\];'
	[ "$(timeout 60 fold -q --no-header chrome | total)" = 19999 ]
}

@test "what render exports for other tools folds to the same stacks" {
	local format
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'main 7' 'main;a b;c 5' 'main;x;y 100000000' 'main;x;z;y 1' '[unknown] 3' 'é"q"<&>;x 2' | fold -q --no-header >want
	for format in svg html folded speedscope d3 firefox pprof; do
		render -q --format=$format want >$format
		fold -q --no-header --no-tidy $format | sed 's/^profile;//' >got
		diff want got || { echo "in $format"; return 1; }
	done
}

@test "linker names of pmcstat, SystemTap and DTrace are demangled" {
	printf '@ E [3 samples]\n\n100.0%%  [3]        _ZN2ns3putEi @ /usr/bin/x\n' >"$BATS_TEST_TMPDIR/pmcstat"
	printf ' 0x401136 : _ZN2ns3putEi+0x10/0x40 [/opt/x]\n\t3\n' >"$BATS_TEST_TMPDIR/stap"
	printf '              x`_ZN2ns3putEi+0x10\n                3\n' >"$BATS_TEST_TMPDIR/dtrace"
	local f
	for f in pmcstat stap dtrace; do
		run -0 fold -q --no-header --no-modules "$BATS_TEST_TMPDIR/$f"
		[ "$output" = "ns::put 3" ] || { echo "$f: $output"; return 1; }
		run -0 fold -q --no-header --no-modules --no-demangle "$BATS_TEST_TMPDIR/$f"
		[ "$output" = "_ZN2ns3putEi 3" ] || { echo "$f: $output"; return 1; }
	done
}
