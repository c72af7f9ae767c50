"""The examples of examples/tour, one after the other in one store, as a person runs them."""

import re
import shlex
from pathlib import Path

from tests.conftest import ROOT
from tests.end_to_end.conftest import Command
from tests.end_to_end.test_help import FAKES

BUILDS = "09-own-queue.sh"
"""It compiles a header, which tests/contract/test_own.py covers."""

SHORTER = (
    ("-c 5", "-c 1"),
    ("--mechanism release-one-line --wait spin,pause,yield", "--mechanism tunable --wait spin"),
)
"""What is typed here in place of what a person types: fewer pings, and the fake mechanism that has a wait."""


def test_each_example_of_the_tour_runs_in_order(with_fake: Command, tmp_path: Path) -> None:
    fakes = {**FAKES, "FAKE_MECHANISMS": f"{FAKES['FAKE_MECHANISMS']},tunable"}
    for file in sorted((ROOT / "examples" / "tour").glob("*.sh")):
        text = re.sub(r"--budget \d+s", "--budget 5s", file.read_text(encoding="utf-8"))
        for typed, faked in SHORTER:
            text = text.replace(typed, faked)
        for line in text.splitlines():
            program, *words = shlex.split(line, comments=True) or [""]
            if program != "threadping" or file.name == BUILDS:
                continue
            done = with_fake(*words, env=fakes, rounds=1)
            assert done.returncode in ((0, 3) if words[0] in ("compare", "recommend") else (0,)), (line, done.stderr)
    assert (tmp_path / "report.html").stat().st_size > 1000
    assert (tmp_path / "rows.json").stat().st_size > 1000
