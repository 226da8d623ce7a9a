#!/usr/bin/env bats
# Every option of fold, on one small profile.
bats_require_minimum_version 1.5.0
load helper

setup() {
	cat >"$BATS_TEST_TMPDIR/in" <<'END'
web 10/10 [000] 100.000000: 1000 cycles:u:
	              40 std::vector<int>::at(unsigned long)+0x1f (/bin/web)
	              41 main+0x2 (/bin/web)

web 10/11 [001] 100.050000: 2000 cycles:u:
	ffffffff81000010 vfs_read+0x3 ([kernel.kallsyms])
	              42 walk+0x2 (/bin/web)
	              42 walk+0x9 (/bin/web)
	              41 main+0x2 (/bin/web)

db x 20/20 [001] 100.250000: 4000 cycles:u:
	              50 [unknown] (/lib/libq.so)
	    7f0000000010 Lq/Run;::go (/tmp/perf-20.map)

db x 20/20 [001] 100.300000: 8000 instructions:
	              50 [unknown] (/lib/libq.so)

END
}

# gives WANT OPTION...
gives() {
	local want=$1
	shift
	run -0 --separate-stderr fold --no-header "$@" "$BATS_TEST_TMPDIR/in"
	[ "$output" = "$want" ] || { printf 'got:\n%s\n' "$output"; return 1; }
}

@test "no option" {
	gives $'db_x;q/Run:::go;[libq.so] 4000\nweb;main;std::vector<int>::at 1000\nweb;main;walk;walk;vfs_read 2000'
	[[ $stderr = 'fold: 3 samples in 3 stacks of cycles:u; 0 lost; left out: 1 of instructions (other events: see --event and --by event)' ]]
}

@test "the header says what was counted and what was not" {
	run -0 fold -q "$BATS_TEST_TMPDIR/in"
	[ "${lines[0]}" = '# flamepipe event=cycles:u weight=period duration_s=0.25 samples=3 lost=0 excluded=1 .' ]
}

@test "--pid, --tid" {
	gives $'db_x-20;q/Run:::go;[libq.so] 4000\nweb-10;main;std::vector<int>::at 1000\nweb-10;main;walk;walk;vfs_read 2000' --pid
	gives $'db_x-20/20;q/Run:::go;[libq.so] 4000\nweb-10/10;main;std::vector<int>::at 1000\nweb-10/11;main;walk;walk;vfs_read 2000' --tid
}

@test "--by: root frames in the order of the options" {
	gives $'cpu-0;pid-10;web;main;std::vector<int>::at 1000\ncpu-1;pid-10;web;main;walk;walk;vfs_read 2000\ncpu-1;pid-20;db_x;q/Run:::go;[libq.so] 4000' --by cpu --by pid
	gives $'web;tid-10;main;std::vector<int>::at 1000' --by comm --by tid -t 10
	gives $'cycles:u;web;main;std::vector<int>::at 1000\ninstructions;db_x;[libq.so] 8000' --by event -t 10 -t 20 --exclude Run
}

@test "--kernel, --jit, --all" {
	gives $'web;main;walk;walk;vfs_read_[k] 2000' --kernel -t 11
	gives $'db_x;q/Run:::go_[j];[libq.so] 4000' --jit -p 20
	gives $'db_x;q/Run:::go_[j];[libq.so] 4000\nweb;main;walk;walk;vfs_read_[k] 2000' --all -t 11,20
}

@test "--addrs, --includeoffset, --no-tidy" {
	gives $'db_x;q/Run:::go;[libq.so <50>] 4000' --addrs -p 20
	gives $'web;main+0x2;std::vector<int>::at+0x1f 1000' --includeoffset -t 10
	gives $'web;main;std::vector<int>::at(unsigned long) 1000' --no-tidy -t 10
	gives $'db_x;Lq/Run:::go;[libq.so] 4000' --no-tidy -p 20
}

@test "--skip-after: nearest to the leaf, with or without its suffix" {
	gives $'walk;vfs_read 2000' --skip-after walk -t 11
	gives $'vfs_read_[k] 2000' --skip-after walk --skip-after vfs_read --kernel -t 11
	gives $'web;main;std::vector<int>::at 1000' --skip-after walk -t 10
	gives $'cpu-1;walk;vfs_read 2000' --by cpu --skip-after walk -t 11
}

@test "--merge-recursive, --max-depth" {
	gives $'web;main;walk;vfs_read 2000' --merge-recursive -t 11
	gives $'db_x;q/Run:::go;[truncated] 4000\nweb;main;[truncated] 3000' --max-depth 2
	gives $'web;main;std::vector<int>::at 1000' --max-depth 3 -t 10
}

@test "-p, -t, -C, --comm: what they leave out is counted" {
	gives $'web;main;std::vector<int>::at 1000\nweb;main;walk;walk;vfs_read 2000' -p 5-12
	[[ $stderr = *'left out: 1 of instructions'*', 1 of other tasks or CPUs' ]]
	gives $'web;main;walk;walk;vfs_read 2000' -t 11
	gives $'web;main;std::vector<int>::at 1000' -C 0
	gives $'db_x;q/Run:::go;[libq.so] 4000' --comm 'no,db x'
}

@test "--event, with and without modifiers; --event-filter is the same" {
	gives $'db_x;[libq.so] 8000' --event instructions
	[[ $stderr = *'left out: 3 of cycles:u (other events)' ]]
	gives $'db_x;q/Run:::go;[libq.so] 4000' --event-filter=cycles -p 20
	gives $'db_x;[libq.so] 8000\ndb_x;q/Run:::go;[libq.so] 4000' --event cycles:u,instructions -p 20
}

@test "an event that is not there leaves nothing, which is an error that names those that are" {
	run -1 fold --event nothing "$BATS_TEST_TMPDIR/in"
	[[ $output = *'left out: 3 of cycles:u, 1 of instructions (other events)'*'every stack was left out'* ]]
}

@test "--time, from the start of the recording" {
	gives $'web;main;walk;walk;vfs_read 2000' --time 0.01,0.1
	gives $'db_x;q/Run:::go;[libq.so] 4000' --time 0.1,
	gives $'web;main;std::vector<int>::at 1000' --time ,0.05
	[[ $stderr = *', 2 outside --time' ]]
}

@test "--include, --exclude: whole stacks, and the share that went is said" {
	gives $'web;main;std::vector<int>::at 1000\nweb;main;walk;walk;vfs_read 2000' --exclude '^db'
	[[ $stderr = *', 1 by --include or --exclude (57.14% of the weight; shares are of what is left)' ]]
	gives $'web;main;walk;walk;vfs_read 2000' --include ';walk;' --include ';at' --exclude '::at$'
}

@test "--weight" {
	gives $'db_x;q/Run:::go;[libq.so] 1\nweb;main;std::vector<int>::at 1\nweb;main;walk;walk;vfs_read 1' --weight samples
	gives $'web;main;std::vector<int>::at 1000' --weight period -t 10
	run -0 fold -q --no-header --weight time <<<$'a 1 1.5: 2500000 cpu-clock:\n\t40 f (/x)'
	[ "$output" = 'a;f 2500' ]
	run -1 fold --weight time "$BATS_TEST_TMPDIR/in"
	[[ $output = *'3 that tell no time'* ]]
}

@test "--timed: one line a slice, which fold reads back" {
	gives $'db_x;q/Run:::go;[libq.so] @0.2 4000\nweb;main;std::vector<int>::at @0 1000\nweb;main;walk;walk;vfs_read @0 2000' --timed
	gives $'web;main;std::vector<int>::at @0 1000\nweb;main;walk;walk;vfs_read @0.03 2000' --timed=0.03 -p 10
	fold -q --timed "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/timed"
	run -0 fold -q --timed "$BATS_TEST_TMPDIR/timed"
	[ "$output" = "$(cat "$BATS_TEST_TMPDIR/timed")" ]
	diff <(fold -q --no-header "$BATS_TEST_TMPDIR/timed") <(fold -q --no-header "$BATS_TEST_TMPDIR/in")
}

@test "--no-modules" {
	run -0 fold -q --no-header --no-modules "$BATS_TEST_TMPDIR/in"
	[[ $output = *'[libq.so]'* ]]
}

@test "--format forces one, --help lists all options and formats, --version" {
	run -0 fold -q --no-header --format folded <<<$'x 1 1.5: 3 cycles:\n\t40 f 7'
	[ "$output" = '40 f 7' ]
	run -0 fold --help
	for o in pid tid by kernel jit all addrs inline context srcline includeoffset no-modules no-tidy skip-after merge-recursive \
		max-depth comm event event-filter time include exclude weight timed no-header format; do
		[[ $output = *"--$o"* ]] || { echo "no --$o"; return 1; }
		tr -d '\\' <"$ROOT/fold/fold.1" | grep -q -- "--$o" || { echo "no --$o in the man page"; return 1; }
	done
	[[ $output = *perf-script* ]]
	run -0 fold --version
	[[ $output = 'fold (flamepipe) '* ]]
}

@test "header lines of folded inputs: what agrees stays, counts add up" {
	cd "$BATS_TEST_TMPDIR"
	printf '# flamepipe event=cycles weight=period host=a samples=3 lost=1 excluded=2 throttled_s=0.5 .\na;b 30\n' >one
	printf '# flamepipe event=cycles weight=period host=b samples=4 lost=5 excluded=0 .\na;b 40\n' >two
	run -0 fold -q one two
	[ "$output" = $'# flamepipe event=cycles weight=period samples=7 lost=6 excluded=2 throttled_s=0.5 .\na;b 70' ]
	fold -q one >three
	run -0 fold -q three
	[ "$output" = "$(cat three)" ]
}

@test "folded lines: comments, decimals, powers, huge counts, CRLF, UTF-16, columns" {
	run -0 fold -q --no-header <<<$'# c\n#\n\na;b 1.5\r\na;b 2.5e1\na;b .5\na;c 18446744073709551616\na;c 1\n'
	[ "$output" = $'a;b 27\na;c 18446744073709551617' ]
	printf '\xef\xbb\xbfa;b 1\n' >"$BATS_TEST_TMPDIR/bom"
	printf '\xff\xfea\0;\0\xe4\0 \0003\0\n\0' >"$BATS_TEST_TMPDIR/le"
	printf '\xfe\xff\0a\0;\0\xe4\0 \0004\0\n' >"$BATS_TEST_TMPDIR/be"
	run -0 fold -q --no-header "$BATS_TEST_TMPDIR"/{bom,le,be}
	[ "$output" = $'a;b 1\na;ä 7' ]
	run -0 fold -q <<<$'# flamepipe columns=x,y .\nworker 7 50 1\nworker 7 5 2'
	[ "$output" = $'# flamepipe samples=58 lost=0 excluded=0 columns=x,y .\nworker 7 55 3' ]
	run -0 fold -q --no-header <<<$'a;b 1 2\na;b 3 4\nc 0 1'
	[ "$output" = $'a;b 4 6\nc 0 1' ]
	run -0 fold -q --no-header <<<$'worker 7 50\nother 1'
	[ "$output" = $'other 1\nworker 7 50' ]
}

@test "inputs with another number of columns are left out and counted" {
	cd "$BATS_TEST_TMPDIR"
	printf '# flamepipe columns=a,b .\nx 1 2\n' >two
	printf 'x 5\n' >one
	run -0 --separate-stderr fold two one
	[ "${lines[0]}" = '# flamepipe samples=3 lost=0 excluded=5 columns=a,b .' ]
	[ "${lines[1]}" = 'x 1 2' ]
	[[ $stderr = *'left out: 5 with another number of columns' ]]
	run -0 fold -q --no-header one two
	[ "$output" = 'x 5' ]
}

@test "a line that has only a count stays the root's" {
	run -0 fold -q --no-header <<<$'a 1\n 5'
	[ "$output" = $'5\na 1' ]
}

@test "--exclude and --include look at frames as well as at the whole line" {
	cd "$BATS_TEST_TMPDIR"
	printf 'a;pmc_x;b 1\na;xpmc 2\nc;d 4\n' >frames
	[ "$(fold -q --exclude '^pmc' frames | total)" = 6 ]
	[ "$(fold -q --include '^d$' frames | total)" = 4 ]
	[ "$(fold -q --include 'pmc_x;b' frames | total)" = 1 ]
	[ "$(fold -q --include '^c;' frames | total)" = 4 ]
}

@test "a stack of 100,000 frames, longer than what a format is told by" {
	awk 'BEGIN { for (i = 0; i < 100000; i++) printf "%s%c", i ? ";" : "", 97 + i % 7; print " 3" }' >"$BATS_TEST_TMPDIR/deep"
	fold -q --no-header "$BATS_TEST_TMPDIR/deep" | cmp - "$BATS_TEST_TMPDIR/deep"
}
