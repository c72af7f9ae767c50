"""The first screen: what a newcomer asks, answered by a run in one terminal of 80 columns and 30 lines."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.latency_map import surveyed_map
from threadping.analysis.questions import QuestionLine
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import brief
from threadping.characters import plain
from threadping.model.run import Run
from threadping.proposals import proposed
from threadping.relation import usable
from threadping.rows import findings
from threadping.rows.coverage import left_out
from threadping.rows.heading import next_commands, to_resume, with_room
from threadping.rows.pivot import OF_FEW
from threadping.rows.tables import Detail, rows_of
from threadping.rows.top import above_questions, answered, asks, is_few
from threadping.sheets.grid import AsWide, Block, Blocks, Flow
from threadping.sheets.names import mechanism
from threadping.sheets.printing import rendered
from threadping.views.heat import small_map

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

    return AsWide(fit)


def _below_the_map(answer: Answer, asked: Sequence[QuestionLine]) -> Blocks:
    rows = _marks(answer, asked) if asked else rows_of(answer, Detail())
    return Blocks.of(*answered(answer, asked), *rows, *left_out(answer), *_not_measured(answer), *_next(answer))


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
