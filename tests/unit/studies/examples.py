"""A run of each study: what every study must be able to show, write, carry and take."""

from collections.abc import Mapping

from msgspec.structs import replace

from tests.golden import fixture
from tests.unit.studies.compare import test_blocks_of_runs as compared
from tests.unit.studies.doctor import examples as checkups
from tests.unit.studies.doctor import self_test_examples as instruments
from tests.unit.studies.matrix.planted import answer_of, machine
from tests.unit.studies.recommend_cpus import examples as places
from tests.unit.studies.recommend_queue import examples as queues
from tests.unit.studies.recommend_wait import examples as advising
from tests.unit.studies.reproduce import examples as articles
from tests.unit.studies.reproduce import tool_examples as alike
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.model.run import Repeated, Requirement, Stored
from threadping.studies.reproduce import stated


def _advised() -> Stored:
    ways = [advising.way(name) for name in ("futex", "release-one-line")]
    seen = tuple(one for way in ways for one in advising.trials(3, way))
    run = replace(fixture.RUN, cases=tuple(ways), study=Requirement(1_000, 10_000.0, 20.0), skipped=())
    return Stored(run, seen, ())


def _compared() -> Stored:
    blocks = tuple(compared.trials(3))
    return Stored(compared.COMPARING, blocks, tuple(compared.pings([25.0] * (len(blocks) + 1))))


def _repeated() -> Stored:
    found = articles.answer(dict(zip(stated.articles().claims[0].needs, (60.0, 90.0), strict=True)))
    seen = tuple(replace(one, started=alike.STARTED) for one in found.observations)
    return Stored(replace(fixture.RUN, cases=found.run.cases, study=Repeated(()), skipped=()), seen, ())


def _analysed(one: Stored) -> Answer:
    return analyse(one.run, one.observations, one.pings, fixture.DECLARED)


ANSWERS: Mapping[str, Answer] = {
    "survey": fixture.MOVED,
    "compare": _analysed(_compared()),
    "matrix": answer_of(machine(4, 2, 4), trials=1),
    "recommend-wait": _analysed(_advised()),
    "reproduce-articles": _analysed(_repeated()),
    "reproduce-tool": alike.ANSWER,
    "recommend-queue": queues.ANSWER,
    "doctor": checkups.ANSWER,
    "self-test": instruments.ANSWER,
    "recommend-cpus": places.ANSWER,
}
"""An example of each study, by its name; a new study adds one here."""
