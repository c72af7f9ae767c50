"""Stored runs, analysed: one run, compared with earlier ones, and each case over all of them.

Where figures of a mechanism mean something else in one of them they are not compared; where its timed loops are only
other machine code they are, and it is said.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from msgspec.structs import replace

from threadping.analysis.analyse import FORM, analyse, analyse_headlines, analyse_rates
from threadping.analysis.answer import Answer
from threadping.analysis.runs import FEWEST_LIKE, MOST_LIKE, changed_between, mean_alike, with_like_runs
from threadping.analysis.validity import is_usable
from threadping.conduct.study import study_of
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.base import gathered
from threadping.model.cases import Case
from threadping.model.errors import ProbeUnusable, StoreError
from threadping.model.run import Observation, Run, is_same
from threadping.model.text import plain
from threadping.store.store import Store, open_store

MOST_CHANGED = 3


def changes_between(answers: Sequence[Answer]) -> list[str]:
    """Say which results of these runs are not comparable, a sentence for each change; nothing if all are."""
    runs, sentences = {answer.run.id: answer.run for answer in answers}, []
    for one in changed_between(answers, Run.version_of, lambda one, other: not mean_alike(one, other)):
        (first, before), (second, now) = one.of
        probe = next((each.probe for each in runs[second].runtimes if each.label == one.runtime), one.runtime)
        low, high = sorted(tuple(map(int, version.split("."))) for version in (before, now))
        what = ""  # changed between the two, as far as the installed words tell
        from threadping.probes.language import words

        with suppress(ProbeUnusable):
            for each in words().changes:
                if each.is_of(one.experiment, one.mechanisms[0], probe):
                    what += f" {each.what}" if low < tuple(map(int, each.version.split("."))) <= high else ""
        are = "is" if len(one.mechanisms) == 1 else "are"
        names, versions = _named(one.mechanisms), f"version {before} in run {first} and {now} in run {second}"
        sentences.append(plain(f"Not compared: {one.experiment} {names} in {one.runtime} {are} {versions}.{what}"))
    return sentences


def compiled_between(answers: Sequence[Answer]) -> list[str]:
    """Say which mechanisms of one version are other code; runs with the same ones share a sentence."""
    changed = changed_between(answers, _code, lambda a, b: a != b and a.split("\n")[0] == b.split("\n")[0])
    named = ((one, f"{mechanism} ({one.runtime})") for one in changed for mechanism in one.mechanisms)
    pairs = gathered(((one.of[0][0], one.of[1][0], one.of[0][1].startswith("own ")), name) for one, name in named)
    alike = gathered(((first, own, _named([*dict.fromkeys(each)])), run) for (first, run, own), each in pairs.items())
    sentences = []
    for (first, own, names), numbers in alike.items():
        runs = f"run{'s' * (len(numbers) > 1)} {_named([*map(str, numbers)])}"
        differ = f"Compiled differently in {runs} than in run {first}, of the same version"
        sentences.append(plain(f"{f'Your code changed in {runs} since run {first}' if own else differ}: {names}."))
    return sentences


def _code(run: Run, case: Case) -> str:
    """Return the version of a mechanism, or who built a custom one, and a digest of its code; empty if unknown."""
    own = (each for one in run.runtimes if one.label == case.runtime for each in one.own)
    if mine := next((one for one in own if one.name == case.mechanism), None):
        return f"own {run.version} {mine.made_by}\n{mine.digest}"
    loop = run.loops.get(f"{case.experiment} {case.mechanism} {case.runtime}", "")
    return f"{run.version_of(case)}\n{loop}" if loop else ""


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_CHANGED
    return ", ".join(names[:MOST_CHANGED]) + (f" and {more} more" if more > 0 else "")


def stored_answer(location: str | None, which: str) -> Answer:
    with open_store(location, create=False) as store:
        return answered(store, which)


def answered(store: Store, which: str) -> Answer:
    run = store.run(which)
    return analyse(run, observations_of(store, run), store.pings(run), declared())


def beside_like_runs(store: Store, answer: Answer) -> Answer:
    """Like `answered`, with each row compared to earlier runs of the same case."""
    tonight = answer.run
    if tonight.study.stands_alone or not tonight.cases or not answer.rows:
        return answer
    installed = {one.label: one.version for one in tonight.runtimes}
    of_version = (one for one, _ in islice(store.newest(tonight.id), MOST_LOOKED_AT) if one.version == tonight.version)
    same = (one for one in of_version if all(installed.get(of.label, of.version) == of.version for of in one.runtimes))
    like = islice((one for one in same if is_like(one, tonight)), MOST_LIKE - 1)
    seen = [(one, store.observations(one)) for one in like]  # results are not read again: that takes long
    known = [(one, trials) for one, trials in seen if all(trial.form == FORM for trial in trials)]
    others = [analyse_rates(one, trials, store.pings(one), declared()) for one, trials in known]
    return with_like_runs(answer, others) if len(others) >= FEWEST_LIKE - 1 else answer


MOST_LOOKED_AT = 50  # earlier runs among which like ones are searched


def is_like(earlier: Run, tonight: Run) -> bool:
    """Return whether an earlier run is comparable: same machine, a common case, no comparison, imported as this one."""
    alike = not earlier.study.stands_alone and earlier.imported == tonight.imported
    alike = alike and is_same(earlier.machine, tonight.machine)
    return alike and not set(tonight.cases).isdisjoint(earlier.cases)


def with_headlines(store: Store, run: Run, cases: Sequence[Case]) -> Answer:
    """Return a stored run with the headlines of these cases alone, so that a thousand runs fit into memory."""
    shared = {case: case for case in cases}
    answer = analyse_headlines(run, observations_of(store, run), store.pings(run), declared())
    rows = tuple(replace(row, case=shared[row.case]) for row in answer.rows if row.case in shared)
    return replace(answer, run=replace(run, cases=(), skipped=(), premises=None), rows=rows)


def observations_of(store: Store, run: Run) -> list[Observation]:
    """Return a run's observations, read again if an older form made them; an imported run has no results for that."""
    stored = store.observations(run)
    trials = [] if all(one.form == FORM for one in stored) else store.trials(run)
    if not trials:
        return stored
    return [  # one for every trial: pings are counted by trials
        study_of(run).observe(trial) if trial.case.experiment in EXPERIMENTS else one
        for trial, one in zip(trials, stored, strict=True)
    ]


CATCHING_UP_S = 2.0  # time limit for backfilling missing headlines, in seconds; the next run continues


def keep_series(store: Store, newest: Answer | None = None) -> None:
    """Store the missing headlines of runs, the newest first, within a time limit; the next run tries again.

    The `newest` run has just ended, so that it is not analysed again.
    """
    until = time.monotonic() + CATCHING_UP_S
    with suppress(StoreError):
        for number in store.without_headlines():
            with suppress(Exception):  # of an old run, perhaps: who asks for it sees it, the new one has its exit code
                if newest and newest.run.id == number:
                    store.keep_headlines(number, headlines_of(newest))
                elif store.run(str(number)).status != "running":
                    store.keep_headlines(number, headlines_of(answered(store, str(number))))
            if time.monotonic() > until:
                return


def headlines_of(answer: Answer) -> list[Mapping[str, Any]]:
    """Return the headline of each row; none where rows are not the answer, as of a matrix."""
    from threadping.output import run_records

    return [
        {
            "time": answer.run.started,
            "machine": answer.run.machine.hostname,
            "experiment": one.row.case.experiment,
            "case_name": " ".join(filter(None, (one.case, one.cpus and f"on {one.cpus}"))),
            "state": one.state,
            "core_to_core_ns": one.row.core_to_core_ns,
            "figure": one.row.leading.name,
            "unit": one.row.leading.unit,
            "value": one.value.value,
            "low": one.value.ends[0] if one.value.kind else None,
            "high": one.value.ends[1] if one.value.kind else None,
            "comparable": is_usable(one.row, "export"),
            "version": answer.run.version,
        }
        for one in (run_records.points_of(answer) if study_of(answer.run).shows_rows else ())
    ]
