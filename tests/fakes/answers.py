"""The fake probe in the process of the tests: it answers at once, where no process of its own is what is tested."""

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from subprocess import Popen
from types import SimpleNamespace
from typing import Any

import msgspec

from tests.fakes import fake_probe
from threadping.probes.process import Bounded, ProcessEnd, run_together

ROOT = Path(__file__).parents[2]
JVM = """#!/bin/sh
# A virtual machine that runs the fake probe as its jar; from Java 18 on it knows nothing of biased locking.
for flag; do
  case "{version} $flag" in 25\\ -XX:?UseBiasedLocking)
    echo "Unrecognized VM option 'UseBiasedLocking'"
    echo "Error: Could not create the Java Virtual Machine."
    exit 1
  esac
done
while [ "$1" != -jar ]; do shift; done
shift 2
exec {probe} "$@"
"""
NEED_A_PROCESS = {"crashes", "crashes-late", "hangs", "chatters", "floods"}
"""What these mechanisms do cannot be done in the process of the tests."""

WALL_NS = 20_000_000
REFUSED = "Unrecognized VM option 'UseBiasedLocking'\nError: Could not create the Java Virtual Machine.\n"


def fake_program(**variables: str) -> str:
    """The fake probe, for the interpreter that runs the tests: compiled once, it starts almost as soon as that.

    `variables` are added to its environment.
    """
    imported = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.fakes import fake_probe as probe"
    return f"#!{sys.executable} -IS\n{imported}\nsys.exit(probe.main({json.dumps(variables)}))\n"


def put_fake_probe(place: Path, **variables: str) -> None:
    place.write_text(fake_program(**variables))
    place.chmod(0o755)


class Steps:
    """A clock that advances with every read: a budget fits the same number of trials on a busy machine."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 0.02
        return self.now


def in_steps() -> dict[str, object]:
    """What to put in place of what, so that nothing waits for a clock, and budgets are counted in steps."""
    return {
        "threadping.conduct.pings.WAIT_S": 0,
        "threadping.probes.machine.AT_REST_S": 0,
        "threadping.conduct.runner.time": Steps(),
        "threadping.conduct.environment.monotonic": Steps().monotonic,
    }


def in_this_process() -> dict[str, object]:
    """What to put in place of what, so that fake probes answer here, and no other program is to blame for a tick."""
    return {
        "threadping.probes.process.run_together": answer,
        "threadping.probes.trial.Popen": _started,
        "threadping.conduct.runner.others_since": lambda _cpus: lambda: 0.0,
        "threadping.probes.machine.others_since": lambda _cpus: lambda: 0.0,
        "threadping.conduct.runner.throttled_ns": lambda: 0,
        "threadping.analysis.health.KERNEL_TICK_NS": 0.0,
        "tests.fakes.fake_probe.loads": msgspec.json.decode,
        "tests.fakes.fake_probe.dumps": lambda message: msgspec.json.encode(message).decode(),
    }


PROGRAM = f"""#!{sys.executable}
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / "src")!r}]
from tests.fakes.answers import put_in_place
put_in_place()
from threadping.__main__ import main
sys.argv[0] = "threadping"
main()
"""
"""threadping in a process of its own, in which fake probes answer, and on a clock that counts."""


def put_in_place() -> None:
    for name, value in (in_steps() | in_this_process() | {"threadping.probes.trial.inconsistency": _agree}).items():
        module, _, attribute = name.rpartition(".")
        setattr(import_module(module), attribute, value)


def _agree(*_: object) -> None:
    """Nothing contradicts how long a process lived that there was not."""


def answer(wanted: Sequence[Bounded]) -> list[ProcessEnd]:
    """Let fake probes answer here; start processes where one is no fake, or does what only a process can."""
    here = [_answer_of(one.command) for one in wanted]
    return [one() for one in here if one] if all(here) else run_together(wanted)


def _answer_of(command: Sequence[str]) -> Callable[[], ProcessEnd] | None:
    """Return what makes the answer of a fake probe or JVM, or of lscpu; None for what needs a process."""
    if command[0] == "env":
        return lambda: _once(tuple(command))
    program, *words = command
    text = _text(program)
    if text.startswith("#!/bin/sh\n# A virtual machine") and "-jar" in words:
        launched = re.search(r'^exec (.*) "\$@"$', text, re.MULTILINE)
        assert launched
        if any(word[4:] in ("+UseBiasedLocking", "-UseBiasedLocking") for word in words) and 'case "25 ' in text:
            return lambda: ProcessEnd(1, REFUSED, WALL_NS)
        program, words = launched[1], words[words.index("-jar") + 2 :]
        text = _text(program)
    if not (said := re.search(r"probe\.main\((\{.*\})\)\)\n$", text)) or text != fake_program(**json.loads(said[1])):
        return None
    if "busy" in words or "FAKE_PAUSE" in os.environ or ("run" in words and _mechanism(words) in NEED_A_PROCESS):
        return None
    return lambda: answered(words, json.loads(said[1]))


def _text(program: str) -> str:
    """The text of a program that may be executed; of any other, and of what is no text, none."""
    try:
        return Path(program).read_text() if os.access(program, os.X_OK) else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _mechanism(words: Sequence[str]) -> str:
    asked: str = msgspec.json.decode(Path(words[words.index("--request") + 1]).read_bytes())["mechanism"]
    return asked


def answered(words: list[str], variables: Mapping[str, str]) -> ProcessEnd:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        return ProcessEnd(*fake_probe.answer(words), WALL_NS)
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@cache
def _once(command: tuple[str, ...]) -> ProcessEnd:
    """The end of a process that always says the same on this machine."""
    return run_together([Bounded(command, Path.cwd(), 60.0)])[0]


def _started(command: tuple[str, ...], **how: Any) -> Any:
    """Start a busy process; a fake one only where a test counts them, since it would only sleep."""
    if "FAKE_BUSY" in os.environ or not _text(command[0]).endswith("probe.main({}))\n"):
        return Popen(command, **how)
    return SimpleNamespace(poll=lambda: None, kill=lambda: None, communicate=lambda: None, returncode=None)
