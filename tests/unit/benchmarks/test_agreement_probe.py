"""From a probe's result to one-way figures."""

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks.agreement.probe import contenders, figures
from benchmarks.records import Unmeasured
from tests.conftest import CONTRACT, Window, make_windows
from threadping.contract import Description, Distribution, Result
from threadping.model import Runtime
from threadping.probes.description import Described

GOOD = CONTRACT / "examples" / "good"


@pytest.fixture
def result() -> Result:
    blocks = (Window(0, "plain", 1000 * ns, (1000, 1000)) for ns in (100, 300, 140))
    windows = make_windows(*blocks, Window(2, "plain", 200_000, (1000, 1000)), Window(2, "timed", 9_999, (10, 10)))
    result = msgspec.json.decode((GOOD / "result-native.json").read_bytes(), type=Result)
    return replace(result, windows=windows, distributions=singles(40, 30, 30))


def singles(*counts: int) -> dict[str, Distribution]:
    return {"round-trip": Distribution((100, 122, 9000), counts, 0)}


def test_round_trips_become_one_way(result: Result) -> None:
    found = figures(result)
    assert found.mean == (100 + 300 + 140 + 200) / 4 / 2
    assert found.median_block == (140 + 200) / 2 / 2
    assert found.single_p50 == 61.0


def test_too_few_single_trips_have_no_median(result: Result) -> None:
    assert figures(replace(result, distributions=singles(17, 1, 1))).single_p50 is None


def test_a_trial_without_a_block_has_no_figures(result: Result) -> None:
    with pytest.raises(Unmeasured, match="Not one block"):
        figures(replace(result, windows=make_windows()))


def test_only_what_spins_and_can_run_is_measured_on_one_line_and_on_many() -> None:
    description = msgspec.json.decode((GOOD / "describe.json").read_bytes(), type=Description)
    experiment = description.experiments[0]
    model = experiment.mechanisms[0]
    mechanisms = (
        replace(model, name="spins", blocking=False, needs=None, lines=256),
        replace(model, name="sleeps", blocking=True, needs=None),
        replace(model, name="cannot", blocking=False, needs="Java 21"),
    )
    description = replace(description, experiments=(replace(experiment, name="signal", mechanisms=mechanisms),))
    found = contenders(Described(Runtime("cpp", "cpp", ("probe",), ""), description, 0.0), 0, 1)
    assert [(one.subject.mechanism, one.subject.lines) for one in found] == [("spins", 1), ("spins", 256)]
