# flamepipe: `make` builds everything into $(B), `make demo` draws a first picture, `make check` runs every test.
B = build
CC = cc
CFLAGS = -O2 -g
LDFLAGS =
PREFIX = /usr/local
DESTDIR =
bindir = $(PREFIX)/bin
libexecdir = $(PREFIX)/libexec
mandir = $(PREFIX)/share/man
VERSION = 0.1

WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-sign-conversion
pkg = $(shell pkg-config --silence-errors $(1))
CPPFLAGS_ = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DLIBEXECDIR='"$(libexecdir)"' -I. -I$(B) -I/usr/include/libdwarf $(call pkg,--cflags libdwarf)
CFLAGS_ = -std=gnu11 -pthread $(WARN) $(CPPFLAGS_) $(CFLAGS)

# Modules of lib, lowest first: each includes only those before it (`make lint` proves it).
LIB = die usage arena str hash intern count json wire input frame folded tree compress packed recording sample \
	perfrec elf cfi segments rnglist dwarf demangle symtab binary kallsyms embedded space symbols tasks places unwind stats

# What each program links besides lib: a later one in a folder's archive is found by the linker itself.
PROGRAMS = $(basename $(wildcard collect/collect.c collect/measure.c fold/fold.c fold/dump.c fold/compare.c \
	render/render.c render/flamepipe.c))
LIBS = -Wl,--as-needed -lelf -ldwarf -ljansson -lzstd -lRmath -liberty -lz -lm -ldl

bin = $(B)/bin/$(notdir $(1))
parts = $(patsubst %.c,$(B)/%.o,$(filter-out $(PROGRAMS:=.c),$(wildcard $(1)/*.c)))
ARCHIVES = $(B)/collect.a $(B)/fold.a $(B)/render.a $(B)/lib.a
UNIT = $(patsubst %.c,$(B)/%,$(wildcard test/unit/*.c))
FUZZ = $(patsubst %.c,$(B)/%,$(filter-out test/fuzz/replay.c,$(wildcard test/fuzz/*.c)))
WORKLOADS = $(patsubst test/workload/%.c,$(B)/test/workload/%,$(wildcard test/workload/*.c))
BYTES = $(patsubst %,$(B)/%.bytes,$(wildcard render/*.js render/*.css render/*.html))

all: $(foreach p,$(PROGRAMS),$(call bin,$(p)))

.SECONDEXPANSION:
.SECONDARY:
$(B)/%.o: %.c | $(BYTES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_) -MMD -MP -c -o $@ $<

# Scripts travel in every picture: without indentation and comments.
$(B)/%.bytes: %
	@mkdir -p $(@D)
	sed -e 's/^[[:blank:]]*//' -e '/^\/\/ /d' $< | od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g' > $@

# A folder's modules without its programs.
$(ARCHIVES): $(B)/%.a: $$(call parts,%)
	@rm -f $@
	ar rcs $@ $^

$(foreach p,$(PROGRAMS),$(eval $(call bin,$(p)): $(B)/$(p).o $(B)/$(patsubst %/,%,$(dir $(p))).a $(B)/lib.a))
$(B)/bin/%:
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $^ $(LIBS)

$(UNIT): $(B)/%: $(B)/%.o $(ARCHIVES)
	$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(ARCHIVES) $(LIBS)

$(FUZZ): $(B)/%: $(B)/%.o $(B)/test/fuzz/replay.o $(ARCHIVES)
	$(CC) $(CFLAGS_) $(LDFLAGS) -o $@ $< $(B)/test/fuzz/replay.o $(ARCHIVES) $(LIBS)

# Workloads are built the same in every variant: what they do must not depend on sanitizers.
$(WORKLOADS): $(B)/test/workload/%: test/workload/%.c
	@mkdir -p $(@D)
	$(CC) -O1 -g -fno-inline -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o $@ $< -lm

tests: all $(UNIT) $(FUZZ) $(WORKLOADS)

# The picture that the README shows, of a page-fault workload on this machine.
demo:
	@test/setup build
	@$(MAKE) --no-print-directory all $(B)/test/workload/page_fault
	@test/demo $(B) pf1.svg

deps:
	@test/setup

check: deps
	@$(MAKE) --no-print-directory tests
	@B=$(B) test/run

# Does compare find what is there, and nothing else? Records for a minute.
bench-compare: all $(B)/test/workload/fixed_work
	@B=$(B) test/bench/compare

lint:
	@test/lint

# The source map of the README, from the second line of each file.
map:
	@test/sourcemap >README.map
	@sed -i -e '/^<!-- map -->$$/,/^<!-- end of map -->$$/{/^<!-- map -->$$/{r README.map' -e 'b};/^<!-- end of map -->$$/!d}' README.md
	@rm -f README.map

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

install: all
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libexecdir)/flamepipe $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5
	install $(filter-out %/flamepipe,$(wildcard $(B)/bin/*)) $(DESTDIR)$(libexecdir)/flamepipe/
	install $(B)/bin/flamepipe $(DESTDIR)$(bindir)/
	install -m 644 $(wildcard */*.1) $(DESTDIR)$(mandir)/man1/
	install -m 644 $(wildcard */*.5) $(DESTDIR)$(mandir)/man5/

clean:
	rm -rf $(B)

.PHONY: all tests demo deps check bench-compare lint map format install clean
-include $(shell find $(B) -name '*.d' 2>/dev/null)
