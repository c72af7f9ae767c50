"""The survey: `run` and each experiment measure what is selected in rounds; `show` shows the rows of any run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console, ConsoleOptions
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.checks import brief
from threadping.analysis.latency_map import surveyed_map
from threadping.analysis.questions import QuestionLine
from threadping.analysis.warnings import checks_of
from threadping.conduct.pages import digest
from threadping.conduct.study import Output, Study, study_of
from threadping.model import quantities
from threadping.model.characters import plain
from threadping.model.errors import ThreadpingError, Undecided, UsageError
from threadping.model.proposals import proposed
from threadping.model.quantities import counted
from threadping.model.run import Premises, Run
from threadping.model.studies import Survey
from threadping.model.topology import usable
from threadping.output import findings
from threadping.output.bundle import analyse_shared
from threadping.output.charts.style import Chart
from threadping.output.export import FORMATS, hgrm_files, left_out
from threadping.output.formats import EXPORTS, form_of
from threadping.output.heading import next_commands, not_measured, to_resume, with_room
from threadping.output.heat import small_map
from threadping.output.layout import Block, Blocks, Flow, Sheet, WidthDependent
from threadping.output.names import mechanism
from threadping.output.page.sections import Section
from threadping.output.printing import rendered
from threadping.output.records import whole_of
from threadping.output.row_tables import OF_FEW, trials_table
from threadping.output.run_records import facts_of, sheets_of
from threadping.output.screen import (
    RowView,
    TableOptions,
    above_questions,
    answered,
    asks,
    is_few,
    only,
    rows_of,
    tables_of,
)
from threadping.planning.plan import NOT_NARROW

if TYPE_CHECKING:
    from threadping.conduct.environment import Environment
    from threadping.conduct.study import PreparedRun
    from threadping.planning.schedule import Schedule
    from threadping.planning.selection import Selection

MOST_MARKS, MOST_NAMES = 2, 3
"""So many codes, and things not measured, are named; of more it says how many they are."""

HEIGHT, PROMPTS = 30, 2
"""Of a terminal, in lines, unless it is higher; and what the shell writes before and after."""

COMPILING = ("--cxx", "--cxxflags", "--cargoflags")
"""What compiles a mechanism of the user's own."""

MAP = 6
"""So many lines a map has before questions that may go are shown."""


def screen(answer: Answer) -> Block:
    """What a run answers: its questions; of a run of one experiment the tables of that."""
    asked, of = asks(answer), surveyed_map(answer)

    def fit(console: Console, options: ConsoleOptions) -> Iterator[Block]:
        """As many questions as the terminal has room for; what is left is the map's, if every two CPUs were pinged."""
        height = max(HEIGHT, console.height - PROMPTS if console.is_terminal else 0)
        for rank in range(max((line.rank for line in asked), default=0), -1, -1):
            fitting = [line for line in asked if line.rank <= rank]
            above, below = Blocks.of(*above_questions(answer, fitting)), _below_the_map(answer, fitting)
            parts = (console.render_lines(rendered(part), options, pad=False) for part in (above, below))
            room = height - sum(map(len, parts))
            if room >= (MAP if of else 0):
                break
        yield above
        if of:
            yield small_map(of, answer.run.machine.topology, room)
        yield below

    return WidthDependent(fit)


def _below_the_map(answer: Answer, asked: Sequence[QuestionLine]) -> Blocks:
    rows = _marks(answer, asked) if asked else rows_of(answer, TableOptions())
    return Blocks.of(*answered(answer, asked), *rows, *not_measured(answer), *_not_measured(answer), *_next(answer))


def _marks(answer: Answer, asked: Sequence[QuestionLine]) -> Iterator[Block]:
    """What the marks mean: a line for each code with its worst case, then what is found of the machine."""
    checks = checks_of(answer.declared)
    shown = {id(row): row for line in asked for rows in line.rows.values() for row in rows if findings.grave(row)}
    found = [one for one in findings.found(shown.values()) if one.level != "note"]
    codes = [one.code for one in found[MOST_MARKS:]]
    codes += [one.code for one in answer.findings if one.code not in findings.SHOWN_ELSEWHERE]
    few = any(len(rows) > 1 and is_few(rows) for line in asked for rows in line.rows.values())
    last = [OF_FEW] if few else []
    last += [f"also: {', '.join(_first(list(dict.fromkeys(codes))))}"] if codes else []
    expected = findings.by_chance(answer.rows)
    last += [f"{quantities.at_most(expected)} by chance"] if found and expected else []
    last += [findings.explain(answer, [*codes, *(one.code for one in found)][0])] if found or codes else []
    if last:
        yield Text()
    for one in found[:MOST_MARKS]:
        row, finding = one.worst
        more = f" and {len(one.of) - 1} more" if len(one.of) > 1 else ""
        facts = plain(brief(checks[one.code], finding))
        who = f" {mechanism(row.case)} {plain(row.case.runtime)}{more}{facts and f': {facts}'}"
        yield Text.assemble(findings.mark(one.level), " ", (one.code, "bold"), f" {who}")
    if last:
        yield Flow([Text(one, "cyan" if one.startswith("threadping") else "") for one in last])


def _first(names: Sequence[str]) -> list[str]:
    """The first few names, and how many more there are."""
    return [*names[:MOST_NAMES], *([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])]


def _not_measured(answer: Answer) -> Iterator[Block]:
    """In one line; those for which time was too short stand in what to type next."""
    run = answer.run
    things = list(dict.fromkeys(plain(one.what) for one in run.skipped if not one.budget))
    if things:
        missing = Text(f"Not measured: {', '.join(_first(things))}", "dim")
        yield Flow([missing, *([Text(findings.explain(answer, "not-measured"), "cyan")] if run.id else [])])


def _next(answer: Answer) -> Iterator[Block]:
    """What to type next, each with what it shows."""
    run = answer.run
    stored = ("show", str(run.id))
    shows = {proposed(*stored): "every case, percentiles, warnings"} if run.id else {}
    if not asks(answer):
        shows = {proposed(*stored, "--outliers"): "why the slowest were slow"} if run.id else {}
        for name, declared in answer.declared.items():
            follows = declared.follows([row for row in answer.rows if row.case.experiment == name])
            shows |= {
                proposed(*_as_given(words, run)): says for words, says in follows.items() if _can_follow(words, run)
            }
    if len(usable(run.machine.topology)) > 2:
        shows[proposed("matrix")] = "every two CPUs, as a map"
    yield from next_commands({**to_resume(run), **shows, **with_room(run)})


def _as_given(words: Sequence[str], run: Run) -> Sequence[str]:
    """The words with mechanisms of the user's own named by their files, and with the flags that compiled them."""
    given = {own.name: own.source for one in run.runtimes for own in one.own}
    if given.keys().isdisjoint(words):
        return words
    each = zip(run.arguments, (*run.arguments[1:], ""), strict=True)
    flags = [part for word, value in each for part in _flag(word, value)]
    return [*(given.get(word, word) for word in words), *flags]


def _flag(word: str, value: str) -> Sequence[str]:
    name, given, _ = word.partition("=")
    return () if name not in COMPILING else (word,) if given else (word, value)


def _can_follow(words: Sequence[str], run: Run) -> bool:
    """Whether its runtimes are found without a path: nobody knows what else a probe of somebody's own measures."""
    return not any(one.label in words for one in run.runtimes if not one.is_found)


def _writer(name: str) -> Callable[[Answer, RowView, Output], str]:
    def write(answer: Answer, shown: RowView, _output: Output) -> str:
        if shown.trials and not EXPORTS[name].each_trial:
            raise UsageError(f"The format {name} is of rows, which have their trials: leave --trials out.")
        if name == "run" and shown.detail and shown.detail.is_part:
            raise UsageError("The format run carries a whole run: leave --experiment and --state out.")
        return FORMATS[name](_shared(answer, shown), shown.trials)

    return write


def _wanted(answer: Answer, shown: RowView) -> Answer:
    return only(answer, shown.detail) if shown.detail else answer


def _shared(answer: Answer, shown: RowView) -> Answer:
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


class SurveyStudy(Study["Selection", RowView]):
    """Rows: each case in each state of the machine."""

    formats: ClassVar[Mapping[str, Any]] = {
        **{name: _writer(name) for name in FORMATS},
        "markdown": lambda answer, shown, _: digest(answer),  # its screen is for a terminal alone
    }

    def ask(self, **options: Any) -> "Selection":
        """What is selected."""
        from threadping.planning.selection import Selection

        return Selection(**options)

    def prepare(self, asked: "Selection", environment: "Environment") -> "PreparedRun":
        """Plan as many of the selected cases as the budget allows."""
        from threadping.conduct.environment import prepare_rounds
        from threadping.planning.cases import expand

        here = environment.inventory(environment.runtimes_of(asked), environment.missing(asked), asked.cpus)
        return prepare_rounds(expand(asked, here), here, asked, Survey())

    def schedule(self, run: Run, premises: Premises) -> "Schedule":
        """Every case once in each round; then those again that are least certain."""
        from threadping.conduct.environment import schedule_rounds

        return schedule_rounds(run, premises)

    def read(self, answer: Answer, asked: Any) -> RowView:
        """What of the answer is shown: all of it is there already."""
        return asked if isinstance(asked, RowView) else RowView()

    def files(self, answer: Answer, result: RowView, path: Path) -> Mapping[Path, str]:
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

    def left_out(self, answer: Answer, result: RowView, form: str) -> str:
        """Cases without a figure, and rows that are not to be compared, where a format has others alone."""
        is_part = form in EXPORTS and EXPORTS[form].of_points
        return left_out(_wanted(answer, result), form) if is_part else ""

    def blocks(self, answer: Answer, result: RowView) -> Iterable[Block]:
        """The first screen; with a detail every row, or the trials one by one."""
        if result.trials:
            yield trials_table(_wanted(answer, result))
        else:
            yield tables_of(answer, result.detail) if result.detail else screen(answer)

    def sheets(self, answer: Answer, result: RowView) -> Sequence[Sheet[Any]]:
        """The rows, or the trials one by one, and the states of the machine."""
        return sheets_of(_shared(answer, result), trials=result.trials)

    def facts(self, answer: Answer, result: RowView) -> Mapping[str, Any]:
        """What the study of the run answered, if that is another; the machine, and what was found of all of the run."""
        shared = analyse_shared(answer)
        return {**_answered(shared), **facts_of(shared)}

    def charts(self, answer: Answer, result: RowView) -> Sequence[Chart]:
        """Those of the rows that the tables have."""
        from threadping.output.charts.answer import every

        return every(_wanted(answer, result))

    def sections(self, answer: Answer) -> Iterable[Section]:
        """The machine, each experiment, warnings, and what was not measured."""
        from threadping.studies.survey.sections import sections

        return sections(answer)

    def fault(self, answer: Answer, result: RowView) -> ThreadpingError | None:
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
