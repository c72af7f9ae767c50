"""Conduct a study: the order of a measurement, from a question on the command line to the exit code."""

import os
from typing import Any

from threadping.conduct.carrying import analysed_or_raise, carry_out, run_of
from threadping.conduct.output import Output, pop_fields
from threadping.conduct.scene import Scene
from threadping.conduct.series import keep_answer
from threadping.conduct.showing import check_format, show
from threadping.conduct.study import Asked, Reading, Study
from threadping.machine.turn import turn
from threadping.probes.runtimes import find_runtimes
from threadping.store.database import open_store


def conduct_asked(study: Study[Any, Any], options: dict[str, Any]) -> int:
    """Conduct a study as the options of its command say; the exit code."""
    output = pop_fields(Output, options)
    return conduct(study, study.ask(**options), output, anyway=options["anyway"])


def conduct(study: Study[Asked, Reading], asked: Asked, output: Output, *, anyway: bool) -> int:
    """Measure what answers a question, store it, print the answer; the exit code.

    What can be refused is refused before anything is measured.

    Args:
        study: the kind of question.
        asked: its options.
        output: where the answer goes.
        anyway: measure although another threadping is measuring.
    """
    check_format(study, output)
    found = find_runtimes(os.environ)
    scene = Scene(found, found.cpp())
    with turn(anyway=anyway) as note:  # before any probe is started
        begun = study.begin(asked, scene)
        with open_store(output.location) as store:
            ended = carry_out(store, study, run_of(begun, note), scene.cpp, begun.said, begun.wanted)
    with analysed_or_raise(study.settle(ended)) as answer:
        keep_answer(output.location, answer)
        return show(study, answer, asked, output)
