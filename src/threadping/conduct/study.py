"""What a study is: a kind of question that is answered by measuring cases, or from what was measured.

A study is a room below `studies/`, of the name by which runs are tagged. It says what to measure (`begin`), in which
order (`schedule`), what the answer means (`read`), and how that is shown (`blocks`, `sheets`, `charts`); all else is
done once for all of them, by `conduct`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from msgspec import Struct

from threadping.analysis.analyse import observe
from threadping.analysis.answer import Answer
from threadping.analysis.states import Wanted
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case, Runtime, Skipped
from threadping.model.contract import Topology
from threadping.model.errors import ThreadpingError
from threadping.model.run import Observation, Premises, Run, RunEnded, Trial
from threadping.output.cells import Sheet
from threadping.output.charts.style import Chart
from threadping.output.grid import Block
from threadping.output.page.sections import Section
from threadping.planning.defaults import Start
from threadping.planning.plan import Plan

if TYPE_CHECKING:
    from threadping.conduct.environment import Environment
    from threadping.planning.schedule import Schedule


class PreparedRun(Struct, frozen=True, kw_only=True):
    """What a question has become when measuring begins.

    Attributes:
        study: what is stored of the question; the run is tagged by it.
        plan: the trials.
        budget_s: how long the whole may take.
        starts: what a start of each runtime takes.
        topology: of the machine.
        runtimes: those that are started.
        skipped: what is not measured, and why.
        left_out: the cases that were asked for by name, for which there is no time.
        said: what is said before the first trial: what is measured, and how long that takes.
        wanted: the state in which alone to measure; None for any.
        premises: further premises of the run, by their names.
        note: what is to be known of the run, and is shown with it; None for nothing.
        cases_follow: whether the run's cases follow from what is stored of the question, and are not stored with it.
    """

    study: Any
    plan: Plan
    budget_s: float
    starts: Mapping[str, Start]
    topology: Topology
    runtimes: Sequence[Runtime]
    skipped: tuple[Skipped, ...]
    said: Block
    wanted: Wanted | None = None
    premises: Mapping[str, Any] = {}
    note: str | None = None
    cases_follow: bool = False
    left_out: tuple[Case, ...] = ()


class Output(Struct, frozen=True, kw_only=True):
    """Where an answer goes, and in which format.

    Attributes:
        form: how to write it to stdout: `table`, or one of its formats.
        file: where to write it too.
        chart: where to draw it.
        page: where to write the page of a run.
        location: of the store; None for the user's own.
        strict: whether a doubt about the answer is a failure too.
    """

    form: str = "table"
    file: Path | None = None
    chart: Path | None = None
    page: Path | None = None
    location: str | None = None
    strict: bool = False


Fields = TypeVar("Fields", bound=Struct)


def pop_fields(kind: type[Fields], options: dict[str, Any]) -> Fields:
    """Take the fields of a record out of the options of a command."""
    return kind(**{name: options.pop(name) for name in kind.__struct_fields__ if name in options})


Asked = TypeVar("Asked")
Reading = TypeVar("Reading")


class PageContributor:
    """What a room below `studies/` makes of any stored run, whichever study it is of."""

    def sections(self, answer: Answer) -> Iterable[Section]:
        """What a page shows of it."""
        return ()

    def beside(self, answers: Sequence[Answer], letters: Sequence[str]) -> Iterable[Section]:
        """What a page shows of several of them together, each called by its letter."""
        return ()

    def readers(self, answer: Answer) -> Iterable[Callable[[], object]]:
        """What makes all else that its commands say of it: a run from elsewhere is stored once each was called."""
        return ()


class Study(PageContributor, ABC, Generic[Asked, Reading]):
    """A kind of question. `Asked` are its options beside those of every output, `Reading` is what it reads of a run."""

    formats: ClassVar[Mapping[str, Callable[[Answer, Any, Output], str]]] = {}
    """What it writes besides a table, JSON, CSV and markdown, or in its own way: by the name of the format."""

    shows_rows: ClassVar[bool] = True
    """Whether rows and states are what `show` and a page begin with: a matrix has tens of thousands."""

    go_on: ClassVar[str] = ""
    """The command that measures on where a run is complete, with a place for its number; empty where none does."""

    @abstractmethod
    def ask(self, **options: Any) -> Asked:
        """The question that the options of its command put; raises UsageError where they do not go together."""

    @abstractmethod
    def prepare(self, asked: Asked, environment: "Environment") -> "PreparedRun":
        """Plan what answers a question on this machine; raises UsageError where nothing can."""

    @abstractmethod
    def schedule(self, run: Run, premises: Premises) -> "Schedule":
        """The order of its trials, from what is stored of the run alone: so it can be made again."""

    def observe(self, trial: Trial) -> Observation:
        """What is kept of a trial: the figures that its experiment declares."""
        return observe(trial, EXPERIMENTS[trial.case.experiment].figures)

    def settle(self, ended: RunEnded) -> RunEnded:
        """The run as it ended, without a problem that is none for this question."""
        return ended

    @abstractmethod
    def read(self, answer: Answer, asked: Any) -> Reading:
        """What a run says to a question; with `asked` None, to the one that is stored with it."""

    @abstractmethod
    def blocks(self, answer: Answer, result: Reading) -> Iterable[Block]:
        """What a person is shown, the answer first."""

    def lead(self, answer: Answer) -> Iterable[Block]:
        """What a run answered, in a few lines, above all of its rows; nothing where the rows are the answer."""
        return ()

    @abstractmethod
    def sheets(self, answer: Answer, result: Reading) -> Sequence[Sheet[Any]]:
        """What programs read; CSV has those of the first name."""

    def facts(self, answer: Answer, result: Reading) -> Mapping[str, Any]:
        """What JSON says of the whole, before the run and the sheets, and CSV in every line.

        `verdict` is a sentence, and stands in JSON alone, as what is no single value.
        """
        return {}

    def files(self, answer: Answer, result: Reading, path: Path) -> Mapping[Path, str]:
        """What is written where a file or a folder is wanted; nothing where that is what its format writes."""
        return {}

    def left_out(self, answer: Answer, result: Reading, form: str) -> str:
        """What a format has not of an answer, in a sentence for stderr; empty where it has all."""
        return ""

    def charts(self, answer: Answer, result: Reading) -> Sequence[Chart]:
        """What `--chart` draws; none where it draws nothing. Raises ChartRefused where there is nothing to draw."""
        return ()

    def fault(self, answer: Answer, result: Reading) -> ThreadpingError | None:
        """What `--strict` objects to, raised once the answer is printed; None where it is content."""
        return None

    def exit_code(self, result: Reading, output: Output) -> int:
        """0; 1, 3 or 4 where the answer is to fail a script."""
        return 0


ROOMS = {
    "survey": "survey.study.STUDY",
    "compare": "compare.study.STUDY",
    "matrix": "matrix.study.STUDY",
    "advise": "advise.study.STUDY",
    "published": "reproduce.study.ARTICLES",
    "like": "reproduce.study.TOOLS",
    "which": "which.study.STUDY",
    "doctor": "doctor.study.STUDY",
    "instrument": "instrument.study.STUDY",
    "place": "place.study.STUDY",
    "states": "states.study.STUDY",
    "fleet": "fleet.study.STUDY",
}
"""By the tag of their runs, the objects below `studies/` that read runs, in the order in which they stand on a page."""


def contributor_named(name: str) -> PageContributor:
    """Return the object that reads runs of this name."""
    module, _, name_there = ROOMS[name].rpartition(".")
    room: PageContributor = getattr(import_module(f"threadping.studies.{module}"), name_there)
    return room


def study_named(name: str) -> Study[Any, Any]:
    """The study of this name."""
    study = contributor_named(name)
    assert isinstance(study, Study)
    return study


def study_of(run: Run) -> Study[Any, Any]:
    """The study that a run belongs to."""
    return study_named(str(run.study.__struct_config__.tag))


def page_contributors() -> Iterator[PageContributor]:
    """Every room that reads runs."""
    return map(contributor_named, ROOMS)
