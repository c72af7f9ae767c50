"""Comparisons for programs and for a pull request: JSON, CSV, and a comment in Markdown; runs side by side as JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import structs

from threadping.analysis.answer import Answer
from threadping.comparing.apart import Beside, History, Key
from threadping.comparing.compare import Answer as Word
from threadping.comparing.compared import Compared
from threadping.comparing.power import Itself
from threadping.comparing.words import (
    REASONS,
    blocks_of_all,
    fold,
    open_to,
    percentage,
    reach,
    short,
    takes,
    verdict_of_all,
)
from threadping.model import Comparing, Record
from threadping.quantities import ABSENT
from threadping.views.export import as_csv
from threadping.views.export.as_json import CaseEntry, RunEntry, case_of, described, indented
from threadping.views.terminal import cells, names

MARKS: Mapping[Word, str] = {"slower": "🔴", "faster": "🟢", "same": "⚪", "differs": "⚪", "cannot-tell": "🟡"}


OF_CASES = ("experiment", "mechanism", "runtime", "placement", "threads", "warmup")


class ComparisonEntry(Record, frozen=True):
    """B against A of one case, which is given as it is of A: `what` says in what B differs.

    Attributes:
        case: A's.
        metric: the figure that is compared; `unit` is its unit.
        unit: `ns` or `per_s`.
        a: its median over A's trials; null where none has it.
        b: the same of B.
        ratio: B's over A's.
        ci95: the 95% interval of that, were this the only look at it; an open end is null.
        decides: the interval that decides: it covers the ratio in 99 runs of 100, whenever they stop.
        answer: of B.
        visible: the smallest ratio above 1 that would have been seen in 9 runs of 10.
        blocks: from how many blocks of four trials.
        masked: how many of their trials are left out.
        reasons: codes; `threadping explain CODE` has the rest.
        needs_s: what measuring takes in all until the margin is decided, in seconds; null unless it cannot tell.
    """

    case: CaseEntry
    metric: str
    unit: str
    a: float | None
    b: float | None
    ratio: float | None
    ci95: tuple[float | None, float | None] | None
    decides: tuple[float | None, float | None] | None
    answer: Word
    visible: float | None
    blocks: int
    masked: int
    reasons: tuple[str, ...]
    needs_s: float | None


class ComparedEntry(Record, frozen=True):
    """What `threadping compare --format json` writes. `what` is the option in which A and B differ."""

    run: RunEntry
    what: str
    a: str
    b: str
    margin: float
    comparisons: tuple[ComparisonEntry, ...]


def comparison_json(answer: Answer, of: Comparing, found: Sequence[Compared]) -> str:
    """Write a `ComparedEntry`."""
    entries = tuple(_entry(one, answer) for one in found)
    return indented(ComparedEntry(described(answer.run), of.what, of.a, of.b, of.margin, entries))


def comparison_csv(answer: Answer, of: Comparing, found: Sequence[Compared]) -> str:
    """Write a line for each comparison."""
    lines = [_line(answer, of, _entry(one, answer)) for one in found]
    return as_csv.table(lines[0] if lines else ["run"], lines)


def comparison_markdown(answer: Answer, of: Comparing, found: Sequence[Compared]) -> str:
    """Write a comment: the answer first, then a table, then how it was measured."""
    comparisons = [one.comparison for one in found]
    lines = [
        f"### threadping: {verdict_of_all(comparisons, of.margin)}",
        "",
        f"A is `{_safe(of.a)}`, B is `{_safe(of.b)}`.",
        "",
        "| case | A | B | B / A | interval | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for one in found:
        results, unit = one.comparison, one.metric.unit
        a, b = (ABSENT if value is None else cells.written(unit, value) for value in one.values)
        ratio = ABSENT if results.ratio is None else fold(results.ratio)
        ends = ABSENT if results.decides is None else reach(results.decides)
        said = f"{MARKS[results.answer]} {short(results, of.margin)}"
        if results.answer == "cannot-tell":
            said += f": {open_to(results)}{takes(results, of.margin)}"
        doubts = [REASONS.get(code, code) for code in results.reasons if results.answer != "cannot-tell"]
        cell = "; ".join((said, *doubts))
        lines.append(
            f"| {_safe(' '.join(names.parts(one.a, of.what).values()))} | {a} | {b} | {ratio} | {ends} | {cell} |"
        )
    lines += [
        "",
        f"{_safe(answer.run.machine.cpu_model or 'unknown CPU')}; {blocks_of_all(comparisons)} of two trials of "
        "A and two of B in random order. The interval covers the ratio in 99 runs of 100; the margin is "
        f"{percentage(of.margin)}.",
    ]
    return "\n".join(lines) + "\n"


def _entry(one: Compared, answer: Answer) -> ComparisonEntry:
    case = CaseEntry(**case_of(one.a, answer.declared[one.a.experiment]))
    said = structs.asdict(one.comparison)
    del said["slower"]
    return ComparisonEntry(case, one.metric.figure, one.metric.unit, *one.values, **said)


def _line(answer: Answer, of: Comparing, entry: ComparisonEntry) -> dict[str, Any]:
    case = {name: getattr(entry.case, name) for name in OF_CASES}
    case["params"] = msgspec.json.encode(entry.case.params).decode()
    sides = {"what": of.what, "a": of.a, "b": of.b, "metric": entry.metric, "unit": entry.unit}
    line = {"run": answer.run.id, **case, **sides, "a_value": entry.a, "b_value": entry.b, "ratio": entry.ratio}
    line |= as_csv.ends("ci95", entry.ci95) | as_csv.ends("decides", entry.decides)
    last = {name: getattr(entry, name) for name in ("answer", "visible", "blocks", "masked", "needs_s")}
    return {**line, **last, "reasons": ";".join(entry.reasons)}


def _safe(foreign: str) -> str:
    """No cell of a foreign name ends a table's cell, or begins markup."""
    return names.plain(foreign).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")


FORMATS: Mapping[str, Callable[[Answer, Comparing, Sequence[Compared]], str]] = {
    "json": comparison_json,
    "csv": comparison_csv,
    "markdown": comparison_markdown,
}


def beside_json(one: Answer, other: Answer, beside: Sequence[Beside]) -> str:
    """Write `{"runs", "measured_apart", "cases"}`: each with the headlines of both runs and their ratio."""
    entries = []
    for line in beside:
        a, b = one.headline(line.one), other.headline(line.other)
        entries.append(_key(line.key, one) | {"a": a, "b": b, "ratio": line.ratio})
    return indented(runs=[described(one.run), described(other.run)], measured_apart=True, cases=entries)


def history_json(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> str:
    """Write `{"run", "runs", "outside", "odder", "false_alarms", "figures"}`."""
    figures = [_key(key, tonight) | {"standing": standing} for key, standing in results.figures.items()]
    which = {"run": described(tonight.run), "runs": [answer.run.id for answer in others]}
    said = {name: getattr(results, name) for name in ("outside", "odder", "false_alarms")}
    return indented(**which, **said, figures=figures)


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
    return indented(run=described(answer.run), itself=entries)


def _key(key: Key, answer: Answer) -> dict[str, object]:
    case = case_of(key.case, answer.declared[key.case.experiment])
    return {"case": case, "core_to_core_ns": key.core_to_core_ns}
