"""The studies, by the tag of their runs, and the other rooms that read runs. Each is imported when it is asked for."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from threadping.conduct.study import Room, Study
from threadping.model.run import Run

ROOMS = (
    "survey",
    "compare",
    "matrix",
    "advise",
    "published",
    "like",
    "which",
    "doctor",
    "instrument",
    "place",
    "states",
    "fleet",
)
"""Below `studies/`; in this order they stand on a page."""


def room_named(name: str) -> Room:
    """The room of this name."""
    room: Room = import_module(f"threadping.studies.{name}.study").STUDY
    return room


def study_named(name: str) -> Study[Any, Any]:
    """The study of this name."""
    study = room_named(name)
    assert isinstance(study, Study)
    return study


def study_of(run: Run) -> Study[Any, Any]:
    """The study that a run belongs to."""
    return study_named(str(run.study.__struct_config__.tag))


def all_rooms() -> Iterator[Room]:
    """Every room that reads runs."""
    return map(room_named, ROOMS)
