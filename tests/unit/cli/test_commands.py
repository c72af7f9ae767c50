"""Options of a command become one Selection; each command has its own options."""

import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from msgspec.structs import replace

from tests.golden.fixture import ANSWER
from tests.unit.analysis.examples import SIGNAL, TOPOLOGY
from tests.unit.cli.test_main import each
from threadping.analysis.states import StateFilter
from threadping.cli.app import PROGRAM
from threadping.conduct.conduct import check_requests
from threadping.conduct.environment import without_store
from threadping.conduct.presenting import Output, present
from threadping.conduct.study import study_named
from threadping.experiments import EXPERIMENTS, of_run
from threadping.model import errors
from threadping.model.cases import DEFAULT_WARMUP, DURATIONS_NS, WarmupPolicy, with_params
from threadping.model.contract import OUTLIERS, Request
from threadping.model.errors import ThreadpingError, UsageError
from threadping.options import measuring as commands
from threadping.options import syntax
from threadping.options.measuring import RUN_SUBJECTS, measuring
from threadping.options.shared import EXPERIMENT_NAMES, LOCATION
from threadping.output.run_records import hlog
from threadping.planning.defaults import Length, Start
from threadping.planning.plan import Budget, make_plan
from threadping.planning.selection import Selection


def each_command() -> Iterator[click.Command]:
    for one in PROGRAM.commands.values():
        yield one
        yield from one.commands.values() if isinstance(one, click.Group) else ()


def called(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> tuple[Selection, Output]:
    """Return the selection and the output that a command passes to its study."""
    calls: list[tuple[Any, ...]] = []

    def record(*given: Any) -> int:
        calls.append(given)
        return 0

    monkeypatch.setattr("threadping.conduct.conduct.conduct", record)
    monkeypatch.delenv("THREADPING_STORE", raising=False)
    command = measuring(name)
    command.invoke(command.make_context(name, [*arguments]))
    ((_, asked, output),) = calls
    return asked.selection, output


@pytest.mark.parametrize("name", ["run", *EXPERIMENTS])
def test_without_options_a_selection_has_its_defaults(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    selection, output = called(monkeypatch, name)
    looks = None if name == "load" else OUTLIERS  # they would be most of its CPU time
    assert selection == Selection(experiments=of_run() if name == "run" else (name,), outliers=looks)
    assert output == Output() and " is {}, {}, {}, {} and {} in C++".format(*of_run()) in (measuring("run").help or "")


def test_options_are_one_typed_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    words = """--mechanism mutex,monitor --mechanism mutex --runtime cpp,java-17 --cpus 1,0 --threads 1-3
        --state low --budget 2m --trial 300ms --seed 7 --critical 1,2 --critical 1 --param pauses=10
        --param critical=5 --no-coarsening --pin process --warmup 1x500M,steady --outlier-limit 20us --slots 3 --home 0
        --anyway --format json -o out.csv -o out.svg --strict --store runs"""
    selection, output = called(monkeypatch, "lock", *words.split())
    assert selection == Selection(
        experiments=("lock",),
        mechanisms=("mutex", "monitor"),
        runtimes=("cpp", "java-17"),
        jvm_flags={"no-coarsening": EXPERIMENTS["lock"].jvm_options["no-coarsening"][0]},
        cpus=(1, 0),
        threads=(1, 2, 3),
        state=StateFilter("low"),
        budget_s=120,
        trial_s=0.3,
        seed=7,
        params={"critical": ("1", "2", "5"), "pauses": ("10",)},
        pins=("process",),
        warmups=(WarmupPolicy(1, 500_000_000), DEFAULT_WARMUP),
        outliers=replace(OUTLIERS, factor=1, least_ns=20_000),
        lines=3,
        homes=("0",),
        anyway=True,
    )
    assert output == Output(form="json", files=(Path("out.csv"), Path("out.svg")), location="runs", strict=True)


def test_a_command_has_the_options_that_apply_to_it() -> None:
    rows: list[tuple[str, set[str], set[str]]] = [
        ("signal", {"--wait", "--cxx"}, {"--threads", "--critical", "--no-coarsening"}),
        ("lock", {"--threads", "--critical", "--no-coarsening"}, {"--wait", "--pairs"}),
        ("wakeup", {"--pairs", "--message-bytes", "--pause"}, {"--wait", "--threads", "--critical"}),
    ]
    for name, has, lacks in rows:
        found, of_all = ({opt for one in measuring(of).params for opt in one.opts} for of in (name, "run"))
        assert has <= found and of_all <= found
        assert not lacks & found


def test_commands_that_open_a_store_say_where_and_every_command_is_in_the_help() -> None:
    opening = {context.command_path.removeprefix("threadping ") for context, one in each() if LOCATION in one.params}
    of_subjects = {f"{name} {subject}" for name in ("run", "compare") for subject in RUN_SUBJECTS}
    studies = {"show", "report", "explain", "compare", "doctor", "matrix", "ping", "reproduce", "run"}
    of_groups = {"runs": "list rm import export resume", "recommend": "wait queue cpus", "fleet": "run resume show"}
    grouped = {f"{name} {one}" for name, each in of_groups.items() for one in each.split()}
    assert opening == {*studies, *grouped, *of_subjects}
    assert tuple(EXPERIMENTS) == EXPERIMENT_NAMES  # which need no import
    sentences = {name: says for each in PROGRAM.groups.values() for name, says in each.items()}
    assert sentences == {name: one.get_short_help_str(200) for name, one in PROGRAM.commands.items()}
    assert all(one.name == name for name, one in PROGRAM.commands.items())
    assert f"Subjects: {', '.join(RUN_SUBJECTS)}." in (PROGRAM.commands["run"].help or "")


def test_every_command_calls_a_function_that_takes_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    bound: list[object] = []

    class PageContributor:
        def __init__(self, name: str) -> None:
            self.package = import_module(name)

        def __getattr__(self, function: str) -> Callable[..., Any]:
            if function == "study_named":
                return study_named
            called = signature(getattr(self.package, function))

            def call(*first: Any, **given: Any) -> int:
                bound.append(called.bind(*first, **given))
                return 0

            return call

    every = [(one.callback, one) for one in each_command() if one.callback]
    monkeypatch.setattr(errors, "import_module", PageContributor)
    for callback, command in every:
        callback(**{one.name: None for one in command.params if one.expose_value and one.name})
    assert len(bound) == len(every)


def test_a_format_that_a_thing_lacks_names_those_that_it_has() -> None:
    with pytest.raises(UsageError, match=r"--format hlog cannot be written here\. Choose table or json or csv\."):
        present(Output(form="hlog"), {"json": str, "csv": str}, str)


def test_a_run_does_not_keep_where_its_store_is() -> None:
    words = ["run", "--store", "postgresql://me:secret@host/db", "--budget", "3s", "--store=x", "-o", "store.json"]
    assert without_store(words) == ("run", "--budget", "3s", "-o", "store.json")


SENSELESS = ("9" * 23, "9" * 400, "-1", "0", "nan", "inf", "1e400", "", "\N{ARABIC-INDIC DIGIT FOUR}", "0-" + "9" * 9)


@pytest.mark.parametrize("value", SENSELESS)
def test_numbers_beyond_any_sense_are_read_or_refused_in_a_sentence_by_every_option(value: str) -> None:
    read = 0
    for command in each_command():
        for one in command.params:
            if isinstance(one.type, click.Choice | click.Path):
                continue
            try:
                found = one.type.convert(value, one, None)
            except (UsageError, click.UsageError) as error:
                assert str(error), one.name
                continue
            read += 1
            if isinstance(found, int | float) and not isinstance(found, bool) and one.name != "interval_s":
                assert 0 <= found <= 3.6e12, (command.name, one.name)
    assert read  # names are read, whatever they are


@pytest.mark.parametrize("trial_s", [0.002, 3600.0])
def test_the_shortest_and_the_longest_trial_are_requests_that_the_contract_takes(trial_s: float) -> None:
    for name, experiment in EXPERIMENTS.items():
        case = replace(SIGNAL, experiment=name, params={"rate": 10})
        budget = Budget(86_400.0, {"cpp": Start(0.05)}, {name: experiment.pace}, 3, trial_s)
        plan = make_plan([case], budget)
        request = plan.request(case, plan.lengths[0], 0, 2)
        assert msgspec.convert(msgspec.to_builtins(request), Request) == request


def test_what_the_contract_does_not_take_is_refused_before_anything_is_measured() -> None:
    plan = make_plan([SIGNAL], Budget(60.0, {"cpp": Start(0.05)}, {"signal": EXPERIMENTS["signal"].pace}, 3))
    short = replace(plan, lengths=(Length(0.1, 0.0005),))
    check_requests(plan, TOPOLOGY)
    with pytest.raises(UsageError, match=r"cannot be measured so: no probe takes that \(Expected `int` >= 1000000"):
        check_requests(short, TOPOLOGY)


def test_a_duration_is_printed_as_its_option_takes_it() -> None:
    for name, value in ((one, value) for one in DURATIONS_NS for value in (0, 1, 10, 1_000, 16_667, 1_000_000)):
        _, _, text = with_params("futex", {name: value}, [name]).partition(" ")
        assert syntax.param(text) == (name, (str(value),)) and text.endswith("s")


Reader = Callable[[str], Any]


def test_what_is_written_is_read() -> None:
    rows: list[tuple[Reader, str, object]] = [
        *((syntax.seconds, text, value) for text, value in (("30s", 30), ("1.5m", 90), (" 30 s", 30), ("500ms", 0.5))),
        (syntax.seconds, "24h", 86_400),
        *((syntax.nanoseconds, text, value) for text, value in (("60ns", 60), ("60 ns", 60), ("1.5us", 1500))),
        (syntax.names, " b,a ,b,", ("b", "a")),
        (syntax.runtimes, "cpp, java-17", ("cpp", "java-17")),
        (syntax.runtimes, "java-25 -Xlog:gc,safepoint", ("java-25 -Xlog:gc,safepoint",)),
        (syntax.runtimes, "cpp=/opt/a,b/probe", ("cpp=/opt/a,b/probe",)),
        (syntax.runtimes, "cpp,/opt/jdk", ("cpp", "/opt/jdk")),
        (syntax.runtimes, "/opt/jdk, ./jdk,go=./probe,java-17", ("/opt/jdk", "./jdk", "go=./probe", "java-17")),
        *((syntax.rate, text, rate) for text, rate in (("500", 500), ("10k", 10_000), ("20M", 20_000_000))),
        *((syntax.share, text, 0.03) for text in ("3%", " 3.0 % ")),
        *((syntax.until, text, value) for text, value in (("3%", 0.03), ("0.1%", 0.001), ("50%", 0.5))),
        *((syntax.whole_number(1, 9_000).read, text, value) for text, value in (("1", 1), ("9k", 9_000))),
        (syntax.param, "pauses=1,10,1", ("pauses", ("1", "10"))),
        (syntax.threads, "8, 1 - 2,2", (1, 2, 8)),
        (syntax.threads, "4096", (4096,)),
        (syntax.pairs, "256,1,16", (1, 16, 256)),
        (syntax.busy, "0,2", (0, 2)),
        (syntax.pins, "process,thread,process", ("process", "thread")),
        (syntax.warmups, "10x100k,steady", (WarmupPolicy(10, 100_000), DEFAULT_WARMUP)),
        (syntax.warmups, "1000000x1000G", (WarmupPolicy(10**6, 10**12),)),
        (syntax.outliers, "10x,5us", OUTLIERS),
        (syntax.outliers, "1ms, 2.5x", replace(OUTLIERS, factor=2.5, least_ns=1_000_000)),
        (syntax.outliers, "20us", replace(OUTLIERS, factor=1, least_ns=20_000)),
        (syntax.outliers, "off", None),
        *((syntax.pair, text, (0, 1)) for text in ("0,1", "1,0", "0-1")),
    ]
    for read, text, value in rows:
        assert read(text) == value


NO_WARMUPS = "10 x100k 10x0 0x5 1x1T 10x100K 1000001x1 1x1001G Steady"
NO_OUTLIERS = " 10 x 0.5x 5x,6x 1us,2us 0ns 2000000x 2h off,10x"


def test_what_cannot_be_read_is_refused_with_a_sentence() -> None:
    rows: list[tuple[Reader, Sequence[str], str]] = [
        (syntax.seconds, ("soon", "-3s", "", "3 d"), "'{}' is not a time. Write it as 30s, 2m or 1h."),
        (syntax.placements, ("same-l4", "smt,l3"), "Unknown placement '"),
        (syntax.seconds, ("30", "1.5", ".5"), "'{}' is not a time. Write it with its unit, as 30s, 2m or 1h."),
        (syntax.seconds, ("0s", "24.1h"), "A time must be above 0 and at most 24h, not '{}'."),
        (syntax.trial, ("1ms", "1.9ms", "2h"), "A trial must be from 2ms to 1h, its warm-up included, not '{}'."),
        (syntax.nanoseconds, ("fast", "0ns", "-1", "1m", "1min"), "'{}' is not a latency. Write it as 60ns or 1.5us."),
        (syntax.nanoseconds, ("50", "0.5"), "'{}' is not a latency. Write it with its unit, as 60ns or 1.5us."),
        (syntax.share, ("3", "0.03"), "'{}' is not a percentage. Write it with its sign, as 3% or 0.5%"),
        (syntax.until, ("3",), "'{}' is not a percentage. Write it with its sign, as 3% or 0.5%"),
        (syntax.until, ("0.09%", "50.1%"), "--until must be from 0.1% to 50%, not '{}'."),
        (syntax.rate, ("9", "-5", "1G", "1.5"), "'{}' is not a rate. Write messages per second from 10 to 20M: 500"),
        (syntax.share, ("0%", "101%", "half", "-1"), "'{}' is not a percentage. Write it as 3% or 0.5%"),
        (syntax.param, ("pauses", "=3", "pauses=", "pauses=,", ""), "'{}' is not a parameter. Write it as NAME=VALUE"),
        (syntax.threads, ("0", "4097"), "--threads '{0}' is out of bounds at '{0}'. Write numbers of threads"),
        (syntax.pairs, ("2049",), "--pairs '{0}' is out of bounds at '{0}'. Write numbers of pairs from 1 to 2048"),
        (syntax.busy, ("two", "-1"), "--busy '{0}' cannot be read at '{0}'. Write numbers of busy threads from 0 to"),
        (syntax.pins, ("proces",), "Unknown pin '{}'. Did you mean process"),
        (
            syntax.warmups,
            NO_WARMUPS.split(),
            "'{}' is not a warm-up. Write steady, or rounds x operations in each: 10x",
        ),
        (syntax.outliers, NO_OUTLIERS.split(" "), "'{}' is not an outlier limit. Write a multiple of the median, a"),
        (syntax.pair, ("0,0",), "ping '{}' names only CPU 0; a ping needs two CPUs. Write `threadping ping 0,1`."),
        (syntax.pair, ("0-2", "0,0,1"), "ping '{}' names 3 CPUs; a ping needs two CPUs"),
        (syntax.pair, ("near",), "ping '{0}' cannot be read at '{0}'. Write two CPU numbers from 0 to 65535: 0,1."),
    ]
    for read, texts, sentence in rows:
        for text in texts:
            with pytest.raises(UsageError, match=f"^{re.escape(sentence.format(text))}"):
                read(text)


LACKS = "which not every machine has: pip install"
FORMATS = f"HdrHistogram's formats need nothing_hdrh, {LACKS} 'threadping[hdrhistogram]'."


def options(*arguments: str) -> Callable[[], object]:
    """Read these options, before anything is measured."""
    return lambda: commands.measuring("signal").make_context("signal", [*arguments])


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            options("-o", "/nowhere/chart.svg"),
            f"Charts need nothing_jinja2 and nothing_vl_convert, {LACKS} 'threadping[charts]'.",
        ),
        (options("--format", "hlog"), FORMATS),
        (options("-o", "/tmp/run.hlog"), FORMATS),
        (lambda: hlog(ANSWER), FORMATS),
    ],
)
def test_a_missing_extra_is_named(ask: Callable[[], object], sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = {extra: tuple(f"nothing_{module}" for module in modules) for extra, modules in errors.EXTRAS.items()}
    monkeypatch.setattr(errors, "EXTRAS", lacking)
    with pytest.raises(ThreadpingError) as missing:
        ask()
    assert str(missing.value) == sentence
