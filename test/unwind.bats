#!/usr/bin/env bats
# Stacks of code without frame pointers, known by construction. SPDX-License-Identifier: GPL-2.0-or-later

load helper

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# Records a program's stacks, from each frame's name: into the file stacks, those below burn cut off.
record() { # PROGRAM [OPTION...]
	local program=$1; shift
	collect -e cpu-clock:u -F 1999 -g dwarf "$@" -o recording -- "./$program" 2>err ||
		skip "this machine does not let us sample: $(head -n 1 err)"
	fold --no-header recording 2>>err | grep -v '^#' >folded
	grep -E ';burn[; ]' folded | sed 's/;burn[; ].*/;burn/; s/^[^;]*;//' | sort | uniq -c >stacks
}

# Every stack is one of those that there are, and each of those was seen.
start='_start;(\[[^;]*\];)?(__libc_start_main[^;]*;)?(__libc_start_call_main;|\[libc[^;]*\];)*'
known() {
	local patterns=(
		"${start}main;recurse;recurse;recurse;recurse;recurse;recurse;burn"
		"${start}main;sorter;((__)?qsort[^;]*;|msort[^;]*;|\[libc[^;]*\];)*compare;burn"
		"${start}main;with_alloca;burn"
		"${start}main;catcher;thrower[^;]*;(_Unwind[^;]*;|\[libgcc[^;]*\];)*(guard::)?~?guard(\(\))?;burn"
		"${start}main;catcher[^;]*;recurse;recurse;recurse;burn"
		"${start}main;signaller;(raise;|gsignal;|pthread_kill[^;]*;|__pthread_kill[^;]*;|\[libc[^;]*\];)*(__restore_rt;|\[[^;]*\];)?on_signal;burn"
		"((__)?clone3?;|\[libc[^;]*\];)(start_thread;|\[libc[^;]*\];)thread_main;recurse;recurse;burn"
	)
	local p rest=all
	sed 's/^ *[0-9]* //' stacks >rest
	for p in "${patterns[@]}"; do
		grep -qE "^$p\$" rest || { echo "never seen: $p"; cat stacks; return 1; }
		rest=$(grep -vE "^$p\$" rest || true)
		printf '%s' "${rest:+$rest
}" >rest
	done
	[ ! -s rest ] || { echo "wrong:"; cat rest; return 1; }
}

build() { "$1" -g "${@:2}" -pthread "$BATS_TEST_DIRNAME/data/unwind/stacks.cc" -o program; }

@test "unwind: g++ -O2 without frame pointers, while recording" {
	build g++ -O2 -fomit-frame-pointer
	record program --unwind=live
	known
}

@test "unwind: the same by fold, from copies of the stack" {
	build g++ -O2 -fomit-frame-pointer
	record program --unwind=later
	known
}

@test "unwind: with frame pointers" {
	build g++ -O2 -fno-omit-frame-pointer
	record program
	known
}

@test "unwind: clang++ -O2" {
	command -v clang++ || skip "there is no clang++"
	build clang++ -O2 -fomit-frame-pointer
	record program
	known
}

@test "unwind: not position-independent" {
	build g++ -O2 -no-pie -fno-pie
	record program
	known
}

@test "unwind: static" {
	build g++ -O2 -static || skip "there is no static libc"
	record program
	known
	nm program | grep -q ' __restore_rt$' || skip "this libc does not name its trampoline"
	grep -q ';__restore_rt;on_signal;burn' stacks
}

@test "unwind: stripped, with its debug information apart" {
	build g++ -O2
	objcopy --only-keep-debug program program.debug && objcopy --strip-all --add-gnu-debuglink=program.debug program
	record program
	known
}

@test "unwind: unoptimized, and with a large frame" {
	build g++ -O0
	record program
	known
}

@test "unwind: 32-bit" {
	build g++ -O2 -m32 2>/dev/null || skip "there is no 32-bit compiler"
	record program
	known
}

@test "unwind: perf.data with copies of the stack" {
	command -v perf || skip "there is no perf"
	build g++ -O2 -fomit-frame-pointer
	perf record -q -e cpu-clock:u -F 1999 --call-graph dwarf,16384 -o perf.data -- ./program 2>err || skip "perf does not record here"
	fold --no-header perf.data 2>>err | grep -E ';burn[; ]' | sed 's/;burn[; ].*/;burn/; s/^[^;]*;//' | sort | uniq -c >stacks
	known
}

@test "unwind: a copy that is too small is marked as cut, not made longer" {
	build g++ -O2
	record program -g dwarf,256
	[ "$(grep -c '_start;.*main;recurse;recurse;recurse;recurse;recurse;recurse;burn' stacks)" = 0 ]
	grep -q 'recurse;recurse;burn' stacks
}
