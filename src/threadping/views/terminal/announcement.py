"""What will be measured, and how long that takes: said before it begins."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.model import CREWS, Case, Skipped
from threadping.quantities import counted, duration, time
from threadping.views.terminal import names
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.table import labelled


def announcement(
    cases: Sequence[Case], rounds: int, trial_s: float, seconds: float, skipped: Sequence[Skipped]
) -> RenderableType:
    """Say what a plan will do: how much and how long, then what of, then what not.

    `trial_s` is what a trial takes in seconds, without the start of its process; `seconds` what the whole takes.
    """
    plan = Text.assemble(
        (f"Measuring {counted(len(cases), 'case')} in {counted(rounds, 'round')}", "bold"),
        f": {counted(rounds * len(cases), 'trial')} of {time(trial_s * 1e9)}, about ",
        (duration(seconds), "bold"),
        ". Ctrl-C ends it early and keeps what was measured.",
    )
    parts = {
        "experiments": [names.plain(case.experiment) for case in cases],
        "mechanisms": [names.mechanism(case) for case in cases],
        "runtimes": [names.plain(case.runtime) for case in cases],
        **{
            f"{name}s": [str(number) for number in sorted({case.crews for case in cases if case.crew == crew})]
            for crew, name in CREWS.items()
        },
        "placements": [names.standing(case) for case in cases],
        "warm-ups": [case.warmup.text for case in cases] if names.tells_warmups(cases) else [],
    }
    selection = [(label, Text("; ".join(dict.fromkeys(of_all)))) for label, of_all in parts.items() if of_all]
    return Group(plan, labelled(selection), *reasons("\nNot measured", skipped))
