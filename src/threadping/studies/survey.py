"""The survey: `run` and each experiment measure what is selected in rounds; `show` shows the rows of any run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions
from rich.text import Text

from threadping.analysis import checks, questions, row_warnings
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Row, by_experiment
from threadping.conduct.study import Study, study_of
from threadping.model import errors, quantities, text
from threadping.model.run import Run, Survey
from threadping.output import findings, heading, layout, listings, printing, row_tables
from threadping.output.formats import EXPORTS
from threadping.output.names import mechanism
from threadping.output.screen import RowView, above_questions, answered, asks, leading_tables, only, rows_of, tables_of
from threadping.planning.defaults import NOT_NARROW
from threadping.probes.placements import usable

if TYPE_CHECKING:
    from threadping.conduct.environment import Environment
    from threadping.conduct.study import PreparedRun, StudyRequest

MOST_ON_PAGE = 500  # rows of an experiment: more are for programs. Every two of 128 CPUs are 8,128


def _experiment(
    answer: Answer, rows: Sequence[Row], declared: Declaration, name: str, drawn: Sequence[layout.Chart]
) -> layout.Section:
    meant = {of.column.head: of.means for of in declared.figures if of.column and of.means}
    meant |= {of.head or of.noun: of.means for of in declared.distributions if of.means}
    words = layout.grid([*meant.items()], layout.named("", itemgetter(0)), layout.named("", itemgetter(1)))
    leading = rows[:MOST_ON_PAGE]
    details = [
        layout.Details("Every percentile", list(row_tables.percentiles_tables(leading, declared))),
        layout.Details("Why the slowest were slow", list(row_tables.outliers_tables(leading, declared))),
        layout.Details("How it was measured", [*declared.notes, words]),
    ]
    title = f"{name}: {declared.title_of(row.case for row in rows)}"
    blocks = list(leading_tables(answer, leading, declared))
    if len(rows) > MOST_ON_PAGE:
        blocks.append(f"The first {MOST_ON_PAGE} of {len(rows):,} rows: CSV and JSON have all.")
    shown = [one for one in details if one.blocks]
    return layout.Section(name, title, drawn, blocks, shown, place=2, digest=not asks(answer))


def _warnings(answer: Answer) -> Iterator[layout.Details]:
    """Give for each code that was found its mark, of how many rows, and what it means: the gravest first."""
    from threadping.output import explanation

    of_rows = {one.code: one for one in reversed(findings.found(answer.rows))}
    levels = {**{one.code: one.level for one in answer.findings}, **{code: one.level for code, one in of_rows.items()}}
    number = {code: len(of_rows[code].of) if code in of_rows else 0 for code in levels}
    for code in sorted(levels, key=lambda code: (checks.LEVELS.index(levels[code]), -number[code])):
        of = quantities.counted(number[code], "row") if number[code] else "machine and run"
        _, *said = explanation.of_code(code, answer)
        yield layout.Details(f"{code}: {of}", said, findings.LEVEL_MARKS[levels[code]])


# ---- the study ----

MOST_MARKS, MOST_NAMES = 2, 3  # codes, and things not measured, that are named; of others, how many they are
HEIGHT, PROMPTS = 30, 2  # lines of a terminal, unless it is higher; and of the shell before and after
COMPILING = ("--cxx", "--cxxflags", "--cargoflags")  # the options that compile a custom mechanism


def screen(answer: Answer) -> layout.Block:
    """Show what a run answers: its questions; of a run of one experiment the tables of that."""
    asked, by_chance, groups = asks(answer), sum(map(row_warnings.by_chance, answer.rows)), []
    following = [*_next(answer, asked)]
    if answer.survey:  # of all CPUs, where there are more than two
        from threadping.analysis.latency_map import surveyed_map
        from threadping.output import heat

        groups = [heat.groups_line(of, answer.run.machine.topology)] if (of := surveyed_map(answer)) else []

    def fit(console: Console, options: ConsoleOptions) -> Iterator[layout.Block]:
        """Yield as many questions as fit into the terminal."""
        height = max(HEIGHT, console.height - PROMPTS if console.is_terminal else 0)
        for rank in range(max((line.rank for line in asked), default=0), -1, -1):
            fitting = [line for line in asked if line.rank <= rank]
            above = (*above_questions(answer, fitting), *groups)
            shown = layout.Blocks.of(*above, _below(answer, fitting, by_chance), *following)
            if len(console.render_lines(printing.Rendered(shown), options, pad=False)) <= height:
                break
        yield shown

    return layout.WidthDependent(fit)


def _below(answer: Answer, asked: Sequence[questions.QuestionLine], by_chance: float) -> layout.Blocks:
    rows = (answered(answer, asked), *_marks(answer, asked, by_chance)) if asked else rows_of(answer)
    missing = list(heading.not_measured(answer))
    things = list(dict.fromkeys(text.plain(one.what) for one in answer.run.skipped if not one.budget))
    if things:  # in one line; those for which time was too short are in what to type next
        why = [Text(findings.explain(answer, "not-measured"), "cyan")] if answer.run.id else []
        missing.append(layout.Flow([Text(f"Not measured: {', '.join(_first(things))}", "dim"), *why]))
    return layout.Blocks.of(*rows, *missing)


def _marks(answer: Answer, asked: Sequence[questions.QuestionLine], by_chance: float) -> Iterator[layout.Block]:
    """Say what the marks mean: a line for each code with its worst case, then what is found of the machine."""
    shown = {id(row): row for line in asked for rows in line.rows.values() for row in rows if findings.grave(row)}
    found = [one for one in findings.found(shown.values()) if one.level != "note"]
    codes = [one.code for one in found[MOST_MARKS:]]
    codes += [one.code for one in answer.findings if one.code not in findings.SHOWN_ELSEWHERE]
    few = any(len(rows) > 1 and any(map(row_tables.is_of_few, rows)) for line in asked for rows in line.rows.values())
    last = [row_tables.OF_FEW] if few else []
    last += [f"also: {', '.join(_first(list(dict.fromkeys(codes))))}"] if codes else []
    last += [f"{quantities.at_most(by_chance)} by chance"] if found and by_chance else []
    last += [findings.explain(answer, [*codes, *(one.code for one in found)][0])] if found or codes else []
    if last:
        yield Text()
    for one in found[:MOST_MARKS]:
        row, finding = one.worst
        more = f" and {len(one.of) - 1} more" if len(one.of) > 1 else ""
        facts = text.plain(finding.text("brief"))
        who = f" {mechanism(row.case)} {text.plain(row.case.runtime)}{more}{facts and f': {facts}'}"
        yield Text.assemble(findings.mark(one.level), " ", (one.code, "bold"), f" {who}")
    if last:
        yield layout.Flow([Text(one, "cyan" if one.startswith("threadping") else "") for one in last])


def _first(names: Sequence[str]) -> list[str]:
    return [*names[:MOST_NAMES], *([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])]


def _next(answer: Answer, asked: Sequence[questions.QuestionLine]) -> Iterator[layout.Block]:
    """Say what to type next, each with what it shows."""
    run = answer.run
    shows = {text.proposed("show", str(run.id)): "every case, percentiles, warnings"} if run.id else {}
    if not asked:
        shows = {text.proposed("show", str(run.id), "--outliers"): "why the slowest were slow"} if run.id else {}
        # Nobody knows what else a probe of somebody's own measures.
        by_path = {one.label for one in run.runtimes if not one.is_found}
        for name, rows in by_experiment(answer.rows).items():
            follows = answer.declared[name].follows(rows)
            known = {words: says for words, says in follows.items() if by_path.isdisjoint(words)}
            shows |= {text.proposed(*_as_given(words, run)): says for words, says in known.items()}
    if len(usable(run.machine.topology)) > 2:
        shows[text.proposed("matrix")] = "every two CPUs, as a map"
    shows |= {**heading.with_room(run), **_with_tails(answer, asked)}
    yield from heading.next_commands({**heading.to_resume(run), **shows})


def _with_tails(answer: Answer, asked: Sequence[questions.QuestionLine]) -> Mapping[str, str]:
    """Return the command whose budget gives every latency of the first screen its p99.9; empty where all have it."""
    tails = [(one.timed, rows[-1].figures) for one in asked for rows in one.rows.values() if one.timed]
    known = [(of, of.get(f"{timed}.samples"), f"{timed}.{row_warnings.HIGHEST}") for timed, of in tails]
    samples = [found.value for of, found, highest in known if found and highest not in of]
    run = answer.run
    if not samples or not run.arguments or run.imported:
        return {}
    longer = ceil(run.budget_s * max(TWICE, row_warnings.NEEDED / max(1.0, min(samples))))
    return {heading.with_budget(run, quantities.budget(longer)): "p99.9 of every latency"}


TWICE = 2.0  # factor of the budget: one trial alone reached the percentile


def _as_given(words: Sequence[str], run: Run) -> Sequence[str]:
    """Return the words with custom mechanisms named by their files, and with the flags that compiled them."""
    given = {own.name: own.source for one in run.runtimes for own in one.own}
    if given.keys().isdisjoint(words):
        return words
    flags: list[str] = []
    for word, value in zip(run.arguments, (*run.arguments[1:], ""), strict=True):
        name, joined, _ = word.partition("=")
        if name in COMPILING:
            flags += [word] if joined else [word, value]
    return [*(given.get(word, word) for word in words), *flags]


def _shared(answer: Answer, shown: RowView | None) -> Answer:
    """Return what is shown, as it may be given away."""
    from threadping.output import bundle

    return only(bundle.analyse_shared(answer), shown)


class SurveyStudy(Study["StudyRequest", RowView | None]):
    """Rows: each case in each state of the machine; without a view the first screen."""

    stored, is_of_rows = Survey, True
    formats = ("hgrm", "hlog", "run", "bencher", "markdown")

    def prepare(self, asked: "StudyRequest", environment: "Environment") -> "PreparedRun":
        from threadping.conduct.environment import prepare_rounds
        from threadping.planning.cases import expand

        selection, runtimes = asked.selection, environment.runtimes_of(asked.selection)
        here = environment.inventory(runtimes, usual=not selection.runtimes, cpus=selection.cpus)
        return prepare_rounds(expand(selection, here), here, asked)

    def read(self, answer: Answer, asked: Any) -> RowView | None:
        return asked if isinstance(asked, RowView) else None

    def write(self, form: str, answer: Answer, result: RowView | None) -> str:
        if form == "markdown":  # its screen is for a terminal alone
            from threadping.conduct.pages import digest

            return digest(answer)
        from threadping.output import run_records

        if result and result.trials and not EXPORTS[form].each_trial:
            raise errors.UsageError(f"--format {form} writes rows, not trials: leave --trials out.")
        if form == "run" and result and result.is_part:
            raise errors.UsageError("The format run carries a whole run: leave filters and --metric out.")
        return run_records.FORMATS[form](_shared(answer, result))

    def left_out(self, answer: Answer, result: RowView | None, form: str) -> str:
        if form not in EXPORTS or not EXPORTS[form].of_points:
            return ""
        from threadping.output import run_records

        return run_records.left_out(only(answer, result), form)

    def blocks(self, answer: Answer, result: RowView | None) -> Iterable[layout.Block]:
        yield tables_of(answer, result) if result else screen(answer)

    def sheets(self, answer: Answer, result: RowView | None) -> Sequence[layout.Sheet[Any]]:
        from threadping.output import run_records

        return run_records.sheets_of(_shared(answer, result), trials=bool(result and result.trials))

    def facts(self, answer: Answer, result: RowView | None) -> Mapping[str, Any]:
        from threadping.output import bundle, records, run_records

        shared, study = bundle.analyse_shared(answer), study_of(answer.run)
        if isinstance(study, SurveyStudy) or not study.shows_rows:
            return run_records.facts_of(shared)
        reading = study.read(shared, None)
        sheets, facts = study.sheets(shared, reading), study.facts(shared, reading)
        return {
            "answer": records.whole_of(*sheets, study=answer.run.study.name, **facts),
            **run_records.facts_of(shared),
        }

    def charts(self, answer: Answer, result: RowView | None) -> Sequence[layout.Chart]:
        from threadping.output.charts import every

        return every(only(answer, result))

    def sections(self, answer: Answer) -> Iterable[layout.Section]:
        from threadping.output.charts import charts_of

        rows, drawn = row_tables.numbered(answer), charts_of(answer)
        for name, mine in by_experiment(rows).items():
            yield _experiment(answer, mine, answer.declared[name], name, drawn.get(name, ()))
        if warned := list(_warnings(answer)):
            of_chance = [*findings.of_chance(rows)]
            yield layout.Section("warnings", "Warnings and notes", (), of_chance, warned, 4, digest=True)
        if missing := [*heading.not_measured(answer), *listings.reasons("", answer.run.skipped)]:
            details = [layout.Details("What was left out, and why", missing)]
            yield layout.Section("not-measured", "Not measured", details=details, place=4)

    def fault(self, answer: Answer, result: RowView | None) -> errors.ThreadpingError | None:
        failed = len({row.case for row in answer.rows if row.failed})
        warned = Counter(one.code for row in answer.rows for one in row.findings if one.level != "note")
        codes = [f"{code} ({times})" for code, times in warned.most_common()]
        parts = [f"trials of {failed} of the cases failed"] * bool(failed) + [", ".join(codes)] * bool(codes)
        parts += [f"some cases {NOT_NARROW} --until"] * (NOT_NARROW in (answer.run.note or ""))
        if not parts:
            return None
        code = next(iter(warned), "trial-failed" if failed else "")
        means = f"`threadping explain {code}` says what that means." if code else "Give a larger --budget or --until."
        return (errors.ThreadpingError if failed else errors.Undecided)(f"--strict: {'; '.join(parts)}. {means}")


STUDY = SurveyStudy()
