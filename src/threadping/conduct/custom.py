"""Custom mechanisms: their runtimes, and the cost of threadping's loop next to a hand-written baseline."""

import os
import platform
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import isfinite
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.row_warnings import LOADED, cost_of
from threadping.model import reading
from threadping.model.cases import LoopPairs, OwnMechanism, Runtime
from threadping.model.contract import (
    HIGHEST_SEED,
    SCHEMA,
    SECOND,
    ExperimentDescription,
    Policy,
    Request,
    ThreadRequest,
    WarmupRequest,
)
from threadping.model.errors import ProbeUnusable, UsageError
from threadping.planning.defaults import (
    COMPILED_MEASURE_S,
    SLEEPER_WARMUP_S,
    STREAM_COMPILING_S,
    Length,
    in_blocks,
    in_periods,
    in_rounds,
)
from threadping.planning.plan import STEADY
from threadping.probes.build_cache import Telling, evict
from threadping.probes.builds import JavaClass, OwnSource, build_of, own_java
from threadping.probes.custom_cpp import check, check_once, classes_of, compiled, find_compiler
from threadping.probes.custom_rust import crate_compiled, find_cargo
from threadping.probes.language import probes_folder
from threadping.probes.machine import others_since
from threadping.probes.process import NotStarted, run_bounded, temporary_folder
from threadping.probes.runtimes import describe
from threadping.probes.trial import run_trial

# Experiments whose operations follow each other without a pause, with their windows: next to a pause a loop costs
# nothing.
LOOPS: dict[str, Callable[[int, int, int, bool], Policy]] = {
    "signal": in_blocks,
    "lock": in_periods,
    "ring": in_periods,
    "crowd": in_rounds,
}

# Threads where it is not two: of two threads the fairness of a lock decides the duration of an operation
LOOP_THREADS = {"lock": 1}


class BareLength(Struct, frozen=True):
    """The number of pairs, the length of a trial, and that of a hand-written baseline (ms).

    After `most_s` seconds no further pair begins, on a busy machine: fewer than six say nothing.
    """

    pairs: int
    trial: Length
    bare_ms: int
    most_s: float = 10.0


LENGTHS: dict[str, BareLength] = {  # by language, of those with a hand-written baseline
    "cpp": BareLength(12, Length(0.02, 0.04), 40),
    "java": BareLength(8, Length(STREAM_COMPILING_S, COMPILED_MEASURE_S), 100, most_s=20.0),
}

START_SECONDS, BARE_SECONDS = 5.0, 10.0  # limits of a start, and of a hand-written baseline, which has none of its own


def with_loop(
    own: OwnMechanism, language: str, cpus: Sequence[int], kept: Path, telling: Callable[[str], None]
) -> OwnMechanism:
    """Return the mechanism with the cost of its loop on these two CPUs.

    From the folder where its probe is kept, if that was settled on this host; what the pairs could not tell is measured
    again. Without it where it, or its language, has no such loop, or where it cannot be measured.
    """
    if language not in LENGTHS:
        return own
    file = kept / f"loop-{platform.node()}-{'-'.join(map(str, cpus))}.json"
    pairs = _read(file)
    if pairs is None:
        telling(f"measuring {own.source} in turn with a bare loop …")
        pairs = measure_loop(own, language, cpus)
        if pairs and cost_of(pairs).verdict != "unknown":
            with suppress(OSError):
                file.write_bytes(msgspec.json.encode(pairs))
    return msgspec.structs.replace(own, loop=pairs)


def _read(file: Path) -> LoopPairs | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=LoopPairs)
    except (OSError, msgspec.DecodeError):
        return None


def measure_loop(own: OwnMechanism, language: str, cpus: Sequence[int]) -> LoopPairs | None:
    """Measure pairs of a trial and a hand-written baseline, interleaved; None if no pair is usable.

    A pair under load is not usable: a thread that loses its CPU costs a trial, which lasts a fixed
    time, another share than it costs a loop of a fixed number of operations.
    """
    probe, length = Runtime(own.name, language, own.command, ""), LENGTHS[language]
    try:
        described = describe(probe).description.experiments
    except ProbeUnusable:
        return None
    experiment = next((one for one in described if one.name in LOOPS and one.mechanisms), None)
    if experiment is None:
        return None
    found: list[tuple[float, float]] = []
    begun = monotonic()
    for place in range(length.pairs):
        if monotonic() - begun > length.most_s:
            break
        in_turn = [
            lambda: _ours(probe, _request(experiment, own.name, cpus, length.trial)),
            lambda: _bare(own, cpus, length.bare_ms),
        ]
        of_others = others_since(cpus)
        order = (0, 1) if place % 2 == 0 else (1, 0)
        seen = dict(zip(order, (in_turn[one]() for one in order), strict=True))
        loaded = (of_others() or 0.0) > LOADED
        if not loaded and (ours := seen[0]) is not None and (bare := seen[1]) is not None:
            found.append((ours, bare))
    if not found:
        return None
    ours_ns, bare_ns = zip(*found, strict=True)
    return LoopPairs(experiment.name, tuple(cpus[: LOOP_THREADS.get(experiment.name, 2)]), ours_ns, bare_ns)


def _ours(probe: Runtime, request: Request) -> float | None:
    result = run_trial(probe, request, start_seconds=START_SECONDS).result
    ns = reading.ns_per_op(result) if result else 0.0
    return ns if isfinite(ns) and ns > 0 else None


def _bare(own: OwnMechanism, cpus: Sequence[int], milliseconds: int) -> float | None:
    """Return the nanoseconds per operation that the probe prints for `bare CPU CPU MILLISECONDS`."""
    try:
        with temporary_folder() as folder:
            words = ("bare", *map(str, cpus), str(milliseconds))
            ended = run_bounded((*own.command, *words), folder=folder, seconds=BARE_SECONDS)
        ns = float(ended.log.strip().splitlines()[-1]) if ended.status == 0 else 0.0
    except (NotStarted, ValueError, IndexError):
        return None
    return ns if isfinite(ns) and ns > 0 else None


def _request(experiment: ExperimentDescription, name: str, cpus: Sequence[int], length: Length) -> Request:
    mechanism = experiment.mechanisms[0]
    warmup_ns, measure_ns = int(length.warmup_s * SECOND), int(length.measure_s * SECOND)
    if mechanism.blocking:
        warmup_ns = max(warmup_ns, int(SLEEPER_WARMUP_S * SECOND))
    policy = LOOPS[experiment.name](measure_ns, warmup_ns, 1, mechanism.blocking)
    return Request(
        schema=SCHEMA,
        experiment=experiment.name,
        mechanism=name,
        params={},
        threads=tuple(map(ThreadRequest, tuple(cpus[: LOOP_THREADS.get(experiment.name, 2)]))),
        pin="thread",
        lines=mechanism.lines,
        home=tuple(cpus[:1]),
        warmup=WarmupRequest(0, 1, STEADY, warmup_ns, policy.look_ns, uninterrupted=False),
        windows=policy.windows,
        outliers=None,
        measure_ns=measure_ns,
        bound_ns=2 * SECOND + warmup_ns + measure_ns,
        patience_ns=policy.patience_ns,
        seed=random.randrange(HIGHEST_SEED),
    )


MOST_CLASSES = 3  # classes of a header that an error names where none is a mechanism
TITLES = {"cpp": "C++", "java": "Java", "rust": "Rust"}


class Building(Struct, frozen=True):
    """The tools and flags that build custom mechanisms."""

    cxx: str | None = None  # the compiler, as given
    cxxflags: str = ""  # and its flags
    cargoflags: str = ""  # cargo's words
    # returns the two CPUs of the hand-written baseline; with fewer there is none
    pair: Callable[[], Sequence[int]] = tuple


Built = tuple[OwnMechanism, Path]  # a checked mechanism, and the folder where its probe is kept


def resolve(
    sources: Sequence[OwnSource], runtimes: Sequence[Runtime], building: Building, telling: Telling
) -> list[Runtime]:
    """Return the runtimes, each with the mechanisms of its language, built and checked.

    Raises:
        UsageError: none of the runtimes measures one, or it cannot be built.
        PromiseBroken: one does not do what it promises.
    """
    for one in sources:
        if not any(_measures(runtime, one) for runtime in runtimes):
            title = TITLES[one.language]
            raise UsageError(
                f"'{one.given}' is measured by {title}, and no {title} runtime is selected: leave --runtime out, or "
                f"add one (--runtime {one.language})."
            )
    found = []
    for runtime in runtimes:
        built = []
        for one in sources:
            if _measures(runtime, one):
                own, kept = BUILDERS[one.language](runtime, one, building, telling)
                cpus = building.pair()
                built.append(with_loop(own, one.language, cpus, kept, telling) if len(cpus) == 2 else own)
        found.append(replace(runtime, own=tuple(built)))
    return found


def _measures(runtime: Runtime, source: OwnSource) -> bool:
    """Return whether a runtime is threadping's own in that language: another's probe is complete as it is."""
    ours = runtime.probe == "java" or Path(runtime.command[0]).parent == probes_folder()
    return ours and runtime.probe == source.language


def _build_cpp(runtime: Runtime, source: OwnSource, building: Building, telling: Telling) -> Built:
    """Compiled with the flags of its runtime too: `cpp -march=native`."""
    flags = " ".join((*runtime.label.split()[1:], building.cxxflags))
    folder = _cache()
    own = compiled(source, find_compiler(os.environ, building.cxx, flags), folder, telling)
    kept = folder / own.digest
    try:
        check_once(kept, partial(check, own))
    except UsageError as error:
        if not str(error).startswith("No class of"):
            raise
        has = classes_of(Path(source.file).read_text(errors="replace"))[:MOST_CLASSES]
        raise UsageError(f"{error} What it has: {'; '.join(map(str, has))}.") from error
    return own, kept


def _build_rust(_runtime: Runtime, source: OwnSource, building: Building, telling: Telling) -> Built:
    folder = _cache()
    cargo = find_cargo(os.environ, building.cargoflags, Path(source.file))
    own = crate_compiled(source, cargo, folder, telling)
    kept = folder / own.digest
    check_once(kept, partial(check, own))
    return own, kept


def _build_java(runtime: Runtime, source: OwnSource, _building: Building, telling: Telling) -> Built:
    """Use the class as it is: nothing is compiled."""
    probe = own_java(JavaClass(source.file, source.chosen), runtime, source.name)
    digest = f"{build_of(probe)}-{source.chosen}"  # a folder has other classes too

    own = OwnMechanism(source.name, source.given, probe.command, digest, runtime.version)

    def checked() -> None:
        telling(f"{runtime.label}: seeing whether {source.given} keeps its promises …")
        check(own)
        evict(_cache())

    kept = _cache() / f"{runtime.label.split()[0]}-{digest}"
    check_once(kept, checked)
    return own, kept


def _cache() -> Path:
    from platformdirs import user_cache_path  # 15 ms that nobody else waits for

    return user_cache_path("threadping", appauthor=False) / "own"


BUILDERS: dict[str, Callable[[Runtime, OwnSource, Building, Telling], Built]] = {  # by language
    "cpp": _build_cpp,
    "java": _build_java,
    "rust": _build_rust,
}
