"""The options of the commands that the studies have, each with its help."""

import click

from threadping.model.contract import MOST_THREADS
from threadping.options import measuring, syntax
from threadping.options.program import CONDUCT, Command, OwnArgument, command, group, texts
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
        "--metric", "Compare headline [default], mean, p99, max, ...", syntax.one_of(*METRICS), metavar="WHICH"
    ),
    *(MARGIN_OPTION, FAIL_ABOVE, OR_4),
    *(*OF_A_STUDY, LOCATION),
)
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
    examples = [
        *([(f"compare {subject} {COMPARABLE[subject]}", "two of them")] if subject in COMPARABLE else []),
        (f"compare {subject} --runtime java-17,java-25", "two JVMs"),
    ]
    return command(
        subject,
        "studies.compare.study.measure",
        click.Argument(["named"], metavar="[A,B]", type=syntax.NAMES, required=False, **completed_by("mechanisms")),
        *measuring.selecting(subject),
        subject_option("--a", "Name A whole: 'java-17 monitor'.", metavar="'RUNTIME NAME'"),
        subject_option("--b", "Name B whole: 'cpp ./my_lock.hpp'.", metavar="'RUNTIME NAME'"),
        subject_option("--self itself", "Compare a thing with itself (A/A test).", is_flag=True),
        *COMPARED,
        said={**texts()["compare SUBJECT"], "examples": examples},
        subject=subject,
    )


COMPARE = command(
    "compare",
    "studies.compare.study.compare_runs",
    OwnArgument(["what"], nargs=-1, **completed_by("runs")),
    *COMPARED,
    subject_option("--across-machines across", "Allow runs of different machines.", is_flag=True),
    subject_option(
        "--history nights", "Rank a run among the N before it; exit with 3 if outside.", syntax.whole_number(9)
    ),
    **measuring.of_subjects("studies.options.comparing", "SUBJECT [A,B] | RUN [RUN]"),
)


MATRIX = command(
    "matrix",
    CONDUCT,
    subject_option("--cpus", "Measure these CPUs [default: all].", syntax.CPUS),
    measuring.mechanisms("--mechanism mechanisms", "Signal by NAME or your own ./my_flag.hpp [default: cas-one-line]."),
    RUNTIME,
    time_option("--budget longest_s", "Measure at most this long [default: 10s, or three passes].", syntax.TIME),
    measuring.END_EARLY,
    measuring.SEED,
    method_option(
        "--home homes", "Place the lines at the first CPU [default], the second, or a NUMA node.", syntax.NAMES
    ),
    method_option("--directions", "Measure both ways.", is_flag=True),
    *(*measuring.BUILDING, *MEASURING, *OF_MATRIX),
    study="matrix",
)


PING = command(
    "ping",
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
)


RECOMMEND_WAIT = command(
    "recommend wait",
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
        "--latency latency_ns", "Require this p99 from the intended send time.", syntax.latency_of("p99"), required=True
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
)


RECOMMEND_QUEUE = command(
    "recommend queue",
    CONDUCT,
    *(RUNTIME, measuring.MECHANISM),
    time_option("--budget budget_s", "Measure this long in all [default: 3m].", syntax.TIME, default="3m"),
    *(measuring.SEED, *measuring.BUILDING, *MEASURING, *OF_A_STUDY, LOCATION),
    study="recommend-queue",
)


SHAPE_NAMES = (
    "all-to-all",
    "producer-consumer",
    "pipeline",
    "barrier",
)  # of THREAD_SHAPES, which start-up does not load

RECOMMEND_CPUS = command(
    "recommend cpus",
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
)

RECOMMEND = group("recommend", RECOMMEND_WAIT, RECOMMEND_QUEUE, RECOMMEND_CPUS)


PURPOSE_NAMES = ("latency", "benchmark", "realtime")  # PURPOSES of health, which start-up does not load

DOCTOR = command(
    "doctor",
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
)


REPRODUCE = command(
    "reproduce",
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
)


def _scheduler(*, required: bool) -> Option:
    return subject_option(
        "--on scheduler", "Use Dask's scheduler: tls://HOST:8786.", metavar="ADDRESS", required=required
    )


WHICH_FLEET = click.Argument(["which"], metavar="[FLEET]", required=False, default="last")

OF_FLEET = [
    command(
        "fleet run",
        "studies.fleet.command.run",
        click.Argument(["words"], metavar="[SUBJECT] [OPTION]...", nargs=-1, type=click.UNPROCESSED),
        _scheduler(required=True),
        *(*TABULAR, LOCATION),
        settings={"ignore_unknown_options": True},
    ),
    command(
        "fleet resume", "studies.fleet.command.resume", *(WHICH_FLEET, _scheduler(required=False), *TABULAR, LOCATION)
    ),
    command("fleet show", "studies.fleet.command.show", *(WHICH_FLEET, *OF_A_STUDY, LOCATION)),
]
FLEET = group("fleet", *OF_FLEET)
