"""A selection becomes cases: names as people know them, what parameters leave out, and cases that have a state."""

from typing import Any

import pytest

from tests.unit.planning.examples import WAIT, ask, call, every, layers, lock, mechanism, offer
from threadping.analysis.states import StateFilter
from threadping.model.cases import Skipped
from threadping.model.errors import NothingToMeasure, UnknownName, UsageError

SLEEPING = [mechanism(name, blocking=True) for name in ("condition", "park")]
SIGNALS = offer("cpp", mechanism("cas-one-line", params=(WAIT,)), *SLEEPING)
LOCKS = offer("java-17", lock("monitor"), lock("mutex"), lock("test-and-test-and-set"), experiment="lock")
CALLS = offer("cpp", call("futex"), experiment="notify")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("synchronized", {"monitor"}),
        ("std::sync::Mutex", {"mutex"}),
        ("std::mutex", {"mutex"}),
        ("Condition_Variable", {"condition"}),
        ("spinlock", {"test-and-test-and-set"}),
        ("compare-and-swap", {"cas-one-line"}),
    ],
)
def test_a_mechanism_is_found_by_the_name_that_people_use(name: str, found: set[str]) -> None:
    assert {case.mechanism for case in every(ask(SIGNALS, LOCKS, mechanisms=(name,)))} == found


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("futex", r"^Unknown mechanism 'futex', but `threadping notify` has it\. Did you mean park or condition\?"),
        ("one", r"^Unknown mechanism 'one'\. Did you mean cas-one-line\?"),
        ("prak", r"^Unknown mechanism 'prak'\. Did you mean park\? Known: cas-one-line, condition, park\.$"),
    ],
)
def test_a_name_that_an_experiment_does_not_know_is_answered_with_what_comes_nearest(name: str, sentence: str) -> None:
    with pytest.raises(UnknownName, match=sentence):
        ask(SIGNALS, CALLS, of=("signal",), mechanisms=(name,))


def test_no_command_is_proposed_for_what_only_a_probe_of_somebodys_measures() -> None:
    elsewhere = offer("mine", call("nonsense-call"), experiment="nonsense")
    with pytest.raises(UnknownName, match=r"^Unknown mechanism 'nonsense-call'\. "):
        ask(SIGNALS, elsewhere, of=("signal",), mechanisms=("nonsense-call",))


def test_mechanisms_that_lack_a_selected_parameter_are_named_once() -> None:
    cases = ask(SIGNALS, LOCKS, params={"wait": ("pause", "yield")})
    assert {case.mechanism for case in every(cases)} == {"cas-one-line"}
    left_out = Skipped("signal: condition, park", "cannot be measured with wait=pause,yield")
    assert [item for item in cases.skipped if "wait" in item.reason] == [left_out]
    named = ask(SIGNALS, mechanisms=("cas-one-line",), params={"wait": ("pause",)})
    assert not [item for item in named.skipped if "wait" in item.reason]


def test_busy_threads_are_a_dimension_of_cases_and_at_most_four_to_each_cpu() -> None:
    cases = every(ask(SIGNALS, mechanisms=("cas-one-line",), placements=("same-l3",), busy=(0, 8), busy_nice=5))
    assert [case.title.partition("same-l3")[2] for case in cases] == ["", " beside 8 busy threads, nice 5"]
    with pytest.raises(UsageError, match=r"^--busy 9 is more than this machine takes: at most 8 busy threads, 4 to"):
        ask(SIGNALS, busy=(1, 9))


NEAR = StateFilter("near")


def test_a_state_leaves_cases_whose_threads_are_pinned_to_several_cpus() -> None:
    cases = ask(SIGNALS, mechanisms=("condition",), state=NEAR)
    assert layers(cases) == {"what was asked for": "condition cpp same-l3"}
    why = "--state near: only threads that are pinned to two or more CPUs have a state"
    left_out = [item.what for item in cases.skipped if item.reason == why]
    assert left_out == ["condition cpp same-cpu", "condition cpp unpinned"]


@pytest.mark.parametrize(
    ("selected", "error", "sentence"),
    [
        ({"state": NEAR, "placements": ("unpinned",)}, NothingToMeasure, "^--state near leaves nothing to measure"),
        ({"cpus": (0, 1), "placements": ("same-l3",)}, UsageError, "--placement: give one of them"),
    ],
)
def test_what_contradicts_itself_is_refused(selected: dict[str, Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        ask(SIGNALS, **selected)
