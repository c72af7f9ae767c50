"""The studies, by the tag of their runs. Each is imported when it is asked for: a command waits for its own alone."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from threadping.conduct.study import Study
from threadping.model.run import Run

STUDIES = ("survey", "compare", "matrix", "advise", "published")
"""Rooms below `studies/`; in this order they stand on a page."""


def study_named(name: str) -> Study[Any, Any]:
    """The study of this name."""
    study: Study[Any, Any] = import_module(f"threadping.studies.{name}.study").STUDY
    return study


def study_of(run: Run) -> Study[Any, Any]:
    """The study that a run belongs to."""
    return study_named(str(run.study.__struct_config__.tag))


def all_studies() -> Iterator[Study[Any, Any]]:
    """Every study."""
    return map(study_named, STUDIES)
