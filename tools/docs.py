"""Write the generated pages of docs/ from what the program itself prints: `python tools/docs.py`, or `make docs`.

A test compares each page with what this writes (tests/unit/test_docs.py), so no page repeats a text by hand.
"""

import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from threadping.analysis.answer import Answer
from threadping.analysis.checks import sentences, wording
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.validity import EFFECTS, USES, checks_of
from threadping.cli.app import PROGRAM
from threadping.conduct.pages import load_bundle
from threadping.experiments import declared
from threadping.options.program import EXIT_CODES, Command, Subjects
from threadping.output import layout
from threadping.output.heading import of_machine, of_runtimes
from threadping.output.names import mechanism, placement_label
from threadping.output.row_tables import numbered
from threadping.studies.reproduce.stated import tools

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GENERATED = "<!-- `make docs` writes this page from the program: tools/docs.py -->\n\n"
RUNS = DOCS / "results" / "runs"
ENVIRONMENT = re.compile(r"[A-Z]+(_[A-Z]+)+|CXX|CARGO|COLUMNS")  # among the words of `explain`


def cell(text: str) -> str:
    """Return a text as a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def rows(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for line in lines:
        yield f"| {' | '.join(map(cell, line))} |"


def page(title: str, about: str, lines: Iterable[str]) -> str:
    """Return a page: a title, paragraphs of what it is about, wrapped, and the lines below."""
    wrap = partial(textwrap.fill, width=120, break_long_words=False, break_on_hyphens=False)
    paragraphs = "\n\n".join(map(wrap, about.split("\n\n")))
    return f"# {title}\n\n{GENERATED}{paragraphs}\n\n" + "\n".join(lines) + "\n"


def commands_of(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Return the commands that a person can type, with the words that name them, in the order of the help."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if found is None or found.hidden:
            continue
        yield " ".join((*path, name)), found
        if isinstance(found, click.Group):
            yield from commands_of(found, (*path, name))


def options_of(command: click.Command) -> Iterator[click.Option]:
    return (one for one in command.params if isinstance(one, click.Option) and not one.hidden)


def sentence_of(command: click.Command) -> str:
    """Return what a command does: the first paragraph of its help."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def commands() -> str:
    """Return the page of commands: a section for each, then every option once."""
    known = list(commands_of(PROGRAM))
    return page(
        "Commands and options",
        "`threadping help COMMAND` prints the same. [Options](#options) are described once, below the commands.",
        (*_command_sections(known), *_option_table(known)),
    )


def _command_sections(known: Sequence[tuple[str, click.Command]]) -> Iterator[str]:
    described = set()
    for name, command in known:
        if sentence_of(command) in described:  # `compare signal` is what `compare lock` is
            continue
        described.add(sentence_of(command))
        yield f"## {name}\n"
        context = click.Context(command, info_name=f"threadping {name}")
        yield f"`threadping {name} {' '.join(command.collect_usage_pieces(context))}`\n"
        yield f"{sentence_of(command)}\n"
        if isinstance(command, Command):
            if command.examples:
                yield "```sh"
                yield from (f"threadping {words}  # {says}" for words, says in command.examples)
                yield "```\n"
            ends = {code: says for code, says in command.ends.items() if code in (3, 4)}
            if ends:
                yield f"{' '.join(f'Exit code {code}: {says}' for code, says in sorted(ends.items()))}\n"


def _option_table(known: Sequence[tuple[str, click.Command]]) -> Iterator[str]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, command in known:
        context = click.Context(command, info_name=name)
        for option in options_of(command):
            if record := option.get_help_record(context):
                found.setdefault((record[0], record[1]), []).append(name)
    yield "## Options\n"
    ordered = sorted(found.items(), key=lambda one: one[0][0].lstrip("-").lower())
    yield from rows(
        ("option", "what it does", "commands"),
        ((f"`{names}`", says, "; ".join(_shortened(where))) for (names, says), where in ordered),
    )


def _shortened(names: Sequence[str]) -> Iterator[str]:
    """Write the names of commands with their group once: `run signal, lock`; `run SUBJECT` for all of them."""
    groups: dict[str, list[str]] = {}
    for name in names:
        before, _, word = name.rpartition(" ")
        groups.setdefault(before, []).append(word)
    for before, words in groups.items():
        group = PROGRAM.commands.get(before)
        if isinstance(group, Subjects) and {*words} == {*group.commands}:
            words = ["SUBJECT"]
        yield " ".join(filter(None, (before, ", ".join(words))))


def mechanisms() -> str:
    """Return the page of mechanisms and parameters by experiment."""
    experiments = json.loads((ROOT / "contract" / "words.json").read_text(encoding="utf-8"))["experiments"]
    return page(
        "Mechanisms",
        "`threadping info mechanisms NAME` prints what one costs the CPU, and in which languages this machine has it.",
        _mechanism_tables(experiments),
    )


def _mechanism_tables(experiments: Mapping[str, Mapping[str, Mapping[str, str | Mapping[str, str]]]]) -> Iterator[str]:
    for name, one in experiments.items():
        described = {key: says for key, says in one["mechanisms"].items() if not isinstance(says, str)}
        alike: dict[str, list[str]] = {}
        for key, says in one["mechanisms"].items():
            if isinstance(says, str):
                alike.setdefault(says, []).append(f"`{key}`")
        yield f"## {name}\n"
        if described:
            yield from rows(
                ("mechanism", "what it does"), ((f"`{key}`", says["summary"]) for key, says in described.items())
            )
            yield ""
        yield from (f"As described under [{of}](#{of}): {', '.join(names)}.\n" for of, names in alike.items())
        if parameters := one.get("params"):
            yield from rows(("parameter", "meaning"), ((f"`{key}`", str(says)) for key, says in parameters.items()))
            yield ""


def metrics() -> str:
    """Return the page of metrics, each once, with the experiments that have it."""
    found: dict[tuple[str, ...], tuple[list[str], list[str]]] = {}
    for experiment, one in declared().items():
        for name, *line in _metrics_of(one):
            names, where = found.setdefault(tuple(line), ([], []))
            names.append(name)
            where.append(experiment)
    lines = ((_first_and_last(names), *line, _subjects(where)) for line, (names, where) in found.items())
    return page(
        "Metrics",
        "The JSON name leads to the value in a row; `threadping explain NAME` prints the same. "
        f"A distribution has the parts {', '.join(PERCENTILE_NAMES)} and `samples`.",
        rows(("in JSON", "in tables", "unit", "better", "meaning", "subjects"), lines),
    )


def _first_and_last(names: Sequence[str]) -> str:
    """Write the names of one metric at several places as the first and the last."""
    return " … ".join(dict.fromkeys((names[0], names[-1])))


def _subjects(named: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(named))
    return ", ".join(distinct) if len(distinct) < len(declared()) else "all"


def _metrics_of(one: Declaration) -> Iterator[tuple[str, str, str, str, str]]:
    better = {"less": "lower", "more": "higher", None: ""}
    for figure in one.figures:
        if figure.means:
            head = figure.head if figure.column else ""
            yield f"`{figure.name}`", head, figure.unit.replace("_", " "), better[figure.better], figure.means
    for timed in one.distributions:
        yield f"`{timed.name}.p99` …", f"{timed.head} p99".strip(), timed.unit, "", timed.means


def warnings() -> str:
    """Return the page of warnings and notes, by code."""
    found = checks_of(declared()).values()
    lines = ((f"`{one.code}`", one.level, wording(one).definition) for one in sorted(found, key=lambda one: one.code))
    return page(
        "Warnings and notes",
        "A **warning** (`!`) reports that something changed this result; a test or a limit decides it. "
        "An **error** (`✗`) reports that a result is missing or is not what its name says. "
        "A **note** (`i`) helps to read a result. `threadping explain CODE RUN` prints the facts of a run.",
        rows(("code", "level", "meaning"), lines),
    )


def uses() -> str:
    """Return the page that says which finding forbids which use of a result."""
    lines = ((f"`{code}`", *(effects[use] for use in USES)) for code, effects in EFFECTS.items())
    return page(
        "What a result may be used for",
        "Every command that ranks, compares, gates, recommends, exports or draws asks this table. "
        "An answer from unusable results is *cannot tell*, with the reason.\n\n"
        "*marked*: usable, and the answer names the code. "
        "*alike*: usable next to results with the same code only. "
        "A code that is not listed acts by its level: an error makes a result unusable for everything but a chart, "
        "a warning marks it, a note changes nothing.",
        rows(("code", *USES), lines),
    )


def numbers() -> str:
    """Return the page of other tools' numbers: what each is made of, and where that was read."""
    lines = (
        (
            f"`{tool.name}` {one.name}",
            one.times,
            one.divides,
            f"{one.over}, in {one.unit}",
            f"{'≈ ' if one.nearest else ''}`{one.case.title}`",
        )
        for tool in tools().values()
        for one in tool.numbers
    )
    sources = ((f"[`{one.name}`]({one.url})", one.source) for one in tools().values())
    return page(
        "Numbers of other tools",
        "`threadping reproduce TOOL` prints the same, with what threads it creates and where they run. "
        "≈ marks the nearest case where none repeats the protocol.",
        (
            *rows(("number", "times", "divides by", "samples", "repeated by"), lines),
            "\n## Sources\n",
            *rows(("tool", "read"), sources),
        ),
    )


def exit_codes() -> str:
    """Return the page of exit codes and of environment variables."""
    codes = {3: "The answer is no: slower, unfit, above a limit, unlike before.", 4: "Undecided, with --strict."}
    lines = ((f"`{code}`", says) for code, says in sorted({**EXIT_CODES, **codes}.items()))
    variables = ((f"`{word}`", says) for word, says in sentences().words.items() if ENVIRONMENT.fullmatch(word))
    return page(
        "Exit codes and environment variables",
        "Every command uses these codes; `--help` of a command says what 3 and 4 mean there. "
        "threadping decides the code and writes files before it prints, so a closed pipe (`| head`) changes neither.",
        (
            *rows(("exit code", "meaning"), lines),
            "\n## Environment variables\n",
            *rows(("variable", "meaning"), variables),
        ),
    )


def glossary() -> str:
    """Return the page of the words that threadping prints; `explain` knows the field's words too."""
    ours = tomllib.loads((ROOT / "src" / "threadping" / "analysis" / "words.toml").read_text(encoding="utf-8"))["words"]
    lines = [(word, sentences().words[word]) for word in ours if not ENVIRONMENT.fullmatch(word)]
    causes = ((f"`{word}`", f"{says[0].upper()}{says[1:]}.") for word, says in sentences().causes.items())
    return page(
        "Glossary",
        "`threadping explain WORD` prints these definitions, and those of the field's words: MESI, seq-cst, TSC, ….",
        (
            *rows(("word", "meaning"), sorted(lines, key=lambda line: line[0].casefold())),
            "\n## Causes of outliers\n",
            *rows(("cause", "meaning"), causes),
        ),
    )


def results() -> dict[str, str]:
    """Return a page for each machine of the stored runs in docs/results/runs, by file name, and their index."""
    by_machine: dict[str, list[tuple[Path, Answer]]] = {}
    for file in sorted(RUNS.glob("*.run")):
        for answer in load_bundle(file.read_bytes(), file.name):
            by_machine.setdefault(_machine_of(answer), []).append((file, answer))
    pages = {_name_of(machine): _machine_page(machine, answers) for machine, answers in by_machine.items()}
    lines = [
        (f"[{machine}]({_name_of(machine)})", _dates_of(answers), "`make results`")
        for machine, answers in by_machine.items()
    ]
    pages["index.md"] = page(
        "Results",
        "A program writes the numbers of a machine's page from the runs that it links. "
        "All machines so far are virtual machines with two CPUs.\n\n"
        "Send the result of yours by `threadping run -o my-machine.html`; "
        "`threadping runs import my-machine.html` reads it.",
        rows(("page", "measured", "measure again"), (*lines, *OTHER_RESULTS)),
    )
    return {f"results/{name}": text for name, text in pages.items()}


OTHER_RESULTS = (
    (
        "[Agreement with baselines and other tools](agreement.md)",
        "2026-11-28",
        "`make bench-agreement`, `make bench-reproduce`",
    ),
    ("Published articles of 2011 to 2015", "", "`threadping reproduce articles`"),
    ("Rust channels", "", "`make bench-channels`"),
)


def _name_of(machine: str) -> str:
    return f"{re.sub('[^a-z0-9]+', '-', machine.lower()).strip('-')}.md"


def _dates_of(answers: Sequence[tuple[Path, Answer]]) -> str:
    return ", ".join(sorted({answer.run.started[:10] for _, answer in answers}))


def _machine_page(machine: str, answers: Sequence[tuple[Path, Answer]]) -> str:
    return page(
        machine,
        "`make results` measures again. Each table is read from a stored run.",
        (line for file, answer in answers for line in _results_of(file, answer)),
    )


def _machine_of(answer: Answer) -> str:
    model, *_ = of_machine(answer.run.machine)
    return model


def _results_of(file: Path, answer: Answer) -> Iterator[str]:
    run = answer.run
    yield f"## {file.stem}\n"
    yield f"`threadping {' '.join(run.arguments)}`\n"
    yield f"{'; '.join((*of_machine(run.machine), *(text.plain for _, text in of_runtimes(answer))))}.\n"
    yield f"Measured {run.started[:10]} by threadping {run.version}. [Stored run](runs/{file.name}).\n"
    shown = numbered(answer)
    for name in dict.fromkeys(row.case.experiment for row in shown):
        if lines := [_result(row) for row in shown if row.case.experiment == name and row.headline]:
            yield f"### {name}: {declared()[name].title}\n"
            yield from rows(RESULT, lines)
            yield ""


RESULT = ("mechanism", "runtime", "threads", "placement", "core to core", "result", "95% interval", "p99", "marks")


def _result(row: Row) -> tuple[str, ...]:
    unit, timed = row.leading.unit, row.declared.distributions[0]
    tail = row.figures.get(f"{timed.name}.p99")
    return (
        f"`{mechanism(row.case)}`",
        row.case.runtime,
        str(row.case.threads),
        placement_label(row.case),
        layout.figure("ns", row.state.core_to_core_ns if row.state else None).plain,
        layout.figure(unit, row.headline).plain,
        layout.interval(unit, row.headline, len(row.trials)).plain,
        layout.figure(timed.unit, tail).plain,
        ", ".join(one.code for one in row.findings if one.level != "note"),
    )


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/commands.md": commands,
    "reference/mechanisms.md": mechanisms,
    "reference/metrics.md": metrics,
    "reference/warnings.md": warnings,
    "reference/glossary.md": glossary,
    "reference/exit-codes.md": exit_codes,
    "reference/uses.md": uses,
    "reference/tools.md": numbers,
}


def generated() -> dict[str, str]:
    """Return the text of every generated page but the results, which take seconds, by its name in docs/."""
    return {name: make() for name, make in PAGES.items()}


def main() -> None:
    """Write every generated page that differs; print their names."""
    for name, text in {**generated(), **results()}.items():
        file = DOCS / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
