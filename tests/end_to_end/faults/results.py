"""Trials that end badly, and results that cannot be believed."""

from collections.abc import Iterator

from tests.end_to_end.faults.fault import MEASURE, WHOLE, Before, Bench, Fault, case_trials, in_shell, records, trials

HEADING = "Trials and results"
ABOUT = (
    "A trial that fails costs that trial, and is stored with its reason, given here; `show --trials` and JSON "
    "tell it.\nA case whose trials all fail is given up soon, and named when the run ends. A result that contradicts "
    "itself, its request or\narithmetic is a failure too, never a figure."
)


ADVICE = "recommend wait --rate 10k --latency p99=25us --runtime cpp --budget 10s"
LOAD = {"FAKE_PACED": "condition"}


def of_others(share: float) -> Before:
    """Other programs take this share of the CPUs of every trial."""
    return lambda bench: bench.patch.setattr("threadping.conduct.runner.others_since", lambda _: lambda: share)


TWO_CASES = MEASURE.replace("1s", "5s")


def after(command: str) -> Before:
    """The probe writes a good result, with which this is done; `$result` names it."""
    script = f'$works "$@" || exit $?\n[ "$1" = run ] || exit 0\nresult=$5\n{command}'
    return lambda bench: bench.probe(script)


def states_change(bench: Bench) -> None:
    """Each trial begins in one state and ends in another, in which its CPUs are pinged twice."""
    bench.env["FAKE_APART"] = str(bench.write("apart", "26 127 127 26 26 127 127 26 26 127 127"))


def bad(title: str, mechanism: str, says: str) -> Fault:
    """A mechanism of the fake probe that misbehaves, beside one that does not."""
    names = f"steady,{mechanism}"
    kept = case_trials(**{"steady": 3, mechanism.replace("-", "_"): 0})
    env = {"FAKE_MECHANISMS": names}
    return Fault(title, f"{TWO_CASES} --mechanism {names}", 1, says, kept, env=env)


def spoiled(title: str, command: str, says: str) -> Fault:
    """A good result that is changed before threadping reads it."""
    return Fault(title, MEASURE, 1, says, trials(0, of=2), after(command))


def bad_lock(title: str, mechanism: str, says: str) -> Fault:
    """A lock of the fake probe that misbehaves, beside one that does not."""
    kept = case_trials(**{"mutex": 3, mechanism.replace("-", "_"): 0})
    command = f"run lock --threads 2{TWO_CASES.removeprefix('run signal')} --mechanism mutex,{mechanism}"
    return Fault(title, command, 1, says, kept, env={"FAKE_LOCKS": f"mutex,{mechanism}"})


def _read() -> Iterator[Fault]:
    """Return the faults of results.txt, of which each is a fake mechanism, a fake lock, or what is done to a result."""
    of = {"mechanism": bad, "lock": bad_lock, "sh": spoiled}
    for title, cause, _, says in records(__file__):
        kind, _, command = cause.partition(" ")
        yield of[kind](title, command, says)


FAULTS = (
    *_read(),
    Fault(
        "a trial that fails once, for somebody strict",
        f"{MEASURE} --strict",
        1,
        "--strict: trials of 1 of the cases failed; trial-failed (1), few-trials (1). `threadping explain "
        "trial-failed` says what that means.",
        trials(2, of=3),
        lambda bench: bench.env.update(FAKE_MARKER=str(bench.folder / "marker")),
        env={"FAKE_MECHANISMS": "fails-once"},
    ),
    Fault(
        "CPUs whose state changes during every trial",
        MEASURE,
        1,
        "No case has a figure (all-state-changed): `threadping explain all-state-changed` says why. Give it more "
        "time, such as --budget 10s.",
        trials(3),
        states_change,
        env={"FAKE_MECHANISMS": "cas-one-line"},
    ),
    Fault(
        "a figure that is not known as well as was asked for, for somebody strict",
        f"{MEASURE} --until 1% --strict",
        4,
        "--strict: some cases have intervals wider than --until. Give a larger --budget or --until.",
        WHOLE,
    ),
    Fault(
        "silence about handoffs",
        "run signal --placement same-l3 --budget 60s",
        1,
        "The probe's result contradicts itself or its request: it does not report handoffs, although its process was "
        "not stopped at its bound.",
        trials(0, of=2),
        after('sed -i -E \'s/"counts":\\{.*\\}\\}/"counts":{}}/\' $result'),
        in_shell('exec "$@"'),
        env={"FAKE_MECHANISMS": "steady"},
    ),
    Fault(
        "other programs take half of every trial's CPUs, for advice",
        ADVICE,
        0,
        "Cannot tell: other programs used 50% of the CPU time. Repeat when they have ended.",
        WHOLE,
        of_others(0.5),
        env=LOAD,
    ),
    Fault(
        "the same, for somebody strict",
        f"{ADVICE} --strict",
        4,
        "Cannot tell: other programs used 50% of the CPU time. Repeat when they have ended.",
        WHOLE,
        of_others(0.5),
        env=LOAD,
    ),
    Fault(
        "the sender alone is late for 2.9% of its messages",
        ADVICE,
        0,
        "Cannot tell: this machine could not keep the schedule. The sender alone was later than 25.0 \N{MICRO SIGN}s "
        "for "
        "2.9% of its messages",
        WHOLE,
        of_others(0.0),
        env={"FAKE_PACED": "stalled", "FAKE_STALLED": "30"},
    ),
    Fault(
        "no wait strategy meets what was asked for",
        f"{ADVICE} --max-cpu 2%",
        3,
        "Nothing here meets a p99 of 25.0 \N{MICRO SIGN}s at 10k/s with 2% of a core: 1 wait strategy misses it.",
        WHOLE,
        of_others(0.0),
        env=LOAD,
    ),
)
