"""A fleet for programs: its hosts, each figure over the hosts, and who differs."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict

from threadping.comparing.fleet import FALSE_ALARMS, Judged, Spread
from threadping.model import Fleet, Member
from threadping.views.export.as_json import indented


def fleet_json(fleet: Fleet, members: Sequence[Member], found: Judged) -> str:
    """Write `{"fleet", "false_alarms", "hosts", "spreads", "outliers"}`.

    An outlier names its spread by `spread`, its place among them; hosts are named by their `key`.
    """
    places = {id(one): place for place, one in enumerate(found.spreads)}
    return indented(
        {
            "fleet": fleet,
            "false_alarms": FALSE_ALARMS,
            "hosts": [
                {**asdict(one.host), "run": one.run, "problem": one.problem, "note": one.note}
                | {"kind": found.kinds.get(one.host.key)}
                for one in members
            ],
            "spreads": [_spread(one) for one in found.spreads],
            "outliers": [
                {"host": one.host, "spread": places[id(one.spread)], "value": one.value.value, "ratio": one.ratio}
                | {"warnings": one.value.warnings}
                for one in found.outliers
            ],
        }
    )


def _spread(one: Spread) -> dict[str, Any]:
    """Its case, or its pair of CPUs, with each host's figure."""
    case = one.subject.case
    return {
        "kind": one.kind,
        "case": case and f"{case.experiment} {case.title}",
        "pair": one.subject.pair,
        "unit": one.subject.unit,
        "core_to_core_ns": one.core_to_core_ns,
        "hosts": len(one.values),
        "median": one.median,
        "deviation": one.deviation,
        "differs_from": one.differs_from,
        "values": {host: value.value for host, value in one.values.items()},
    }
