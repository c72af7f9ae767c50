"""Fixtures that several packages' tests share: a folder of probes with the fake one, and its runtime."""

import gc
import io
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import settings
from msgspec.structs import replace

from tests.fakes.answers import put_fake_probe
from tests.fakes.fake_results import exact_result
from threadping.model.cases import Runtime
from threadping.model.contract import (
    HOUR_NS,
    OUTLIERS,
    SCHEMA,
    SECOND,
    Distribution,
    Request,
    Result,
    ThreadRequest,
    WarmupRequest,
    WindowKind,
    Windows,
)
from threadping.model.text import keep_store, keep_verbosity
from threadping.planning.defaults import in_blocks, in_long_periods, in_periods, on_schedule
from threadping.probes.trial import Promised, inconsistency

settings.register_profile("whatever the load", deadline=None, max_examples=50)
settings.load_profile("whatever the load")
"""No deadline per example: other programs use the machine too, and each test has a timeout of its own. Examples are
others in each run, so 50 find in two runs what 100 found in one."""

ROOT = Path(__file__).parent.parent
CONTRACT = ROOT / "contract"
CACHE = ROOT / "build" / "cache"
"""In place of the user's: what takes seconds to make, and is the same for every test, is made once."""


IN_MEMORY = Path("/dev/shm")


def _keep_files_in_memory() -> None:
    """Put temporary files in memory if they fit: on a disk the tests' folders take 33% of their time."""
    if "TMPDIR" in os.environ or not os.access(IN_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(IN_MEMORY).free > 2 << 30 and not os.statvfs(IN_MEMORY).f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)


_keep_files_in_memory()
gc.set_threshold(0)  # until all tests are collected, whose modules and marks stay

STARTING = {"fake_probes", "fake_runtime", "server", "new_database", "ctrl_c"}  # fixtures of tests that start processes
SIMULATING = {"crowded", "simulated", "simulation", "waits"}
EVENTS = {"subprocess.Popen", "os.posix_spawn", "os.fork"}


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark what starts processes, by its folder, its fixtures or `import subprocess`, and what simulates machines."""
    for item in items:
        assert isinstance(item, pytest.Function)
        inside = item.path.relative_to(ROOT / "tests").parts[0] in ("unit", "golden", "fuzz")
        if not inside or STARTING & {*item.fixturenames} or hasattr(item.module, "subprocess"):
            item.add_marker("process")
        if SIMULATING & _origins(item.module):
            item.add_marker("simulation")


@cache
def _origins(module: ModuleType) -> frozenset[str]:
    """The last names of the modules in which a module's names are defined."""
    return frozenset((getattr(value, "__module__", None) or "").rpartition(".")[2] for value in vars(module).values())


def pytest_configure(config: pytest.Config) -> None:
    """Start no process in `make test-quick`: a test that is about to is skipped there, whatever its markers."""

    def skip(event: str, _: object) -> None:
        if event in EVENTS and "PYTEST_CURRENT_TEST" in os.environ:
            pytest.skip("it starts a process")

    if config.getoption("markexpr").startswith("not process"):
        sys.addaudithook(skip)


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and never among the modules and tests, which stay: that takes 10% of the CPU time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def _no_store_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep each test away from its user's runs and cache, from a simultaneous run's lock, and from another's -v."""
    monkeypatch.setenv("THREADPING_LOCK", str(tmp_path / "lock"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("THREADPING_STORE", raising=False)
    keep_store(None)
    keep_verbosity(0)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """As in a terminal: a shell's background job, which this suite may be, has Ctrl-C and Ctrl-\\ switched off.

    And what nohup starts the closing of the terminal.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGQUIT, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def fake_probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of probes with the fake one in place of the C++ one; no test asserts its duration.

    It says at once what a probe says after seconds.
    """

    def in_any_time(request: Request, result: Result, _wall_ns: int, promised: Promised) -> str | None:
        return inconsistency(request, result, HOUR_NS, promised)

    monkeypatch.setattr("threadping.probes.trial.inconsistency", in_any_time)
    folder = tmp_path / "probes"
    folder.mkdir()
    put_fake_probe(folder / "threadping-probe")
    shutil.copy(CONTRACT / "words.json", folder)
    return folder


@pytest.fixture
def fake_runtime(fake_probes: Path) -> Runtime:
    return Runtime("cpp", "cpp", (str(fake_probes / "threadping-probe"),), "fake 1")


PACES = {
    "signal": in_blocks,
    "wakeup": in_long_periods,
    "load": on_schedule,
    "network": in_blocks,
    "self-test": in_blocks,
}


def make_request(
    mechanism: str = "steady", cpus: tuple[int | None, ...] = (0, 1), lines: int = 4, experiment: str = "signal"
) -> Request:
    """A small request with short bounds, and the policy that threads with a CPU each are measured with."""
    policy = PACES.get(experiment, in_periods)(5_000_000, 50_000_000, 1)
    return Request(
        schema=SCHEMA,
        experiment=experiment,
        mechanism=mechanism,
        params={},
        threads=tuple(ThreadRequest(cpu) for cpu in cpus),
        pin="thread",
        lines=lines,
        home=None if cpus[0] is None else (cpus[0],),
        warmup=WarmupRequest(2, 100, None, 50_000_000, policy.look_ns, uninterrupted=False),
        windows=policy.windows,
        outliers=OUTLIERS,
        measure_ns=5_000_000,
        bound_ns=500_000_000,
        patience_ns=SECOND,
        seed=7,
    )


def make_result(request: Request, **changes: Any) -> Result:
    message = exact_result(json.loads(msgspec.json.encode(request)))
    return replace(msgspec.convert(message, Result), **changes)


class Window(NamedTuple):
    line: int
    kind: WindowKind
    ns: int
    ops: tuple[int, ...]
    warmup: bool = False


def make_windows(*windows: Window, every: int = 1, threads: int = 2) -> Windows:
    """Return these windows as columns; one operation in `every` is timed in sampling ones."""
    return Windows(
        warmup=tuple(window.warmup for window in windows),
        line=tuple(window.line for window in windows),
        kind=tuple(window.kind for window in windows),
        every=tuple(every if window.kind == "sampling" else 0 for window in windows),
        ns=tuple(window.ns for window in windows),
        ops=tuple(tuple(window.ops[index] for window in windows) for index in range(threads)),
        switches=None,
        compile_ms=None,
    )


def make_distribution(
    values: Sequence[int], counts: Sequence[int], censored: int = 0, negative: int = 0, unit: str = "ns"
) -> Distribution:
    """Return a distribution of durations or other counts; by default none is censored and none negative."""
    return Distribution(unit, tuple(values), tuple(counts), censored, negative)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let this process write no file beyond this size (bytes), as with `ulimit -f`, or on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


class CapturedStream(io.TextIOWrapper):
    """Capture what a command prints: threadping wraps the streams of a process, and leaves any other kind alone."""

    buffer: io.BytesIO
