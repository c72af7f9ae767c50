"""The interface of a study, a kind of question that a run answers; and what shows the answer.

A study is a package below `studies/`, with the name that tags its runs. It says what to measure (`prepare`), in which
order (`schedule`), what the answer means (`read`), and how that is shown (`blocks`, `sheets`, `charts`); `conduct` does
all else once for all of them.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from msgspec import Struct

from threadping.analysis.analyse import observe
from threadping.analysis.answer import Answer
from threadping.conduct.presenting import Output, check_forms, draw, pop_fields
from threadping.conduct.streams import deliver, say_written, write_export
from threadping.experiments import EXPERIMENTS
from threadping.model import files
from threadping.model.cases import Case
from threadping.model.errors import ThreadpingError, UsageError, import_by_path
from threadping.model.run import Observation, Premises, Run, StoredQuestion, Trial
from threadping.model.text import LEGIBLE
from threadping.output.formats import PICTURES, form_of
from threadping.output.layout import Block, Chart, Section, Sheet
from threadping.output.printing import as_markdown, stdout
from threadping.output.records import as_csv, as_json, joined

if TYPE_CHECKING:
    from threadping.conduct.environment import Environment
    from threadping.planning.schedule import Schedule
    from threadping.planning.selection import Selection


class PreparedRun(Struct, frozen=True):
    """A run before its first trial."""

    run: Run  # its record, as it will be stored
    cases: Sequence[Case]  # what is measured, also where that follows from the question and is not stored with it
    said: Block  # what is said before the first trial: what is measured, and how long that takes


class StudyRequest(Struct, frozen=True):
    """A question on the command line: what its run stores of it, and what is selected to answer it."""

    stored: Any  # a StoredQuestion
    selection: "Selection"


Asked = TypeVar("Asked")
Reading = TypeVar("Reading")
_Stored = TypeVar("_Stored", bound=StoredQuestion)


class Study(ABC, Generic[Asked, Reading]):
    """A kind of question. `Asked` is one, with at least a `selection`; `Reading` is its answer from a run."""

    stored: ClassVar[type[StoredQuestion]]  # what its runs store of their question
    formats: ClassVar[Sequence[str]] = ()  # that `write` writes, besides those of every study or in place of these
    shows_rows: ClassVar[bool] = True  # whether `show` and a report begin with rows: a matrix has tens of thousands
    is_of_rows: ClassVar[bool] = False  # whether rows are its answer: a run in which none has a figure has failed
    any_is_enough: ClassVar[bool] = False  # whether one case with a figure makes a complete run an answer
    go_on: ClassVar[str] = ""  # the command that measures on where a run is complete, with a place for its number

    def ask(self, **options: Any) -> Any:
        """Return the question of these options; raise UsageError if they contradict each other."""
        from threadping.planning.selection import Selection

        return StudyRequest(pop_fields(self.stored, options), Selection(**options))

    @abstractmethod
    def prepare(self, asked: Asked, environment: "Environment") -> "PreparedRun":
        """Plan a run that answers a question here; raise UsageError if nothing can."""

    def schedule(self, run: Run, premises: Premises) -> "Schedule":
        """Return the schedule, rounds by default, from the stored record alone: a resumed run has the same."""
        from threadping.conduct.environment import schedule_rounds

        return schedule_rounds(run, premises)

    def observe(self, trial: Trial) -> Observation:
        """Read a trial's figures, as its experiment declares them."""
        return observe(trial, EXPERIMENTS[trial.case.experiment].figures)

    @abstractmethod
    def read(self, answer: Answer, asked: Any) -> Reading:
        """Read the answer to a question from a run; `asked` None is the stored question."""

    @abstractmethod
    def blocks(self, answer: Answer, result: Reading) -> Iterable[Block]:
        """Return what a person reads, the answer first."""

    def lead(self, answer: Answer) -> Iterable[Block]:
        """Return the answer in a few lines, shown above all rows; nothing where the rows are the answer."""
        return ()

    @abstractmethod
    def sheets(self, answer: Answer, result: Reading) -> Sequence[Sheet[Any]]:
        """Return the tables for programs; CSV has those of the first name."""

    def facts(self, answer: Answer, result: Reading) -> Mapping[str, Any]:
        """Return values about the whole, for the head of JSON and every line of CSV.

        `verdict` is a sentence, which only JSON has: like all that is no single value.
        """
        return {}

    def write(self, form: str, answer: Answer, result: Reading) -> str:
        """Return the answer in one of the study's own formats."""
        raise NotImplementedError(form)

    def left_out(self, answer: Answer, result: Reading, form: str) -> str:
        """Say in a sentence what a format omits; empty if nothing."""
        return ""

    def charts(self, answer: Answer, result: Reading) -> Sequence[Chart]:
        """Return the charts; raise ChartRefused if there is nothing to draw."""
        return ()

    def sections(self, answer: Answer) -> Iterable[Section]:
        """Return sections for the report of a run, of whatever study it is."""
        return ()

    def fault(self, answer: Answer, result: Reading) -> ThreadpingError | None:
        """Return the error of `--strict`, raised after printing; None if there is no doubt."""
        return None

    def exit_code(self, result: Reading, output: Output) -> int:
        """Return 0, or 1, 3 or 4 if the answer is to fail a script."""
        return 0


STUDIES = {  # by the tag of their runs, in the order of a report
    "survey": "survey.STUDY",
    "compare": "compare.study.STUDY",
    "matrix": "matrix.study.STUDY",
    "recommend-wait": "recommend_wait.study.STUDY",
    "reproduce-articles": "reproduce.study.ARTICLES",
    "reproduce-tool": "reproduce.study.TOOLS",
    "recommend-queue": "recommend_queue.STUDY",
    "doctor": "doctor.study.STUDY",
    "self-test": "doctor.self_test.STUDY",
    "recommend-cpus": "recommend_cpus.study.STUDY",
}

# Functions that render what else commands make of any run: an imported one is accepted only if all succeed
READERS = ("compare.study.readers", "states.readers", "fleet.command.readers")


def study_named(name: str) -> Study[Any, Any]:
    study: Study[Any, Any] = import_by_path(f"studies.{STUDIES[name]}")
    return study


def study_of(run: Run) -> Study[Any, Any]:
    return study_named(str(run.study.__struct_config__.tag))


def question_of(run: Run, kind: type[_Stored]) -> _Stored:
    """Return what is stored of the question of a run, which is of this kind."""
    assert isinstance(run.study, kind)
    return run.study


def show(
    study: Study[Any, Reading],
    answer: Answer,
    asked: Any,
    output: Output,
    problem: ThreadpingError | None = None,
    above: Iterable[Block] = (),
) -> int:
    """Write what a run says to a question, with `asked` None to its own, into files and then to stdout; the exit code.

    A table is printed below the blocks that are `above`. Raises UsageError for a format that the study does not write;
    and when all is written the run's `problem`, or what the study objects to where the output is strict.
    """
    check_format(study, output)
    result = study.read(answer, asked)
    code, fault = study.exit_code(result, output), study.fault(answer, result) if output.strict else None
    writers = [partial(write_answer, study, answer, result, path) for path in output.files]
    if output.form == "table":
        printing = partial(stdout().print, *above, *study.blocks(answer, result))
    else:
        printing = partial(write_export, written(study, answer, result, output.form))
        _say_left_out(study, answer, result, output.form)
    unwritten = deliver(printing, writers)
    if problem := problem or fault:
        raise problem
    return unwritten or code


def write_answer(study: Study[Any, Any], answer: Answer, result: Any, path: Path) -> None:
    """Write what a run says into a file, as its ending says: the report, a chart, or a format."""
    match form_of(path):
        case "html":
            from threadping.conduct.pages import write_page

            write_page([answer], path)
        case "svg" | "png":
            from threadping.output.charts import page_of, some

            draw(lambda: page_of(answer.run, some(study.charts(answer, result), "its table says all")), path)
        case form:
            files.write(path, written(study, answer, result, form).encode("utf-8", LEGIBLE), "the output")
            say_written(path)
            _say_left_out(study, answer, result, form)


def _say_left_out(study: Study[Any, Any], answer: Answer, result: Any, form: str) -> None:
    if said := study.left_out(answer, result, form):
        print(f"threadping: {said}", file=sys.stderr)


def formats_of(study: Study[Any, Any]) -> list[str]:
    return list(dict.fromkeys((*GENERAL, *study.formats)))


def check_format(study: Study[Any, Any], output: Output) -> None:
    """Raise UsageError where a study does not write the format that is asked for."""
    check_forms(output, [*formats_of(study), *PICTURES])
    if output.form == "run" and sys.stdout.isatty():
        raise UsageError(
            "The format run is for `threadping runs import`, not for a terminal: write it with -o FILE.run."
        )


GENERAL = ("json", "csv", "markdown", "run")  # the formats of every study, made of its sheets and blocks


def written(study: Study[Any, Reading], answer: Answer, result: Reading, form: str) -> str:
    """Return the answer in a format: the study's own, or one that every study has."""
    if form in study.formats:
        return study.write(form, answer, result)
    if form == "markdown":
        return as_markdown(study.blocks(answer, result))
    from threadping.output import bundle, run_records

    if form == "run":
        return run_records.bundle(bundle.analyse_shared(answer))
    sheets, facts = study.sheets(answer, result), study.facts(answer, result)
    if form == "json":
        return as_json(*sheets, **facts, run=run_records.run_entry(answer.run))
    alike = {name: fact for name, fact in facts.items() if name != "verdict" and isinstance(fact, str | int | float)}
    return as_csv(*sheets, **joined({"run": answer.run.id, "hostname": answer.run.machine.hostname}, alike))
