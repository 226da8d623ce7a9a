/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names: what goes and what stays. */
#include "fold/tidy.h"

#include "test/unit/check.h"

static bool tidies(const char *name, const char *want, unsigned flags)
{
	struct str out = {0};
	bool same;

	tidy_name(&out, span_of(name), flags);
	same = span_eq(str_span(&out), span_of(want));
	if (!same)
		printf("# %s became %s\n", name, out.p);
	str_release(&out);
	return same;
}

#define TIDY(name, want) check_that(tidies(name, want, 0), __FILE__, __LINE__, name)
#define JAVA(name, want) check_that(tidies(name, want, TIDY_JAVA), __FILE__, __LINE__, name)

static void test_cpp(void)
{
	TIDY("foo", "foo");
	TIDY("foo(int, char**)", "foo");
	TIDY("foo(int) [clone .isra.0]", "foo");
	TIDY("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	TIDY("a::(anonymous namespace)::f(int)", "a::(anonymous namespace)::f");
	TIDY("std::function<int (int, int)>::operator()(int, int) const",
	    "std::function<int (int, int)>::operator()");
	TIDY("operator new(unsigned long)", "operator new");
	TIDY("a::operator->()", "a::operator->");
	TIDY("a::operator->*(int)", "a::operator->*");
	TIDY("operator<(a const&, b)", "operator<");
	TIDY("operator<< <char>(a)", "operator<< <char>");
	TIDY("a::operator<=>(a) const", "a::operator<=>");
	TIDY("a::operator bool() const", "a::operator bool");
	TIDY("my_operator(int)", "my_operator");
	TIDY("f(int)::{lambda(char)#1}::operator()(char) const", "f(int)::{lambda(char)#1}::operator()");
	TIDY(
	    "a::f(int) const::{lambda()#2}::operator()() const", "a::f(int) const::{lambda()#2}::operator()");
	TIDY("void (*signal(int, void (*)(int)))(int)", "void (*signal(int, void (*)(int)))");
	TIDY("decltype (a(b)) g<int>(int)", "decltype (a(b)) g<int>");
	TIDY("grid<(axis)0>::step(int)", "grid<(axis)0>::step");
	TIDY("foo(int", "foo");
}

static void test_rust(void)
{
	TIDY("core::fmt::write::h0123456789abcdef", "core::fmt::write");
	TIDY("core::fmt::write::h0123456789abcdeg", "core::fmt::write::h0123456789abcdeg");
	TIDY("_$LT$alloc..boxed..Box$LT$F$GT$$u20$as$u20$core..ops..Fn$LT$A$GT$$GT$::call::h0123456789abcdef",
	    "<alloc::boxed::Box<F> as core::ops::Fn<A>>::call");
	TIDY("<a as Fn(u8) -> b>::call", "<a as Fn(u8) -> b>::call");
}

static void test_others(void)
{
	TIDY("net/http.(*Client).Do", "net/http.(*Client).Do");
	TIDY("main.f(0x1)", "main.f");
	TIDY("RegExp:[&<>\"']", "RegExp:[&<>]");
	TIDY("-[NSString length]", "-[NSString length]");
	TIDY("insert(_:at:)", "insert(_:at:)");
	TIDY("(wrapper managed-to-native) object:icall (int)",
	    "(wrapper managed-to-native) object:icall (int)");
	TIDY("std.algorithm.map!(f).map(int[])", "std.algorithm.map!(f).map");
	TIDY("()", "()");
	TIDY("(", "(");
	TIDY("<<<<", "<<<<");
	TIDY("''", "''");
	JAVA("Lorg/a/B;.call(Lorg/a/C;)V", "org/a/B;.call");
	JAVA("Lorg/a/B:::run", "org/a/B:::run");
	JAVA("LBusy:::main", "LBusy:::main");
	TIDY("Lorg/a/B;::run", "org/a/B;::run");
	TIDY("LockFoo", "LockFoo");
	TIDY("Lib/x", "Lib/x");
}

static void test_encoded(void)
{
	TIDY("_ZN3foo3barEi", "foo::bar");
	TIDY("_ZNSt8functionIFiiiEEclEii", "std::function<int (int, int)>::operator()");
	TIDY("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	TIDY("_RNvC7mycrate3foo", "mycrate::foo");
	TIDY("_D3std5stdio7writelnFiZv", "std.stdio.writeln");
	CHECK(tidies("_ZN3foo3barEi", "_ZN3foo3barEi", TIDY_MANGLED));
	TIDY("_Zfoo", "_Zfoo");
	TIDY("_start", "_start");
	TIDY("base_GHCziBase_map_info", "base_GHC.Base_map_info");
	TIDY("base_GHCziList_foldlzq_info", "base_GHC.List_foldl'_info");
	TIDY("ghczmprim_GHCziTypes_ZC_con_info", "ghc-prim_GHC.Types_:_con_info");
	TIDY("fizzbuzz_info", "fizzbuzz_info");
	TIDY("a_Zizi_x", "a_Zizi_x");
	TIDY("stg_ap_0_fast", "stg_ap_0_fast");
}

static void test_swift(void)
{
	TIDY("main.insert(x: Swift.Int, at: Swift.Int) -> ()", "main.insert(x:at:)");
	TIDY("main.insert(_: Swift.Array<A>, at: (Swift.Int, a: B) -> C) -> ()", "main.insert(_:at:)");
	TIDY("main.f(Swift.Int) -> ()", "main.f");
	TIDY("closure #1 (Swift.Int) -> () in main.f(x: Swift.Int) -> ()",
	    "closure #1 (Swift.Int) -> () in main.f(x:)");
	TIDY("f(a::b, c)", "f");
}

static bool unfolds(const char *chain, const char *want)
{
	struct span rest = span_of(chain), name;
	struct str out = {0};
	bool same;

	while (rest.n) {
		tidy_cut_inlined(&rest, &name);
		str_add(&out, name.p, name.n);
		str_addc(&out, '|');
	}
	same = span_eq(str_span(&out), span_of(want));
	if (!same)
		printf("# %s became %s\n", chain, out.p);
	str_release(&out);
	return same;
}

static void test_inlined(void)
{
	CHECK(unfolds("a->b->c", "a|b|c|"));
	CHECK(unfolds("a::operator->", "a::operator->|"));
	CHECK(unfolds("a::operator->()->b", "a::operator->()|b|"));
	CHECK(unfolds("f<(a->b)>", "f<(a->b)>|"));
	CHECK(unfolds("f() -> Int", "f() -> Int|"));
	CHECK(unfolds("->", "->|"));
	CHECK(unfolds("a->", "a->|"));
}

static void test_modules(void)
{
	CHECK(span_eq(tidy_module(SPAN("/a/b (deleted)")), SPAN("b (deleted)")));
	CHECK(span_eq(tidy_module(SPAN("/a/")), SPAN("/a/")));
	CHECK(span_eq(tidy_module(SPAN("")), SPAN("")));
	CHECK(tidy_module_kind(SPAN("[kernel.kallsyms]")) == FRAME_KERNEL);
	CHECK(tidy_module_kind(SPAN("[nf_conntrack]")) == FRAME_KERNEL);
	CHECK(tidy_module_kind(SPAN("/boot/vmlinux-5.10")) == FRAME_KERNEL);
	CHECK(tidy_module_kind(SPAN("/lib/modules/x/btrfs.ko.xz")) == FRAME_KERNEL);
	CHECK(tidy_module_kind(SPAN("[vdso]")) == FRAME_USER);
	CHECK(tidy_module_kind(SPAN("[heap]")) == FRAME_USER);
	CHECK(tidy_module_kind(SPAN("[unknown]")) == FRAME_USER);
	CHECK(tidy_module_kind(SPAN("/tmp/perf-12.map")) == FRAME_JIT);
	CHECK(tidy_module_kind(SPAN("/tmp/perf-12.map (deleted)")) == FRAME_JIT);
	CHECK(tidy_module_kind(SPAN("/tmp/jitted-12-3.so")) == FRAME_JIT);
	CHECK(tidy_module_kind(SPAN("[JIT] tid 12")) == FRAME_JIT);
	CHECK(tidy_module_kind(SPAN("/usr/bin/perf-tool")) == FRAME_USER);
}

int main(void)
{
	test_cpp();
	test_rust();
	test_others();
	test_encoded();
	test_swift();
	test_inlined();
	test_modules();
	return check_done();
}
