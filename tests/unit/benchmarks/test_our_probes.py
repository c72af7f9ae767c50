"""What is asked of our probes, and from a probe's result to nanoseconds."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks import gathering, trials
from benchmarks.agreement.gathering import gather as gather_for_agreement
from benchmarks.agreement.probe import SIGNAL
from benchmarks.lock.gathering import gather as gather_for_lock
from benchmarks.lock.jmh import Effort
from benchmarks.lock.probe import LOCK_ALONE
from benchmarks.records import Contender, Unmeasured
from tests.conftest import CONTRACT, Window, make_distribution, make_request, make_result, make_windows
from tests.unit.benchmarks.examples import CPP
from threadping.model.cases import Runtime
from threadping.model.contract import Description, Request, Result
from threadping.probes.description import Described
from threadping.probes.trial import Outcome


def described(runtime: Runtime) -> Described:
    """What spins, what something in `lock` stands beside, and what cannot run."""
    file = CONTRACT / "examples" / "good" / "describe.json"
    description = msgspec.json.decode(file.read_bytes(), type=Description)
    model = description.experiments[0]
    spins = replace(model.mechanisms[0], name="cas-one-line", blocking=False, needs=None, lines=8)
    mechanisms = (spins, replace(spins, name="mutex", blocking=True), replace(spins, name="get-and-add", needs="more"))
    experiments = tuple(replace(model, name=name, mechanisms=mechanisms) for name in ("signal", "lock"))
    return Described(runtime, replace(description, experiments=experiments), 0.0)


def contenders(experiment: str, runtime: Runtime) -> list[Contender]:
    if experiment == "signal":
        return gather_for_agreement([runtime], 3, 5, 1000, []).contenders
    return gather_for_lock([runtime], (3,), 1000, Effort(1, 10), []).contenders


def answer(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> list[Request]:
    """Let every probe describe itself as above, and give this outcome to whatever it is asked for."""
    requests: list[Request] = []

    def run_trial(_runtime: Runtime, request: Request, **_: Any) -> Outcome:
        requests.append(request)
        return outcome

    monkeypatch.setattr(gathering, "describe", described)
    monkeypatch.setattr(trials, "run_trial", run_trial)
    return requests


@pytest.mark.parametrize("experiment", ["signal", "lock"])
@pytest.mark.parametrize("windows", [(), (Window(0, "sampling", 90, (10,)),), (Window(0, "throughput", 90, (0,)),)])
def test_a_trial_without_an_operation_that_counts_has_no_figures(
    monkeypatch: pytest.MonkeyPatch, experiment: str, windows: tuple[Window, ...]
) -> None:
    answer(monkeypatch, Outcome(with_windows(*windows, threads=1), None, "", 0))
    with pytest.raises(Unmeasured, match="Not one operation"):
        contenders(experiment, CPP)[0].measure(11)


def with_windows(*windows: Window, threads: int, singles: tuple[int, ...] = (40, 30, 30)) -> Result:
    timed = {"round-trip": make_distribution((100, 122, 9000), singles)}
    of_two = make_result(make_request(), windows=make_windows(*windows, threads=threads), distributions=timed)
    return replace(of_two, threads=of_two.threads[:threads])


def test_round_trips_become_one_way() -> None:
    blocks = [Window(0, "throughput", 1000 * ns, (1000, 1000)) for ns in (100, 300, 140)]
    blocks += [Window(2, "throughput", 200_000, (1000, 1000)), Window(2, "sampling", 9_999, (10, 10))]
    found = SIGNAL.figures(with_windows(*blocks, threads=2))
    assert found.mean == (100 + 300 + 140 + 200) / 4 / 2
    assert found.median_block == (140 + 200) / 2 / 2
    assert found.single_p50 == 61.0
    too_few = with_windows(*blocks, threads=2, singles=(17, 1, 1))
    assert SIGNAL.figures(too_few).single_p50 is None


def test_only_windows_in_which_nothing_was_timed_count_each_by_its_operations() -> None:
    undisturbed = (Window(0, "throughput", ns, (ops,)) for ns, ops in ((10_000, 1000), (30_000, 1000), (44_000, 4000)))
    found = LOCK_ALONE.figures(with_windows(*undisturbed, Window(0, "sampling", 90_000, (10,)), threads=1))
    assert (found.mean, found.median_block) == (84_000 / 6000, 11.0)
