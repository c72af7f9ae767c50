"""The classes of a header, by reading it."""

import pytest

from threadping.own.headers import classes_of


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
        ("", []),
    ],
)
def test_the_classes_of_a_header(text: str, found: list[str]) -> None:
    assert classes_of(text) == found
