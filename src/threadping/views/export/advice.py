"""An advice for programs: `{"run", "advice", "alternatives", "sentence"}`."""

from threadping.advising.advice import Advice
from threadping.advising.judging import Bounds, Judged, Miss, Verdict, value_of
from threadping.advising.systems import configuration
from threadping.analysis.answer import Answer
from threadping.contract import Params
from threadping.model import Record, Requirement
from threadping.views.export.as_json import RunEntry, described, indented


class Way(Record, frozen=True):
    """A way of waiting, with the 99% intervals of its figures; null where nothing is known.

    Attributes:
        runtime: in which it was measured.
        mechanism: of `paced`.
        params: all that have an effect.
        placement: where its threads stood.
        busy: beside how many busy threads.
        p99_ns: of its latency, from when a message is due.
        p99_ns_ci99: its interval; of fewer than 8 trials what they do not rule out.
        cpu_percent: CPU time of the waiting thread, in per cent of a core.
        cpu_percent_ci99: its interval.
        held: the share of the rate that was received.
        trials: how many.
        verdict: `meets`, `misses` or `open`, by the intervals.
        misses: in what it misses: `latency`, `cpu`, `rate`, `failed`.
    """

    runtime: str
    mechanism: str
    params: Params
    placement: str
    busy: int
    p99_ns: float | None
    p99_ns_ci99: tuple[float, float] | None
    cpu_percent: float | None
    cpu_percent_ci99: tuple[float, float] | None
    held: float | None
    trials: int
    verdict: Verdict
    misses: tuple[Miss, ...]


class AdviceEntry(Record, frozen=True):
    """What `threadping advise --format json` writes. `advice` is null where nothing meets the requirement.

    `sure` says whether intervals decide it; `configuration` is what `--for` asks for.
    """

    run: RunEntry
    required: Requirement
    advice: Way | None
    sure: bool
    alternatives: tuple[Way, ...]
    sentence: str
    configuration: str | None


def advice_json(answer: Answer, advice: Advice) -> str:
    """Write it."""
    return indented(
        AdviceEntry(
            run=described(answer.run),
            required=advice.required,
            advice=_way(advice.chosen) if advice.chosen else None,
            sure=advice.is_sure,
            alternatives=tuple(map(_way, advice.others)),
            sentence=advice.sentence,
            configuration=configuration(advice) if advice.required.system else None,
        )
    )


def _way(one: Judged) -> Way:
    case = one.case
    return Way(
        runtime=case.runtime,
        mechanism=case.mechanism,
        params=case.params,
        placement=case.placement.name,
        busy=case.busy.threads,
        p99_ns=value_of(one.p99),
        p99_ns_ci99=_ends(one.p99),
        cpu_percent=value_of(one.cpu),
        cpu_percent_ci99=_ends(one.cpu),
        held=value_of(one.held),
        trials=one.trials,
        verdict=one.verdict,
        misses=one.misses,
    )


def _ends(bounds: Bounds | None) -> tuple[float, float] | None:
    return (bounds.low, bounds.high) if bounds else None
