"""Trials that end badly, and results that cannot be believed."""

import os
import subprocess
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from tests.end_to_end.faults.fault import (
    MEASURE,
    WHOLE,
    Before,
    Bench,
    Fault,
    How,
    case_trials,
    fault,
    others_use,
    records,
    trials,
)
from tests.fakes import answers
from threadping.probes.process import ProcessEnd
from threadping.probes.trial import inconsistency

HEADING = "Trials and results"
ABOUT = (
    "A trial that fails costs that trial, and is stored with its reason, given here; `show --trials` and JSON "
    "tell it.\nA case whose trials all fail is given up soon, and named when the run ends. A result that contradicts "
    "itself, its request or\narithmetic is a failure too, never a figure."
)


TWO_CASES = MEASURE.replace("1s", "5s")


def after(command: str) -> Before:
    """The probe writes a good result, with which a shell does this; `$result` names it."""

    def before(bench: Bench) -> None:
        def spoiled(words: list[str], variables: Mapping[str, str]) -> ProcessEnd:
            end = answered(words, variables)
            if words[0] != "run":
                return end
            done = subprocess.run(["sh", "-c", command], env={**os.environ, "result": words[4]}, check=False)
            return replace(end, status=done.returncode)

        answered = answers.answered
        bench.patch.setattr(answers, "answered", spoiled)

    return before


def states_change(bench: Bench) -> None:
    """Each trial begins in one state and ends in another, in which its CPUs are pinged twice."""
    bench.env["FAKE_APART"] = str(bench.write("apart", "26 127 127 26 26 127 127 26 26 127 127"))


def bad(title: str, mechanism: str, says: str) -> Fault:
    """A mechanism of the fake probe that misbehaves, beside one that does not."""
    names = f"steady,{mechanism}"
    kept = case_trials(**{"steady": 3, mechanism.replace("-", "_"): 0})
    env = {"FAKE_MECHANISMS": names}
    return Fault(title, f"{TWO_CASES} --mechanism {names}", 1, says, kept, env=env)


def spoiled(title: str, command: str, says: str) -> Fault:
    """A good result that is changed before threadping reads it."""
    return Fault(title, MEASURE, 1, says, trials(0, of=2), after(command))


def bad_lock(title: str, mechanism: str, says: str) -> Fault:
    """A lock of the fake probe that misbehaves, beside one that does not."""
    kept = case_trials(**{"mutex": 3, mechanism.replace("-", "_"): 0})
    command = f"run lock --threads 2{TWO_CASES.removeprefix('run signal')} --mechanism mutex,{mechanism}"
    return Fault(title, command, 1, says, kept, env={"FAKE_LOCKS": f"mutex,{mechanism}"})


def silent(bench: Bench) -> None:
    """A result without counts, of a process that lived for 0.1 s."""
    after("""sed -i -E 's/"counts":\\{.*\\}\\}/"counts":{}}/' $result""")(bench)
    bench.patch.setattr(
        "threadping.probes.trial.inconsistency",
        lambda request, result, _, promised: inconsistency(request, result, 100_000_000, promised),
    )


OF = {"mechanism": bad, "lock": bad_lock, "sh": spoiled}

HOW = {
    "a trial that fails once, for somebody strict": How(
        trials(2, of=3), lambda bench: bench.env.update(FAKE_MARKER=str(bench.folder / "marker"))
    ),
    "CPUs whose state changes during every trial": How(trials(3), states_change),
    "a figure that is not known as well as was asked for, for somebody strict": How(WHOLE),
    "silence about handoffs": How(trials(0, of=2), silent),
    "other programs take half of every trial's CPUs, for advice": How(WHOLE, others_use(0.5)),
    "the same, for somebody strict": How(WHOLE, others_use(0.5)),
    "the sender alone is late for 2.9% of its messages": How(WHOLE, others_use(0.0)),
    "no wait strategy meets what was asked for": How(WHOLE, others_use(0.0)),
}


def _read() -> Iterator[Fault]:
    """Return the faults of results.txt: a fake mechanism, a fake lock, what is done to a result, or a command."""
    for title, cause, code, says in records(__file__):
        kind, _, command = cause.partition(" ")
        yield OF[kind](title, command, says) if kind in OF else fault(title, cause, code, says, HOW[title])


FAULTS = tuple(_read())
