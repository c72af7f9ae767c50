"""What ended runs say of each case, kept beside them, where databases and dashboards read it: `threadping_series`."""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from threadping.analysis.answer import Answer
from threadping.analysis.validity import is_usable
from threadping.conduct.registry import study_of
from threadping.conduct.stored import answered
from threadping.errors import StoreError
from threadping.model.run import Run
from threadping.rows.points import Point, points_of
from threadping.store.database import open_store
from threadping.store.store import Store

CATCHING_UP_S = 2.0
"""For the runs of which nothing is kept, such as killed ones. The rest is for the next time."""


def keep_answer(location: str | None, answer: Answer) -> None:
    """Keep what a run says that has just ended, in the store at this place: it is not analysed again."""
    with suppress(StoreError), open_store(location, create=False) as store:
        keep_series(store, answer)


def keep_series(store: Store, newest: Answer | None = None) -> None:
    """Keep what every run says of which nothing is kept, the newest first, as far as that takes no time.

    What fails is tried again when the next run ends.
    """
    until = time.monotonic() + CATCHING_UP_S
    with suppress(StoreError):
        for number in store.without_headlines():
            with suppress(Exception):  # of an old run, perhaps: who asks for it sees it, the new one has its exit code
                _keep(store, number, newest)
            if time.monotonic() > until:
                return


def _keep(store: Store, number: int, newest: Answer | None) -> None:
    if newest and newest.run.id == number:
        store.keep_headlines(number, headlines_of(newest))
    elif store.run(str(number)).status != "running":
        store.keep_headlines(number, headlines_of(answered(store, str(number))))


def headlines_of(answer: Answer) -> list[Mapping[str, Any]]:
    """The headline of each row of a run that has one; none where rows are not the answer, as of a matrix."""
    return [_headline(one, answer.run) for one in points_of(answer)] if study_of(answer.run).shows_rows else []


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
        "comparable": is_usable(row, "export"),
        "version": run.version,
    }
