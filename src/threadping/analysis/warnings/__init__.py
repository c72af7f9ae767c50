"""Checks of a figure, a run, or a machine, without which figures are misread: each has its words.

A warning says what a disturbance did to this figure, decided by a test; its causes are reasons, named beside it. What
is true of every row is a note of the machine or the run, said once. Thresholds stand beside their checks; how often
each check alarms for nothing is simulated in the tests.
"""

from collections.abc import Mapping
from typing import Any

from threadping.analysis.checks import Check
from threadping.analysis.declaration import Declaration
from threadping.analysis.health.checks import CHECKS_OF_HEALTH
from threadping.analysis.warnings import figure, run, samples
from threadping.analysis.warnings.run import OF_RUNS

ON_SCHEDULE = (*run.TRIAL_CHECKS, *figure.OF_HEADLINES, *samples.CHECKS, *figure.BURST_CHECKS)
"""Checks of each row of every experiment, beside the experiment's own, whatever sets the pace of its operations."""

UNPACED = (*ON_SCHEDULE, *figure.OF_PACES, *figure.MIXTURE_CHECKS, *figure.LOOP_CHECKS)
"""Checks of operations that follow each other as fast as they can."""


def checks_of(declared: Mapping[str, Declaration]) -> dict[str, Check[Any]]:
    """Every check that an answer may name, by its code."""
    own: list[Check[Any]] = [check for declaration in declared.values() for check in declaration.checks]
    return {check.code: check for check in (*CHECKS_OF_HEALTH, *own, *OF_RUNS)}
