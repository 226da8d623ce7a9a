# fold on perf.data: the public reports' cases, what perf itself records, and damage. SPDX-License-Identifier: GPL-2.0-or-later
load helper

@test "every case from public reports about perf.data and symbols" {
	needs_shared cases
	needs python3
	for case in "$SHARED"/cases/07* "$SHARED"/cases/08* "$SHARED"/cases/09* "$SHARED"/cases/101*; do
		FOLD=fold python3 "$SHARED/cases/_tools/check.py" -v "$case"
	done
}

# A small perf.data of a thread with two samples, made here: $1 is a Python statement that may change it before it is written.
make_data() {
	python3 - "$1" <<-'PYTHON'
	import struct, sys
	rec = lambda t, b, misc=2: struct.pack('<IHH', t, misc, 8 + len(b)) + b
	sid = lambda t: struct.pack('<IIQ', 7, 7, t)
	flags = 1 << 18
	attr = struct.pack('<IIQQQQQ', 1, 64, 0, 1000, 0x127, 0, flags) + bytes(16)
	comm = rec(3, struct.pack('<II', 7, 7) + b'app\0\0\0\0\0' + sid(1))
	mmap = rec(1, struct.pack('<IIQQQ', 7, 7, 0x400000, 0x10000, 0) + b'/no/such/app\0\0\0\0' + sid(2))
	def sample(t, *ips, period=3):
	    return rec(9, struct.pack('<QIIQQQ', ips[0], 7, 7, t, period, 1 + len(ips)) +
	        struct.pack('<Q', 2**64 - 512) + b''.join(struct.pack('<Q', i) for i in ips))
	records = [comm, mmap, sample(10, 0x401000, 0x402000), sample(20, 0x401000), rec(68, b'')]
	exec(sys.argv[1])
	data = b''.join(records)
	head = b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, 80, 104, 80, 184, len(data), 0, 0) + bytes(32)
	sys.stdout.buffer.write(head + attr + struct.pack('<QQ', 0, 0) + data)
	PYTHON
}

@test "stacks, periods and the header of a small file" {
	needs python3
	make_data 'pass' >"$BATS_TEST_TMPDIR/data"
	run fold -q "$BATS_TEST_TMPDIR/data"
	[ "$status" = 0 ]
	[[ "${lines[0]}" == "# flamepipe event=cpu-clock weight=period period=1000 "*" samples=2 lost=0 excluded=0 ." ]]
	[ "${lines[1]}" = "app;[app] 3" ]
	[ "${lines[2]}" = "app;[app];[app] 3" ]
	[ "$(fold -q --weight samples "$BATS_TEST_TMPDIR/data" | total)" = 2 ]
	[ "$(fold -q - <"$BATS_TEST_TMPDIR/data" | total)" = 6 ]
	[ "$(cat "$BATS_TEST_TMPDIR/data" | fold -q | total)" = 6 ]
}

@test "records out of order are put in order of time" {
	needs python3
	make_data 'records = [sample(30, 0x401000), mmap, comm]' >"$BATS_TEST_TMPDIR/data"
	[ "$(fold -q "$BATS_TEST_TMPDIR/data" | stacks)" = "app;[app] 3" ]
}

@test "a file cut at any byte ends cleanly, and its whole records count" {
	needs python3
	make_data 'pass' >"$BATS_TEST_TMPDIR/data"
	size=$(stat -c %s "$BATS_TEST_TMPDIR/data")
	for ((n = 0; n < size; n += 3)); do
		head -c $n "$BATS_TEST_TMPDIR/data" >"$BATS_TEST_TMPDIR/cut"
		run fold "$BATS_TEST_TMPDIR/cut"
		[ "$status" = 1 ] || { echo "at $n: status $status"; false; }
	done
	head -c $((size - 10)) "$BATS_TEST_TMPDIR/data" >"$BATS_TEST_TMPDIR/cut"
	[ "$(fold -q "$BATS_TEST_TMPDIR/cut" 2>/dev/null | total)" = 3 ]
	run fold "$BATS_TEST_TMPDIR/cut"
	[[ "$output" == *"offset"*"truncated record"* ]]
}

@test "a record that says it has no size is reported with its offset" {
	needs python3
	make_data 'records.insert(3, struct.pack("<IHH", 9, 0, 0))' >"$BATS_TEST_TMPDIR/data"
	run fold "$BATS_TEST_TMPDIR/data"
	[ "$status" = 1 ]
	[[ "$output" == *"offset 368: a record of 0 bytes"* ]]
	[[ "$output" == *"app;[app];[app] 3"* ]]
}

@test "samples whose fields do not fit are counted as damaged" {
	needs python3
	make_data 'records.insert(3, rec(9, bytes(16)))' >"$BATS_TEST_TMPDIR/data"
	run fold "$BATS_TEST_TMPDIR/data"
	[[ "$output" == *"1 in damaged"* || "$output" == *"damaged"* ]]
}

@test "an exec forgets the mappings, a fork inherits them" {
	needs python3
	make_data 'records = [comm, mmap, rec(7, struct.pack("<IIIIQ", 8, 7, 8, 7, 12) + sid(12)),
	    rec(9, struct.pack("<QIIQQQQQ", 0x401000, 8, 8, 15, 1, 2, 2**64 - 512, 0x401000)),
	    rec(3, struct.pack("<II", 8, 8) + b"new\0\0\0\0\0" + sid(20), 0x2000),
	    rec(9, struct.pack("<QIIQQQQQ", 0x401000, 8, 8, 25, 1, 2, 2**64 - 512, 0x401000))]' >"$BATS_TEST_TMPDIR/data"
	run fold -q --no-header "$BATS_TEST_TMPDIR/data"
	[ "${lines[0]}" = "app;[app] 1" ]
	[ "${lines[1]}" = "new;[unknown] 1" ]
}

@test "what perf records here folds to the samples that it says" {
	needs perf python3
	perf record -N -B -F 1999 -g -o "$BATS_TEST_TMPDIR/data" -- sh -c 'for i in 1 2 3 4 5 6; do ls /usr/bin; done | sort' \
		>/dev/null 2>"$BATS_TEST_TMPDIR/err" || skip "perf record does not work here"
	run fold --weight samples "$BATS_TEST_TMPDIR/data"
	[ "$status" = 0 ]
	samples=$(sed -n 's/.* samples=\([0-9]*\) .*/\1/p' <<<"${lines[0]}")
	[ "$samples" -gt 0 ]
	[ "$(printf '%s\n' "${lines[@]}" | grep -v '^fold:' | total)" = "$samples" ]
	perf record -N -B -F 1999 -g -o - -- sh -c 'ls /usr/bin | sort' 2>/dev/null | fold -q | grep -q '^sort;'
}
