"""What will be done, and how long that takes: printed before it begins."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.model import GROUPS, Case, Skipped
from threadping.quantities import counted, duration, time
from threadping.views.terminal import names
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.table import labelled


def announced(
    what: str, how: str, seconds: float, parts: Mapping[str, Sequence[str]], left_out: Sequence[Skipped], room: str = ""
) -> RenderableType:
    """Say what will be done, of what, and what is left out.

    Args:
        what: stands out.
        how: what it consists of, up to how long it takes.
        seconds: that.
        parts: what it is of, each with its label; what is named twice is shown once.
        left_out: what is not measured, and why.
        room: for what there is time.
    """
    end = f"{room}. Ctrl-C ends it early and keeps what was measured."
    line = Text.assemble((what, "bold"), how, (duration(seconds), "bold"), end)
    listed = {label: "; ".join(dict.fromkeys(filter(None, texts))) for label, texts in parts.items()}
    selection = labelled([(label, Text(text)) for label, text in listed.items() if text])
    return Group(line, selection, *reasons("\nNot measured", left_out))


def announcement(
    cases: Sequence[Case], rounds: int, trial_s: float, seconds: float, skipped: Sequence[Skipped]
) -> RenderableType:
    """Say what a plan will do.

    `trial_s` is what a trial takes in seconds, without the start of its process; `seconds` what the whole takes.
    """
    parts = {
        "experiments": [names.plain(case.experiment) for case in cases],
        "mechanisms": [names.mechanism(case) for case in cases],
        "runtimes": [names.plain(case.runtime) for case in cases],
        **{
            f"{name}s": [str(number) for number in sorted({case.groups for case in cases if case.group == group})]
            for group, name in GROUPS.items()
        },
        "placements": [names.standing(case) for case in cases],
        "warm-ups": [case.warmup.text for case in cases] if names.varies_warmups(cases) else [],
    }
    how = f": {counted(rounds * len(cases), 'trial')} of {time(trial_s * 1e9)}, about "
    what = f"Measuring {counted(len(cases), 'case')} in {counted(rounds, 'round')}"
    return announced(what, how, seconds, parts, skipped)
