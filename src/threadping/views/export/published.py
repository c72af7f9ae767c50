"""The published figures beside ours as JSON: one object with an entry for each, and what became of the claims."""

from collections.abc import Sequence
from typing import Any

from threadping.analysis.answer import Answer
from threadping.published.comparison import Compared, Judged, Ours
from threadping.views.export.as_json import described, indented

KEYS = ("experiment", "source", "year", "machine", "os", "runtime", "placement", "threads", "metric", "value", "unit")
OF_CASES = ("mechanism", "params", "runtime", "threads", "lines")


def published_json(answer: Answer, compared: Sequence[Compared], judged: Sequence[Judged]) -> str:
    """Write `{"run", "machine", "states", "published", "conclusions"}`."""
    entry = {"run": described(answer.run), "machine": answer.run.machine, "states": answer.states.found}
    return indented({**entry, "published": [*map(_entry, compared)], "conclusions": [*map(_conclusion, judged)]})


def _entry(one: Compared) -> dict[str, Any]:
    """A figure, ours or null, the ratio of both, and why there is none; of further states `in_other_states` says."""
    first, *others = one.ours or (None,)
    entry: dict[str, Any] = {name: getattr(one.published, name) for name in KEYS}
    entry |= {"ours": first and _ours(first), "ratio": first and one.ratio(first), "reason": one.reason}
    further = [{**_ours(ours), "ratio": one.ratio(ours)} for ours in others if ours]
    return entry | ({"in_other_states": further} if further else {})


def _ours(one: Ours) -> dict[str, Any]:
    """`state` is how far the CPUs stood apart, in nanoseconds: null where they have no state."""
    case, estimate = one.row.case, one.estimate
    return {
        "value": estimate.value,
        **{kind: estimate.ends if estimate.kind == kind else None for kind in ("ci95", "range")},
        "state": one.row.core_to_core_ns,
        "trials": len(one.row.trials),
        **{name: getattr(case, name) for name in OF_CASES},
        "placement": case.placement.name,
        "pin": case.placement.pin,
    }


def _conclusion(one: Judged) -> dict[str, Any]:
    entry = {name: getattr(one.claim, name) for name in ("claim", "experiment", "source", "rule")}
    figures = [{"figure": ours.figure, **_ours(ours)} for ours in one.figures]
    return entry | {"verdict": one.verdict, "why": one.why, "figures": figures}
