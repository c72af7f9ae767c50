"""What a study expects a trial to cost before it has measured one."""

from time import monotonic

import msgspec
import pytest
from rich.console import Console

from tests.conftest import CONTRACT
from threadping.conduct.environment import HOUSEKEEPING_S, Environment, starts_of
from threadping.model.cases import Runtime
from threadping.model.contract import Description
from threadping.model.errors import BudgetTooSmall
from threadping.planning.budget import Budget
from threadping.planning.defaults import Start
from threadping.planning.selection import Inventory, Selection
from threadping.probes.custom.sources import OwnSource
from threadping.probes.description import Described

DESCRIPTION = msgspec.json.decode((CONTRACT / "examples" / "good" / "describe.json").read_bytes(), type=Description)


def test_a_start_takes_as_long_as_to_be_described_and_what_every_trial_has_besides() -> None:
    """The same for what compiles as it runs: its archive has the classes of both."""
    described = [
        Described(Runtime(label, probe, ("probe",), ""), DESCRIPTION, seconds)
        for label, probe, seconds in (("cpp", "cpp", 0.006), ("java-17", "java", 0.09))
    ]
    assert starts_of(described) == {
        "cpp": Start(0.006 + HOUSEKEEPING_S),
        "java-17": Start(0.09 + HOUSEKEEPING_S, compiles=True),
    }


class FoundNothing:
    """A machine whose runtimes nobody asks about."""

    def select(self, _: object) -> tuple[Runtime, ...]:
        return (Runtime("java-17", "java", ("java",), ""),)


@pytest.mark.parametrize(
    ("language", "budget_s", "is_refused"), [("java", 0.9, True), ("java", 1.0, False), ("cpp", 0.9, False)]
)
def test_a_budget_that_no_case_fits_is_refused_before_a_mechanism_is_compiled(
    monkeypatch: pytest.MonkeyPatch, language: str, budget_s: float, is_refused: bool
) -> None:
    """A wrapper for Java was checked for 44 s, and then four seconds were too few."""
    compiled: list[object] = []
    monkeypatch.setattr("threadping.conduct.environment.resolve", lambda *_: (compiled.append(1), [])[1])  # type: ignore[func-returns-value]
    own = OwnSource("my.Queue", language, "my.jar", "Queue", "queue")
    selection = Selection(
        experiments=("signal",), runtimes=("java",), mechanisms=("queue",), own=(own,), budget_s=budget_s
    )
    environment = Environment(FoundNothing(), Runtime("cpp", "cpp", ("probe",), ""))  # type: ignore[arg-type]
    monkeypatch.setattr(Environment, "_pair", lambda *_: ())
    if is_refused:
        with pytest.raises(BudgetTooSmall, match=r"0\.9 s is too small: 3 trials of one case take more than 0\.9 s\."):
            environment.runtimes_of(selection)
    else:
        environment.runtimes_of(selection)
    assert bool(compiled) is not is_refused


@pytest.mark.parametrize(
    ("labels", "is_terminal", "is_said"), [("ab", True, True), ("ab", False, False), ("a", True, False)]
)
def test_on_a_terminal_it_says_that_runtimes_are_started_before_it_waits_for_them(
    monkeypatch: pytest.MonkeyPatch, labels: str, is_terminal: bool, is_said: bool
) -> None:
    """Nothing was on the screen for the four seconds that three JVMs took."""
    happened: list[str] = []
    for name, does in {
        "stderr": lambda: Console(force_terminal=is_terminal),
        "say": happened.append,
        "topology_with": lambda *_: None,
        "describe_all": lambda *_, **__: (happened.append("described"), ([], []))[1],  # type: ignore[func-returns-value]
        "inventory_of": lambda *_: Inventory(case_defaults={}, topology=None, described=(), timed={}),  # type: ignore[arg-type]
    }.items():
        monkeypatch.setattr(f"threadping.conduct.environment.{name}", does)
    runtimes = [Runtime(label, "cpp", ("probe",), "") for label in labels]
    here = Environment(FoundNothing(), runtimes[0], begun_s=monotonic() - 40).inventory(runtimes)  # type: ignore[arg-type]
    assert happened == [*["Starting a, b to learn what they measure …"] * is_said, "described"]
    assert here.spent_s >= 40


def test_what_was_spent_before_the_first_trial_counts_up_to_half_of_a_budget_and_refuses_nothing() -> None:
    """Three minutes took 205 s: archives and plans stood outside of them."""
    whole, hurried = Budget(180, {}, {}, 1), Budget(180, {}, {}, 1, spent_s=25)
    late = Budget(4, {}, {}, 1, spent_s=44)
    assert (whole.left_s, hurried.left_s, late.left_s) == (180, 155, 2)
    late.require_room(3.9, "a trial")
    with pytest.raises(BudgetTooSmall, match=r"--budget 4\.2s"):
        late.require_room(4.1, "a trial")
