"""Programs that are not probes: what becomes of their words, their files and their failures."""

import sys

import pytest

from benchmarks.command import build, said_by, written_by
from benchmarks.records import Unavailable, Unmeasured


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


COMPILER = python("import sys; sys.exit('line 1: no such thing')")
MAVEN = python("import sys; print('[ERROR] No such artifact'); sys.exit(print('[Help 1]') or 1)")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (COMPILER, r"^The program: \S+ failed: line 1: no such thing\. Mend it\.$"),
        (MAVEN, r"failed: \[ERROR\] No such artifact\. Mend it\.$"),
        (("/nowhere/cc",), r"^The program: '/nowhere/cc' cannot be started .* Mend it\.$"),
    ],
    ids=["a compiler is quoted with its last word", "Maven with its first", "one that is missing is named"],
)
def test_a_build_that_fails_says_why_with_the_remedy(command: tuple[str, ...], message: str) -> None:
    with pytest.raises(Unavailable, match=message):
        build("The program", command, "Mend it.")


REFUSES = python("import sys; sys.exit(print('CPU 9 cannot be used here.') or 2)")


@pytest.mark.parametrize(
    ("command", "seconds", "message"),
    [
        (REFUSES, 30, r"failed \(exit status 2\): CPU 9 cannot be used here\."),
        (("/nowhere/ping_pong",), 30, "'/nowhere/ping_pong' cannot be started: No such file or directory"),
        (python("import time; time.sleep(60)"), 1, r"^It was killed: it had not ended after 1 s\. Ask for less\.$"),
        (python("print('No matching benchmarks.')"), 30, r"^It ended without an answer: 'No matching benchmarks\.'$"),
    ],
    ids=["it fails", "it is not there", "it does not end", "it writes nothing"],
)
def test_a_program_without_an_answer_says_why(command: tuple[str, ...], seconds: float, message: str) -> None:
    with pytest.raises(Unmeasured, match=message):
        written_by(command, "answer", seconds, "Ask for less.")


def test_what_a_program_says_on_both_streams_is_returned() -> None:
    program = "import sys; print('out', flush=True); print('err', file=sys.stderr)"
    assert said_by(python(program), "") == "out\nerr\n"


def test_what_a_program_writes_into_its_folder_is_returned() -> None:
    program = "print('chatter'); open('answer', 'w').write('12')"
    assert written_by(python(program), "answer", 30, "") == b"12"
