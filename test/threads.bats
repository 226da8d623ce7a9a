# The programs that use threads, on enough data to make the threads meet. CI runs this file under ThreadSanitizer too.
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "fold reads a long text with its threads" {
	awk 'BEGIN {
		for (i = 0; i < 40000; i++) {
			printf "prog %d/%d [000] %d.%06d: 1 cycles:\n", i % 7, i % 50, i / 1000, i % 1000
			for (k = i % 12; k >= 0; k--) printf "\t%x f%d_%d+0x1 (/bin/prog)\n", 4096 + k, k, i % 97
			print ""
		}
	}' >text
	[ "$(fold -q text | total)" = 40000 ]
	[ "$(fold -q <text | total)" = 40000 ]
}

@test "collect samples every CPU while it writes" {
	needs_sampling
	collect -a -F 4999 -o rec -- "$B/test/workload/known" threads 0.5 4 >/dev/null
	[ "$(fold -q rec | total)" -gt 500 ]
}

@test "collect through a pipe, compressed" {
	needs_sampling
	collect -a -F 4999 --zstd -- "$B/test/workload/known" threads 0.5 4 2>/dev/null | fold -q >folded
	[ "$(total <folded)" -gt 500 ]
}
