"""HTML reports, `.run` files and what hosts send, mutated: each is refused in a sentence, or every command reads it.

    python -m tests.fuzz.pages 100000 [SEED]

A structured mutant changes the values of a run and has the right digest, so that it comes as far as it can. A mutant of
bytes has its digest made anew, or not. One in three is structured, and one in a thousand is read by every command: the
others, if their values can be, by one that is drawn.
"""

import base64
import bz2
import contextlib
import hashlib
import io
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from tests.conftest import CapturedStream
from tests.fuzz.mutate import change, drop_span, flip_bit, insert_fragment, places, replace_bytes
from tests.golden import fixture, minute
from tests.unit.studies.examples import ANSWERS
from threadping.analysis.answer import Answer
from threadping.cli import app
from threadping.cli.report import store_all
from threadping.conduct.pages import load_bundle
from threadping.model.errors import PageUnreadable
from threadping.model.run import NOBODY, Run, Stored
from threadping.output.bundle import CLOSE, FORMAT, OPEN, carry_run, embed_runs, unpack_runs
from threadping.store.store import Store, open_store

SLOWEST_S = 20.0
"""Maximum CPU seconds of a mutant: a reader that hangs fails."""


def small(stored: Stored, trials: int = 12) -> Stored:
    """The first trials of a run, with distributions of a few values: a mutant costs 0.1 s."""
    kept = tuple(
        replace(
            seen,
            distributions={
                name: replace(of, values=of.values[:8], counts=of.counts[:8]) for name, of in seen.distributions.items()
            },
        )
        for seen in stored.observations[:trials]
    )
    there = {seen.case for seen in kept}
    run = replace(stored.run, cases=tuple(case for case in stored.run.cases if case in there))
    return carry_run(replace(stored, run=run, observations=kept, pings=stored.pings[: 2 * trials]))


def corpus() -> list[Stored]:
    """A run of each study, and a first one."""
    runs = {**ANSWERS, "minute": minute.ANSWER}
    every = runs.values()
    return [small(one.stored) for one in every]


# ---- mutants ----

BYTES = (flip_bit, flip_bit, replace_bytes, replace_bytes, insert_fragment, drop_span)


def structured(encoded: bytes, paths: Mapping[str, Sequence[tuple[Any, ...]]], chance: random.Random) -> bytes:
    """A page of an encoded run with one to four of its values changed, and the right digest."""
    whole = msgspec.msgpack.decode(encoded)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        change(whole, paths[chance.choice(("run", "run", "observations", "pings"))], chance)
    return packed(msgspec.msgpack.encode(whole))


def packed(encoded: bytes) -> bytes:
    data = bz2.compress(encoded, 1)
    one = {"sha256": hashlib.sha256(data).hexdigest(), "data": base64.b64encode(data).decode()}
    return f"{OPEN}{msgspec.json.encode({'format': FORMAT, 'runs': [one]}).decode()}{CLOSE}".encode()


def spoilt(content: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        content = chance.choice(BYTES)(chance, content, ())
    return content


def of_bytes(page: bytes, encoded: bytes, chance: random.Random) -> bytes:
    """A page that was spoilt as a file, or whose run was before it was compressed."""
    return packed(spoilt(encoded, chance)) if chance.random() < 0.7 else spoilt(page, chance)


# ---- what is asked of each ----


def import_and_read(store: Store, content: bytes) -> str:
    """Import a mutant, and let every command read it; what became of it. Any other error escapes."""
    found = admitted(content)
    if found is None:
        return "refused"
    with _unseen():
        store_all(str(store.place), [("mutant.run", one.stored) for one in found])
    for run, _ in store.listed()[0]:
        if run.id != 1:
            store.pings_of_machine(run.machine)
            for words in COMMANDS:
                read_by(store, words, run.id)
    assert [run.id for run, _ in store.listed()[0]] == [1], "rm left it"
    return "read"


def read_by_one(store: Store, content: bytes, chance: random.Random) -> str:
    """Let a command that is drawn read a mutant whose values can be; what became of it. Any other error escapes.

    Whether import lets it in is asked only where the command fails: import reads it by all of them, which takes long.
    """
    try:
        runs = unpack_runs(content, "mutant.run")
    except PageUnreadable as refused:
        check_sentence(refused)
        return "refused"
    try:
        for one in runs:
            stored = replace(one, run=replace(one.run, id=0, owner=NOBODY))
            run = imported(store, stored) if chance.random() < IMPORTED else store.take(stored)
            store.pings_of_machine(run.machine)
            read_by(store, chance.choice(COMMANDS), run.id)
    except Exception:
        if admitted(content) is not None:
            raise
        return "refused by import"
    finally:
        remove_mutants(store)
    return "read"


IMPORTED = 0.1
"""Share of mutants stored by `import`, which first looks for the same run: that costs as much as a command."""


def imported(store: Store, stored: Stored) -> Run:
    with _unseen():
        store_all(str(store.place), [("mutant.run", stored)])
    return next(run for run, _ in store.listed()[0] if run.id != 1)


def remove_mutants(store: Store) -> None:
    for run, _ in store.listed()[0]:
        if run.id != 1:
            store.remove(run.id, force=True)


def admitted(content: bytes) -> list[Answer] | None:
    """Return the runs that import validation accepts; None if it refuses the content in a sentence."""
    try:
        return load_bundle(content, "mutant.run")
    except PageUnreadable as refused:
        check_sentence(refused)
        return None


def check_sentence(refused: PageUnreadable) -> None:
    assert 30 < len(str(refused)) < 400 and "\n" not in str(refused), refused


def read_by(store: Store, words: Sequence[str], run: int) -> None:
    """Let a command read a stored run; it ends with 0, or with a sentence."""
    with _unseen() as said:
        code = app.run([*(str(run) if word == RUN else word for word in words), "--store", str(store.place)])
    lines = said.buffer.getvalue().splitlines()
    assert code == 0 or lines[-1].startswith(b"threadping: "), (words, code, lines[-5:])


@contextlib.contextmanager
def _unseen() -> Iterator[CapturedStream]:
    said = CapturedStream(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        yield said


RUN = "RUN"
COMMANDS = (
    ("runs", "list"),
    ("runs", "list", "--format", "json"),
    *(("show", RUN, "--format", form) for form in ("table", "json", "csv", "hlog")),
    ("show", RUN, "--trials"),
    ("show", RUN, "--states"),
    ("report", RUN, "--format", "markdown"),
    ("compare", RUN),
    ("compare", "1", RUN, "--across-machines"),
    ("explain", "core to core", RUN),
    ("runs", "rm", RUN),
)
"""All that a person may ask of a stored run; at last to remove it."""


def fuzz(mutants: Iterator[bytes], seed: int, keep: Path | None = None, each: int = 1000) -> Counter[str]:
    """Count the outcomes of mutants. Failing mutants go into a folder; without a folder, the first one raises.

    One in `each` is imported and read by every command, the others by one that is drawn.
    """
    outcomes, chance = Counter[str](), random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # numpy's would appear between the lines of an answer
        with open_store(str(Path(folder) / "runs.sqlite3")) as store:
            store.take(carry_run(fixture.MOVED.stored))
            for number, content in enumerate(mutants):
                begun = time.process_time()
                try:
                    by_all = number % each == each - 1
                    outcomes[import_and_read(store, content) if by_all else read_by_one(store, content, chance)] += 1
                except BaseException as error:
                    if keep is None or isinstance(error, KeyboardInterrupt):
                        raise
                    outcomes[f"FAILED: {traceback.format_exc().splitlines()[-1][:120]}"] += 1
                    (keep / f"{number}.run").write_bytes(content)
                    (keep / f"{number}.txt").write_text(traceback.format_exc())
                    remove_mutants(store)
                if keep and number % 1000 == 999:
                    print(number + 1, dict(outcomes), flush=True)
                if time.process_time() - begun > SLOWEST_S:
                    outcomes["SLOW"] += 1
                    if keep:
                        (keep / f"slow-{number}.run").write_bytes(content)
    return outcomes


def mutants(seed: int, *, structured_each: int = 3) -> Iterator[bytes]:
    """Yield endless mutants of alternating studies; one in `structured_each` is structured, the others change bytes."""
    chance, runs = random.Random(seed), []
    for one in corpus():
        encoded = msgspec.msgpack.encode(one)
        whole = msgspec.msgpack.decode(encoded)
        paths = {part: [*places(whole[part], (part,))] for part in whole}
        runs.append((encoded, embed_runs([one]).encode(), paths))
    for number in count():
        encoded, page, paths = runs[number // structured_each % len(runs)]
        is_of_bytes = number % structured_each
        yield of_bytes(page, encoded, chance) if is_of_bytes else structured(encoded, paths, chance)


def main(number: int, seed: int = 1) -> int:
    begun, keep = time.process_time(), Path(tempfile.mkdtemp(prefix="threadping-fuzz-"))
    outcomes = fuzz(islice(mutants(seed), number), seed, keep)
    print(f"{number:,} inputs in {time.process_time() - begun:.0f} s of CPU time: {dict(outcomes)}")
    failed = any(what == "SLOW" or what.startswith("FAILED") for what in outcomes)
    print(f"kept in {keep}" if failed else "none failed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
