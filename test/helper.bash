# Loaded by every *.bats file. SPDX-License-Identifier: GPL-2.0-or-later
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
B=$(realpath -m "${B:-$ROOT/build}")
DATA=$ROOT/test/data
SHARED=$ROOT/../shared
PATH=$B/bin:$PATH
export LC_ALL=C.UTF-8

# Skips the test, by name, where the data of others is not at hand: needs_shared corpus/perf-script
needs_shared() {
	[ -e "$SHARED/$1" ] || skip "../shared/$1 is not here"
}

needs() {
	local tool
	for tool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
}

needs_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# Sampling may be forbidden (containers, perf_event_paranoid).
needs_sampling() {
	collect -c 1000000 -e cpu-clock -o "$BATS_TEST_TMPDIR/probe.rec" -- true 2>/dev/null || skip "this user may not sample here"
}

# The lines of a folded file without comments.
stacks() {
	grep -v '^# ' "$@"
}

# The sum of all counts of folded lines on stdin.
total() {
	grep -v '^# ' | awk '{ s += $NF } END { printf "%d\n", s }'
}
