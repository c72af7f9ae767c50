"""The list of stored runs, and runs that go."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from threadping.conduct.presenting import Output, pop_fields, present_sheets
from threadping.model.errors import import_by_path
from threadping.output.listings import runs_table
from threadping.output.printing import stderr
from threadping.store.store import open_store


def list_runs(limit: int, **given: Any) -> None:
    output = pop_fields(Output, given)
    with open_store(output.location, create=False) as store:
        runs, damaged = store.listed(limit)
    sheets = "output.run_records.run_sheets"  # which a table does not wait for
    present_sheets(output, partial(runs_table, runs, damaged), lambda: import_by_path(sheets)(runs, damaged))


def remove(which: Sequence[str], *, force: bool, location: str | None) -> None:
    """Remove these runs and report it; remove none if one is missing."""
    with open_store(location, create=False) as store:
        for number in [store.number(one) for one in which]:
            store.remove(number, force=force)
            stderr().print(f"Run {number} is removed.")
