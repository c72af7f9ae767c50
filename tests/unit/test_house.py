"""Rules for every file of the package: names, imports in functions, docstrings, and a budget of lines."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import threadping

ROOT = Path(threadping.__file__).parent

OF_EACH = {"CHECKS", "EXPERIMENT", "FIGURES", "LOOP", "QUESTIONS", "STUDY"}
"""Names that every module of a kind defines, read as `lock.FIGURES`, `trials.CHECKS`."""

WAITING = {
    "numpy": "permutations and intervals of many trials need it, `--help`, a list and most runs that are shown do not",
    "threadping.studies.compare": "the same, by `permutation`",
    "threadping.conduct.stored": "the store",
    "threadping.analysis.latency_map": "numpy, for a map of more than two CPUs",
    "threadping.output": "exports and pages: a table does not wait for what only they need",
    "threadping.probes.language": "whether mechanisms changed between runs: who shows one does not ask",
    "threadping.store.store": "the store",
    "threadping.store.postgresql": "psycopg, an extra that not every machine has",
    "concurrent.futures": "what packs many records: a list of runs does not",
    "threadping.studies.matrix.pasted": "what `report` of somebody's matrix needs, and no other command",
    "threadping.conduct.pages": "jinja2 and the store, for a page and for a run from elsewhere",
    "threadping.output.page": "jinja2, for a report",
    "threadping.output.charts": "charts: what `report` without one does not wait for",
    "hdrh.histogram": "an extra that not every machine has",
    "vl_convert": "an extra that not every machine has",
    "threadping.studies.fleet.cluster": "Dask: most commands of a fleet need none",
    "msgspec": "the texts of a command: the help of all has its own",
    "hashlib": "what only reads, or says its version: OpenSSL takes 15 ms",
    "difflib": "for a mistyped name",
    "tomllib": "the same",
    "ctypes": "for the start of a probe",
    "threadping.probes.interrupts": "Ctrl-C that comes while Python imports",
    "threadping.cli.app": "Ctrl-C that comes while Python imports",
    "threadping.model.base": "msgspec, for a clock that is out of all bounds",
    "threadping.conduct.environment": "what measures: showing a run does not wait for it",
    "threadping.planning.cases": "the same",
    "threadping.planning.selection": "the same",
}
"""Modules imported in functions, and the commands that do not wait for them; CONTRIBUTING has the milliseconds."""


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    return tuple(
        (path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())) for path in sorted(ROOT.rglob("*.py"))
    )


def statements(tree: ast.AST, inside: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Every statement of a module, and whether it is in a function; expressions, which are most of a tree, are left."""
    for one in (
        each for name in ("body", "orelse", "handlers", "finalbody", "cases") for each in getattr(tree, name, ())
    ):
        yield one, inside
        yield from statements(one, inside or isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))


def named(statement: ast.stmt) -> str | None:
    """The type or constant that a statement of a module defines."""
    if isinstance(statement, ast.ClassDef):
        return statement.name
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    return target.id if isinstance(target, ast.Name) and target.id.lstrip("_")[:1].isupper() else None


def test_no_type_and_no_constant_means_two_things() -> None:
    places = defaultdict(list)
    for path, tree in sources():
        for statement in tree.body:
            if (name := named(statement)) and name not in OF_EACH:
                places[name].append(f"{path}:{statement.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_import_waits_in_a_function_but_those_that_are_listed() -> None:
    waiting = set()
    for node in (one for _, tree in sources() for one, inside in statements(tree) if inside):
        if isinstance(node, ast.ImportFrom):
            waiting.add(node.module)
        elif isinstance(node, ast.Import):
            waiting |= {one.name for one in node.names}
    assert waiting == {*WAITING}


FRAGMENTS = re.compile(
    r"(So|As many|Of|What|Those|Which|Who|That|Whether|How|Where|Whose|By|In|For|From|Nothing but)\b(?!-)"
)


def test_no_docstring_begins_as_a_fragment() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    found = [
        f"{path}:{getattr(node, 'lineno', 1)}"
        for path, tree in sources()
        for node in (tree, *(one for one, _ in statements(tree)))
        if isinstance(node, documented) and FRAGMENTS.match(ast.get_docstring(node) or "")
    ]
    assert found == []


MAX_LINES = {
    # package: (maximum today, what it is to become); lower the first whenever a package has shrunk
    "cli": (778, 700),
    "studies": (9_558, 9_500),
    "options": (891, 700),
    "conduct": (2_219, 2_200),
    "experiments": (807, 1_100),
    "planning": (1_888, 1_800),
    "output": (4_679, 3_900),
    "analysis": (4_547, 3_600),
    "store": (930, 700),
    "probes": (3_619, 3_300),
    "model": (2_733, 2_500),
}


def test_no_package_exceeds_its_budget_of_lines() -> None:
    assert sum(wished for _, wished in MAX_LINES.values()) <= 30_000
    lines: dict[str, int] = defaultdict(int)
    for path in ROOT.rglob("*.py"):
        package, *rest = path.relative_to(ROOT).parts
        if rest and package != "_probes":
            lines[package] += path.read_text().count("\n")
    assert {name: lines[name] for name, (most, _) in MAX_LINES.items() if lines[name] > most} == {}
    assert lines.keys() == MAX_LINES.keys()


MAX_TEST_LINES = (34_503, 33_000)  # (maximum today, what it is to become)


def test_the_tests_do_not_exceed_their_budget_of_lines() -> None:
    tests = Path(__file__).parents[1].rglob("*.py")
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in tests) <= MAX_TEST_LINES[0]
