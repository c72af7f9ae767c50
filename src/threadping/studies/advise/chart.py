"""Wait strategies, drawn: the latency of each against the CPU that it takes, and the limits that were asked for."""

from threadping.quantities import time
from threadping.sheets.cells import with_interval, written
from threadping.studies.advise.advice import Advice
from threadping.studies.advise.words import name_way
from threadping.views.charts import style

WAYS_SAID = (
    "Bars are 99% intervals. Broken lines are what was asked for: what meets it stands below, and left, of them."
)

VERDICTS_OF_WAYS = ("advised", "meets", "open", "misses")


def ways_chart(advice: Advice) -> style.Chart:
    """A dot for each whose latency and CPU are known, coloured by its verdict; ChartRefused if there is none."""
    required, data = advice.required, list[style.Json]()
    for one in advice.ways:
        if one.p99 and one.cpu and one.p99.value > 0 and one.cpu.value > 0:
            low, high = one.p99.ends
            verdict = "advised" if one is advice.chosen else one.verdict
            about = {"strategy": name_way(one.case)}
            about |= {"p99": with_interval("ns", one.p99).plain, "CPU": written("percent", one.cpu.value)}
            point = {"x": one.cpu.value, "y": one.p99.value, "low": low or one.p99.value, "high": high}
            data.append({**point, "verdict": verdict, "about": {**about, "verdict": verdict}})
    shown = style.some(data, "none has both a latency and a CPU time")
    limits = {"y": required.p99_ns, **({"x": required.cpu_percent} if required.cpu_percent else {})}
    ends = [*(one[end] for one in shown for end in ("low", "high")), limits["y"]]
    x = style.logarithmic("percent", [*(one["x"] for one in shown), *filter(None, [limits.get("x")])])
    x, up = {**x, "title": "CPU of the waiting thread, of a core"}, style.logarithmic("ns", ends)
    scales = {"x": x, "y": up}
    rules = [
        {
            **style.marks("rule", {of: style.field("at:Q", **scales[of])}, color=style.FAINT, strokeDash=[4, 3]),
            "data": {"values": [{"at": at}]},
        }
        for of, at in limits.items()
    ]
    looks = style.coloured("verdict:N", VERDICTS_OF_WAYS)
    _, bar, dots = style.intervals(style.field("x:Q", **x), "y", up, looks, tooltip=style.TOOLTIP)
    panel = style.panel({"layer": [*rules, bar, dots]}, shown, height=style.HEIGHT)
    title = f"p99 of each wait strategy against its CPU; asked for {time(required.p99_ns)}"
    return style.Chart("ways", title, [WAYS_SAID], [panel], VERDICTS_OF_WAYS)
