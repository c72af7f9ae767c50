"""The published figures beside ours: a table for each experiment, JSON, a chart; and what became of the claims."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.estimate import Estimate
from threadping.analysis.figures import Unit
from threadping.grouping import gathered
from threadping.quantities import ABSENT, TO, counted
from threadping.sheets.cells import sure
from threadping.sheets.entries import described
from threadping.sheets.grid import Block, Grid, Indented, column, figures, grid, known, named, together
from threadping.sheets.records import indented
from threadping.studies.published.claims import Compared, Judged, Ours, Verdict
from threadping.views.charts import style
from threadping.views.charts.ladder import dots, scale_of
from threadping.views.terminal import names
from threadping.views.terminal.heading import how_often_resumed, next_commands, to_resume

MARKS: dict[Verdict, tuple[str, str]] = {
    "holds here": ("\N{CHECK MARK}", "green"),
    "not here": ("\N{MULTIPLICATION SIGN}", "red"),
    "cannot tell": ("?", "yellow"),
}

LEAST = 24
"""Where something was published is not wrapped to less before what repeats it is."""


@together
def published_tables(answer: Answer, compared: Sequence[Compared], judged: Sequence[Judged]) -> Iterator[Block]:
    """Show what became of published figures, and of what was concluded from them."""
    run = answer.run
    parts = (f"run {run.id}", *how_often_resumed(run), run.started[:10], run.machine.cpu_model or "unknown CPU")
    yield Text(names.plain(", ".join(parts)), "dim")
    for name in dict.fromkeys(one.published.experiment for one in compared):
        of_it = [one for one in compared if one.published.experiment == name]
        yield Text(f"\n{name}", "bold")
        yield Text(of_it[0].published.source, "dim")
        if ours := [one for one in of_it if one.ours]:
            yield published_table(ours)
        for reason in dict.fromkeys(one.reason for one in of_it if not one.ours):
            alike = [_listed(one.published.runtime, one.published.placement) for one in of_it if one.reason == reason]
            those = f"{counted(len(alike), 'figure')} not compared"
            yield Text(names.plain(f"{those}: {reason} ({'; '.join(dict.fromkeys(alike))})"), "dim")
    for number, one in enumerate(judged):
        mark, style = MARKS[one.verdict]
        yield Text() if number else Text("\nWhat was concluded", "bold")
        yield Text.assemble((f"{mark} {one.verdict}", style), f": {one.claim.claim}")
        yield Indented(Text(f"{names.plain(one.why)}.", "dim"))
    yield from next_commands(to_resume(run))


def published_table(compared: Sequence[Compared]) -> Grid:
    """A line for each figure and each of our states, beside the case that repeats it, which is named once."""
    each = ((one, ours) for one in compared for ours in one.ours)
    by_case = gathered(((one.published.experiment, _case(one, ours)), (one, ours)) for one, ours in each)
    lines = [line for of_case in by_case.values() for line in of_case]
    cases = [case for (_, case), of_case in by_case.items() for case in (case, *[""] * (len(of_case) - 1))]
    several = len({one.published.metric for one in compared}) > 1
    theirs = [one.published for one, _ in lines]
    experiments = [one.experiment for one in theirs]
    units: list[Unit] = ["ns" if one.unit == "ns" else "per_s" for one in theirs]
    places = (_listed(one.metric if several else "", one.machine, one.os, str(one.year)) for one in theirs)
    return grid(
        *([named("experiment", experiments)] if len(set(experiments)) > 1 else []),
        named("repeated by", map(names.plain, cases), "bold"),
        named("published on", map(names.plain, places), least=LEAST),
        figures("published", units, (one.value for one in theirs)),
        *known(figures("core to core", "ns", (ours.row.core_to_core_ns for _, ours in lines), 1)),
        figures("here", units, (ours.estimate.value for _, ours in lines)),
        column(
            "\N{PLUS-MINUS SIGN}",
            (sure(unit, ours.estimate, len(ours.row.trials)) for unit, (_, ours) in zip(units, lines, strict=True)),
        ),
        column("ratio", (fold(_times(one, ours)) for one, ours in lines)),
        *known(column("95% interval", (_reach(one.ratio(ours)) for one, ours in lines), rank=2)),
    )


def _times(one: Compared, ours: Ours) -> float | None:
    found = one.ratio(ours)
    return found.value if found else None


def _reach(ratio: Estimate | None) -> str:
    """Between what a ratio lies; nothing where fewer than six trials say so."""
    if ratio is None or ratio.kind != "ci95":
        return ""
    low, high = (fold(end).removesuffix("x") for end in ratio.ends)
    return f"{low}{TO}{high}"


def _case(one: Compared, ours: Ours) -> str:
    """Our case; over how many lines, where the published figure is not over as many."""
    case = ours.row.case
    as_published = one.published.case and one.published.case.lines in (None, case.lines)
    return case.title if as_published else f"{case.title}, over {case.lines} lines"


def _listed(*words: str) -> str:
    return ", ".join(filter(None, words))


def fold(ratio: float | None) -> str:
    """Write how many times: `0.0021x`, `0.87x`, `12.34x`; a dash where it is not known."""
    return ABSENT if ratio is None else f"{ratio:.2g}x" if ratio < 0.0995 else f"{ratio:,.2f}x"


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
    entry |= {"ours": first and _ours(first), **_ratio(one, first), "reason": one.reason}
    further = [{**_ours(ours), **_ratio(one, ours)} for ours in others if ours]
    return entry | ({"in_other_states": further} if further else {})


def _ratio(one: Compared, ours: Ours | None) -> dict[str, Any]:
    """The ratio, and its interval where ours has one."""
    found = ours and one.ratio(ours)
    ends = found.ends if found and found.kind == "ci95" else None
    return {"ratio": found and found.value, "ratio_ci95": ends}


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


def specification(answer: Answer, compared: Sequence[Compared], _judged: Sequence[Judged] = ()) -> style.Json:
    """Lay out the panels; ChartRefused if no published figure was repeated."""
    drawn = style.some(charts(compared), "this run has no figure that repeats a published one")
    return style.page_of(answer.run, drawn)


def charts(compared: Sequence[Compared]) -> list[style.Chart]:
    """A chart for each published experiment and unit of which a figure was repeated."""
    repeated = (one for one in compared if one.published.value and one.ours)
    panels = gathered(((one.published.experiment, one.published.unit), one) for one in repeated)
    return [_chart(f"{experiment}, {unit}", of_it, unit) for (experiment, unit), of_it in panels.items()]


def _chart(title: str, compared: Sequence[Compared], unit: str) -> style.Chart:
    data: list[style.Json] = []
    for place, one in enumerate(compared):
        theirs = one.published
        words = (f"{theirs.year}", theirs.runtime, theirs.placement, f"{theirs.threads} threads", theirs.metric)
        label = names.plain(", ".join(filter(None, words)))
        about = {"place": place, "about": {"figure": label, "machine": names.plain(theirs.machine)}}
        ratios = [fold(ratio) for ours in one.ours if (ratio := _times(one, ours))]
        line = {**about, "label": label, "written": ", ".join(ratios)}
        data.append({**line, "who": "published", **dict.fromkeys(("value", "low", "high"), theirs.value)})
        for ours in one.ours:
            low, high = ours.estimate.ends
            data.append({**about, "who": "here", "value": ours.estimate.value, "low": low, "high": high})
    who = ["published", "here"]
    drawn = dots(data, scale_of(data, "ns" if unit == "ns" else "per_s"), "who:N", who)
    return style.Chart(
        f"published-{re.sub('[^a-z0-9]+', '-', title)}",
        title,
        ["At the end of a line: how many times the published figure ours is.", style.HOW],
        [drawn],
        who,
    )
