"""Programs that are not probes: what becomes of their words, their files and their failures."""

import sys

import pytest

from benchmarks.command import build, said_by, written_by
from benchmarks.records import Unavailable, Unmeasured


def test_a_compiler_that_fails_is_quoted_with_the_remedy() -> None:
    program = "import sys; sys.exit('line 1: no such thing')"
    with pytest.raises(Unavailable, match=r"^The program: \S+ failed: line 1: no such thing\. Mend it\.$"):
        build("The program", (sys.executable, "-c", program), "Mend it.")


def test_maven_is_quoted_with_its_first_word() -> None:
    program = "import sys; print('[ERROR] No such artifact'); sys.exit(print('[Help 1]') or 1)"
    with pytest.raises(Unavailable, match=r"failed: \[ERROR\] No such artifact\. Mend it\.$"):
        build("The jar", (sys.executable, "-c", program), "Mend it.")


def test_a_compiler_that_is_missing_is_named_with_the_remedy() -> None:
    with pytest.raises(Unavailable, match=r"^The program: '/nowhere/cc' cannot be started .* Install one\.$"):
        build("The program", ("/nowhere/cc",), "Install one.")


def test_a_program_that_fails_says_why() -> None:
    with pytest.raises(Unmeasured, match=r"failed \(exit status 2\): CPU 9 cannot be used here\."):
        said_by((sys.executable, "-c", "import sys; sys.exit(print('CPU 9 cannot be used here.') or 2)"), "")


def test_a_program_that_is_not_there_says_so() -> None:
    with pytest.raises(Unmeasured, match="'/nowhere/ping_pong' cannot be started: No such file or directory"):
        said_by(("/nowhere/ping_pong",), "")


def test_what_a_program_says_on_both_streams_is_returned() -> None:
    program = "import sys; print('out', flush=True); print('err', file=sys.stderr)"
    assert said_by((sys.executable, "-c", program), "") == "out\nerr\n"


def test_a_program_that_does_not_end_is_killed_and_the_remedy_named() -> None:
    program = "import time; time.sleep(60)"
    with pytest.raises(Unmeasured, match=r"^It was killed: it had not ended after 1 s\. Ask for less\.$"):
        written_by((sys.executable, "-c", program), "answer", 1, "Ask for less.")


def test_what_a_program_writes_into_its_folder_is_returned() -> None:
    program = "print('chatter'); open('answer', 'w').write('12')"
    assert written_by((sys.executable, "-c", program), "answer", 30, "") == b"12"


def test_a_program_that_writes_nothing_is_quoted() -> None:
    with pytest.raises(Unmeasured, match=r"^It ended without an answer: 'No matching benchmarks\.'$"):
        written_by((sys.executable, "-c", "print('No matching benchmarks.')"), "answer", 30, "")
