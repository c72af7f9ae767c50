"""What became here of published figures: measured now, or looked for in a stored run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.conduct.conduct import conduct, show
from threadping.conduct.describing import describe_each
from threadping.conduct.output import Output, pop_fields
from threadping.conduct.rounds import rounds_of, schedule_rounds
from threadping.conduct.scene import Scene, inventory_of
from threadping.conduct.stored import stored_answer
from threadping.conduct.study import Begun, Study
from threadping.errors import FlagRefused, UnknownName, UsageError
from threadping.model.run import Premises, Run
from threadping.model.studies import Repeated
from threadping.plan.schedule import Schedule
from threadping.probes.description import Described, read_topology
from threadping.probes.runtimes import Found, with_jvm_flags
from threadping.selection.selection import Selection
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block
from threadping.studies.published.articles import Repeating, articles
from threadping.studies.published.cases import cases_of_published
from threadping.studies.published.claims import Compared, Judged, compare, judge
from threadping.studies.published.sheets import charts, published_json, published_tables
from threadping.views.charts.style import Chart

BUDGET_S = 180.0
"""How long it takes by default."""

NO_BIASED_LOCKING = (
    "biased locking was removed from Java 18: install a JVM 17 (Debian: apt-get install openjdk-17-jre-headless), or "
    "name one with --runtime PATH"
)


class Asked(Struct, frozen=True):
    """Whose figures are looked for, none named for all, and with what they are repeated."""

    experiments: tuple[str, ...]
    selection: Selection


class Outcome(Struct, frozen=True):
    """What became of published figures, and of what was concluded of them."""

    figures: Sequence[Compared]
    claims: Sequence[Judged]


class PublishedStudy(Study[Asked, Outcome]):
    """The cases that repeat published figures, in rounds."""

    formats: ClassVar[Mapping[str, Any]] = {
        "json": lambda answer, found, _: published_json(answer, found.figures, found.claims)
    }

    def ask(self, **options: Any) -> Asked:
        """Whose figures, and with what; raises UnknownName."""
        experiments = tuple(options.pop("experiments"))
        known = articles().experiments
        if unknown := next((name for name in experiments if name not in known), None):
            raise UnknownName("published experiment", unknown, known)
        return Asked(experiments, Selection(**options))

    def begin(self, asked: Asked, scene: Scene) -> Begun:
        """Plan as many of the cases that repeat these experiments' figures as the budget allows."""
        wanted = articles().only(asked.experiments)
        topology = read_topology(scene.cpp)
        named = asked.selection.runtimes
        offered = {one.build: _offered(one, scene.found, named) for group in wanted.wanted for one in group}
        described = {one.runtime.label: one for one in offered.values() if isinstance(one, Described)}
        here = inventory_of(topology, [*described.values()])
        cases = cases_of_published(wanted, offered, here)
        return rounds_of(cases, here.only(cases.every), asked.selection, Repeated(asked.experiments))

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Rounds, as of a survey."""
        return schedule_rounds(run, premises)

    def read(self, answer: Answer, asked: Any) -> Outcome:
        """The figures of the articles that were asked for, or that the run repeats, beside ours."""
        of_run = answer.run.study.articles if isinstance(answer.run.study, Repeated) else ()
        wanted = articles().only(asked.experiments if isinstance(asked, Asked) else of_run)
        return Outcome(compare(wanted.figures, answer), judge(wanted.claims, answer))

    def blocks(self, answer: Answer, result: Outcome) -> Iterable[Block]:
        """A table for each article, and what became of its claims."""
        yield published_tables(answer, result.figures, result.claims)

    def sheets(self, answer: Answer, result: Outcome) -> Sequence[Sheet[Any]]:
        """The figures."""
        return ()

    def charts(self, answer: Answer, result: Outcome) -> Sequence[Chart]:
        """Each figure beside ours."""
        return charts(result.figures)


STUDY = PublishedStudy()


def published(which: str | None, anyway: bool, **options: Any) -> int:
    """Print published figures beside those of the stored run `which`, or of one that is measured now."""
    output = pop_fields(Output, options)
    asked = STUDY.ask(**options, anyway=anyway)
    if which is None:
        return conduct(STUDY, asked, output, anyway=anyway)
    if asked.selection != Selection(budget_s=BUDGET_S, anyway=anyway):
        raise UsageError("--run measures nothing: leave out --budget, --runtime and --seed, or leave out --run.")
    return show(STUDY, stored_answer(output.location, which), asked, output)


def _offered(one: Repeating, found: Found, named: Sequence[str]) -> Described | str:
    """The first runtime of those named, or else of the usual ones, that can be such a one; or why none can."""
    usual = {runtime.label for runtime in found.defaults()}
    chosen = [runtime for runtime in found.select(named) or found.runtimes if runtime.probe == one.runtime]
    if one.runtime == "cpp":
        candidates = tuple(runtime for runtime in chosen if runtime.label.split()[1:] == [*one.flags])
    else:
        candidates = with_jvm_flags([each for each in chosen if named or each.label in usual], one.flags)
    refusals: list[str] = []
    for runtime in candidates:
        described, errors = describe_each([runtime], prepare=True)
        if described:
            return described[0]
        for error in errors.values():
            refusals.append(NO_BIASED_LOCKING if isinstance(error, FlagRefused) and one.flags else str(error))
    if refusals:  # where there is no biased locking there is no flag against it either
        return _offered(replace(one, flags=(), since_java=None), found, named) if one.since_java else refusals[0]
    what = " ".join(one.build)
    if named:
        return f"none of the runtimes that were named is {what}: leave out --runtime, or name one more"
    missing = (each.reason for each in found.missing if each.what == one.runtime)
    return next(missing, f"{what} is not built: `make setup`")
