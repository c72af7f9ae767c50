"""Cases, trials and rows that figures are tested with: nothing speaks against them unless it is planted."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tests.conftest import make_request, make_result
from tests.fakes import toy
from threadping.analysis.analyse import observe, with_figures
from threadping.analysis.declaration import Row
from threadping.experiments import declared
from threadping.model.cases import Case, Placement
from threadping.model.contract import SCHEMA, Cpu, Distribution, Request, Result, Topology
from threadping.model.run import Caused, Failure, Machine, Observation, Owner, Run, Trial

DECLARED = {**declared(), "toy": toy.EXPERIMENT.figures}

SIGNAL = Case("signal", "steady", {}, "cpp", Placement("same-l3", (0, 1)), False, 4)
LOCK = Case("lock", "ticket-lock", {}, "cpp", Placement("same-l3", (0, 1)), False, 8, timed="wait for the lock")
WAKEUP = Case("wakeup", "futex", {}, "cpp", Placement("same-l3", (0, 1)), True, 1, timed="call", group=2)
LOAD = Case("load", "condition", {"rate": 10_000}, "cpp", Placement("same-l3", (0, 1)), True, 1, timed="message")
QUEUE = Case("queue", "disruptor", {"depth": 1}, "cpp", Placement("same-l3", (0, 1)), False, 1, timed="message")
TOY = Case("toy", "store-add", {}, "cpp", Placement("same-l3", (0, 1)), False, 8, timed="add")

TOPOLOGY = Topology("test", tuple(Cpu(cpu, cpu, cpu, 0, 0, 0) for cpu in range(8)), tuple(range(8)), SCHEMA)
MACHINE = Machine("desk", "a CPU", "Linux 6.1", "Debian", None, "performance", "tsc", None, 1 << 30, TOPOLOGY)
RUN = Run("2026-01-01T00:00:00+00:00", MACHINE, (), (), (), 6, 60.0, 7, "0", (), Owner("desk", "boot", 1, 1))


def asked(case: Case) -> Request:
    request = make_request(case.mechanism, case.placement.cpus, case.lines, case.experiment)
    return replace(request, params=case.params)


def result(case: Case = SIGNAL, **changes: Any) -> Result:
    return make_result(asked(case), **changes)


def trial(case: Case, outcome: Result | Failure) -> Trial:
    ended = outcome if isinstance(outcome, Result) else None
    return Trial(1, 0, case, asked(case), ended, outcome if isinstance(outcome, Failure) else None, "", "2026-01-01", 1)


def observed(case: Case, outcome: Result | Failure) -> Observation:
    return observe(trial(case, outcome), DECLARED[case.experiment])


def row(case: Case, *outcomes: Result | Failure) -> Row:
    return judged(case, [observed(case, one) for one in outcomes])


def judged(case: Case, ended: Sequence[Observation]) -> Row:
    """The row of all trials of a case that have figures."""
    counted = [one for one in ended if one.figures]
    return with_figures(Row(case, DECLARED[case.experiment], tuple(counted), tuple(ended)))


@cache
def quiet(case: Case) -> Observation:
    return observed(case, result(case))


class Given(Struct, frozen=True):
    """Trials of the fake probe's exact result, each measured for a second, but for what is planted.

    A figure is planted in all trials alike, or one value in each; so is what was timed. `besides` are trials that
    failed, or measured nothing (None).
    """

    figures: Mapping[str, float | Sequence[float]] = {}
    of: Case = SIGNAL
    trials: int = 6
    timed: Distribution | Sequence[Distribution] | None = None
    besides: tuple[Failure | None, ...] = ()
    caused: Mapping[str, Mapping[str, tuple[Caused, ...]]] = {}
    others: float | None = None

    @property
    def row(self) -> Row:
        exact = quiet(self.of)
        ended = [Observation(1, 0, self.of, failure, 1) for failure in self.besides]
        for index in range(self.trials):
            planted = {
                name: float(value if isinstance(value, int | float) else value[index])
                for name, value in self.figures.items()
            }
            timed = self.timed if isinstance(self.timed, Distribution | None) else self.timed[index]
            distributions = dict.fromkeys(exact.distributions, timed) if timed else exact.distributions
            changes = {"distributions": distributions, "caused": self.caused, "others": self.others}
            figures = {**exact.figures, "counters.measured_ns": 1e9, **planted}
            ended.append(replace(exact, figures=figures, **changes))
        return judged(self.of, ended)


def codes(row: Row) -> list[tuple[str, str]]:
    return [(one.code, one.level) for one in row.findings]


def said(row: Row) -> list[str]:
    return [one.text("message") for one in row.findings]
