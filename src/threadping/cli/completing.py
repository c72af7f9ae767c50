"""What a shell completes: names of mechanisms, runtimes, placements, runs and words, as they are here.

Nothing is started for it, and nothing said where something is wrong: a shell that completes has no place for it.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import click
from click.shell_completion import CompletionItem, get_completion_class

from threadping.characters import plain
from threadping.errors import ThreadpingError
from threadping.experiments import EXPERIMENTS, declared
from threadping.machine.placements import PLACEMENT_NAMES
from threadping.options.command import COMPLETING
from threadping.probes.runtimes import find_runtimes
from threadping.probes.words import words
from threadping.rows.explanation import terms
from threadping.rows.heading import local_time
from threadping.store.database import open_store
from threadping.studies.like.tools import tools
from threadping.studies.published.articles import articles

MOST_OFFERED = 30
"""The newest runs that are offered."""

Offered = Iterator[tuple[str, str]]
"""Names, each with what a shell that has room for it shows beside the name."""


def print_script(shell: str) -> None:
    """Print what makes a shell complete, to be evaluated by it."""
    script = get_completion_class(shell)
    assert script
    print(script(click.Command("threadping"), {}, "threadping", COMPLETING).source(), end="")


def complete_word(known: str, context: click.Context, given: str) -> list[CompletionItem[str]]:
    """Complete the last of some names with commas in between by those that are `known`."""
    begun, comma, last = given.rpartition(",")
    items = []
    with suppress(ThreadpingError, OSError):
        for name, says in KNOWN[known](context):
            if name.startswith(last):
                items.append(CompletionItem(f"{begun}{comma}{plain(name)}", help=plain(says)))
    return items


def _mechanisms(context: click.Context) -> Offered:
    """Those of the experiment whose command it is, else of all."""
    said, found = words(), dict[str, str]()
    for experiment in _experiments(context):
        for name in said.experiments[experiment].mechanisms:
            of_it = said.of(experiment, name)
            found.setdefault(name, of_it.summary if of_it else "")
    yield from found.items()


def _params(context: click.Context) -> Offered:
    found: dict[str, str] = {}
    for experiment in _experiments(context):
        for name, sentence in words().experiments[experiment].params.items():
            found.setdefault(f"{name}=", sentence)
    yield from found.items()


def _experiments(context: click.Context) -> list[str]:
    """Those that the command is, or names; all where it names none."""
    # After an option without its value click leaves the arguments where they are, and reads none.
    named = {context.info_name, context.params.get("experiment"), *(context.params.get("what") or ()), *context.args}
    return [one for one in words().experiments if one in named or not named & EXPERIMENTS.keys()]


def _runtimes(_context: click.Context) -> Offered:
    return ((one.label, one.version) for one in find_runtimes(os.environ).runtimes)


def _placements(_context: click.Context) -> Offered:
    return ((name, "") for name in PLACEMENT_NAMES)


def _runs(context: click.Context) -> Offered:
    yield "last", "the newest run"
    with open_store(context.params.get("location"), create=False) as store:
        for run, _ in store.listed(MOST_OFFERED)[0]:
            yield str(run.id), f"{local_time(run.started)}, {' '.join(run.arguments)}"


def _words(_context: click.Context) -> Offered:
    return ((one, "") for one in terms(declared(), None, words()))


def _articles(_context: click.Context) -> Offered:
    return ((one, "") for one in articles().experiments)


def _tools(_context: click.Context) -> Offered:
    return ((name, one.says) for name, one in tools().items())


KNOWN: Mapping[str, Callable[[click.Context], Offered]] = {
    "mechanisms": _mechanisms,
    "params": _params,
    "runtimes": _runtimes,
    "placements": _placements,
    "runs": _runs,
    "words": _words,
    "articles": _articles,
    "tools": _tools,
}
