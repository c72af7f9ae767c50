"""The classes of a header, by reading it."""

import pytest

from threadping.probes.custom.cpp import candidates, classes_of


@pytest.mark.parametrize(
    "text, found",
    [
        ("class A { public: void f(); };", ["A"]),
        ("struct A : B { struct Inner {}; }; class C final : public A {};", ["A", "C"]),
        ("template <class T> class Q { struct Slot { T t; }; };", ["Q"]),
        ("template <typename T, class A = std::vector<T>> struct Q {};", ["Q"]),
        ("template <class T> requires std::copyable<T>\nclass Q {};", ["Q"]),
        ("namespace a::b { namespace { class Q {}; } } class R {};", ["a::b::Q", "R"]),
        ("inline namespace v1 { class alignas(64) Q {}; class [[nodiscard]] R {}; }", ["v1::Q", "v1::R"]),
        ('class __attribute__((visibility("default"))) A {}; struct alignas(sizeof(int)) B {};', ["A", "B"]),
        ("class Q; enum class E { a }; friend class F; using X = struct Y;", []),
        (
            "template <std::size_t N> class Q {}; template <class A, class B> class P {}; template <> class S<int> {};",
            [],
        ),
        ("// class A {};\n/* class B {}; */ const char* t = \"class C {\"; char c = '{'; class D {};", ["D"]),
        ("#define M class A { \\\n  class B {};\nclass C {};", ["C"]),
        ("int f() { struct Local {}; return 1'000; } class After {};", ["After"]),
        ("template <std::copyable M> class Q {};", ["Q"]),
        ("template <mine::Message M, int N = 8> class Q {};", ["Q"]),
        ("template <Message M> class Q {}; template <class M> class R {};", ["R"]),
        ("template <class M, std::size_t N> class Q {};", []),
        ("", []),
    ],
)
def test_the_classes_of_a_header(text: str, found: list[str]) -> None:
    assert candidates(classes_of(text)) == found


def test_a_class_is_said_with_what_it_has() -> None:
    text = (
        "namespace a { template <class M,\n int N> class Q { public: explicit Q(int n) : slots_(n) {} ~Q();\n"
        " bool try_push(const M& m) { return grow(m); } bool try_pop(M&) noexcept; struct Slot { void in(); }; }; }"
    )
    (found,) = classes_of(text)
    assert str(found) == "template <class M, int N> class a::Q with try_push, try_pop"
