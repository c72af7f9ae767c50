"""Runs side by side, a run among others, and a thing compared with itself, as JSON."""

from collections.abc import Sequence

from threadping.analysis.answer import Answer
from threadping.comparing.apart import Beside, Key
from threadping.comparing.history import History
from threadping.comparing.itself import Itself
from threadping.views.export.as_json import case_of, described, indented


def beside_json(one: Answer, other: Answer, beside: Sequence[Beside]) -> str:
    """Write `{"runs", "measured_apart", "cases"}`: each with the headlines of both runs and their ratio."""
    entries = []
    for line in beside:
        a, b = one.headline(line.one), other.headline(line.other)
        entries.append(_key(line.key, one) | {"a": a, "b": b, "ratio": line.ratio})
    return indented({"runs": [described(one.run), described(other.run)], "measured_apart": True, "cases": entries})


def history_json(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> str:
    """Write `{"run", "runs", "outside", "odder", "false_alarms", "figures"}`."""
    figures = [_key(key, tonight) | {"standing": standing} for key, standing in results.figures.items()]
    return indented(
        {
            "run": described(tonight.run),
            "runs": [answer.run.id for answer in others],
            "outside": results.outside,
            "odder": results.odder,
            "false_alarms": results.false_alarms,
            "figures": figures,
        }
    )


def itself_json(answer: Answer, results: Sequence[Itself]) -> str:
    """Write `{"run", "itself"}`: for each case how often it was said to differ, and what of a shift was seen."""
    entries = [
        {
            "case": case_of(one.case, answer.declared[one.case.experiment]),
            "comparisons": one.power.comparisons,
            "false_alarms": one.power.false_alarms,
            "blocks": one.power.blocks[1],
            "seconds": one.seconds,
            "seen": [{"shift": shift, "share": share} for shift, share in one.power.seen.items()],
        }
        for one in results
    ]
    return indented({"run": described(answer.run), "itself": entries})


def _key(key: Key, answer: Answer) -> dict[str, object]:
    case = case_of(key.case, answer.declared[key.case.experiment])
    return {"case": case, "core_to_core_ns": key.core_to_core_ns}
