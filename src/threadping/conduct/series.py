"""What ended runs say of each case, kept beside them, where databases and dashboards read it: `threadping_series`."""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from threadping.analysis.answer import Answer
from threadping.conduct.registry import study_of
from threadping.conduct.stored import answered
from threadping.errors import RunDamaged, StoreError
from threadping.model.run import Run
from threadping.rows.points import Point, points_of
from threadping.store.store import Store

CATCHING_UP_S = 2.0
"""For the runs of which nothing is kept: those of an older threadping, killed ones. The rest is for the next time."""


def keep_series(store: Store) -> None:
    """Keep what the newest run says, and those before it of which nothing is kept, as far as that takes no time."""
    until = time.monotonic() + CATCHING_UP_S
    for number in store.without_headlines():
        with suppress(RunDamaged, StoreError):  # whoever asks for that run is told; its file may be full
            run = store.run(str(number))
            if run.status != "running":
                shows_rows = study_of(run).shows_rows  # of a matrix of thousands they are not the answer
                store.keep_headlines(number, headlines_of(answered(store, str(number))) if shows_rows else [])
        if time.monotonic() > until:
            return


def headlines_of(answer: Answer) -> list[Mapping[str, Any]]:
    """The headline of each row of a run that has one."""
    return [_headline(one, answer.run) for one in points_of(answer)]


def _headline(one: Point, run: Run) -> Mapping[str, Any]:
    row = one.row
    return {
        "time": run.started,
        "machine": run.machine.hostname,
        "experiment": row.case.experiment,
        "case_name": " ".join(filter(None, (one.case, one.cpus and f"on {one.cpus}"))),
        "state": one.state,
        "core_to_core_ns": row.core_to_core_ns,
        "figure": row.leading.name,
        "unit": one.unit,
        "value": one.value.value,
        "low": one.value.low,
        "high": one.value.high,
        "comparable": row.comparable,
        "version": run.version,
    }
