"""Start Java probes from an archive of the classes that a trial loads: each trial is a fresh virtual machine.

Class-data sharing (JEP 310) maps classes that were parsed and checked before. It changes what happens until `main`
runs and while classes are loaded, and nothing of what is compiled; an archive that holds compiled code or profiles
(JEP 483 and later) would, and is not made.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from threadping.contract import SCHEMA, Request, ThreadRequest, WarmupRequest
from threadping.model.cases import Runtime
from threadping.plan.windows import BLOCKS, OUTLIERS
from threadping.probes.process import Bounded, run_together
from threadping.probes.scratch import scratch_folder
from threadping.probes.trial import REQUEST, RESULT

PATIENCE_SECONDS = 20.0

MOST_ARCHIVES = 12
"""So many are kept, some 16 MB each, those that were used last: every set of flags that is tried makes one.

Those that this process uses are kept too, however many they are.
"""

_used_here: set[Path] = set()

ARCHIVE_FLAG = "-XX:SharedArchiveFile="
OWN_SHARING = ("-Xshare", ARCHIVE_FLAG, "-XX:ArchiveClassesAtExit", "-XX:+AutoCreateSharedArchive", "-XX:AOT")
"""With one of these the user controls what is shared, as in `java-17 -Xshare:auto`."""


def with_class_archive(
    runtime: Runtime, folder: Path, making: Callable[[Runtime], None] | None = lambda _: None
) -> Runtime:
    """The runtime, started from its archive in `folder`, which is made first where there is none.

    The runtime as it is where the user chose what it shares, and where its virtual machine makes
    no archive: it only starts more slowly then.

    Args:
        runtime: as it was selected, with all its flags: an archive serves only a machine with the same ones.
        folder: the user's cache; an archive takes about 16 MB, and replaces the one of an older build of the probe.
        making: is called before an archive is made, which takes a second; not where the virtual machine does not start.
            None where none is to be made.
    """
    if any(flag.startswith(OWN_SHARING) for flag in runtime.command):
        return runtime
    jar = runtime.command.index("-jar") + 1
    plain = replace(runtime, command=runtime.command[: jar + 1])  # a user's own class is not archived
    try:
        archive = folder / f"{_place(plain)}-{_state(runtime.command[0], runtime.command[jar])}.jsa"
        if not archive.exists() and making:
            _make(plain, archive, making)
        if archive.exists():
            archive.touch()
            _used_here.add(archive)
        by_use = sorted(folder.glob("*.jsa"), key=lambda archive: archive.stat().st_mtime_ns, reverse=True)
        for oldest in by_use[MOST_ARCHIVES:]:
            if oldest not in _used_here:
                oldest.unlink(missing_ok=True)
    except OSError:  # no room for it, or no such launcher, which is reported when it is asked to describe itself
        return runtime
    return flagged(runtime, f"{ARCHIVE_FLAG}{archive}") if archive.exists() else runtime


def flagged(runtime: Runtime, *flags: str) -> Runtime:
    """The runtime with these flags behind those that it has: of two that contradict each other the last counts."""

    def with_flags(command: tuple[str, ...]) -> tuple[str, ...]:
        jar = command.index("-jar")
        return (*command[:jar], *flags, *command[jar:])

    return runtime.started_by(with_flags)


def _place(runtime: Runtime) -> str:
    """Names what an archive is for: this launcher with these flags, the environment's too, and this jar."""
    return _digest(*runtime.label.split()[1:], *runtime.command)


def _state(*files: str) -> str:
    """Names what an archive was made from: another virtual machine or probe in the same place makes another one."""
    facts = (Path(file).resolve().stat() for file in files)
    return _digest(*(f"{fact.st_size} {fact.st_mtime_ns}" for fact in facts))


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def _make(runtime: Runtime, archive: Path, making: Callable[[Runtime], None]) -> None:
    """Rehearse, note the classes, and dump them; nothing is left where the virtual machine does not do it."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(str(archive.parent)) as folder:
        listed, dumped = folder / "classes", folder / "archive.jsa"
        (folder / REQUEST).write_bytes(msgspec.json.encode(_rehearsal()))
        rehearse = ("rehearse", "--request", str(folder / REQUEST), "--result", str(folder / RESULT))
        rehearsing = flagged(runtime, f"-XX:DumpLoadedClassList={listed}")
        run_together([Bounded((*rehearsing.command, *rehearse), folder, PATIENCE_SECONDS)])
        if not listed.exists():
            return
        making(runtime)
        dump = flagged(runtime, "-Xshare:dump", f"-XX:SharedClassListFile={listed}", f"{ARCHIVE_FLAG}{dumped}")
        (ended,) = run_together([Bounded(dump.command, folder, PATIENCE_SECONDS)])
        if ended.status != 0 or not dumped.exists():
            return
        for older in archive.parent.glob(f"{_place(runtime)}-*.jsa"):
            older.unlink(missing_ok=True)
        dumped.replace(archive)


def _rehearsal() -> Request:
    """The trial whose classes are archived, with those that list every mechanism: nearly all are every trial's.

    Two threads that block can share one CPU.
    """
    cpu = min(os.sched_getaffinity(0))
    return Request(
        schema=SCHEMA,
        experiment="signal",
        mechanism="condition",
        params={},
        threads=(ThreadRequest(cpu), ThreadRequest(cpu)),
        pin="thread",
        lines=1,
        home=(cpu,),
        warmup=WarmupRequest(1, 1000, None, limit_ns=20_000_000, look_ns=BLOCKS.look_ns, uninterrupted=False),
        windows=BLOCKS.windows,
        outliers=OUTLIERS,
        measure_ns=5_000_000,
        bound_ns=1_000_000_000,
        patience_ns=BLOCKS.patience_ns,
        seed=0,
    )
