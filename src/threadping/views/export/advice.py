"""An advice for programs."""

from threadping.advising.advice import Advice, configuration
from threadping.advising.judging import Bounds, Judged, value_of
from threadping.analysis.answer import Answer
from threadping.views.export.as_json import described, indented


def advice_json(answer: Answer, advice: Advice) -> str:
    """Write `{"run", "required", "advice", "sure", "alternatives", "sentence", "configuration"}`.

    `advice` is null where nothing meets the requirement; `sure` says whether intervals decide it; `configuration` is
    what `--for` asks for.
    """
    return indented(
        {
            "run": described(answer.run),
            "required": advice.required,
            "advice": _way(advice.chosen) if advice.chosen else None,
            "sure": advice.is_sure,
            "alternatives": [_way(one) for one in advice.others],
            "sentence": advice.sentence,
            "configuration": configuration(advice) if advice.required.system else None,
        }
    )


def _way(one: Judged) -> dict[str, object]:
    """A way of waiting, with the 99% intervals of its figures; null where nothing is known."""
    case = one.case
    return {
        "runtime": case.runtime,
        "mechanism": case.mechanism,
        "params": case.params,
        "placement": case.placement.name,
        "busy": case.busy.threads,
        "p99_ns": value_of(one.p99),
        "p99_ns_ci99": _ends(one.p99),
        "cpu_percent": value_of(one.cpu),
        "cpu_percent_ci99": _ends(one.cpu),
        "held": value_of(one.held),
        "trials": one.trials,
        "verdict": one.verdict,
        "misses": one.misses,
    }


def _ends(bounds: Bounds | None) -> tuple[float, float] | None:
    return (bounds.low, bounds.high) if bounds else None
