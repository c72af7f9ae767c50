"""From a probe's result to one-way figures."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from benchmarks.agreement.probe import contenders, figures
from benchmarks.records import Unmeasured
from tests.conftest import CONTRACT
from threadping.contract import Blocks, Description, Distribution, SignalResult
from threadping.model import Runtime
from threadping.probes.description import Described

GOOD = CONTRACT / "examples" / "good"


@pytest.fixture
def result() -> SignalResult:
    blocks = Blocks(1000, ((100.0, 300.0, 140.0), (), (200.0,)), None)
    singles = Distribution((100, 122, 9000), (40, 30, 30))
    return replace(read(GOOD / "result-native.json"), blocks=blocks, singles=singles)


def read(file: Path) -> SignalResult:
    return msgspec.json.decode(file.read_bytes(), type=SignalResult)


def test_round_trips_become_one_way(result: SignalResult) -> None:
    found = figures(result)
    assert found.mean == (100 + 300 + 140 + 200) / 4 / 2
    assert found.median_block == (140 + 200) / 2 / 2
    assert found.single_p50 == 61.0
    assert found.clock_cost == result.clock.cost_ns


def test_too_few_single_trips_have_no_median(result: SignalResult) -> None:
    assert figures(replace(result, singles=Distribution((100,), (19,)))).single_p50 is None


def test_a_trial_without_a_block_has_no_figures(result: SignalResult) -> None:
    with pytest.raises(Unmeasured, match="Not one block"):
        figures(replace(result, blocks=Blocks(1000, ((), ()), None)))


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
