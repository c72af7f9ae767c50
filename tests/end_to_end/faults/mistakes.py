"""What new users typed, or may: each is refused in a sentence that says what to type instead.

They stand in mistakes.txt: what happened, the command, the exit code with the sentence.
"""

from pathlib import Path

from tests.end_to_end.faults.fault import NOTHING, Bench, Fault

HEADING = "What is typed at first"
ABOUT = "Words of other programs, units left out, names that are nearly right: the answer says what to type instead."

FAKES = {
    "FAKE_MECHANISMS": "steady,slow,tunable",
    "FAKE_LOCKS": "mutex",
    "FAKE_PACED": "release-one-line,condition",
}


def prepare(bench: Bench) -> None:
    """Have a run in the store, and a text that is no matrix."""
    bench.store_a_run()
    bench.write("notes.md", "# Notes\nhello\n")


def _read(record: str) -> Fault:
    title, command, answer = record.splitlines()
    code, _, says = answer.strip().partition(" ")
    return Fault(title, command.strip().removeprefix("threadping "), int(code), says, NOTHING, prepare, env=FAKES)


FAULTS = tuple(map(_read, Path(__file__).with_suffix(".txt").read_text().split("\n\n")))
