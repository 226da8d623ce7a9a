#!/usr/bin/env bats
# Every shape of perf script text that is found in the wild.
bats_require_minimum_version 1.5.0
load helper

# folds WANT [OPTION...], the input on stdin
folds() {
	local want=$1
	shift
	run -0 --separate-stderr fold --format perf-script --no-header "$@"
	[ "$output" = "$want" ] || { echo "got: $output"; return 1; }
	[[ $stderr != *"not understood"* ]] || { echo "$stderr"; return 1; }
}

@test "the comm may hold blanks and numbers, be one letter, a number, missing" {
	folds $'7;f 1\n:-1;f 2\na;f 4\npool_8;f 8' <<'END'
pool 8 12/13 [003] 1.000001: 8 cycles:
	40 f+0x1 (/x)

a 12 1.000001: 4 cycles:
	40 f+0x1 (/x)

:-1    -1 [002] 1.000001: 2 cycles:
	40 f+0x1 (/x)

     7    12 1.000001: 1 cycles:
	40 f+0x1 (/x)

END
	folds 'main;f 3' <<'END'
  4242   812.000100: 3 cycles:
	40 f+0x1 (/x)
	41 main+0x1 (/x)
END
}

@test "columns that perf script -F leaves out" {
	folds 'a;main;f 1' <<'END'
a 12 1.5:
	40 f (/x)
	41 main (/x)
END
	folds 'a;main;f 9' <<'END'
a 12 9 cycles:u:
	40 f (/x)
	41 main (/x)
END
	folds 'a;main;f 1' <<'END'
a 12
	40 f (/x)
	41 main (/x)
END
	folds 'my_comm;main;f 1' <<'END'
my comm
	              40 f
	              41 main
END
	folds 'a;main;f 1' <<'END'
a 12 1.5: cycles:
	f
	main
END
	folds 'a;[x];[x] 1' <<'END'
a 12 1.5: cycles:
	40  (/x)
	41  (/x)
END
	folds 'a;[x <41>];[unknown <40>] 1' --addrs <<'END'
a 12 1.5: cycles:
	              40
	              41  (/x)
END
}

@test "no header lines at all" {
	run -0 fold -q --no-header <<'END'
	              40 f (/x)
	              41 main (/x)

	              40 f (/x)
	              42 [unknown] (/x)
END
	[ "$output" = $'[x];f 1\nmain;f 1' ]
}

@test "flags between CPU and time, a time with nanoseconds, no blank before the event" {
	folds 'a;f 5' <<'END'
a 12/12 [001] d..2. 1.000000001: 5 cpu/event=0x1,umask=2/u:
	40 f (/x)
END
}

@test "a tracepoint's fields are no frame, whatever they look like" {
	folds 'a;main;f 2' <<'END'
a 12 [001] 1.5: sched:sched_switch: prev_comm=a note: f (queue 0)
	40 f (/x)
	41 main (/x)

a 12 [001] 1.5: sched:sched_switch: beef dead (ok)
	40 f (/x)
	41 main (/x)

END
}

@test "samples without a call graph: one line each, no empty lines between" {
	folds $'a;g 7\nb;f 3' <<'END'
               b  12 1.5:          3 cycles:u:      7fa68b1f2d84 f+0x4 (/usr/lib/ld-2.31.so)
               a  12 1.6:          7 cycles:u:  ffffffff9b201293 g ([kernel.kallsyms])
END
}

@test "a branch without a call graph is where it was taken" {
	folds 'a;f 1' <<<'a 12 1.5:          1 branches:u:      7fa68b1f2d84 f+0x4 (/x) =>     7fa68b1f2d99 g+0x9 (/y z)'
}

@test "samples without a frame count as their comm" {
	folds $'a 2\nb;f 1' <<'END'
a 12 1.5: sched:sched_wakeup: comm=b
a 12 1.6: sched:sched_wakeup: comm=b

b 12 1.7: sched:sched_wakeup: comm=b
	40 f (/x)
END
}

@test "modules with blanks, brackets, deleted" {
	folds 'a;[[JIT app cache]];[my file (x86)];[lib.so (deleted)];[[heap]];g 1' <<'END'
a 12 1.5: cycles:
	40 g (/odd/)x)
	40 [unknown] ([heap])
	41 [unknown] (/usr/lib/lib.so (deleted))
	42 [unknown] (/opt/my file (x86))
	43 [unknown] ([JIT app cache])
END
}

@test "source lines belong to the frame before them, with --srcline" {
	cat >"$BATS_TEST_TMPDIR/in" <<'END'
a 12 1.5: cycles:
	40 f+0x1 (/x)
  ring.h:41
	41 main (/x)
  dead.c:3 (discriminator 2)
	42 start (/x)
  libc.so.6[23d90]
	43 [unknown] ([unknown])
  
a 12 1.6: cycles:
	40 f+0x1 (/x)
  ring.h:42

END
	folds $'a;[unknown];start;main;f 1\na;f 1' <"$BATS_TEST_TMPDIR/in"
	folds $'a;[unknown];start;main:dead.c:3;f:ring.h:41 1\na;f:ring.h:42 1' --srcline <"$BATS_TEST_TMPDIR/in"
}

@test "inlined frames, _[i] with --inline" {
	folds $'a;main;f 1' <<<$'a 12 1.5: cycles:\n\t40 f (inlined)\n\t40 main (/x)'
	folds $'a;main;f_[i] 1' --inline <<<$'a 12 1.5: cycles:\n\t40 f (inlined)\n\t40 main (/x)'
}

@test "comments give host, kernel and command; side-band lines are no samples, but for what they say was lost" {
	run -0 --separate-stderr fold <<'END'
# hostname : box
# os release : 6.1.0
# cmdline : perf record -g x
a 12 1.4: PERF_RECORD_MMAP2 12/12: [0x1(0x2) @ 0 fe:00 1 2]: r-xp /x
a 12 1.5: 7 cycles:
	40 f (/x)

a 12 1.6: PERF_RECORD_LOST lost 12
END
	[ "${lines[0]}" = '# flamepipe event=cycles weight=period host=box kernel=6.1.0 command=perf%20record%20-g%20x samples=1 lost=12 excluded=0 .' ]
	[ "${lines[1]}" = 'a;f 7' ]
	[[ $stderr = 'fold: 1 sample in 1 stack of cycles; 12 lost' ]]
}

@test "what is not understood is counted and quoted, and the rest folded" {
	run -0 --separate-stderr fold --no-header <<'END'
a 12 1.5: cycles:
	40 f (/x)

addr2line: could not read
a 12 1.5: cycles:
	40 f (/x)
END
	[ "$output" = 'a;f 2' ]
	[[ $stderr = *"1 line not understood, the first <stdin>: line 4: 'addr2line: could not read'"* ]]
}

@test "the same frames are recognised whatever stands around them" {
	# Java names are tidied by the comm; the second sample of each must not take the other's names.
	folds $'java;a/B 2\nx;La/B 2' <<'END'
java 1 1.5: cycles:
	40 La/B (/tmp/perf-1.map)

x 1 1.5: cycles:
	40 La/B (/tmp/perf-1.map)

java 1 1.5: cycles:
	40 La/B (/tmp/perf-1.map)

x 1 1.5: cycles:
	40 La/B (/tmp/perf-1.map)

END
	folds $'x-1/2;f 2\nx-1/3;f 1' --tid <<'END'
x 1/2 1.5: cycles:
	40 f (/x)

x 1/3 1.5: cycles:
	40 f (/x)

x 1/2 1.5: cycles:
	40 f (/x)

END
}
