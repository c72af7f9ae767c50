"""The command: `python -m benchmarks.wheel`."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from platform import machine
from zipfile import BadZipFile, ZipFile

import click

from benchmarks.cli import CPUS, PATH, comparing, run, show
from benchmarks.gathering import Gathering
from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import within
from benchmarks.records import PROBE, Figures, Subject
from benchmarks.session import Where, hold, look_around, read
from benchmarks.trials import Ours, contenders, median_window
from threadping.model import quantities, reading
from threadping.model.cases import Runtime
from threadping.model.contract import Result
from threadping.model.errors import UsageError
from threadping.probes.placements import name_of

BUILD = Path("build/wheel")
GROUP, WHEEL = "wheel", "wheel"


def figures(result: Result) -> Figures:
    """Nanoseconds an operation; of `signal` one way."""
    median = reading.typical(result) if result.experiment == "signal" else median_window(result)
    return Figures(reading.ns_per_op(result), median)


OURS = [
    Ours(
        experiment=experiment,
        prefix=f"{experiment}: ",
        takes=lambda _mechanism: True,
        warmup_ns=250_000_000,
        measure_ns=400_000_000,
        figures=figures,
    )
    for experiment in ("signal", "lock", "wakeup", "queue")
]


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Yield each mechanism by the wheel's probe, against each build of this machine."""
    for other in subjects:
        if other.runtime != WHEEL:
            ours = Subject(PROBE, WHEEL, other.mechanism, other.lines)
            title = f"{other.mechanism}, against {other.runtime}"
            yield Question(GROUP, title, ours, other, within(2), ("median_block", "median_block"))


BENCHMARK = Benchmark(
    "wheel",
    "Nanoseconds an operation",
    "window",
    {GROUP: "The wheel's probe and the probes built here"},
    possible,
)


def probe_of(wheel: Path, folder: Path) -> Runtime:
    """The C++ probe inside a wheel, unpacked into a folder."""
    try:
        with ZipFile(wheel) as archive:
            probe = Path(archive.extract("threadping/_probes/threadping-probe", folder))
    except (OSError, BadZipFile, KeyError) as error:
        raise UsageError(f"There is no C++ probe in '{wheel}': {error}. Run `make wheel`.") from error
    probe.chmod(0o755)
    return Runtime(WHEEL, "cpp", (str(probe),), "")


@comparing(20, BUILD / "session.json")
@CPUS
@click.option("--wheel", type=PATH, help="Without it, dist/'s for this architecture.")
@click.option("--mechanism", multiple=True, help="Only this one, such as 'lock: mutex'; may be repeated.")
def compare(
    rounds: int,
    cpus: str | None,
    runtime: Sequence[str],
    wheel: Path | None,
    mechanism: Sequence[str],
    seed: int | None,
    form: str,
    record: Path,
    again: Path | None,
) -> None:
    """Compare a wheel's C++ probe with those built here: in one run, in random order, a process each."""
    if again is not None:
        show(BENCHMARK, read(again), [GROUP], form)
        return
    found = sorted(Path("dist").glob(f"threadping-*manylinux*_{machine()}.whl"))
    if wheel is None and not found:
        raise UsageError("There is no wheel in dist/: run `make wheel`, or give --wheel.")
    with tempfile.TemporaryDirectory() as folder:
        runtimes, topology = look_around(runtime or ["cpp", "cpp -march=native"])
        pair = tuple(quantities.parse_cpus(cpus)) if cpus else topology.allowed[:2]
        gathering = Gathering([*runtimes, probe_of(wheel or found[-1], Path(folder))])
        for one in gathering.described:
            for ours in OURS:
                gathering.contenders += contenders(one, ours, pair, usual_lines=True)
        if mechanism:
            gathering.contenders = [one for one in gathering.contenders if one.subject.mechanism in mechanism]
        where = Where(topology, pair, name_of(topology, pair))
        session = hold(BENCHMARK, [GROUP], gathering, where, rounds=rounds, seed=seed, record=record)
    show(BENCHMARK, session, [GROUP], form)


run(BENCHMARK.name, compare)
