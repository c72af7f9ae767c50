"""No line passes from pair to pair: each trial of a matrix is a process of its own, its lines made by its own CPU.

Where lines are recycled a third core may take part in every pair (core-to-core-latency's issue 155, of June 2026).
"""

from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from tests.unit.studies.matrix.planted import machine, pairing
from threadping.conduct.environment import paces
from threadping.model.cases import Runtime
from threadping.model.contract import Request
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan
from threadping.probes.process import Bounded, ProcessEnd
from threadping.probes.trial import Launch, run_trials
from threadping.studies.matrix.tournament import cases_of


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The request of each process that is started, in place of starting it."""
    seen: list[Request] = []

    def start(wanted: list[Bounded]) -> list[ProcessEnd]:
        for one in wanted:
            given = dict(zip(one.command[2::2], one.command[3::2], strict=True))
            seen.append(msgspec.json.decode(Path(given["--request"]).read_bytes(), type=Request))
        return [ProcessEnd(0, "", 1)] * len(wanted)

    monkeypatch.setattr("threadping.probes.trial.run_together", start)
    return seen


def test_every_pair_has_lines_of_its_own_made_by_its_first_cpu(started: list[Request]) -> None:
    cases = cases_of(pairing(range(4)), machine(4, 2, 4))
    plan = Plan(cases, (0.0,) * len(cases), (Length(0.02, 0.02),) * len(cases), (0.02,) * len(cases), 1, 7, paces())
    program = Runtime("cpp", "cpp", ("/probe",), "")
    run_trials([Launch(program, plan.request(case, Length(0.02, 0.02), 0, 4), 1.0) for case in cases])
    assert len(started) == len(cases) == 6
    for one, pair in zip(started, combinations(range(4), 2), strict=True):
        assert [thread.cpu for thread in one.threads] == [*pair]
        assert (one.home, one.lines) == ((pair[0],), 256)
