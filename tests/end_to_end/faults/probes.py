"""Probes that are missing, broken, or of another build."""

from tests.end_to_end.faults.fault import NOTHING, Before, Bench, How, read_faults, trials

HEADING = "Probes"
ABOUT = "A probe that cannot be asked what it can do is refused by name, with the remedy, before anything is measured."


def removed(bench: Bench) -> None:
    """The probe is gone."""
    (bench.probes / "threadping-probe").unlink()


def unbuilt_with_a_run(bench: Bench) -> None:
    """The probe is gone, and there is a run."""
    removed(bench)
    bench.store_a_run()


def not_executable(bench: Bench) -> None:
    """Somebody copied it without its mode."""
    (bench.probes / "threadping-probe").chmod(0o644)


def holds(content: bytes) -> Before:
    """The probe is a file of these bytes."""
    return lambda bench: (bench.probes / "threadping-probe").write_bytes(content)


def does(script: str) -> Before:
    """The probe does this."""
    return lambda bench: bench.probe(script)


def hangs(bench: Bench) -> None:
    """It never answers."""
    bench.patch.setattr("threadping.probes.runtimes.TOPOLOGY_SECONDS", 1.0)
    bench.probe("exec sleep 60")


ARM = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xff\x00" + bytes(200)

DEEP = """printf '{"schema":'; head -c 100000 /dev/zero | tr '\\0' '['; echo"""

FAULTS = read_faults(
    __file__,
    {
        "the probe is not built": How(NOTHING, removed),
        "the probe may not be executed": How(NOTHING, not_executable),
        "the probe is of another architecture": How(NOTHING, holds(ARM)),
        "the probe is an empty file": How(NOTHING, holds(b"")),
        "the probe answers nothing that can be read": How(NOTHING, does("echo garbage")),
        "the probe crashes when it is asked": How(NOTHING, does("kill -SEGV $$")),
        "the probe prints 100 MB": How(NOTHING, does("yes | head -c 100000000")),
        "the probe prints a lot and then answers": How(
            trials(3), does('head -c 100000 /dev/zero | tr "\\0" "\\n"; exec $works "$@"')
        ),
        "the probe hangs": How(NOTHING, hangs),
        "the probe cannot ping": How(NOTHING, does('[ "$1" = run ] && exit 3; exec $works "$@"')),
        "the probe is not built, and a machine is asked for": How(NOTHING, unbuilt_with_a_run),
        "an answer nested 100,000 deep": How(NOTHING, does(DEEP)),
        "escape codes in what a probe says": How(NOTHING, does("printf 'no \\033[31mway\\007\\n'; exit 1")),
    },
)
