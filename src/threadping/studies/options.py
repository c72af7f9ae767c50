"""The options of the commands that the studies have, each with its help."""

import click

from threadping.model.contract import MOST_THREADS
from threadping.options import measuring, syntax
from threadping.options.program import CONDUCT, Command, OwnArgument, command, group
from threadping.options.shared import (
    ANYWAY,
    LOCATION,
    MEASURING,
    METRICS,
    OF_A_STUDY,
    OF_MATRIX,
    RUNTIME,
    TABULAR,
    Option,
    alias_of,
    answers,
    completed_by,
    method_option,
    output_option,
    rejected_option,
    subject_option,
    time_option,
)

MARGIN_OPTION = method_option("--margin", "Ignore a difference below this [default: 3%].", syntax.SHARE)
FAIL_ABOVE = output_option("--fail-above", "Exit with 3 if B is slower by more than this.", syntax.SHARE)
OR_4 = output_option("--strict", "Exit with 4 if undecided.", is_flag=True)

COMPARED = (
    subject_option(
        "--metric",
        "Compare headline [default], mean, p99, max, ...",
        syntax.one_of(*METRICS),
        metavar="WHICH",
    ),
    *(MARGIN_OPTION, FAIL_ABOVE, OR_4),
    *(*OF_A_STUDY, LOCATION),
)
COMPARE_ENDS = {3: "B is slower, or a run is outside its history.", 4: "With --strict: undecided."}


COMPARABLE = {  # two mechanisms of a subject, for an example
    "signal": "condition,futex",
    "lock": "mutex,ticket-lock",
    "wakeup": "monitor,condition",
    "queue": "disruptor,sequenced-ring",
    "load": "release-one-line,condition",
    "barrier": "std-barrier,spin-all",
    "network": "tcp-loopback,udp-loopback",
}


def comparing(subject: str) -> Command:
    """Return the command that compares two things of a subject."""
    return command(
        subject,
        """Test whether B is slower than A; exit with 3 if so.

        A and B are the two values of one option. They are measured interleaved, in random order.
        """,
        "studies.compare.study.measure",
        click.Argument(["named"], metavar="[A,B]", type=syntax.NAMES, required=False, **completed_by("mechanisms")),
        *measuring.selecting(subject),
        subject_option("--a", "Name A whole: 'java-17 monitor'.", metavar="'RUNTIME NAME'"),
        subject_option("--b", "Name B whole: 'cpp ./my_lock.hpp'.", metavar="'RUNTIME NAME'"),
        subject_option("--self itself", "Compare a thing with itself (A/A test).", is_flag=True),
        *COMPARED,
        examples=[
            *([(f"compare {subject} {COMPARABLE[subject]}", "two of them")] if subject in COMPARABLE else []),
            (f"compare {subject} --runtime java-17,java-25", "two JVMs"),
        ],
        ends=COMPARE_ENDS,
        subject=subject,
    )


COMPARE = command(
    "compare",
    """Test whether B is slower than A; exit with 3 if so.

    `compare SUBJECT` measures both sides interleaved, in random order. `compare RUN` shows a comparison again;
    `compare RUN RUN` shows two runs side by side.
    """,
    "studies.compare.study.compare_runs",
    OwnArgument(["what"], nargs=-1, **completed_by("runs")),
    *COMPARED,
    subject_option("--across-machines across", "Allow runs of different machines.", is_flag=True),
    subject_option(
        "--history nights",
        "Rank a run among the N before it; exit with 3 if outside.",
        syntax.whole_number(9),
    ),
    examples=[
        ("compare lock mutex,ticket-lock", "two mechanisms"),
        ("compare queue --runtime java-17,java-25", "two JVMs"),
        ("compare last --fail-above 5%", "the newest comparison, as a gate"),
    ],
    ends=COMPARE_ENDS,
    **measuring.of_subjects("studies.options.comparing", "SUBJECT [A,B] | RUN [RUN]"),
)


MATRIX = command(
    "matrix",
    """Measure the one-way latency between every two CPUs.

    It ends when every figure is known within 1%, or as --until says, or with its budget.
    """,
    CONDUCT,
    subject_option("--cpus", "Measure these CPUs [default: all].", syntax.CPUS),
    measuring.mechanisms("--mechanism mechanisms", "Signal by NAME or your own ./my_flag.hpp [default: cas-one-line]."),
    RUNTIME,
    time_option("--budget longest_s", "Measure at most this long [default: 10s, or three passes].", syntax.TIME),
    measuring.END_EARLY,
    measuring.SEED,
    method_option(
        "--home homes",
        "Place the lines at the first CPU [default], the second, or a NUMA node.",
        syntax.NAMES,
    ),
    method_option("--directions", "Measure both ways.", is_flag=True),
    *(*measuring.BUILDING, *MEASURING, *OF_MATRIX),
    study="matrix",
    examples=[
        ("matrix", "every two CPUs"),
        ("matrix --cpus 0-3 -o map.html", "these four, and a map"),
        ("matrix --format core-to-core-latency", "as that tool prints it"),
    ],
)


PING = command(
    "ping",
    """Measure core-to-core latency every second until Ctrl-C.

    Ping CPUs A and B, or all pairs of up to four CPUs. One way is half a round trip. Nothing is stored.
    """,
    "studies.ping.ping",
    click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False),
    alias_of("--cpus", "cpus", "Ping these two CPUs.", syntax.PAIR),
    subject_option("--history", "Show the stored pings of this machine.", is_flag=True),
    time_option("--count -c rounds", "End after N intervals.", syntax.whole_number(1)),
    time_option(
        "--interval -i interval_s",
        "Ping a pair this often, 100ms to 1h [default: 1s].",
        syntax.PING_INTERVAL,
        default="1s",
    ),
    output_option("--above above_ns", "Show only crossings of 60ns; exit with 3 if any was above.", syntax.LATENCY),
    ANYWAY,
    *answers("json", "prometheus", files=("svg", "png", "html")),
    LOCATION,
    examples=[
        ("ping", "all pairs of up to four CPUs"),
        ("ping 0,1 -c 60 -i 200ms --above 60ns", "when these move apart"),
        ("ping -i 10s --format prometheus -o ping.prom", "for node exporter"),
    ],
    ends={1: "No ping succeeded, or a file could not be written.", 3: "With --above: a ping was above it."},
)


RECOMMEND_WAIT = command(
    "wait",
    """Find the cheapest wait strategy that meets a latency.

    It measures every wait strategy in every language, as `run load` does, or with --threads as `run barrier` does.
    """,
    CONDUCT,
    subject_option("--rate", "Send N messages a second, or N rounds with --threads.", syntax.RATE),
    subject_option(
        "--arrivals",
        "Send constant [default], poisson or bursts.",
        syntax.one_of("constant", "poisson", "bursts"),
        metavar="WHEN",
        default="constant",
    ),
    subject_option("--burst", "Send N at once with --arrivals bursts [default: 10].", syntax.whole_number(1, 10_000)),
    subject_option(
        "--latency latency_ns",
        "Require this p99 from the intended send time.",
        syntax.latency_of("p99"),
        required=True,
    ),
    subject_option("--threads", "Choose a barrier for N threads, coordinator included.", syntax.whole_number(2, 4096)),
    subject_option("--jobs", "Set the jobs of a round [default: one each].", syntax.whole_number(1, 1_000_000)),
    subject_option("--max-cpu cpu_share", "Allow this much CPU of a core, such as 20%.", syntax.SHARE),
    subject_option(
        "--for system",
        "Print the configuration of disruptor, agrona, folly, openmp, ggml or vllm.",
        syntax.one_of("disruptor", "agrona", "folly", "openmp", "ggml", "vllm"),
        metavar="SYSTEM",
    ),
    output_option("--strict", "Exit with 4 if undecided.", is_flag=True),
    *(
        RUNTIME,
        measuring.MECHANISM,
        measuring.PLACEMENT,
        measuring.CPUS,
        *measuring.BUSY_THREADS,
        measuring.BUDGET,
        measuring.SEED,
        *measuring.BUILDING,
        *MEASURING,
        *OF_A_STUDY,
        LOCATION,
    ),
    study="recommend-wait",
    examples=[
        ("recommend wait --rate 20k --latency p99=50us", "messages"),
        ("recommend wait --rate 1k --latency p99=200us --max-cpu 20%", "CPU"),
        ("recommend wait --threads 8 --latency p99=200us", "a barrier"),
    ],
    ends={3: "No wait strategy meets it.", 4: "With --strict: undecided."},
)


RECOMMEND_QUEUE = command(
    "queue",
    """Find the best queues, and those that collapse.

    It measures each queue on separate CPUs, on one CPU, unpinned, and under load: at depth 1, unbatched, and in
    batches of 100.
    """,
    CONDUCT,
    *(RUNTIME, measuring.MECHANISM),
    time_option("--budget budget_s", "Measure this long in all [default: 3m].", syntax.TIME, default="3m"),
    *(measuring.SEED, *measuring.BUILDING, *MEASURING, *OF_A_STUDY, LOCATION),
    study="recommend-queue",
    examples=[
        ("recommend queue", "of C++, one JVM and Rust"),
        ("recommend queue --runtime cpp", "those of C++, in all regimes"),
        ("recommend queue --mechanism disruptor,sequenced-ring", "of two"),
    ],
)


SHAPE_NAMES = (
    "all-to-all",
    "producer-consumer",
    "pipeline",
    "barrier",
)  # of THREAD_SHAPES, which start-up does not load

RECOMMEND_CPUS = command(
    "cpus",
    """Choose CPUs for communicating threads, and measure the gain.

    It prints the taskset, systemd and Docker lines. Then it measures the threads there and where the scheduler puts
    them, interleaved, until the difference is known.
    """,
    "studies.recommend_cpus.study.recommend_cpus",
    subject_option("--threads", "Place N threads.", syntax.whole_number(1, MOST_THREADS), required=True),
    subject_option(
        "--shape",
        "What they exchange: all-to-all (the default), producer-consumer (several producers), pipeline, or barrier (a "
        "coordinator and its workers).",
        syntax.one_of(*SHAPE_NAMES),
        metavar="SHAPE",
        default=SHAPE_NAMES[0],
    ),
    subject_option("--cpus", "Consider only these CPUs: 0-7,16.", syntax.CPUS),
    subject_option("--from matrix", "Use the matrix of a run or of another tool's file.", metavar="RUN|FILE"),
    RUNTIME,
    measuring.mechanisms("--mechanism mechanisms", "Measure the gain by NAME."),
    time_option("--budget budget_s", "Measure this long in all [default: 30s].", syntax.TIME, default="30s"),
    measuring.SEED,
    method_option("--siblings", "Allow two threads on one core.", is_flag=True),
    method_option("--avoid-interrupts", "Avoid CPUs with many device interrupts.", is_flag=True),
    MARGIN_OPTION,
    *(*MEASURING, *OF_A_STUDY, LOCATION),
    examples=[
        ("recommend cpus --threads 2", "two threads that exchange messages"),
        ("recommend cpus --threads 4 --shape pipeline", "a pipeline"),
        ("recommend cpus --threads 4 --from last", "by the newest matrix"),
    ],
)

RECOMMEND = group(
    "recommend",
    "Recommend a wait strategy, a queue, or CPUs for your threads.",
    *(RECOMMEND_WAIT, RECOMMEND_QUEUE, RECOMMEND_CPUS),
    start=[
        ("recommend wait --rate 20k --latency p99=50us", "which wait strategy"),
        ("recommend queue", "which queue"),
        ("recommend cpus --threads 4", "which CPUs"),
    ],
)


PURPOSE_NAMES = ("latency", "benchmark", "realtime")  # PURPOSES of health, which start-up does not load

DOCTOR = command(
    "doctor",
    """Check in 15 seconds whether this machine is fit.

    It changes nothing and needs no rights. It measures stalls of busy threads and the lateness of woken threads.
    """,
    "studies.doctor.study.doctor",
    subject_option(
        "--purpose",
        "By which limits: latency (the default), benchmark or realtime; docs/how-to/machine-fit.md has them.",
        syntax.one_of(*PURPOSE_NAMES),
        metavar="PURPOSE",
        default="latency",
    ),
    subject_option("--latency limit_ns", "Allow this lateness in place of the purpose's.", syntax.latency_of("max")),
    subject_option("--cpus", "Examine only these CPUs: 2,3.", syntax.CPUS),
    subject_option("--since before", "Report what changed since this run of doctor.", metavar="RUN"),
    subject_option("--self-test", "Check threadping itself by planted delays and stalls.", is_flag=True),
    time_option("--budget budget_s", "Measure this long [default: 15s; --self-test: 30s].", syntax.TIME),
    *(measuring.SEED, *MEASURING, *OF_A_STUDY),
    output_option("--strict", "Exit with 4 if in doubt.", is_flag=True),
    LOCATION,
    examples=[
        ("doctor", "is this machine fit for low latency?"),
        ("doctor --purpose realtime --cpus 2,3", "fit for real time?"),
        ("doctor --since last", "did it help what you have changed?"),
    ],
    ends={0: "Fit, or in doubt.", 3: "Unfit.", 4: "With --strict: in doubt."},
)


REPRODUCE = command(
    "reproduce",
    """Reproduce published figures, or the number of another tool.

    `articles` repeats all articles, or those named after it. A TOOL's number is measured by its rules and by ours;
    `threadping info tools` lists the tools.
    """,
    "studies.reproduce.study.reproduce",
    click.Argument(
        ["what"], metavar="articles [NAME]... | TOOL", nargs=-1, required=True, **completed_by("reproducible")
    ),
    RUNTIME,
    rejected_option(
        "--mechanism",
        "reproduce uses the mechanisms of the articles. Compare others with them by the subject itself: "
        "threadping run signal --mechanism ./my_flag.hpp,seqcst-one-line",
    ),
    subject_option("--from which", "Compare this stored run; measure nothing.", metavar="RUN", **completed_by("runs")),
    time_option("--budget budget_s", "Measure this long [default: 3m; a tool: 20s].", syntax.TIME),
    *(measuring.SEED, *MEASURING, *OF_A_STUDY, LOCATION),
    examples=[
        ("reproduce articles disruptor", "the Disruptor's figures"),
        ("reproduce articles --from last", "by a run that is stored"),
        ("reproduce core-to-core-latency", "by its rules and by ours"),
    ],
)


def _scheduler(*, required: bool) -> Option:
    return subject_option(
        "--on scheduler", "Use Dask's scheduler: tls://HOST:8786.", metavar="ADDRESS", required=required
    )


WHICH_FLEET = click.Argument(["which"], metavar="[FLEET]", required=False, default="last")

FLEET_ENDS = {1: "A host has no run: it was lost, or could not measure."}
OF_FLEET = [
    command(
        "run",
        """Measure once on each host on which a worker of the scheduler runs.

        What follows is what `run` takes: `fleet run --on ADDRESS signal --budget 10s`.
        """,
        "studies.fleet.command.run",
        click.Argument(["words"], metavar="[SUBJECT] [OPTION]...", nargs=-1, type=click.UNPROCESSED),
        _scheduler(required=True),
        *(*TABULAR, LOCATION),
        settings={"ignore_unknown_options": True},
        examples=[
            ("fleet run --on tcp://HOST:8786", "what `run` does, on each host"),
            ("fleet run --on tcp://HOST:8786 signal", "one experiment"),
        ],
        ends=FLEET_ENDS,
    ),
    command(
        "resume",
        "Measure on those hosts of a fleet (its number, or 'last') that have no run yet.",
        "studies.fleet.command.resume",
        *(WHICH_FLEET, _scheduler(required=False), *TABULAR, LOCATION),
        examples=[("fleet resume last", "the newest fleet")],
        ends=FLEET_ENDS,
    ),
    command(
        "show",
        "Say which hosts of a fleet (its number, or 'last') differ from their kind.",
        "studies.fleet.command.show",
        *(WHICH_FLEET, *OF_A_STUDY, LOCATION),
        examples=[("fleet show", "the newest fleet"), ("fleet show 2 --format markdown", "fleet 2, for a page")],
    ),
]
FLEET = group(
    "fleet",
    "Measure on every host of a Dask cluster, and find those that differ.",
    *OF_FLEET,
    start=[
        ("fleet run --on tcp://HOST:8786 signal --budget 30s", "once on every host"),
        ("fleet show", "which hosts differ"),
    ],
)
