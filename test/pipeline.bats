# collect | fold | render on real input: workloads whose profile is known by construction.
load helper

W=$B/test/workload

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# share NAME TRUTH TOTAL COUNT: COUNT of TOTAL samples is within five standard errors of TRUTH (a fraction)
within_five_errors() {
	awk -v name="$1" -v p="$2" -v n="$3" -v k="$4" 'BEGIN {
		se = sqrt(p * (1 - p) / n); d = k / n - p
		printf "%s: %.4f of %d samples, truth %.4f, %.1f standard errors\n", name, k / n, n, p, d / se
		exit !(d < 5 * se && d > -5 * se) }'
}

# inclusive count of a frame in folded lines on stdin
inclusive() {
	awk -v f="$1" '{ n = $NF; sub(/ [^ ]*$/, ""); k = split($0, s, ";"); for (i = 1; i <= k; i++) if (s[i] == f) { t += n; break } }
		END { print t + 0 }'
}

# The facts of the header line: fact KEY FILE
fact() {
	sed -n "s/^# flamepipe .* \{0,1\}$1=\([^ ]*\) .*/\1/p; s/^# flamepipe $1=\([^ ]*\) .*/\1/p" "$2" | head -n 1
}

@test "70, 20 and 10 percent are found in the functions that spent them" {
	needs_sampling
	collect -F 997 -o rec -- "$W/known" shares 3 >truth
	fold rec >folded
	n=$(stacks folded | inclusive shares)
	[ "$n" -gt 1000 ]
	sum=$(awk '{ s += $2 } END { print s }' truth)
	while read -r name seconds; do
		within_five_errors "$name" "$(awk "BEGIN { print $seconds / $sum }")" "$n" "$(stacks folded | inclusive "$name")"
	done <truth
	grep -q '^known;.*main;shares;hot70 ' folded
}

@test "the sum of the counts is what collect reported as kept" {
	needs_sampling
	collect -F 997 -o rec -- "$W/known" shares 1 2>report >/dev/null
	fold rec >folded
	[ "$(total <folded)" = "$(fact samples folded)" ]
	grep -q "$(fact samples folded) " <(tr -d , <report)
}

@test "a recursion of known depth has that many frames" {
	needs_sampling
	collect -F 997 -o rec -- "$W/known" recurse 0.5 40
	fold rec >folded
	frames=$(printf ';recurse%.0s' $(seq 40))
	[ "$(stacks folded | grep -c "main$frames;leaf ")" -ge 1 ]
	[ "$(stacks folded | grep -c "recurse$frames")" = 0 ]
}

@test "half in user space, half in system calls" {
	needs_sampling
	collect -F 997 -o rec -- "$W/known" phases 2 >truth
	fold --kernel rec >folded
	# The C library's read() has no frame pointer and hides its caller, so the second half is told by what is left.
	n=$(stacks folded | inclusive phases)
	u=$(stacks folded | inclusive user_phase)
	k=$((n - u))
	within_five_errors user_phase 0.5 "$n" "$u"
	# The kernel side is there where this user may see it.
	if [ "$(id -u)" = 0 ]; then
		in_kernel=$(stacks folded | awk '!/;user_phase/ && /_\[k\]/ { s += $NF } END { print s + 0 }')
		[ "$in_kernel" -gt $((k * 8 / 10)) ]
	fi
}

@test "threads are told apart by name" {
	needs_sampling
	collect -F 997 -o rec -- "$W/known" threads 0.3 3
	fold rec >folded
	for i in 0 1 2; do
		[ "$(stacks folded | grep -c "^worker-$i;.*;thread_work ")" -ge 1 ]
	done
}

@test "the page-fault path is whole, from the exception down to the page clearing" {
	needs_sampling
	needs_root
	collect -a -F 997 -o rec -- "$W/page_fault" 2 1 >/dev/null
	fold --kernel rec >folded
	stacks folded | grep -E '^page_fault;.*main;page_fault_loop;touch_pages;asm_exc_page_fault_\[k\];.*(handle_mm_fault|do_anonymous_page).*' |
		grep -qE 'clear_page|clear_highpage|folio_zero'
}

@test "through a pipe as from a file, and to a picture" {
	needs_sampling
	collect -F 997 -- "$W/known" shares 0.5 2>report | tee rec | fold >piped
	fold rec >filed
	cmp piped filed
	render piped >pf1.svg
	grep -q '<title>hot70 (' pf1.svg
	xmllint --noout pf1.svg
}

@test "what the command prints does not reach the recording" {
	needs_sampling
	collect -F 997 -- sh -c 'echo loud; "$0" shares 0.2' "$W/known" 2>report | fold >folded
	grep -q loud report
	grep -q 'hot70 ' folded
}

@test "perf record sees the same shares" {
	needs_sampling
	needs perf
	collect -F 997 -o rec -- "$W/known" shares 2 >truth
	fold rec >ours
	perf record -q -g -e cpu-clock -F 997 -o perf.data -- "$W/known" shares 2 >truth2 2>/dev/null || skip "perf record does not work here"
	perf script -i perf.data 2>/dev/null | fold --weight samples >theirs
	n=$(stacks ours | inclusive shares)
	m=$(stacks theirs | inclusive shares)
	for f in hot70 hot20 hot10; do
		awk -v a="$(stacks ours | inclusive $f)" -v n="$n" -v b="$(stacks theirs | inclusive $f)" -v m="$m" 'BEGIN {
			p = (a + b) / (n + m); se = sqrt(p * (1 - p) * (1 / n + 1 / m)); d = a / n - b / m
			exit !(d < 5 * se && d > -5 * se) }'
	done
}

@test "flamepipe draws the picture and passes the status on" {
	needs_sampling
	run flamepipe -F 997 -o pf1.svg -- sh -c '"$0" shares 0.3; exit 7' "$W/known"
	[ "$status" = 7 ]
	grep -q '<title>hot70 (' pf1.svg
}

@test "flamepipe leaves nothing behind when there is nothing to draw" {
	run flamepipe --no-such-option -o pf1.svg -- true
	[ "$status" != 0 ]
	[ -z "$(ls)" ]
}

@test "a recording cut at any byte folds to a part of it and ends cleanly" {
	needs_sampling
	collect -F 997 -o rec -- "$W/known" shares 0.3 >/dev/null
	size=$(stat -c %s rec)
	whole=$(fold rec 2>/dev/null | total)
	for i in $(seq 0 40); do
		head -c $((size * i / 40)) rec >cut
		run fold cut
		[ "$status" -le 1 ]
		got=$(fold cut 2>/dev/null | total)
		[ "$got" -le "$whole" ]
	done
}

@test "an ordinary user gets the user side of his own processes" {
	needs_root
	needs setpriv
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip "kernel.perf_event_paranoid is not 2"
	chmod 777 .
	setpriv --reuid 65534 --regid 65534 --clear-groups env PATH="$PATH" collect -F 997 -o rec -- "$W/known" shares 0.5 2>report >/dev/null ||
		skip "this user may not sample here: $(cat report)"
	fold rec >folded
	grep -q 'hot70 ' folded
	grep -qi 'user' report
}

@test "Ctrl-C to the whole pipe ends the sampling and still draws the picture" {
	needs_sampling
	needs python3
	# A session of its own, and SIGINT to all of it, as a terminal does. Python, since a shell's background jobs ignore SIGINT.
	python3 - "$W/known" <<'END'
import os, signal, subprocess, sys, time
p = subprocess.Popen(["bash", "-c", 'collect -F 997 -- "$0" shares 30 2>report | fold | render >pf1.svg', sys.argv[1]], start_new_session=True)
time.sleep(1)
os.killpg(p.pid, signal.SIGINT)
p.wait(20)
END
	cat report
	grep -q 'samples taken' report
	grep -q '<title>hot70 (' pf1.svg
	grep -q '</svg>' pf1.svg
}
