"""Show what other tools have written, beside the newest matrix of this machine."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.latency_map import LatencyMap
from threadping.conduct.showing import present
from threadping.conduct.stored import answered
from threadping.conduct.study import Output
from threadping.model.proposals import made_literal
from threadping.model.quantities import counted
from threadping.model.studies import Pairing
from threadping.output import names
from threadping.output.charts import style
from threadping.output.charts.heat import heat_charts
from threadping.output.grid import Block, Blocks
from threadping.output.heading import where
from threadping.output.records import as_csv, as_json
from threadping.store.database import open_store
from threadping.studies.matrix.foreign import PastedMatrix, c2clat, core_to_core_latency, read
from threadping.studies.matrix.output import maps_of, matrix_of, pasted_sheets

PASTED_FORMATS: Mapping[str, Callable[[LatencyMap], str]] = {
    "json": lambda found: as_json(*pasted_sheets(found), cpus=found.cpus),
    "csv": lambda found: as_csv(pasted_sheets(found)[0]),
    "core-to-core-latency": core_to_core_latency,
    "c2clat": c2clat,
}


def show_pasted(text: str, name: str, output: Output) -> int:
    """Print what other tools have written, next to the newest matrix of this machine; the exit code."""
    found = read(text, name)
    if len(found) > 1 and (output.form != "table" or output.chart):
        print(one_of_several(name, found), file=sys.stderr)

    def beside_ours() -> Block:
        with open_store(output.location) as store:
            own = (
                run for run, trials in store.runs() if isinstance(run.study, Pairing) and trials and not run.imported
            )
            newest = next(own, None)
            return Blocks.of(*pasted_screen(name, found, answered(store, str(newest.id)) if newest else None))

    formats = {name: partial(write, found[0].map) for name, write in PASTED_FORMATS.items()}
    return present(output, formats, beside_ours, chart=lambda: specification(found[0].map))


def specification(found: LatencyMap) -> style.Json:
    """Lay out the chart of another tool's matrix; ChartRefused if it has no figure."""
    made = heat_charts({"": found}, None, "by another tool: one line, state unknown")
    return style.top(style.whole(style.some([*made], "no pair has a figure")[0]))


def pasted_screen(name: str, found: Sequence[PastedMatrix], ours: Answer | None) -> Iterator[Block]:
    """Show what other tools have measured, and beside it the newest matrix of one's own."""
    for one in found:
        title = f" {names.plain(one.title)}," if one.title and len(found) > 1 else ""
        what = f": {one.form},{title} {counted(len(one.map.cpus), 'CPU')}. One line, state unknown."
        yield Text.assemble((names.plain(name), "bold"), what)
        if one.note:
            yield Text(one.note)
        yield from maps_of({"": one.map}, None)
        if zeros := sum(not ns for ns in one.map.ns.values()):
            yield Text(f"{counted(zeros, 'figure')} of 0: the tool's clock was too coarse. They are in no group.")
        yield Text()
    if ours:
        yield where(ours.run)
        yield from maps_of(matrix_of(ours).maps, ours.run.machine.topology)
    else:
        yield Text(made_literal("`threadping matrix` measures your own, to be shown beside it."), "dim")


def one_of_several(name: str, found: Sequence[PastedMatrix]) -> str:
    """Say which of several matrices is written in a format that has room for one."""
    which = f" ({found[0].title})" if found[0].title else ""
    held = f"{name} holds {len(found)} matrices: this is the first{which}"
    return f"{names.plain(held)}. For another leave out what stands before it; a table shows all."
