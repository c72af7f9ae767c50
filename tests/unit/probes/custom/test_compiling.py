"""Custom mechanisms in C++: their files, their headers, and their compilation."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.texts import printed
from threadping.model.cases import OwnMechanism
from threadping.model.errors import OutputUnwritable, ThreadpingError, UsageError
from threadping.probes import build_cache
from threadping.probes.build_cache import KEPT_SECONDS, MOST_KEPT
from threadping.probes.builds import read_mechanisms
from threadping.probes.custom_cpp import candidates, check_once, classes_of, compiled, find_compiler

COMPILER = """#!/bin/sh
# Writes a program that says what it was compiled of, and the files that went in; or fails as FAILS says.
[ "$1" = --version ] && echo version >> {asked} && echo "fake++ 1.0" && exit 0
while [ $# -gt 0 ]; do
  case "$1" in
    -o) program=$2 ;;
    -MF) depends=$2 ;;
    *main.cpp) main=$1 ;;
    *.hpp) source=$1 ;;
    -M) only=yes ;;
    -E) [ -f {preprocessed} ] || exit 1; preprocess=yes ;;
    --dependency-file=*)
      [ -f {old_linker} ] && echo "ld: unrecognized option '$1'" >&2 && exit 1
      printf 'probe: %s /tmp/gone.o\n' {linked} > "${{1#*=}}" ;;
  esac
  shift
done
[ -f {shadow} ] && included={shadow} || included={included}
if [ "$only" ]; then
  [ -f {unread} ] && exit 1
  printf 'probe: %s \\\\\\n %s\\n' "$source" "$included" > "$depends"
  exit 0
fi
if [ "$preprocess" ]; then sed "s|HEADER|{header}|" {preprocessed} > "$program"; exit 0; fi
echo compiled >> {log}
cp "$main" {considered}
if [ -f {fails} ]; then sed "s|MAIN|$main|" {fails} >&2; exit 1; fi
given=$(sed -n 's/^#include "\\(\\/.*\\)"/\\1/p' "$main")
printf 'probe: %s %s \\\\\\n %s\\n' "$main" "$given" "$included" > "$depends"
printf '#!/bin/sh\\n%s\\n' "$(cat {program})" > "$program"
chmod +x "$program"
"""


class Bench:
    """A header with what it includes, a compiler, and a cache."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        self.header, self.included = folder / "my_queue.hpp", folder / "slots.hpp"
        self.fails, self.log, self.program = folder / "fails", folder / "log", folder / "program"
        self.preprocessed, self.old_linker, self.asked = folder / "read", folder / "old", folder / "asked"
        self.linked, self.considered = folder / "libmy.a", folder / "considered.cpp"
        self.shadow, self.unread = folder / "earlier" / "slots.hpp", folder / "unread"
        self.header.write_text("template <class M> class MyQueue {};\n")
        self.included.write_text("struct Slots;\n")
        self.linked.write_text("one")
        self.program.write_text("exit 0")
        self.compiler = folder / "fake++"
        names = {name: value for name, value in vars(self).items() if isinstance(value, Path)}
        self.compiler.write_text(COMPILER.format(**names))
        self.compiler.chmod(0o755)
        probes = folder / "probes" / "dev"
        (probes / "include" / "threadping").mkdir(parents=True)
        (probes / "lib").mkdir()
        (probes / "lib" / "libthreadping.a").touch()

    def compile(self, *, flags: str = "", header: Path | None = None) -> OwnMechanism:
        _, (source,) = read_mechanisms([str(header or self.header)])
        return compiled(source, find_compiler({}, str(self.compiler), flags), self.cache, lambda _: None)

    @property
    def times(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    found = Bench(tmp_path)
    monkeypatch.setattr("threadping.probes.build_cache.probes_folder", lambda: tmp_path / "probes")
    return found


@pytest.mark.parametrize("why", ["No space left on device", "Disk quota exceeded"])
def test_a_full_disk_is_no_mistake_in_a_header(bench: Bench, why: str) -> None:
    bench.fails.write_text(f"/usr/bin/ld: final link failed: {why}")
    with pytest.raises(OutputUnwritable, match=rf"cannot be compiled: '.*/cache': {why}\. Free some space"):
        bench.compile()


def test_the_same_is_compiled_once(bench: Bench) -> None:
    first = bench.compile()
    assert bench.compile() == first and bench.times == 1
    assert first.name == "my_queue" and first.command[1:] == ("--name", "my_queue")
    assert first.made_by.startswith("fake++ 1.0 ") and Path(first.command[0]).exists()


def test_what_is_not_the_same_is_compiled_again(bench: Bench) -> None:
    first = bench.compile()
    assert bench.compile(flags="-O2").digest != first.digest and bench.times == 2
    bench.included.write_text("struct Slots {};\n")
    second = bench.compile()
    assert second.digest != first.digest and bench.times == 3
    bench.included.write_text("struct Slots;\n")
    assert bench.compile().digest == first.digest and bench.times == 3
    Path(first.command[0]).unlink()
    assert bench.compile() == first and bench.times == 4


def test_a_library_that_is_linked_counts_where_the_linker_says_which(bench: Bench) -> None:
    first = bench.compile()
    bench.linked.write_text("two")
    assert bench.compile().digest != first.digest and bench.times == 2
    bench.old_linker.touch()
    bench.included.write_text("struct Slots {};")
    bench.compile()
    bench.linked.write_text("three")
    bench.compile()
    assert bench.times == 3


def test_flags_mean_other_folders_elsewhere(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bench.compile(flags="-I include")
    monkeypatch.chdir(bench.header.parent.parent)
    assert bench.compile(flags="-I include").digest == first.digest and bench.times == 2


def test_the_compiler_reads_the_header_and_its_classes_are_looked_at(bench: Bench) -> None:
    bench.header.write_text("#if 0\nclass No {};\n#endif\nclass MY_API Mine {};\n")
    bench.compile()
    assert "consider<No>" in bench.considered.read_text()  # the preprocessor failed: what is written is read
    bench.preprocessed.write_text('# 1 "other.hpp" 1\nclass Other {};\n# 4 "HEADER" 2\nclass Mine {};\n')
    bench.compile(flags="-O1")
    assert "consider<Mine>" in (main := bench.considered.read_text())
    assert main.count("consider<") == 1


def test_the_compiler_is_asked_once_what_it_is(bench: Bench) -> None:
    for flags in ("", "-O1", "-O2"):
        find_compiler({}, str(bench.compiler), flags)
    assert bench.asked.read_text().splitlines() == ["version"]


def test_a_full_cache_is_reported(bench: Bench) -> None:
    (bench.folder / "full").touch()
    bench.cache = bench.folder / "full" / "own"
    with pytest.raises(OutputUnwritable, match=r"cannot be compiled: '.*full.*': Not a directory. Free some space"):
        bench.compile()


def test_what_is_unused_for_long_or_too_much_is_forgotten(bench: Bench) -> None:
    for number in range(MOST_KEPT + 3):
        kept = bench.cache / f"probe-{number}"
        kept.mkdir(parents=True)
        (kept / "probe").touch()
        os.utime(kept, (when := time.time() - 100 - number, when))
    (bench.cache / "java-17-old").mkdir()
    for old in (bench.cache / "java-17-old", bench.cache / "old.json"):
        old.touch()
        os.utime(old, (when := time.time() - KEPT_SECONDS - 100, when))
    (bench.cache / "young.json").touch()
    own = bench.compile()
    there = {one.name for one in bench.cache.iterdir()}
    assert not there & {"java-17-old", "old.json"} and {"young.json", own.digest} <= there
    assert {one.parent.name for one in bench.cache.glob("*/probe")} == {
        own.digest,
        *(f"probe-{number}" for number in range(MOST_KEPT - 1)),
    }


def test_the_same_in_another_folder_is_not_compiled_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    other = bench.folder / "elsewhere" / "my_queue.hpp"
    other.parent.mkdir()
    other.write_text(bench.header.read_text())
    first = bench.compile()
    bench.header.unlink()
    monkeypatch.chdir(other.parent)
    assert bench.compile(header=other).digest == first.digest and bench.times == 1


def test_a_header_that_is_found_earlier_is_compiled(bench: Bench) -> None:
    first = bench.compile()
    bench.shadow.parent.mkdir()
    bench.shadow.write_text("struct Slots { int other; };\n")
    assert bench.compile().digest != first.digest and bench.times == 2
    bench.shadow.unlink()
    assert bench.compile() == first and bench.times == 2


def test_a_library_that_may_be_found_earlier_is_looked_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier, variable = bench.folder / "earlier", bench.folder / "variable"
    for number, folder in enumerate((earlier, variable)):
        folder.mkdir()
        monkeypatch.setenv("LIBRARY_PATH", str(variable))
        bench.compile(flags=f"-L {earlier} -L/nowhere")
        assert bench.times == 1 + number
        (folder / "libmy.so").touch()
    bench.compile(flags=f"-L {earlier} -L/nowhere")
    assert bench.times == 3


def test_where_the_preprocessor_does_not_tell_what_it_read_the_compiler_does(bench: Bench) -> None:
    bench.unread.touch()
    first = bench.compile()
    assert bench.compile() == first and bench.times == 1
    bench.included.write_text("struct Slots {};\n")
    assert bench.compile().digest != first.digest and bench.times == 2


@pytest.mark.parametrize(("said", "sentence"), printed(__file__, "a header that does not compile"))
def test_what_does_not_compile_says_where(bench: Bench, said: str, sentence: str) -> None:
    bench.fails.write_text(said.replace("HEADER", str(bench.header)))
    with pytest.raises(UsageError) as error:
        bench.compile()
    assert sentence in str(error.value)
    assert not list(bench.cache.glob("*"))


def test_a_header_without_a_class_and_a_compiler_that_is_not_there_are_refused(bench: Bench) -> None:
    bench.header.write_text("int x;\n")
    with pytest.raises(UsageError, match="has no class"):
        bench.compile()
    bench.header.write_text("template <class M, int N> class Q { bool push(M); };\n")
    with pytest.raises(UsageError, match=r"has .* template <class M, int N> class Q with push, .*:Mine\.$"):
        bench.compile()
    with pytest.raises(UsageError, match="'nope' is not a compiler that can be started"):
        find_compiler(os.environ, "nope", "")
    with pytest.raises(UsageError, match="--cxxflags ''-O' cannot be read"):
        find_compiler({}, str(bench.compiler), "'-O")


def test_no_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"Install one \(Debian: apt-get install g\+\+\)"):
        find_compiler({}, None, "")


def test_what_is_good_is_checked_once(bench: Bench) -> None:
    own = bench.compile()
    check_once(bench.cache / own.digest, own)
    Path(own.command[0]).unlink()
    check_once(bench.cache / own.digest, own)


@pytest.mark.parametrize(
    "program, kind, sentence",
    [
        ("echo 'Lost: message 7.'; exit 1", ThreadpingError, "is not measured. Lost: message 7."),
        ("echo 'it lacks pop'; exit 2", UsageError, "it lacks pop"),
        (
            "kill -SEGV $$",
            ThreadpingError,
            "It crashed while it was checked (signal SIGSEGV). See on which line: `gdb -batch -ex run ",
        ),
        (
            "echo 'module java.base does not \"opens java.nio\" to unnamed module'; exit 1",
            ThreadpingError,
            "Open it: --runtime 'java --add-opens=java.base/java.nio=ALL-UNNAMED'.",
        ),
        ("echo chatter; echo It lost one.; exit 1", ThreadpingError, "is not measured. It lost one."),
        ("echo last words; exit 7", ThreadpingError, "It crashed while it was checked (exit status 7): last words."),
        ("sleep 60", ThreadpingError, "Its check had not ended after 0 s: it hangs."),
    ],
)
def test_a_mechanism_that_breaks_the_contract_is_not_measured(
    bench: Bench, program: str, kind: type[Exception], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threadping.probes.custom_cpp.CHECK_SECONDS", 0.2 if program == "sleep 60" else 60.0)
    bench.program.write_text(program)
    own = bench.compile()
    with pytest.raises(kind) as error:
        check_once(bench.cache / own.digest, own)
    assert sentence in str(error.value)
    assert not (bench.cache / own.digest / "checked").exists()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "another": lambda probe: probe.write_text("#!/bin/sh\nexit 0\n# planted"),
    "a folder": lambda probe: probe.rename(probe.parent / "renamed").with_name("probe").mkdir(),
    "not executable": lambda probe: probe.chmod(0o644),
    "without its hash": lambda probe: probe.with_suffix(".sha256").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_probe_is_compiled_again(bench: Bench, damage: Callable[[Path], object]) -> None:
    first = bench.compile()
    built = Path(first.command[0]).read_bytes()
    damage(Path(first.command[0]))
    assert bench.compile() == first and bench.times == 2
    assert Path(first.command[0]).read_bytes() == built
    assert bench.compile() == first and bench.times == 2


def test_a_probe_in_use_is_not_forgotten(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run overnight uses it, while other commands compile more probes than the cache keeps."""
    monkeypatch.setattr(build_cache, "MOST_KEPT", 1)
    own = bench.compile()
    os.utime(Path(own.command[0]).parent, (0, 0))
    assert bench.compile(flags="-O2").digest != own.digest
    assert Path(own.command[0]).exists()


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
