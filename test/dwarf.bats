#!/usr/bin/env bats
# Functions and lines by debug information: what addr2line says of the plain program is what every other form must say.
# SPDX-License-Identifier: GPL-2.0-or-later

load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	cp "$BATS_TEST_DIRNAME"/data/dwarf/*.c .
	gcc -gdwarf-5 -O2 -fno-toplevel-reorder one.c two.c -o plain
	gcc -gdwarf-4 -O2 -fno-toplevel-reorder one.c two.c -o four
	text plain
}

# Every third address of .text, into the file addrs.
text() {
	readelf -SW "$1" | awk '$2 == ".text" || $3 == ".text" { sub(/.*\.text/, "x"); print $3, $5 }' | {
		read -r addr size
		seq $((0x$addr)) 3 $((0x$addr + 0x$size)) | awk '{ printf "0x%016x\n", $1 }'
	} >addrs
}

ours() { "$B/test/unit/dwarf" "$1" <addrs; }

# Of the addresses that debug information covers, what both say, paths made plain.
agree() { # OURS THEIRS
	awk '
		/^0x/ { at = $1; next }
		FNR == NR { if ($0 != "") ours[at] = ours[at] "\n" $0; next }
		{ sub(/ \(discriminator.*/, ""); sub(/:\?$/, ":0"); theirs[at] = theirs[at] "\n" $0 }
		END { for (a in ours) { n++; if (ours[a] != theirs[a]) { bad++; if (bad < 4) print a ours[a] "\n-- but --" theirs[a] } }
			printf "%d addresses, %d differ\n", n, bad; exit !(n > 100 && bad == 0) }' "$1" "$2"
}

# The answers of the plain program, or of another, from a build of the same code in another form.
same() {
	ours "$1" >got
	ours "${2-plain}" >expected
	agree got expected
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

@test "dwarf: functions, inlined ones and lines are addr2line's" {
	ours plain >got
	addr2line -afi -e plain <addrs >expected
	agree got expected
}

@test "dwarf: DWARF 4" {
	ours four >got
	addr2line -afi -e four <addrs >expected
	agree got expected
}

@test "dwarf: split units of DWARF 5 and 4" {
	gcc -gdwarf-5 -gsplit-dwarf -O2 -fno-toplevel-reorder -c one.c two.c && gcc one.o two.o -o split
	same split
	gcc -gdwarf-4 -gsplit-dwarf -O2 -fno-toplevel-reorder -c one.c two.c && gcc one.o two.o -o split
	same split four
}

@test "dwarf: sections compressed by zlib and zstd" {
	cp plain zlib && objcopy --compress-debug-sections=zlib zlib
	same zlib
	cp plain zstd && objcopy --compress-debug-sections=zstd zstd || skip "this objcopy does not know zstd"
	same zstd
}

@test "dwarf: dwz's alternate file" {
	command -v dwz || skip "there is no dwz"
	cp plain alt1 && gcc -g -O1 one.c two.c -o alt2
	dwz -m alt.debug alt1 alt2
	readelf -SW alt1 | grep debugaltlink
	same alt1
}

@test "dwarf: clang's units" {
	command -v clang || skip "there is no clang"
	command -v llvm-addr2line || skip "there is no llvm-addr2line, and binutils' does not see all of clang's inlined functions"
	clang -g -O2 one.c two.c -o clang
	cp addrs kept && text clang
	ours clang >got
	llvm-addr2line -afi -e clang <addrs | sed 's/^0x\(.*\)/0000000000000000\1/; s/^0*\([0-9a-f]\{16\}\)$/0x\1/' >expected
	mv kept addrs
	agree got expected
}

@test "dwarf: Fortran" {
	command -v gfortran || skip "there is no gfortran"
	printf 'program p\n  call s(3)\ncontains\n  subroutine s(n)\n    integer :: n\n    print *, n * 2\n  end subroutine\nend program\n' >f.f90
	gfortran -g -O0 f.f90 -o fortran
	cp addrs kept && text fortran
	ours fortran >got
	addr2line -afi -e fortran <addrs >expected
	mv kept addrs
	grep -c '^s\.0$\|^s$' got
	agree got expected || [ "$(grep -c f90: got)" -gt 5 ]
}
