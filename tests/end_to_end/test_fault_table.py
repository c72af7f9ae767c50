"""Every fault and bad input that has a contract, and the table of them in docs/internals/faults.md.

After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/end_to_end/test_fault_table.py`; read the diff.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.end_to_end.conftest import Command
from tests.end_to_end.faults.fault import SILENCE, Bench, Fault, check
from tests.end_to_end.faults.mistakes import prepare
from tests.end_to_end.faults.table import KINDS, table
from tests.golden.test_exports import expect


@pytest.fixture
def bench(
    with_fake: Command, environment: dict[str, str], fake_probes: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bench]:
    with ExitStack() as stack:
        yield Bench(with_fake, environment, fake_probes, store, monkeypatch, stack)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.title) for kind in KINDS for fault in kind.faults])
def test_a_fault_ends_in_its_sentence_and_keeps_what_was_measured(bench: Bench, fault: Fault) -> None:
    check(fault, fault.happens(bench), bench)


def test_the_table_in_docs_is_that_of_these_faults() -> None:
    titles = [fault.title for kind in KINDS for fault in kind.faults]
    assert len({*titles}) == len(titles)
    expect(ROOT / "docs" / "internals" / "faults.md", table())


SHUNNED = re.compile(r"is not possible|nothing of that|\btold\b|\bas it is\b|(?<![Tt]here) is no \w|\bInvalid value\b")
VERBS = """
Add Ask Change Check Choose Copy Correct Decompress Download Fix Free Give Import Install Known Leave Make Move Name
Raise Rebuild Repeat Run See Set Unpack Update Use Wait Write
"""
REMEDY = re.compile(
    rf"`[^`]+`|(?<!\S)--?\w|\b(?:{'|'.join(VERBS.split())})\b|Did you mean| must "
    r"|[:;] (?:give|install|leave|measure|name|write) "
)
"""What a user can type or do next: a command, an option, what is accepted, or an imperative."""

REFUSED = [one for kind in KINDS for one in kind.faults if one.code in (1, 2) and one.says != SILENCE]
REASONS = re.compile(r"The probe|CPU 9 cannot be used here|\d+ of [\d,]+ increments|No thread gets the lock")
"""Reasons of trials: `check` asks that what is printed around them names the command that shows more."""


def test_every_error_ends_as_a_sentence_names_a_remedy_and_uses_no_words_that_say_nothing() -> None:
    assert [one.says for kind in KINDS for one in kind.faults if SHUNNED.search(one.says)] == []
    assert [one.says for one in REFUSED if not one.says.endswith((".", "?"))] == []
    assert [one.says for one in REFUSED if not REASONS.match(one.says) and not REMEDY.search(one.says)] == []


def test_what_is_wrong_as_it_was_typed_is_tried_once() -> None:
    nothing_else = (None, Bench.store_a_run, prepare)
    typed = [
        (one.command, one.says)
        for kind in KINDS
        for one in kind.faults
        if one.code == 2 and one.run is None and one.before in nothing_else
    ]
    assert [what for what, times in Counter(typed).items() if times > 1] == []
