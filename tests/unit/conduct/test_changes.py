"""Figures of a mechanism that mean something else since a version are compared nowhere, and what changed is said."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.golden.fixture import APART, DECLARED, RUN, make_case, signals
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.runs import beside_each_other, host_changes, mean_alike
from threadping.conduct.environment import digests_of, versions_of
from threadping.conduct.pages import side_by_side
from threadping.conduct.stored import changes_between, compiled_between
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.contract import MechanismChange, Words
from threadping.output.run_records import points_of
from threadping.studies.compare.output import among

CAS, CONDITION = make_case("cas-one-line", "rust", APART), make_case("condition", "rust", APART)
RUST = Runtime("rust", "rust", (), "rustc 1.90.0")


def change(version: str, what: str, *mechanisms: str, probe: str = "rust") -> MechanismChange:
    return MechanismChange(version, "signal", probe, mechanisms, what)


SAID = Words(
    {},
    {},
    (
        change("1.0.1", "Registers are moved.", "cas-one-line"),
        change("2.0.0", "A handoff is a round trip."),
        change("3.0.0", "It is one way again.", "cas-one-line"),
        change("2.0.0", "Of another language.", probe="cpp"),
    ),
)


@pytest.fixture(autouse=True)
def said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.probes.language.words", lambda: SAID)


def answer(number: int, versions: Mapping[str, str]) -> Answer:
    """A run of two mechanisms."""
    run = replace(RUN, id=number, cases=(CAS, CONDITION), runtimes=(RUST,), skipped=(), versions=dict(versions))
    return analyse(run, [*signals(CAS, 30.0), *signals(CONDITION, 9000.0)], (), DECLARED)


BEFORE = answer(3, {})
NOW = answer(7, {"signal cas-one-line rust": "3.0.0", "signal condition rust": "2.0.0"})
PATCHED = answer(8, {"signal cas-one-line rust": "1.0.1", "signal condition rust": "1.2.0"})
MIXED = answer(9, {"signal cas-one-line rust": "3.0.0"})


def test_a_version_is_the_last_change_of_a_mechanism_in_a_language() -> None:
    assert SAID.version("signal", "cas-one-line", "rust") == "3.0.0"
    assert SAID.version("signal", "condition", "rust") == "2.0.0"
    assert SAID.version("signal", "condition", "java") == "1.0.0"
    assert SAID.version("lock", "cas-one-line", "rust") == "1.0.0"


def test_only_the_first_number_makes_figures_mean_something_else() -> None:
    assert mean_alike("1.0.0", "1.9.3") and not mean_alike("1.0.0", "2.0.0") and not mean_alike("1.0.0", "10.0.0")
    assert len(beside_each_other(BEFORE, PATCHED)) == 2 and changes_between((BEFORE, PATCHED)) == []


def test_runs_of_unlike_versions_are_not_compared_and_it_says_what_changed() -> None:
    assert beside_each_other(BEFORE, NOW) == []
    assert changes_between((BEFORE, NOW))[0] == (
        "Not compared: signal cas-one-line in rust is version 1.0.0 in run 3 and 3.0.0 in run 7. Registers are moved. "
        "A handoff is a round trip. It is one way again."
    )
    assert "Registers" not in changes_between((PATCHED, NOW))[0]  # they had moved before
    assert changes_between((NOW, BEFORE))[1].startswith(
        "Not compared: signal condition in rust is version 2.0.0 in run 7 and 1.0.0 in run 3. A handoff"
    )  # and no change of another mechanism


def test_a_history_has_no_figure_of_another_version_and_a_page_says_so() -> None:
    assert {key.case for key in among(MIXED, [BEFORE]).figures} == {CONDITION}
    (changed,) = changes_between((BEFORE, MIXED))
    assert "cas-one-line" in changed and "condition" not in changed
    sections = list(side_by_side((BEFORE, NOW), "AB"))
    assert [one.name for one in sections] == ["changed"] and len(sections[0].blocks) == 2
    assert [one.name for one in side_by_side((BEFORE, MIXED), "AB")] == ["signal", "changed"]


def test_a_series_goes_on_under_another_name() -> None:
    before, now = ({one.case for one in points_of(each)} for each in (BEFORE, NOW))
    assert before.isdisjoint(now) and all(name.endswith((" v2", " v3")) for name in now)
    assert {one.case for one in points_of(PATCHED)} == before


def test_a_run_keeps_the_versions_of_what_it_measures_but_for_a_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.conduct.environment.words", lambda: SAID)
    assert versions_of([CAS, CONDITION, CAS], [RUST]) == {
        "signal cas-one-line rust": "3.0.0",
        "signal condition rust": "2.0.0",
    }
    named = replace(RUST, label="rust-mine")
    kept = replace(NOW.run, runtimes=(named,))
    assert kept.version_of(replace(CAS, runtime="rust-mine")) == "3.0.0", "by the language, however it is called"


def compiled(number: int, loops: Mapping[str, str], of: Answer = BEFORE) -> Answer:
    """Return a run with known digests of its loops."""
    named = {f"signal {mechanism} rust": digest for mechanism, digest in loops.items()}
    return replace(of, run=replace(of.run, id=number, loops=named))


OLDER = compiled(1, {"cas-one-line": "aa", "condition": "bb"})


def test_what_was_compiled_differently_is_compared_and_said() -> None:
    both = compiled(3, {"cas-one-line": "x", "condition": "y"})
    assert compiled_between((OLDER, both)) == [
        "Compiled differently in run 3 than in run 1, of the same version: cas-one-line (rust), condition (rust)."
    ]
    assert len(beside_each_other(OLDER, both)) == 2
    assert [section.name for section in side_by_side((OLDER, both), "AB")] == ["signal", "compiled"]


def test_equal_differences_have_one_note_that_names_the_first_of_many_runs() -> None:
    others = [compiled(number, {"cas-one-line": "ab", "condition": "bb"}) for number in range(2, 7)]
    assert compiled_between((OLDER, *others)) == [
        "Compiled differently in runs 2, 3, 4 and 2 more than in run 1, of the same version: cas-one-line (rust)."
    ]


def test_of_loops_that_are_alike_unknown_or_of_another_version_nothing_is_said() -> None:
    older = compiled(2, {})
    assert compiled_between((OLDER, compiled(2, {"cas-one-line": "aa", "condition": "bb"}))) == []
    assert compiled_between((OLDER, older)) == compiled_between((older, OLDER)) == []
    assert compiled_between((OLDER, compiled(8, {"cas-one-line": "ab", "condition": "x"}, PATCHED))) == []


def with_own(number: int, digest: str, made_by: str = "g++ 12") -> Answer:
    """Return a run whose one mechanism is the user's own."""
    own = OwnMechanism("cas-one-line", "./cas.hpp", ("probe",), digest, made_by)
    return replace(BEFORE, run=replace(BEFORE.run, id=number, runtimes=(replace(RUST, own=(own,)),)))


def test_changed_code_of_a_user_is_told_from_another_compiler() -> None:
    assert compiled_between((with_own(1, "aa"), with_own(2, "aa"), with_own(3, "bb"), with_own(4, "bb"))) == [
        "Your code changed in runs 3, 4 since run 1: cas-one-line (rust)."
    ]
    assert compiled_between((with_own(1, "aa"), with_own(2, "bb", "g++ 13"))) == []


def test_what_changed_on_the_host_is_said() -> None:
    run, machine = BEFORE.run, BEFORE.run.machine
    later = replace(run, id=9, machine=replace(machine, kernel="6.18.5", governor="schedutil"))
    assert host_changes(run, run) == ""
    assert host_changes(later, run) == (
        f"This host changed since run 3: kernel 6.18.5, was {machine.kernel}; governor schedutil, was "
        f"{machine.governor or 'unknown'}."
    )


def test_a_run_keeps_the_digests_of_the_loops_that_it_measures(tmp_path: Path) -> None:
    (tmp_path / "probe.loops.json").write_text('{"signal cas-one-line": "aa", "signal semaphore": "bb"}')
    here = replace(RUST, command=(str(tmp_path / "probe"),))
    assert digests_of([CAS, CONDITION, CAS], [here]) == {"signal cas-one-line rust": "aa"}
    assert digests_of([CAS, CONDITION], [replace(RUST, command=("probe",))]) == {}
