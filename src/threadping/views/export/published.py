"""The published figures beside ours as JSON: one object with an entry for each, and what became of the conclusions."""

from collections.abc import Sequence
from typing import Any

from threadping.analysis.states import States
from threadping.model import Run
from threadping.published.comparison import Compared, Ours
from threadping.published.conclusions import Judged
from threadping.views.export.as_json import described, indented

KEYS = ("experiment", "source", "year", "machine", "os", "runtime", "placement", "threads", "metric", "value", "unit")


def published_json(run: Run, states: States, compared: Sequence[Compared], judged: Sequence[Judged]) -> str:
    """Write `{"run", "machine", "states", "published", "conclusions"}`."""
    answer = {"run": described(run), "machine": run.machine, "states": states.found}
    return indented({**answer, "published": [_entry(one) for one in compared], "conclusions": list(map(_told, judged))})


def _entry(one: Compared) -> dict[str, Any]:
    """A figure, ours or null, the ratio of both, and why there is none; of further states `in_other_states` tells."""
    first, *others = one.ours or (None,)
    told: dict[str, Any] = {name: getattr(one.published, name) for name in KEYS}
    told |= {"ours": first and _ours(first), "ratio": first and one.ratio(first), "reason": one.reason}
    further = [{**_ours(ours), "ratio": one.ratio(ours)} for ours in others if ours]
    return told | ({"in_other_states": further} if further else {})


def _ours(one: Ours) -> dict[str, Any]:
    """`state` is how far the CPUs stood apart, in nanoseconds: null where they have no state."""
    case = one.row.case
    return {
        "value": one.value,
        "ci95": one.interval and one.interval.ci95,
        "range": one.interval and one.interval.range,
        "state": one.row.apart_ns,
        "trials": one.row.trials,
        "mechanism": case.mechanism,
        "params": case.params,
        "runtime": case.runtime,
        "placement": case.placement.name,
        "pin": case.placement.pin,
        "threads": case.threads,
        "lines": case.lines,
    }


def _told(one: Judged) -> dict[str, Any]:
    conclusion = one.conclusion
    told = {"claim": conclusion.claim, "experiment": conclusion.experiment, "source": conclusion.source}
    told |= {"rule": conclusion.rule, "verdict": one.verdict, "why": one.why}
    return {**told, "figures": [{"figure": ours.figure, **_ours(ours)} for ours in one.figures]}
