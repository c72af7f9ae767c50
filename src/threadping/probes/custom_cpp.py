"""A mechanism of the user's own in C++ becomes a probe: compiled and checked.

The probe is kept by the hash of all that went in.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain, pairwise
from pathlib import Path

from msgspec import Struct

from threadping.model.cases import OwnMechanism
from threadping.model.errors import ThreadpingError, UsageError
from threadping.model.text import plain, shell_words
from threadping.probes.build_cache import BuiltProgram, Telling, built_with, cached_probe, check_room, evict, files_in
from threadping.probes.builds import OwnSource
from threadping.probes.java_errors import telling_line
from threadping.probes.process import ProcessEnd, run_bounded, temporary_folder

CHECKED = "checked"

# A JVM's words about a package that reflection may not enter
CLOSED_PACKAGE = re.compile(r'module (?P<module>[\w.]+) does not "(?:opens|exports) (?P<package>[\w.]+)"')
CHECK_SECONDS = 60.0  # a check takes some seconds, and ends what hangs


def check_once(kept: Path, own: OwnMechanism, first: Callable[[], object] = lambda: None) -> None:
    """Check what is not noted to be good in the folder `kept`, after `first`; note it, unless the check raises."""
    if not (kept / CHECKED).exists():
        first()
        check(own)
        evict(kept.parent)
    with suppress(OSError):
        kept.mkdir(parents=True, exist_ok=True)
        (kept / CHECKED).touch()
        kept.touch()  # it is used, and so kept on


def check(own: OwnMechanism) -> None:
    """Have the probe try a mechanism's contract; UsageError if it cannot be measured, ThreadpingError if it breaks."""
    with temporary_folder() as folder:
        ended = run_bounded((*own.command, "check"), folder=folder, seconds=CHECK_SECONDS)
    said = plain((ended.log.strip().splitlines() or [""])[-1])
    if opened := CLOSED_PACKAGE.search(said):
        said += f" Open it: --runtime 'java --add-opens={opened['module']}/{opened['package']}=ALL-UNNAMED'."
    if ended.status == 2:
        raise UsageError(said)
    if ended.status == 0:
        return
    if ended.status is None:
        said = f"Its check had not ended after {CHECK_SECONDS:.0f} s: it hangs."
    elif ended.status != 1 or not said:
        line = plain(telling_line(ended.log))
        said = f"It crashed while it was checked ({ended.how}){f': {line}' if line else ''}."
        if ended.status < 0 and "java" not in Path(own.command[0]).name:
            said += f" See on which line: `gdb -batch -ex run -ex bt --args {shlex.join(own.command)} check`."
    said += "" if opened else " Correct it, then measure again."
    raise ThreadpingError(f"'{own.source}' is not measured. {said}")


COMPILERS = ("c++", "g++", "clang++")
FLAGS = ("-std=c++20", "-O3", "-g1", "-DNDEBUG")  # those of our own probe; the user's follow and override
QUIET = ("-w", "-Wfatal-errors")  # the first error alone, and no warnings: those are their author's
# GCC collects its garbage from half a GB on: spsc_ring compiles in 13% less CPU time, by 40 MB more. Others ignore it
SPARING = "--param=ggc-min-heapsize=524288"
COMPILE_SECONDS = 120.0
ERROR = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<what>.+)$", re.MULTILINE)
# A compiler's words about a name of a later standard
LATER = re.compile(r"(?:namespace|member of) \Wstd\W|C\+\+2[3-9]|-std=")
UNLINKED = re.compile(r"undefined reference to .+|cannot find .+|library not found .+")


class Compiler(Struct, frozen=True):
    """The user's compiler, with the flags that were given, and what it calls itself."""

    command: tuple[str, ...]
    flags: tuple[str, ...]
    version: str


def find_compiler(environment: Mapping[str, str], cxx: str | None, flags: str) -> Compiler:
    """Find the named compiler, $CXX, or the first installed one; raise UsageError if none starts."""
    named = cxx or environment.get("CXX")
    usual = next((one for one in COMPILERS if shutil.which(one)), None)
    if not named and not usual:
        raise UsageError(
            "A custom mechanism needs a C++ compiler, and none was found. Install one (Debian: apt-get install g++), "
            "or name it: --cxx /opt/gcc/bin/g++."
        )
    command = shell_words("--cxx", named or str(usual))
    if not command or not (path := shutil.which(command[0])):
        raise UsageError(f"'{named}' is not a compiler that can be started. Name another with --cxx, or install g++.")
    command = (path, *command[1:])
    return Compiler(command, shell_words("--cxxflags", flags), _version_of(command))


@cache  # one process asks once, however many headers and runtimes there are
def _version_of(command: tuple[str, ...]) -> str:
    said = run_bounded((*command, "--version"), folder=Path.cwd(), seconds=10.0).log.strip()
    return (said.splitlines() or [command[0]])[0]


def compiled(source: OwnSource, compiler: Compiler, folder: Path, telling: Telling) -> OwnMechanism:
    """Compile the probe of a header, or take it from the cache; raise UsageError, or OutputUnwritable."""
    build = partial(_compile, source, compiler)
    tell = partial(telling, f"compiling {source.given} with {Path(compiler.command[0]).name} …")
    said = (source.chosen, compiler.version, *compiler.command, *compiler.flags)
    read = _files_read(source, compiler)
    place = _libraries(compiler) if read else (source.file, str(Path.cwd()))
    made_by = " ".join((compiler.version, *FLAGS[:2], *compiler.flags))
    return cached_probe(folder, source, said, build, tell, made_by, read=read, place=place)


def _run(compiler: Compiler, here: Path, *words: str) -> ProcessEnd:
    headers = built_with("include/threadping")
    ours = (*FLAGS, "-iquote", str(headers), "-I", str(headers.parent), *QUIET, SPARING)
    command = (*compiler.command, *ours, *words, *compiler.flags)
    return run_bounded(command, folder=Path.cwd(), seconds=COMPILE_SECONDS, variables={"TMPDIR": str(here)})


def _files_read(source: OwnSource, compiler: Compiler) -> tuple[str, ...]:
    """Return the files that the preprocessor reads now (0.15 s), so that a header found earlier is noticed."""
    with temporary_folder() as here:
        rule = here / "read"
        ours = str(built_with("include/threadping") / "own" / "own.hpp")
        words = ("-include", ours, "-x", "c++", source.file, "-x", "none")
        with suppress(OSError):
            if _run(compiler, here, "-M", "-MF", str(rule), *words).status == 0:
                return tuple(dict.fromkeys(files_in(rule.read_text())))
    return ()


def _libraries(compiler: Compiler) -> tuple[str, ...]:
    """Return what decides which files are linked: existing libraries, and the folder that flags are relative to."""
    words = (*compiler.command, *compiler.flags, "")
    folders = [after if one == "-L" else one[2:] for one, after in pairwise(words) if one.startswith("-L")]
    folders += os.environ.get("LIBRARY_PATH", "").split(":")
    there = (str(one.absolute()) for folder in folders if folder for one in sorted(Path(folder).glob("lib*")))
    return (str(Path.cwd()) if compiler.flags else "", *there)


def _compile(source: OwnSource, compiler: Compiler, here: Path) -> BuiltProgram:
    library = built_with("lib/libthreadping.a")
    main, probe, read, linked = here / "main.cpp", here / "probe", here / "read", here / "linked"
    run = partial(_run, compiler, here)
    preprocessed = run("-E", "-x", "c++", source.file, "-x", "none", "-o", str(main)).status == 0
    text = Path(main if preprocessed else source.file).read_text(errors="replace")  # why not is said below
    if preprocessed:  # the lines of the file that the compiler reads: without those of a false `#if`
        parts = re.split(r'^# \d+ ("(?:[^"\\\n]|\\.)*").*$', text, flags=re.MULTILINE)
        named = zip(parts[1::2], parts[2::2], strict=True)
        text = "".join(lines for file, lines in named if file == _quoted(source.file))
    main.write_text(_main(source, compiler, text))
    command = ("-MD", "-MF", str(read), str(main), "-o", str(probe), str(library), "-pthread")
    ended = run(*command, "-Xlinker", f"--dependency-file={linked}")
    if ended.status != 0 and "dependency-file" in ended.log:  # a linker of before 2020
        ended = run(*command)
    if ended.status != 0:
        check_room(ended.log)
        raise UsageError(plain(_why_not(source, main, ended)))
    rules = (rule.read_text() for rule in (read, linked) if rule.exists())
    files = tuple(dict.fromkeys(chain.from_iterable(map(files_in, rules))))
    files = tuple(one for one in files if Path(one) != main and Path(one).exists())  # the linker reads what is gone
    return probe, (*files, str(library))


def _main(source: OwnSource, compiler: Compiler, text: str) -> str:
    """Return the program's source, which tries every class of the header, or the named one."""
    found = classes_of(text)
    classes = candidates(found)
    if source.chosen:
        named = [one.name for one in found if f"::{one.name}".endswith(f"::{source.chosen}")]
        classes = named or [source.chosen]
    if not classes and found:
        raise UsageError(
            f"'{source.given}' has only {found[0]}, and a queue must be a class template whose only parameter is "
            f"the message. Add `template <class M> using Mine = {found[0].name}<M, ...>;` and name that: "
            f"--mechanism {source.given}:Mine."
        )
    if not classes:
        raise UsageError(
            f"'{source.given}' has no class. A mechanism is a class with publish, await, stop, peek (a signal), with "
            "lock, unlock or acquire, release (a lock), with release, await, arrive, join, stop or arrive_and_wait "
            "(a barrier), or a template with push, pop or send, take, stop (a queue): docs/how-to/custom-mechanism.md."
        )
    considered = "".join(f"  header.consider<{one}>({_quoted(one)});\n" for one in dict.fromkeys(classes))
    flags = ", ".join(map(_quoted, (*FLAGS[:2], *compiler.flags)))
    name = _quoted(Path(source.file).name)
    return (
        f'#include "own/own.hpp"\n#include "{source.file}"\nint main(int argc, char** argv) {{\n'
        f"  threadping::own::Header header;\n{considered}"
        f"  const auto probe = threadping::own::compiled_with({{{flags}}});\n"
        f"  threadping::own::run_own(header, {name}, probe, argc, argv);\n}}\n"
    )


def _why_not(source: OwnSource, main: Path, ended: ProcessEnd) -> str:
    begin = f"'{source.given}' does not compile"
    if ended.status is None:
        return f"{begin}: the compiler had not ended after {COMPILE_SECONDS:.0f} s."
    found = ERROR.search(ended.log)
    if not found:
        unlinked = UNLINKED.search(ended.log)
        said = unlinked[0] if unlinked else next(iter(ended.log.strip().splitlines()), "the compiler said nothing")
        remedy = " Name what is missing in --cxxflags, such as '-I ../include' or '-ltbb'." if unlinked else ""
        return f"{begin}: {_sentence(said)}{remedy}"
    what = _sentence(found["what"])
    if LATER.search(what):
        what += " If that is of a later C++ than C++20, add --cxxflags -std=c++23."
    if Path(found["file"]) == main:
        chosen = f"no class '{source.chosen}' that could" if source.chosen else "a class that cannot"
        return f"'{source.given}' has {chosen} be measured: {what}"
    if Path(found["file"]).absolute() == Path(source.file):
        missing = " Say where with --cxxflags '-I FOLDER'." if "No such file" in what else ""
        return f"{begin}: line {found['line']}: {what}{missing}"
    calls = re.search(rf"{re.escape(source.file)}:(\d+)", ended.log)
    where = f"line {calls[1]} leads to " if calls else ""
    return f"{begin}: {where}{found['file']}:{found['line']}: {what}"


def _sentence(said: str) -> str:
    return said if said.endswith("?") else f"{said.rstrip('.')}."


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"  # parentheses in each other, three deep

CLASS = re.compile(
    rf"(?:class|struct)\s+(?:(?:(?:alignas|__attribute__)\s*{NESTED}|\[\[.*?\]\])\s*)*"
    r"(\w+)\s*(?:final\b\s*)?(?=\{|:(?!:))"
)
NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*\{")
WORD = re.compile(r"\b(?:template|namespace|class|struct|enum|friend|using)\b|[{}]")
UNREAD = re.compile(  # comments, texts, and the preprocessor's lines
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<![\w'])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*",
    re.DOTALL | re.MULTILINE,
)


# A template parameter that is a type, or may be one by a concept: only a compiler knows such a name
PARAMETER = re.compile(
    r"\s*(?:(?P<type>(?:class|typename)\b(?!\s*\.).*)"
    r"|(?P<concept>(?!(?:\w+ +)*(?:std::)?(?:auto|bool|char|int|long|\w+_t)\b)[\w:]+\s+\w+\s*))",
    re.DOTALL,
)

OPERATION = re.compile(
    r"(?<![~\w])(?!(?:alignas|noexcept|requires|decltype|explicit|operator)\b)([a-z]\w*[a-z0-9])\s*\("
)


class HeaderClass(Struct, frozen=True):
    """A class, or a class template."""

    name: str  # with its namespaces
    parameters: str | None  # of the template; None where it is none
    operations: tuple[str, ...]  # names of its functions

    def takes(self, *kinds: str) -> bool:
        """Return whether it is a template of one `type` or `concept`; further parameters have defaults."""
        first, *others = re.sub(r"<[^<>]*>", "", self.parameters or "").split(",")
        found = PARAMETER.fullmatch(first)
        return bool(found and any(map(found.group, kinds))) and all("=" in one for one in others)

    def __str__(self) -> str:
        template = "" if self.parameters is None else f"template <{' '.join(self.parameters.split())}> "
        has = f" with {', '.join(self.operations)}" if self.operations else ""
        return f"{template}class {self.name}{has}"


def candidates(classes: Sequence[HeaderClass]) -> list[str]:
    """Return the names of possible mechanisms: a compiler can try a class, and a template of one type."""
    certain = [one.name for one in classes if one.parameters is None or one.takes("type")]
    return certain or [one.name for one in classes if one.takes("concept")]


def classes_of(text: str) -> list[HeaderClass]:
    """Return the classes and class templates in namespaces or in none."""
    text = UNREAD.sub(" ", text)
    found: list[HeaderClass] = []
    scopes: list[str | None] = []  # a namespace's name; None of any other block
    place, parameters = 0, None
    while word := WORD.search(text, place):
        place = word.end()
        match word[0]:
            case "{":
                scopes.append(None)
            case "}":
                scopes = scopes[:-1]
            case "template":
                place, parameters = _parameters(text, place)
                continue
            case "namespace":
                if named := NAMESPACE.match(text, word.start()):
                    scopes.append(named[1])
                    place = named.end()
            case "enum":
                place = (re.compile(r"\s+(?:class|struct)\b").match(text, place) or word).end()
            case "class" | "struct":
                named = CLASS.match(text, word.start())
                if named and None not in scopes:
                    name = "::".join(filter(None, (*scopes, named[1])))
                    found.append(HeaderClass(name, parameters, _operations(text, named)))
        parameters = None
    return found


def _parameters(text: str, place: int) -> tuple[int, str]:
    depth, begins = 0, place
    for at in range(place, len(text)):
        depth += {"<": 1, ">": -1}.get(text[at], 0)
        if depth == 0 and text[at] == ">":
            return at + 1, text[text.index("<", begins) + 1 : at]
    return len(text), ""


def _operations(text: str, named: re.Match[str]) -> tuple[str, ...]:
    """Return the names before a parenthesis in the body of a class, without nested ones."""
    depth, outside = 0, []
    for part in re.split(r"([{}])", text[named.end() :]):
        depth += {"{": 1, "}": -1}.get(part, 0)
        if part == "}" and depth == 0:
            break
        outside += [part] if depth == 1 else []
    return tuple(dict.fromkeys(one for one in OPERATION.findall(" ".join(outside)) if one != named[1]))
