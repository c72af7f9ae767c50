"""The survey: `run` and each experiment measure what is selected in rounds; `show` shows the rows of any run."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from threadping.analysis.answer import Answer
from threadping.conduct.articles import digest
from threadping.conduct.output import Output
from threadping.conduct.registry import study_of
from threadping.conduct.study import Study
from threadping.errors import ThreadpingError, Undecided, UsageError
from threadping.model.run import Premises, Run
from threadping.model.studies import Survey
from threadping.plan.narrow import NOT_NARROW
from threadping.quantities import counted
from threadping.rows.points import left_out
from threadping.rows.sheets import facts_of, sheets_of
from threadping.rows.tables import Shown, only, tables, trials_table
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block
from threadping.sheets.records import whole_of
from threadping.studies.survey.screen import screen
from threadping.views.carried import analyse_shared
from threadping.views.charts.style import Chart
from threadping.views.export import FORMATS
from threadping.views.export.as_hdr import hgrm_files
from threadping.views.formats import EXPORTS, form_of
from threadping.views.page.sections import Section

if TYPE_CHECKING:  # showing a run does not wait 60 ms for what measures one
    from threadping.conduct.begun import Begun
    from threadping.conduct.scene import Scene
    from threadping.plan.schedule import Schedule
    from threadping.selection.selection import Selection


def _writer(name: str) -> Callable[[Answer, Shown, Output], str]:
    def write(answer: Answer, shown: Shown, _output: Output) -> str:
        if shown.trials and not EXPORTS[name].each_trial:
            raise UsageError(f"The format {name} is of rows, which have their trials: leave --trials out.")
        if name == "run" and shown.detail and shown.detail.is_part:
            raise UsageError("The format run carries a whole run: leave --experiment and --state out.")
        return FORMATS[name](_shared(answer, shown), shown.trials)

    return write


def _wanted(answer: Answer, shown: Shown) -> Answer:
    return only(answer, shown.detail) if shown.detail else answer


def _shared(answer: Answer, shown: Shown) -> Answer:
    """What is shown, as it may be given away."""
    return _wanted(analyse_shared(answer), shown)


def _answered(answer: Answer) -> Mapping[str, Any]:
    """What the command said that made the run, where it was to answer something else."""
    study = study_of(answer.run)
    if isinstance(study, SurveyStudy) or not study.shows_rows:
        return {}
    result = study.read(answer, None)
    said = whole_of(*study.sheets(answer, result), study=answer.run.study.name, **study.facts(answer, result))
    return {"answer": said}


class SurveyStudy(Study["Selection", Shown]):
    """Rows: each case in each state of the machine."""

    formats: ClassVar[Mapping[str, Any]] = {
        **{name: _writer(name) for name in FORMATS},
        "markdown": lambda answer, shown, _: digest(answer),  # its screen is for a terminal alone
    }

    def ask(self, **options: Any) -> "Selection":
        """What is selected."""
        from threadping.selection.selection import Selection  # only to measure

        return Selection(**options)

    def begin(self, asked: "Selection", scene: "Scene") -> "Begun":
        """Plan as many of the selected cases as the budget allows."""
        from threadping.conduct.rounds import rounds_of  # only to measure
        from threadping.selection.cases import expand

        here = scene.inventory(scene.runtimes_of(asked), scene.missing(asked), asked.cpus)
        return rounds_of(expand(asked, here), here, asked, Survey())

    def schedule(self, run: Run, premises: Premises) -> "Schedule":
        """Every case once in each round; then those again that are least certain."""
        from threadping.conduct.rounds import schedule_rounds  # only to measure

        return schedule_rounds(run, premises)

    def read(self, answer: Answer, asked: Any) -> Shown:
        """What of the answer is shown: all of it is there already."""
        return asked if isinstance(asked, Shown) else Shown()

    def files(self, answer: Answer, result: Shown, path: Path) -> Mapping[Path, str]:
        """Histograms are a file each: into a folder all of them, into a file one."""
        if form_of(path) != "hgrm" and not path.is_dir():
            return {}
        found = hgrm_files(_shared(answer, result), result.trials)
        if path.is_dir():
            return {path / name: text for name, text in found.items()}
        if len(found) == 1:
            return dict.fromkeys([path], *found.values())
        raise UsageError(
            f"{path} would hold {counted(len(found), 'histogram')}, and what reads such a file takes one. Name a "
            f"folder for them: `threadping show {answer.run.id} -o {path.with_suffix('')}/`."
        )

    def left_out(self, answer: Answer, result: Shown, form: str) -> str:
        """Cases without a figure, and rows that are not to be compared, where a format has others alone."""
        is_part = form in EXPORTS and EXPORTS[form].of_points
        return left_out(_wanted(answer, result), form) if is_part else ""

    def blocks(self, answer: Answer, result: Shown) -> Iterable[Block]:
        """The first screen; with a detail every row, or the trials one by one."""
        if result.trials:
            yield trials_table(_wanted(answer, result))
        else:
            yield tables(answer, result.detail) if result.detail else screen(answer)

    def sheets(self, answer: Answer, result: Shown) -> Sequence[Sheet[Any]]:
        """The rows, or the trials one by one, and the states of the machine."""
        return sheets_of(_shared(answer, result), trials=result.trials)

    def facts(self, answer: Answer, result: Shown) -> Mapping[str, Any]:
        """What the study of the run answered, if that is another; the machine, and what was found of all of the run."""
        shared = analyse_shared(answer)
        return {**_answered(shared), **facts_of(shared)}

    def charts(self, answer: Answer, result: Shown) -> Sequence[Chart]:
        """Those of the rows that the tables have."""
        from threadping.views.charts.answer import every  # only to draw

        return every(_wanted(answer, result))

    def sections(self, answer: Answer) -> Iterable[Section]:
        """The machine, each experiment, warnings, and what was not measured."""
        from threadping.studies.survey.sections import sections  # only for a page

        return sections(answer)

    def fault(self, answer: Answer, result: Shown) -> ThreadpingError | None:
        """What `--strict` objects to: cases that failed; warnings, and cases that --until does not know well enough."""
        failed = len({row.case for row in answer.rows if row.failed})
        warned = Counter(one.code for row in answer.rows for one in row.findings if one.level != "note")
        codes = [f"{code} ({times})" for code, times in warned.most_common()]
        parts = [f"trials of {failed} of the cases failed"] * bool(failed) + [", ".join(codes)] * bool(codes)
        parts += [f"some {NOT_NARROW} --until"] * (NOT_NARROW in (answer.run.note or ""))
        if not parts:
            return None
        code = next(iter(warned), "trial-failed" if failed else "")
        means = f" `threadping explain {code}` says what that means." if code else ""
        return (ThreadpingError if failed else Undecided)(f"--strict: {'; '.join(parts)}.{means}")


STUDY = SurveyStudy()
