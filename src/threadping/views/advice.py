"""An advice: the sentence first, the configuration that it means, then every way that was measured; and its JSON."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from threadping import quantities
from threadping.advising.advice import Advice, configuration, named_params, systems
from threadping.advising.judging import Judged, Verdict
from threadping.advising.lateness import PERCENTILE
from threadping.analysis.answer import Answer
from threadping.analysis.estimate import Estimate
from threadping.characters import plain
from threadping.model.cases import Case, Skipped, with_params
from threadping.model.studies import Requirement
from threadping.rows.findings import of_load, unusable
from threadping.rows.heading import next_commands, to_resume, where, with_room
from threadping.rows.lists import announced
from threadping.sheets import names
from threadping.sheets.entries import described
from threadping.sheets.grid import Block, Blocks, Flow, Grid, column, figures, grid, named, together
from threadping.sheets.records import indented

STYLES: dict[Verdict, str] = {"meets": "green", "misses": "dim", "open": "yellow"}

MOST_MISSING = 8
"""Of the ways that miss the requirement so many are shown: those that miss it least."""


def repeated(advice: Advice) -> Block:
    """Say an advice above all that was measured for it."""
    return Blocks.of(*_said(advice), Text())


def searching(required: Requirement, cases: Sequence[Case], seconds: float, skipped: Sequence[Skipped]) -> Block:
    """Say what will be done, before it begins."""
    what = f"Searching among {quantities.counted(len(cases), 'way')} of waiting"
    return announced(what, f" for {required.text}, at most ", seconds, {}, skipped)


@together
def advised(answer: Answer, advice: Advice) -> Iterator[Block]:
    """Show an advice with all ways that may meet the requirement, and those that come nearest."""
    run = answer.run
    yield from unusable(answer)
    yield where(run)
    every = [*([advice.chosen] if advice.chosen else []), *advice.others]
    parts = [quantities.counted(len(every), "way") + " of waiting", quantities.counted(len(answer.trials), "trial")]
    parts += dict.fromkeys(names.standing(one.case) for one in every[:1])
    yield Flow([Text(one, "dim") for one in parts])
    yield Text()
    yield from _said(advice)
    yield Text()
    missing = sorted((one for one in every if one.verdict == "misses"), key=lambda one: one.cost[::-1])
    shown = [one for one in every if one.verdict != "misses" or one in missing[:MOST_MISSING]]
    if shown:
        yield _table(sorted(shown, key=lambda one: one.cost), advice)
    if hidden := len(every) - len(shown):
        yield Text(f"and {hidden} slower ones: threadping show {run.id}", "dim")
    yield from of_load(answer, "way")
    yield from next_commands({**to_resume(run), **with_room(run)})


def _said(advice: Advice) -> Iterator[Text]:
    yield Text(advice.sentence, "bold green" if advice.is_sure else "bold yellow" if advice.chosen else "bold red")
    if advice.required.system:
        yield Text()
        yield from _configured(advice)


def _configured(advice: Advice) -> Iterator[Text]:
    yield Text(systems()[advice.required.system].title, "dim")
    line = configuration(advice)
    if line is not None:
        yield Text(line.strip())
    elif advice.chosen is None:
        yield Text(f"Nothing to configure: {_why_not(advice)}.")
    else:
        yield Text("How long a spin takes here was not measured: too few ways slept for each message.")


def _why_not(advice: Advice) -> str:
    if advice.floor is not None:
        return "no way could meet it here now"
    return "undecided" if any(one.verdict == "open" for one in advice.others) else "no way meets it"


def _table(ways: Sequence[Judged], advice: Advice) -> Grid:
    styles = ["bold green" if one is advice.chosen else STYLES[one.verdict] for one in ways]
    mechanisms = [plain(with_params(one.case.mechanism, one.case.params, named_params(one.case))) for one in ways]
    verdicts = [f"misses: {', '.join(one.misses)}" if one.misses else one.verdict for one in ways]
    return grid(
        named("way of waiting", map(Text, mechanisms, styles)),
        named("runtime", (names.plain(one.case.runtime) for one in ways)),
        figures(PERCENTILE, "ns", (one.p99.value if one.p99 else None for one in ways)),
        column("99% interval", (_ends(one.p99) for one in ways), "dim", 1),
        figures("CPU", "percent", (one.cpu.value if one.cpu else None for one in ways)),
        column("trials", (str(one.trials) for one in ways), rank=2),
        named("", map(Text, verdicts, styles)),
    )


def _ends(bounds: Estimate | None) -> str:
    return quantities.interval(bounds.value, *bounds.ends) if bounds else quantities.ABSENT


def advice_json(answer: Answer, advice: Advice) -> str:
    """Write `{"run", "required", "advice", "sure", "alternatives", "floor", "sentence", "configuration"}`.

    `advice` is null where nothing meets the requirement; `sure` says whether the trials decide it; `floor` is how late
    the sender itself was, where no way could meet the requirement for that; `configuration` is what `--for` asks for.
    """
    return indented(
        run=described(answer.run),
        required=advice.required,
        advice=_way(advice.chosen) if advice.chosen else None,
        sure=advice.is_sure,
        alternatives=[_way(one) for one in advice.others],
        floor=advice.floor,
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
        "late": one.late,
        "late_at_most": one.at_most,
        "trials": one.trials,
        "verdict": one.verdict,
        "misses": one.misses,
    }


def _bounds(name: str, of: Estimate | None) -> dict[str, object]:
    return {name: of.value if of else None, f"{name}_ci99": of.ends if of else None}
