"""What new users typed, or may: each is refused in a sentence that says what to type instead.

They stand in mistakes.txt.
"""

from dataclasses import replace

from tests.end_to_end.faults.fault import Bench, read_faults

HEADING = "Common mistakes"
ABOUT = "Words of other programs, units left out, names that are nearly right: the answer says what to type instead."

FAKES = {"FAKE_MECHANISMS": "steady,slow,tunable", "FAKE_LOCKS": "mutex", "FAKE_PACED": "release-one-line,condition"}


def prepare(bench: Bench) -> None:
    """Have a run in the store, and a text that is no matrix."""
    bench.store_a_run()
    bench.write("notes.md", "# Notes\nhello\n")


FAULTS = tuple(replace(one, before=prepare, env={**FAKES, **one.env}) for one in read_faults(__file__, {}))
