# Names: programs of every kind whose stacks are known, and recordings read where nothing of them is left.
# SPDX-License-Identifier: GPL-2.0-or-later
load helper

# A program whose whole time goes into outer;middle;inner, in the language's own notation.
c_program() {
	cat >"$BATS_TEST_TMPDIR/p.c" <<-'C'
	#include <stdlib.h>
	#include <time.h>
	static volatile unsigned long sink;
	__attribute__((noinline)) void inner(unsigned long n) { sink += (unsigned long)__builtin_frame_address(0); for (unsigned long i = 0; i < n; i++) sink += i * i; }
	__attribute__((noinline)) void middle(unsigned long n) { inner(n); sink++; }
	__attribute__((noinline)) void outer(unsigned long n) { middle(n); sink++; }
	int main(int argc, char **argv) {
	  clock_t ms = argc > 1 ? atoi(argv[1]) : 200;
	  for (clock_t t = clock(); clock() - t < CLOCKS_PER_SEC / 1000 * ms;) outer(1000000);
	  return 0; }
	C
}

build() { # COMPILER FLAGS...
	needs "$1"
	c_program
	"$@" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p.c" 2>/dev/null ||
		skip "$* does not build here"
}

record() {
	needs_sampling
	collect -F 997 -o "$BATS_TEST_TMPDIR/rec" -- "$BATS_TEST_TMPDIR/p" >/dev/null 2>&1
}

# At least 8 of 10 samples are of this stack.
mostly() { # PATTERN FILE
	local all=$(total <"$2") hit=$(stacks "$2" | grep -E -- "$1" | total)
	echo "$hit of $all are $1"
	[ "$all" -gt 20 ] && [ $((hit * 10)) -ge $((all * 8)) ]
}

check_names() {
	record
	fold -q "$@" "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';main;outer;middle;inner' "$BATS_TEST_TMPDIR/folded"
}

@test "gcc" { build gcc -g; check_names; }
@test "clang" { build clang -g; check_names; }
@test "gcc, not position independent" { build gcc -no-pie; check_names; }
@test "gcc, static" { build gcc -static; check_names; }
@test "gcc, static and position independent" { build gcc -static-pie; check_names; }
@test "gcc, 32 bits" { build gcc -m32; check_names; }
@test "clang with lld, whose offsets are no addresses" { needs ld.lld; build clang -fuse-ld=lld; check_names; }

@test "stripped, with a debug file beside it by .gnu_debuglink" {
	build gcc -g -Wl,--build-id=none
	needs objcopy
	(cd "$BATS_TEST_TMPDIR" && objcopy --only-keep-debug p p.debug && strip p && objcopy --add-gnu-debuglink=p.debug p)
	check_names
	echo x >>"$BATS_TEST_TMPDIR/p.debug"
	# A file of another time has another checksum.
	collect -F 997 -o "$BATS_TEST_TMPDIR/rec" -- "$BATS_TEST_TMPDIR/p" >/dev/null 2>&1
	fold -q "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';\[p\];\[p\];\[p\]' "$BATS_TEST_TMPDIR/folded"
}

@test "stripped, with a debug file by build-id, found when folding" {
	build gcc -g -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567
	needs objcopy
	mkdir -p "$BATS_TEST_TMPDIR/debug/.build-id/01"
	(cd "$BATS_TEST_TMPDIR" && objcopy --only-keep-debug p debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug && strip p)
	check_names --debug-dir "$BATS_TEST_TMPDIR/debug"
}

@test "a program that is deleted while it runs" {
	needs_root
	build gcc -g
	needs_sampling
	collect -F 997 -o "$BATS_TEST_TMPDIR/rec" -- sh -c "$BATS_TEST_TMPDIR/p 1500 & sleep 0.1; rm $BATS_TEST_TMPDIR/p; wait" >/dev/null 2>&1
	fold -q --comm p "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';outer;middle;inner' "$BATS_TEST_TMPDIR/folded"
}

@test "C++ and Rust names" {
	needs g++
	cat >"$BATS_TEST_TMPDIR/p.cc" <<-'C'
	#include <ctime>
	#include <vector>
	static volatile unsigned long sink;
	namespace shop { template <class T> struct Till {
		__attribute__((noinline)) void count(const std::vector<T> &v) { sink += (unsigned long)__builtin_frame_address(0); for (T x : v) sink += x * x; }
	}; }
	int main() { std::vector<int> v(100000); shop::Till<int> t; for (clock_t s = clock(); clock() - s < CLOCKS_PER_SEC / 5;) t.count(v); }
	C
	g++ -O1 -fno-omit-frame-pointer -o "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p.cc"
	record
	fold -q "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';main;shop::Till<int>::count' "$BATS_TEST_TMPDIR/folded"
	fold -q --no-demangle "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';main;_ZN4shop4TillIiE5count' "$BATS_TEST_TMPDIR/folded"
	needs rustc
	cat >"$BATS_TEST_TMPDIR/p.rs" <<-'RUST'
	mod shop { #[inline(never)] pub fn count(n: u64) -> u64 { (0..n).fold(0, |a, b| std::hint::black_box(a ^ b)) } }
	fn main() { let t = std::time::Instant::now(); while t.elapsed().as_millis() < 200 { std::hint::black_box(shop::count(100000)); } }
	RUST
	for version in legacy v0; do
		rustc -O -C force-frame-pointers=yes -C symbol-mangling-version=$version -o "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p.rs" 2>/dev/null ||
			rustc -O -C force-frame-pointers=yes -o "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p.rs"
		collect -F 997 -o "$BATS_TEST_TMPDIR/rec" -- "$BATS_TEST_TMPDIR/p" >/dev/null 2>&1
		fold -q "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
		mostly 'p::main;p::shop::count' "$BATS_TEST_TMPDIR/folded"
	done
}

@test "inlined functions and source lines, from the recording and from perf.data" {
	needs gcc
	cat >"$BATS_TEST_TMPDIR/p.c" <<-'C'
	#include <time.h>
	static volatile unsigned long sink;
	static inline __attribute__((always_inline)) void deep(unsigned long n) {
	  for (unsigned long i = 0; i < n; i++) sink += i * i; }
	static inline __attribute__((always_inline)) void shallow(unsigned long n) {
	  deep(n); }
	__attribute__((noinline)) void outer(unsigned long n) { sink += (unsigned long)__builtin_frame_address(0);
	  shallow(n); }
	int main(void) { for (clock_t t = clock(); clock() - t < CLOCKS_PER_SEC / 5;) outer(1000000); return 0; }
	C
	gcc -g -O1 -fno-omit-frame-pointer -o "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p.c"
	record
	fold -q --inline "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';main;outer;shallow_\[i\];deep_\[i\]' "$BATS_TEST_TMPDIR/folded"
	fold -q "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';main;outer(;asm_.*)? [0-9]+$' "$BATS_TEST_TMPDIR/folded"
	rm "$BATS_TEST_TMPDIR/p"
	fold -q --context "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	mostly ';main:p.c:9;outer:p.c:8;shallow:p.c:6_\[i\];deep:p.c:4_\[i\]' "$BATS_TEST_TMPDIR/folded"
	gcc -g -O1 -fno-omit-frame-pointer -o "$BATS_TEST_TMPDIR/p" "$BATS_TEST_TMPDIR/p.c"
	needs perf
	perf record -N -B -g -F 997 -o "$BATS_TEST_TMPDIR/data" "$BATS_TEST_TMPDIR/p" >/dev/null 2>&1 || skip "perf record does not work here"
	fold -q --inline --weight samples "$BATS_TEST_TMPDIR/data" >"$BATS_TEST_TMPDIR/folded"
	mostly ';main;outer;shallow_\[i\];deep_\[i\]' "$BATS_TEST_TMPDIR/folded"
}

@test "JavaScript functions by perf-PID.map, also without the map" {
	needs node
	needs_sampling
	cat >"$BATS_TEST_TMPDIR/hot.js" <<-'JS'
	function hotLoop() { let s = 0; for (let i = 0; i < 1e6; i++) s += i % 7; return s; }
	for (const t = Date.now(); Date.now() - t < 400;) hotLoop();
	console.log(process.pid);
	JS
	cd "$BATS_TEST_TMPDIR"
	pid=$(collect -F 997 -o "$BATS_TEST_TMPDIR/rec" -- node --perf-basic-prof --interpreted-frames-native-stack "$BATS_TEST_TMPDIR/hot.js" 2>/dev/null)
	pid=${pid:-$(ls -t /tmp | sed -n 's/^perf-\([0-9]*\)\.map$/\1/p' | head -n 1)}
	rm -f "/tmp/perf-$pid.map"
	fold -q --jit "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/folded"
	[ "$(stacks "$BATS_TEST_TMPDIR/folded" | grep -c 'hotLoop .*_\[j\]')" -gt 0 ]
	[ "$(stacks "$BATS_TEST_TMPDIR/folded" | grep 'hotLoop' | total)" -gt $(($(total <"$BATS_TEST_TMPDIR/folded") / 2)) ]
}

@test "a recording folds to the same bytes in a root without binaries" {
	[ -z "${SANITIZED-}" ] || skip "sanitizers need /proc, which is not in an empty root"
	needs_root
	build gcc -g
	needs_sampling
	collect -a -F 1997 -o "$BATS_TEST_TMPDIR/rec" -- sh -c "$BATS_TEST_TMPDIR/p; ls -l /usr/bin | sort" >/dev/null 2>&1
	root=$BATS_TEST_TMPDIR/root
	mkdir -p "$root"
	cp "$(command -v fold)" "$root/fold"
	for lib in $(ldd "$(command -v fold)" | grep -o '/[^ ]*'); do
		mkdir -p "$root${lib%/*}"
		cp "$lib" "$root$lib"
	done
	fold -q "$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/here"
	# fold itself needs libraries there: --symfs keeps it from looking into them.
	chroot "$root" /fold -q --symfs /none <"$BATS_TEST_TMPDIR/rec" >"$BATS_TEST_TMPDIR/there"
	[ "$(total <"$BATS_TEST_TMPDIR/here")" -gt 0 ]
	grep -q ';main;outer;middle;inner' "$BATS_TEST_TMPDIR/there"
	cmp "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/there"
}
