"""An advice for programs."""

from threadping.advising.advice import Advice, configuration
from threadping.advising.judging import Judged
from threadping.analysis.answer import Answer
from threadping.analysis.estimate import Estimate
from threadping.views.export.as_json import described, indented


def advice_json(answer: Answer, advice: Advice) -> str:
    """Write `{"run", "required", "advice", "sure", "alternatives", "sentence", "configuration"}`.

    `advice` is null where nothing meets the requirement; `sure` says whether intervals decide it; `configuration` is
    what `--for` asks for.
    """
    return indented(
        run=described(answer.run),
        required=advice.required,
        advice=_way(advice.chosen) if advice.chosen else None,
        sure=advice.is_sure,
        alternatives=[_way(one) for one in advice.others],
        sentence=advice.sentence,
        configuration=configuration(advice) if advice.required.system else None,
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
        **_bounds("p99_ns", one.p99),
        **_bounds("cpu_percent", one.cpu),
        "held": one.held.value if one.held else None,
        "trials": one.trials,
        "verdict": one.verdict,
        "misses": one.misses,
    }


def _bounds(name: str, of: Estimate | None) -> dict[str, object]:
    return {name: of.value if of else None, f"{name}_ci99": of.ends if of else None}
