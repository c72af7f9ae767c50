"""From a probe's result to nanoseconds an operation."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks import trials
from benchmarks.lock.probe import contenders, figures
from benchmarks.records import Unmeasured
from tests.conftest import CONTRACT, Window, make_windows
from threadping.contract import Description, Request, Result
from threadping.model import Failure, Runtime
from threadping.probes.description import Described
from threadping.probes.trial import Outcome

GOOD = CONTRACT / "examples" / "good"


@pytest.fixture
def result() -> Result:
    return msgspec.json.decode((GOOD / "result-lock.json").read_bytes(), type=Result)


def described(runtime: str) -> Described:
    description = msgspec.json.decode((GOOD / "describe.json").read_bytes(), type=Description)
    experiment = description.experiments[0]
    model = experiment.mechanisms[0]
    mechanisms = (
        replace(model, name="mutex", needs=None, lines=8),
        replace(model, name="get-and-add", needs="a newer Java", lines=8),
        replace(model, name="ticket-lock", needs=None, lines=8),
    )
    description = replace(
        description,
        experiments=(
            replace(experiment, name="signal", mechanisms=mechanisms),
            replace(experiment, name="lock", mechanisms=mechanisms),
        ),
    )
    return Described(Runtime(runtime, runtime.split("-")[0], ("probe",), ""), description, 0.0)


def test_only_windows_in_which_nothing_was_timed_count_each_by_its_operations(result: Result) -> None:
    plain = (Window(0, "plain", ns, (ops,)) for ns, ops in ((10_000, 1000), (30_000, 1000), (44_000, 4000)))
    timed = Window(0, "timed", 90_000, (10,))
    found = figures(replace(result, windows=make_windows(*plain, timed, threads=1)))
    assert found.mean == 84_000 / 6000
    assert found.median_block == 11.0


@pytest.mark.parametrize("windows", [(), (Window(0, "timed", 90, (10,)),), (Window(0, "plain", 90, (0,)),)])
def test_a_trial_without_a_plain_operation_has_no_figures(result: Result, windows: tuple[Window, ...]) -> None:
    with pytest.raises(Unmeasured, match="Not one operation"):
        figures(replace(result, windows=make_windows(*windows, threads=1)))


def test_only_what_something_stands_beside_and_can_run_is_measured_on_one_lock_and_on_many() -> None:
    found = contenders(described("cpp"), 1)
    assert [(one.subject.mechanism, one.subject.lines) for one in found] == [("mutex", 1), ("mutex", 8)]


@pytest.mark.parametrize(("runtime", "cpu"), [("cpp", 3), ("java-17", None)])
def test_one_thread_is_asked_for_pinned_in_cpp_alone(
    monkeypatch: pytest.MonkeyPatch, runtime: str, cpu: int | None
) -> None:
    requests: list[Request] = []

    def refuses(_runtime: Runtime, request: Request, **_: Any) -> Outcome:
        requests.append(request)
        return Outcome(None, Failure("count-wrong", "The counter holds 1 increment fewer."), "", 0)

    monkeypatch.setattr(trials, "run_trial", refuses)
    with pytest.raises(Unmeasured, match="holds 1 increment fewer"):
        contenders(described(runtime), 3)[0].measure(11)
    (request,) = requests
    assert [thread.cpu for thread in request.threads] == [cpu]
    assert (request.experiment, request.mechanism, request.lines, request.seed) == ("lock", "mutex", 1, 11)
