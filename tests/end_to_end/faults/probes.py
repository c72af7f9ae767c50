"""Probes that are missing, broken, or of another build."""

from tests.end_to_end.faults.fault import ANSWER, MEASURE, NOTHING, Before, Bench, Fault, trials, typed

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


def refused(title: str, says: str, before: Before) -> Fault:
    """A probe that cannot be asked what it can do."""
    return Fault(title, MEASURE, 1, says, NOTHING, before)


FAULTS = (
    *typed(__file__),
    refused(
        "the probe is not built",
        "The C++ probe, which also reads the machine's topology, is not built. Run `make setup`.",
        removed,
    ),
    refused(
        "the probe may not be executed",
        "Runtime cpp cannot be used. '\N{HORIZONTAL ELLIPSIS}/probes/threadping-probe' cannot be started: "
        "Permission denied. Make it executable by `chmod +x`, or reinstall it.",
        not_executable,
    ),
    refused(
        "the probe is of another architecture",
        "Runtime cpp cannot be used. '\N{HORIZONTAL ELLIPSIS}/probes/threadping-probe' cannot be started: Exec "
        "format error. Rebuild or reinstall it: it is not a program for this machine (\N{HORIZONTAL ELLIPSIS}).",
        holds(ARM),
    ),
    refused(
        "the probe is an empty file",
        "Runtime cpp cannot be used. '\N{HORIZONTAL ELLIPSIS}/probes/threadping-probe' cannot be started: Exec "
        "format error. Rebuild or reinstall it: it is not a program for this machine (\N{HORIZONTAL ELLIPSIS}).",
        holds(b""),
    ),
    refused(
        "the probe answers nothing that can be read",
        "Runtime cpp answers 'topology' with nothing readable. Run `make setup`, or reinstall threadping.",
        does("echo garbage"),
    ),
    refused(
        "the probe crashes when it is asked",
        "Runtime cpp failed (signal SIGSEGV) when asked for its topology: it said nothing. Run `make setup`, or "
        "reinstall threadping.",
        does("kill -SEGV $$"),
    ),
    refused(
        "the probe prints 100 MB",
        "Runtime cpp printed more than 64 MB when asked for its topology: y. Run `make setup`, or reinstall "
        "threadping.",
        does("yes | head -c 100000000"),
    ),
    Fault(
        "the probe prints a lot and then answers",
        MEASURE,
        0,
        ANSWER,
        trials(3),
        does('head -c 100000 /dev/zero | tr "\\0" "\\n"; exec $works "$@"'),
    ),
    refused(
        "the probe hangs",
        "Runtime cpp did not answer within 1 s when asked for its topology: it said nothing. Run `make setup`, or "
        "reinstall threadping.",
        hangs,
    ),
    Fault(
        "the probe cannot ping",
        "ping 0,1",
        1,
        "CPUs 0-1 cannot be pinged: The probe ended (exit status 3) without a result. Name other CPUs.",
        NOTHING,
        does('[ "$1" = run ] && exit 3; exec $works "$@"'),
    ),
    Fault(
        "the probe is not built, and a machine is asked for",
        "ping --history",
        1,
        "The C++ probe, which also reads the machine's topology, is not built. Run `make setup`.",
        NOTHING,
        unbuilt_with_a_run,
    ),
    refused(
        "an answer nested 100,000 deep",
        "Runtime cpp answers 'topology' with a message that this threadping cannot read (Expected `int`, got "
        "`array` - at `$.schema`). Run `make setup`, or reinstall threadping.",
        does(DEEP),
    ),
    refused(
        "escape codes in what a probe says",
        "Runtime cpp failed (exit status 1) when asked for its topology: no \\x1b[31mway\\x07. Run `make setup`, "
        "or reinstall threadping.",
        does("printf 'no \\033[31mway\\007\\n'; exit 1"),
    ),
)
