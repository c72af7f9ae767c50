"""Write the generated pages of docs/ from what the program itself prints: `python tools/docs.py`, or `make docs`.

A test compares each page with what this writes (tests/unit/test_docs.py), so no page repeats a text by hand.
"""

import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from pathlib import Path

import click

from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.checks import sentences
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.health import every_code
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.validity import USES, effect_of
from threadping.cli.app import PROGRAM
from threadping.experiments import declared
from threadping.model.quantities import ABSENT
from threadping.options.program import EXIT_CODES, Command, Subjects
from threadping.output import layout
from threadping.output.bundle import unpack_runs
from threadping.output.heading import cpus, of_machine
from threadping.output.names import mechanism, placement_label
from threadping.output.row_tables import numbered
from threadping.studies.reproduce.stated import tools

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GENERATED = "<!-- `make docs` writes this page from the program: tools/docs.py -->\n\n"
RUNS = DOCS / "results" / "runs"
SUBJECTS = [name for name in declared() if name != "self-test"]  # what `run` takes: `doctor` has the self-test
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


def bullets(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Return a list of words in bold or code, each with its meaning, and an empty line."""
    yield from (f"- {word}: {' '.join(says.split()).replace('<', '&lt;')}" for word, says in lines)
    yield ""


def commands() -> str:
    """Return the page of commands: a section for each with its own options, then the options of several."""
    known = dict(commands_of(PROGRAM))
    alone, shared = _options(known)
    return page(
        "Commands and options",
        "`threadping help COMMAND` prints the same, with more examples. [Options of several "
        f"commands](#options-of-several-commands) are described once. {_compared(known)}",
        (*_command_sections(known, alone), *_shared_options(shared)),
    )


def _compared(known: Mapping[str, click.Command]) -> str:
    """Return which options of `run SUBJECT` its comparison lacks."""
    measured, compared = known["run signal"], known["compare signal"]
    lacks = {one.opts[-1] for one in options_of(measured)} - {one.opts[-1] for one in options_of(compared)}
    without = " and ".join(f"`{one}`" for one in sorted(lacks))
    return f"`compare SUBJECT` takes the options of `run SUBJECT`, without {without}."


MOST_COMMANDS = 14  # from this number on, their list would be longer than what the option does
Described = Mapping[str, Sequence[tuple[str, str]]]  # options and what they do, by the commands that take them


def _options(known: Mapping[str, click.Command]) -> tuple[Described, Described]:
    """Return the options of one command or subject, and those of several; formats and files as one each."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, command in known.items():
        context = click.Context(command, info_name=name)
        for option in options_of(command):
            if record := option.get_help_record(context):
                found.setdefault(record, []).append(name)
    for named in ("--format FORMAT", "-o, --output FILE"):
        variants = [record for record in found if record[0] == named]
        names = [name for record in variants for name in found.pop(record)]
        found[named, _united([says for _, says in variants])] = [name for name in known if name in names]
    alone: dict[str, list[tuple[str, str]]] = {}
    shared: dict[str, list[tuple[str, str]]] = {}
    for record, names in found.items():
        distinct = [name for name in names if not name.startswith("compare ")] or ["compare"]
        where = shared if len(distinct) > 1 else alone
        heading = "Most commands" if len(distinct) >= MOST_COMMANDS else "; ".join(_shortened(distinct))
        where.setdefault(heading, []).append(record)
    return alone, shared


def _united(texts: Sequence[str]) -> str:
    """Return the beginning that texts share, and what any of them lists: `Print table [default], json, csv`."""
    lead = " ".join(word for word, *others in zip(*map(str.split, texts), strict=False) if {*others} == {word})
    listed = dict.fromkeys(word.rstrip(".,") for says in texts for word in says.removeprefix(lead).split())
    return f"{lead} {', '.join(listed)}, as far as the command has them."


def _command_sections(known: Mapping[str, click.Command], alone: Described) -> Iterator[str]:
    described = set()
    for name, command in known.items():
        if sentence_of(command) in described:  # `compare signal` is what `compare lock` is
            continue
        described.add(sentence_of(command))
        yield f"## {name}\n"
        usage = command.collect_usage_pieces(click.Context(command))
        yield f"{sentence_of(command)}\n"
        if len(usage) > 1 and not usage[-1].endswith("[ARGS]..."):
            yield f"`threadping {name} {' '.join(usage)}`\n"
        if isinstance(command, Command):
            if (about := f"{name.removeprefix('run ')}.md") and (DOCS / "reference" / about).exists():
                yield f"[What it measures, with examples]({about})\n"
            elif command.examples:
                yield "```sh"
                yield from (f"threadping {words}  # {says}" for words, says in command.examples[:2])
                yield "```\n"
            if 3 in command.ends:
                yield f"Exit code 3: {command.ends[3]}\n"
        if name in alone:
            yield from bullets((f"`{option}`", says) for option, says in alone[name])


def _shared_options(shared: Described) -> Iterator[str]:
    yield "## Options of several commands\n"
    for names, options in sorted(shared.items(), key=lambda one: -len(one[1])):
        yield f"**{names}**\n"
        yield from bullets((f"`{option}`", says) for option, says in options)


def _shortened(names: Sequence[str]) -> Iterator[str]:
    """Write the names of commands with their group once: `run signal, lock`; `run [SUBJECT]` for all of them."""
    groups: dict[str, list[str]] = {}
    for name in names:
        before, _, word = name.rpartition(" ")
        groups.setdefault(before, []).append(word)
    for before, words in groups.items():
        group = PROGRAM.commands.get(before)
        others = [word for word in group.commands if word not in words] if isinstance(group, Subjects) else words
        if len(others) < min(3, len(words)):
            groups[before] = ["[SUBJECT]" if before in groups[""] else "SUBJECT", *(f"not {word}" for word in others)]
            groups[""] = [word for word in groups.get("", ()) if word != before]
    for before, words in groups.items():
        if words:
            yield f"{before} {', '.join(words)}".strip()


Words = Mapping[str, Mapping[str, Mapping[str, str | Mapping[str, str]]]]  # of contract/words.json, by experiment


def mechanisms() -> str:
    """Return the page of mechanisms by experiment, and of parameters."""
    words = json.loads((ROOT / "contract" / "words.json").read_text(encoding="utf-8"))["experiments"]
    experiments = {name: words[name] for name in SUBJECTS}
    return page(
        "Mechanisms and parameters",
        "`threadping info mechanisms NAME` prints what one costs the CPU, and in which languages this machine has it.",
        (*_mechanism_lists(experiments), "## Parameters\n", *_parameters(experiments)),
    )


def _mechanism_lists(experiments: Words) -> Iterator[str]:
    for name, one in experiments.items():
        described = {key: says for key, says in one["mechanisms"].items() if not isinstance(says, str)}
        alike: dict[str, list[str]] = {}
        for key, says in one["mechanisms"].items():
            if isinstance(says, str):
                alike.setdefault(says, []).append(key)
        yield f"## {name}\n"
        yield from bullets((f"`{key}`", says["summary"]) for key, says in described.items())
        for of, names in alike.items():
            theirs = {key for key, says in experiments[of]["mechanisms"].items() if not isinstance(says, str)}
            named = "all" if {*names} == theirs else ", ".join(f"`{key}`" for key in names)
            yield f"As for [{of}](#{of}): {named}.\n"


def _parameters(experiments: Words) -> Iterator[str]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, one in experiments.items():
        for key, says in one.get("params", {}).items():
            found.setdefault((key, str(says)), []).append(name)
    ordered = sorted(found.items(), key=lambda line: line[0][0])
    yield from bullets((f"`{key}` ({', '.join(where)})", says) for (key, says), where in ordered)


EACH_TRIAL = (  # what the page of metrics says once, above the lists
    "; over trials the median",
    " Over trials the median.",
    "; every trial has the same weight",
    " Every trial has the same weight.",
    ", including waiting",
)


def metrics() -> str:
    """Return the page of metrics by subject; those of all subjects first."""
    found: dict[tuple[str, ...], list[str]] = {}
    for experiment in SUBJECTS:
        for line in _metrics_of(declared()[experiment]):
            found.setdefault(line, []).append(experiment)
    alike: dict[tuple[str, ...], list[str]] = {}
    for (name, *rest), where in found.items():
        alike.setdefault((_subjects(where), *rest), []).append(name)
    sections: dict[str, list[tuple[str, str]]] = {}
    for (subjects, *rest), names in alike.items():
        sections.setdefault(subjects, []).append(_metric(names, *rest))
    return page(
        "Metrics",
        "Each line has the metric's name in JSON and in tables, its unit, and which direction is better: ↓ lower, "
        "↑ higher. `threadping explain NAME` prints the same.\n\n"
        f"A distribution (`.*`) has the parts {', '.join(PERCENTILE_NAMES)} and `samples`, to which every trial "
        "contributes with the same weight. Next to it, `.typical` is a trial's median and `.mean` its mean, nothing "
        "left out. CPU time includes waiting. Over trials a row has the median, of means the mean, unless the line "
        "says otherwise.",
        (
            line
            for names in sorted(sections, key=lambda one: ("All" not in one, "," not in one))
            for line in (f"## {names}\n", *bullets(sections[names]))
        ),
    )


def _metric(names: Sequence[str], head: str, unit: str, better: str, means: str) -> tuple[str, str]:
    for phrase in EACH_TRIAL:
        means = means.replace(phrase, "")
    name = " … ".join(f"`{one}`" for one in dict.fromkeys((names[0], names[-1])))
    return f"{name} ({', '.join(filter(None, (head, ' '.join(filter(None, (unit, better))))))})", means


def _subjects(named: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(named))
    return ", ".join(distinct) if len(distinct) < len(SUBJECTS) else "All subjects"


def _metrics_of(one: Declaration) -> Iterator[tuple[str, str, str, str, str]]:
    better = {"less": "↓", "more": "↑", None: ""}
    timed = {distribution.name for distribution in one.distributions}
    for figure in one.figures:
        name, _, part = figure.name.rpartition(".")
        usual = name in timed and part in ("typical", "mean") and figure.means.startswith("A trial's ")
        if figure.means and not usual:
            head = figure.head if figure.column else ""
            yield figure.name, head, figure.unit.replace("_", " "), better[figure.better], figure.means
    for distribution in one.distributions:
        yield f"{distribution.name}.*", distribution.head, distribution.unit, "", distribution.means


def warnings() -> str:
    """Return the page of errors, warnings and notes, by code."""
    found = sorted((code, sentences().findings[code]) for code in every_code(declared()))
    levels = {
        "error": "A result is missing (`✗`), or is not what its name says.",
        "warning": "Something changed this result (`!`); a test or a limit decides it.",
        "note": "A note (`i`) helps to read a result.",
    }
    return page(
        "Warnings and notes",
        "`threadping explain CODE RUN` prints the facts of a run.",
        (
            line
            for level, says in levels.items()
            for line in (
                f"## {level.capitalize()}s\n",
                f"{says}\n",
                *bullets((f"`{code}`", words.definition) for code, words in found if words.level == level),
            )
        ),
    )


def uses() -> str:
    """Return the page that says which finding forbids which use of a result."""
    return page(
        "What a result may be used for",
        "Every command that ranks, compares, gates, recommends, exports or draws asks this list; what a line leaves "
        "out is usable. An answer from unusable results is *cannot tell*, with the reason.\n\n"
        "*marked*: usable, and the answer names the code. "
        "*alike*: usable next to results with the same code only. "
        "A code that is not listed acts by its level: an error makes a result unusable for everything but a chart, "
        "a warning marks it, a note changes nothing.",
        bullets((f"`{code}`", _effects(code)) for code, words in sentences().findings.items() if words.uses),
    )


def _effects(code: str) -> str:
    by_effect: dict[str, list[str]] = {}
    for use in USES:
        by_effect.setdefault(effect_of(code, "note", use), []).append(use)
    return "; ".join(f"{effect} ({', '.join(uses)})" for effect, uses in by_effect.items() if effect != "usable")


def numbers() -> str:
    """Return the page of other tools' numbers: what each is made of, and where that was read."""
    lines = (
        (
            f"[{tool.name}]({tool.url}) {one.name}",
            f"{one.times}; ÷ {one.divides}; ".removesuffix("÷ nothing; ") + f"{one.over}, in {one.unit}. "
            f"{'≈ ' if one.nearest else ''}`{one.case.title}`",
        )
        for tool in tools().values()
        for one in tool.numbers
    )
    return page(
        "Numbers of other tools",
        "What a number times, its divisor (÷), its samples, and the case that repeats it or comes near (≈).",
        bullets(lines),
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
            *bullets(lines),
            "## Environment variables\n",
            *bullets(variables),
        ),
    )


COMMON = (  # beginnings of definitions, each the head of a list of its own
    ("Verdicts of a comparison", "A verdict of a comparison: "),
    ("Reasons for doubt in a comparison", "A reason for doubt in a comparison: "),
    ("Failed trials", "A failed trial "),
)
ELSEWHERE = "A placement: "  # how the definitions of reference/cpus.md begin


def glossary() -> str:
    """Return the page of the words that threadping prints; `explain` knows the field's words too."""
    ours = tomllib.loads((ROOT / "src" / "threadping" / "analysis" / "words.toml").read_text(encoding="utf-8"))["words"]
    words = sorted((word for word in ours if not ENVIRONMENT.fullmatch(word)), key=str.casefold)
    lists: dict[str, list[tuple[str, str]]] = {"": [], **{head: [] for head, _ in COMMON}}
    for word in words:
        says = sentences().words[word]
        if says.startswith(ELSEWHERE):
            continue
        head, common = next((one for one in COMMON if says.startswith(one[1])), ("", ""))
        rest = says.removeprefix(common)
        lists[head].append((f"**{word}**", rest[0].upper() + rest[1:] if common.endswith(": ") else rest))
    return page(
        "Glossary",
        "`threadping explain WORD` prints these definitions, and those of the field's words: MESI, seq-cst, TSC, …. "
        "[Placements](cpus.md), [causes of outliers](wakeup.md#causes-of-outliers), [metrics](metrics.md) and "
        "[warnings](warnings.md) have pages of their own.",
        (
            *bullets(lists[""]),
            *(line for head, common in COMMON for line in (f"## {head}\n", *_listed(common, lists[head]))),
        ),
    )


def _listed(common: str, lines: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not common.endswith(": "):
        yield f"{common.strip()} is one\n"
    yield from bullets(lines)


def results() -> dict[str, str]:
    """Return a page for each machine of the stored runs in docs/results/runs, by file name, and their index."""
    by_machine: dict[str, list[tuple[Path, Answer]]] = {}
    for file in sorted(RUNS.glob("*.run")):
        for one in unpack_runs(file.read_bytes(), file.name):
            answer = analyse(one.run, one.observations, one.pings, declared())
            by_machine.setdefault(cpus(answer.run.machine), []).append((file, answer))
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


def _results_of(file: Path, answer: Answer) -> Iterator[str]:
    run = answer.run
    yield f"## {file.stem}\n"
    yield f"`threadping {' '.join(run.arguments)}`\n"
    yield f"{'; '.join(text.plain for _, text in of_machine(answer))}.\n"
    yield f"Measured {run.started[:10]} by threadping {run.version}. [Stored run](runs/{file.name}).\n"
    shown = numbered(answer)
    for name in dict.fromkeys(row.case.experiment for row in shown):
        if lines := [_result(row) for row in shown if row.case.experiment == name and row.headline]:
            yield f"### {name}: {declared()[name].title}\n"
            filled = [any(line[at] not in ("", ABSENT) for line in lines) for at in range(len(RESULT))]
            yield from rows([*compress(RESULT, filled)], ([*compress(line, filled)] for line in lines))
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
        layout.sure(unit, row.headline, len(row.trials), ends=True).plain,
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
