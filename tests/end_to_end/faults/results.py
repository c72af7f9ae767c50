"""Trials that end badly, and results that cannot be believed."""

from tests.end_to_end.faults.fault import MEASURE, WHOLE, Before, Bench, Fault, case_trials, in_shell, trials

HEADING = "Trials and results"
ABOUT = (
    "A trial that fails costs that trial, and is stored with its reason, which stands here; `show --trials` and JSON "
    "tell it.\nA case whose trials all fail is given up soon, and named when the run ends. A result that contradicts "
    "itself, its request or\narithmetic is a failure too, never a figure."
)


ADVICE = "advise --rate 10k --p99 25us --runtime cpp"
PACED = {"FAKE_PACED": "condition"}


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
    command = f"lock --threads 2{TWO_CASES.removeprefix('signal')} --mechanism mutex,{mechanism}"
    return Fault(title, command, 1, says, kept, env={"FAKE_LOCKS": f"mutex,{mechanism}"})


FAULTS = (
    bad("the probe dies by SIGSEGV", "crashes", "The probe ended (signal SIGSEGV) without a result."),
    bad(
        "the probe dies after its result",
        "crashes-late",
        "The probe wrote a result, but then failed (signal SIGSEGV); it is not believed.",
    ),
    bad(
        "the result is of an older build",
        "speaks-schema-2",
        "The probe speaks schema 2 of the contract, threadping speaks 4: they come from different builds. Build it "
        "anew with `make setup`, or reinstall threadping.",
    ),
    bad(
        "the result is of another mechanism",
        "lies",
        "The probe's result contradicts itself or its request: it is about signal steady, not signal lies.",
    ),
    bad(
        "the result is of other CPUs",
        "lies-about-cpus",
        "The probe's result contradicts itself or its request: ping was to stand on CPU 0, but stood on [77].",
    ),
    bad(
        "the parts take longer than the whole",
        "lies-about-time",
        "The probe's result contradicts itself or its request: its windows last 48.152 ms, the whole 0.000 ms.",
    ),
    bad(
        "half a result",
        "writes-half",
        "The probe ended (exit status 0) and wrote no valid result: Input data was truncated.",
    ),
    bad(
        "a result that is not JSON",
        "writes-garbage",
        "The probe ended (exit status 0) and wrote no valid result: JSON is malformed: invalid character (byte 0).",
    ),
    bad("no result", "writes-nothing", "The probe ended (exit status 0) without a result."),
    bad("endless output", "floods", "The probe was killed: it printed more than 64 MB."),
    spoiled(
        "an empty result",
        ": > $result",
        "The probe ended (exit status 0) and wrote no valid result: Input data was truncated.",
    ),
    spoiled(
        "a result that is a folder",
        "rm $result; mkdir $result",
        "The probe ended (exit status 0) and wrote no valid result: Is a directory.",
    ),
    spoiled(
        "NaN for a time",
        'sed -i \'s/"cost_ns":20.0/"cost_ns":NaN/\' $result',
        "The probe ended (exit status 0) and wrote no valid result: JSON is malformed: invalid character (byte 445).",
    ),
    spoiled(
        "a time beyond all numbers",
        'sed -i \'s/"cost_ns":20.0/"cost_ns":1e999/\' $result',
        "The probe ended (exit status 0) and wrote no valid result: Number out of range - at `$.clock.cost_ns`.",
    ),
    spoiled(
        "a negative time",
        'sed -i \'s/"cost_ns":20.0/"cost_ns":-20.0/\' $result',
        "The probe ended (exit status 0) and wrote no valid result: Expected `float` >= 0.0 - at `$.clock.cost_ns`.",
    ),
    spoiled(
        "no windows",
        'sed -i \'s/"windows":{.*},"evidence"/"windows":null,"evidence"/\' $result',
        "The probe ended (exit status 0) and wrote no valid result: Expected `object`, got `null` - at `$.windows`.",
    ),
    spoiled(
        "counts that do not add up",
        'sed -i \'s/"found":/"found":1/\' $result',
        "The probe's result contradicts itself or its request: 137000 hand-overs were found, but 37000 were made.",
    ),
    spoiled(
        "a result and exit status 3",
        "exit 3",
        "The probe wrote a result, but then failed (exit status 3); it is not believed.",
    ),
    spoiled(
        "the folder is removed",
        "rm -r $(dirname $result)",
        "The probe ended (exit status 0) without a result.",
    ),
    bad_lock("a lock that loses increments", "loses-updates", "17 of 97,000 increments were lost: 96,983 were found."),
    bad_lock(
        "a lock that stands still",
        "stalls",
        "No thread gets the lock any more: a release was lost, or the lock deadlocks.",
    ),
    bad_lock(
        "a count that is called exact and is not",
        "lies-about-its-count",
        "The probe's result contradicts itself or its request: 192983 of 193000 increments were found, and it calls "
        "that exact.",
    ),
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
        "No case has a figure (all-crossed): `threadping explain all-crossed` says why. Give it more time, such as "
        "--budget 10s.",
        trials(3),
        states_change,
        env={"FAKE_MECHANISMS": "cas-one-line"},
    ),
    Fault(
        "a figure that is not known as well as was asked for, for somebody strict",
        f"{MEASURE} --until 1% --strict",
        4,
        "--strict: some are not known within --until.",
        WHOLE,
    ),
    spoiled(
        "a count of 10^30",
        'sed -i \'s/"made":/"made":1000000000000000000000000000000/\' $result',
        "The probe ended (exit status 0) and wrote no valid result: Expected `int` <= 9223372036854775807 - at "
        "`$.counts[...].made`.",
    ),
    spoiled(
        "a time of 2^62 ns",
        'sed -i \'s/"values":\\[200/"values":[4611686018427387904/\' $result',
        "The probe's result contradicts itself or its request: the values of its distribution round-trip do not "
        "ascend.",
    ),
    spoiled(
        "a clock of which one reading takes a second",
        'sed -i \'s/"cost_ns":20.0/"cost_ns":1e9/\' $result',
        "The probe's result contradicts itself or its request: a reading of its clock takes 1,000.000 ms, and there "
        "were 10000 in 3.608 ms.",
    ),
    spoiled(
        "round trips of a nanosecond",
        'sed -i -E \'s/"values":\\[200,400,4000\\]/"values":[1,2,3]/\' $result',
        "The probe's result contradicts itself or its request: a round trip takes 1.0 ns on average, but 200.0 ns in "
        "its fastest window.",
    ),
    spoiled(
        "windows of 1 ns",
        'sed -i -E \'s/"ns":\\[[0-9,]+\\]/"ns":[1,1,1,1,1,1,1,1,1]/\' $result',
        "The probe's result contradicts itself or its request: ping did 18000 operations in windows of 0.000 ms.",
    ),
    spoiled(
        "a result nested 100,000 deep",
        "head -c 100000 /dev/zero | tr '\\0' '[' > $result",
        "The probe ended (exit status 0) and wrote no valid result: Expected `object`, got `array`.",
    ),
    spoiled(
        "a result that is a FIFO",
        "rm $result; mkfifo $result",
        "The probe ended (exit status 0) and wrote no valid result: it is no file.",
    ),
    spoiled(
        "a result that is a link to /dev/zero",
        "rm $result; ln -s /dev/zero $result",
        "The probe ended (exit status 0) and wrote no valid result: Too many levels of symbolic links.",
    ),
    spoiled(
        "a result that is a link to a file of somebody",
        "mv $result $result.1; ln -s $result.1 $result",
        "The probe ended (exit status 0) and wrote no valid result: Too many levels of symbolic links.",
    ),
    spoiled(
        "a result of 2 GB",
        "truncate -s 2G $result",
        "The probe ended (exit status 0) and wrote no valid result: it has more than 64 MiB.",
    ),
    Fault(
        "silence about hand-overs",
        "signal --placement same-l3 --budget 60s",
        1,
        "The probe's result contradicts itself or its request: it says nothing of hand-overs, though its process was "
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
        "Cannot tell: other programs used 50% of the CPU time; ask again when they have ended.",
        WHOLE,
        of_others(0.5),
        env=PACED,
    ),
    Fault(
        "the same, for somebody strict",
        f"{ADVICE} --strict",
        4,
        "Cannot tell: other programs used 50% of the CPU time; ask again when they have ended.",
        WHOLE,
        of_others(0.5),
        env=PACED,
    ),
    Fault(
        "the sender alone is late for 2.9% of its messages",
        ADVICE,
        0,
        "Cannot tell: the schedule could not be kept here. The sender alone was later than 25.0 \N{MICRO SIGN}s for "
        "2.9% of its messages",
        WHOLE,
        of_others(0.0),
        env={"FAKE_PACED": "stalled", "FAKE_STALLED": "30"},
    ),
    Fault(
        "no wait strategy meets what was asked for",
        f"{ADVICE} --cpu 2%",
        3,
        "Nothing here meets a p99 of 25.0 \N{MICRO SIGN}s at 10k/s with 2% of a core: 1 wait strategy misses it.",
        WHOLE,
        of_others(0.0),
        env=PACED,
    ),
)
