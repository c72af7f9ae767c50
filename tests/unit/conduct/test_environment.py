"""The environment, and the measurements that it permits."""

from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

from tests.conftest import CONTRACT
from tests.unit.output.printing import flat, printed
from tests.unit.planning.examples import inventory, mechanism, offer
from threadping.conduct import environment as module
from threadping.conduct.environment import HOUSEKEEPING_S, Environment, prepare_rounds, resolve, starts_of
from threadping.conduct.study import StudyRequest
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.contract import Description
from threadping.model.errors import BudgetTooSmall, UsageError
from threadping.model.run import Survey
from threadping.planning.cases import expand
from threadping.planning.defaults import Start
from threadping.planning.plan import Budget
from threadping.planning.selection import Inventory, Selection
from threadping.probes.builds import OwnSource
from threadping.probes.java import flagged
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import Described


def test_a_start_takes_as_long_as_to_be_described_and_what_every_trial_has_besides() -> None:
    """A runtime with a JIT behaves alike: its archive has the classes of both."""
    raw = (CONTRACT / "examples" / "good" / "describe.json").read_bytes()
    said = msgspec.json.decode(raw, type=Description)
    described = [
        Described(Runtime(label, probe, ("probe",), ""), said, seconds)
        for label, probe, seconds in (("cpp", "cpp", 0.006), ("java-17", "java", 0.09))
    ]
    java = Start(0.09 + HOUSEKEEPING_S, compiles=True)
    assert starts_of(described) == {"cpp": Start(0.006 + HOUSEKEEPING_S), "java-17": java}


class FoundNothing:
    """A machine whose runtimes nobody asks about."""

    def select(self, _: object) -> tuple[Runtime, ...]:
        return (Runtime("java-17", "java", ("java",), ""),)


@pytest.mark.parametrize(
    ("language", "budget_s", "is_refused"), [("java", 0.9, True), ("java", 1.0, False), ("cpp", 0.9, False)]
)
def test_a_budget_that_no_case_fits_is_refused_before_a_mechanism_is_compiled(
    monkeypatch: pytest.MonkeyPatch, language: str, budget_s: float, is_refused: bool
) -> None:
    """A wrapper for Java was checked for 44 s, and then four seconds were too few."""
    compiled: list[object] = []
    monkeypatch.setattr("threadping.conduct.environment.resolve", lambda *_: (compiled.append(1), [])[1])  # type: ignore[func-returns-value]
    own = OwnSource("my.Queue", language, "my.jar", "Queue", "queue")
    named: Any = {"experiments": ("signal",), "runtimes": ("java",), "mechanisms": ("queue",)}
    selection = Selection(**named, own=(own,), budget_s=budget_s)
    environment = Environment(FoundNothing(), Runtime("cpp", "cpp", ("probe",), ""))  # type: ignore[arg-type]
    if is_refused:
        with pytest.raises(BudgetTooSmall, match=r"0\.9 s is too small: 3 trials of one case take more than 0\.9 s\."):
            environment.runtimes_of(selection)
    else:
        environment.runtimes_of(selection)
    assert bool(compiled) is not is_refused


@pytest.mark.parametrize(
    ("labels", "is_terminal", "is_said"), [("ab", True, True), ("ab", False, False), ("a", True, False)]
)
def test_on_a_terminal_it_says_that_runtimes_are_started_before_it_waits_for_them(
    monkeypatch: pytest.MonkeyPatch, labels: str, is_terminal: bool, is_said: bool
) -> None:
    """Nothing was on the screen for the four seconds that three JVMs took."""
    happened: list[str] = []
    for name, does in {
        "stderr": lambda: Console(force_terminal=is_terminal),
        "say": happened.append,
        "topology_with": lambda *_: None,
        "describe_all": lambda *_, **__: (happened.append("described"), ([], []))[1],  # type: ignore[func-returns-value]
        "inventory_of": lambda *_: Inventory(case_defaults={}, topology=None, described=(), timed={}),  # type: ignore[arg-type]
    }.items():
        monkeypatch.setattr(f"threadping.conduct.environment.{name}", does)
    runtimes = [Runtime(label, "cpp", ("probe",), "") for label in labels]
    here = Environment(FoundNothing(), runtimes[0], begun_s=monotonic() - 40).inventory(runtimes)  # type: ignore[arg-type]
    assert happened == [*["Starting a, b to learn what they measure …"] * is_said, "described"]
    assert here.spent_s >= 40


def test_what_was_spent_before_the_first_trial_counts_up_to_half_of_a_budget_and_refuses_nothing() -> None:
    """Three minutes took 205 s: archives and plans stood outside of them."""
    whole, hurried = Budget(180, {}, {}, 1), Budget(180, {}, {}, 1, spent_s=25)
    late = Budget(4, {}, {}, 1, spent_s=44)
    assert (whole.left_s, hurried.left_s, late.left_s) == (180, 155, 2)
    late.require_fit(3.9, "a trial")
    with pytest.raises(BudgetTooSmall, match=r"--budget 4\.2s"):
        late.require_fit(4.1, "a trial")


HEADER = OwnSource("./q.hpp", "cpp", "/q.hpp", "", "q")
CLASS = OwnSource("classes:Q", "java", "classes", "Q", "Q")
JAVA = Runtime("java-17", "java", ("/java", "-jar", "/probe.jar"), "OpenJDK 17")


@pytest.fixture
def cpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runtime:
    monkeypatch.setattr(module, "find_compiler", lambda _environment, _cxx, flags: flags)
    monkeypatch.setattr(module, "compiled", lambda one, by, *_: OwnMechanism(one.name, one.given, (by,), "digest", ""))
    monkeypatch.setattr("threadping.probes.custom_cpp.check", lambda _: None)
    monkeypatch.setattr(module, "probes_folder", lambda: tmp_path)
    monkeypatch.setattr("threadping.model.files.user_folder", lambda _: tmp_path / "cache")
    return Runtime("cpp", "cpp", (str(tmp_path / "threadping-probe"),), "")


def test_a_header_is_measured_by_every_build_of_ours_and_by_no_other_probe(cpp: Runtime) -> None:
    other = Runtime("mine", "cpp", ("/mine",), "")
    native = replace(cpp, label="cpp -march=native")
    found = resolve([HEADER], [cpp, native, other, JAVA], Selection(cxxflags="-O1"), lambda _: None)
    assert [[own.name for own in runtime.own] for runtime in found] == [["q"], ["q"], [], []]
    assert found[1].command_of("q") == ("-march=native -O1",) and found[1].command_of("mutex") == native.command


def test_a_runtime_that_measures_it_must_be_selected(cpp: Runtime) -> None:
    with pytest.raises(UsageError, match=r"no C\+\+ runtime is selected: leave --runtime out, or add one"):
        resolve([HEADER], [JAVA], Selection(), lambda _: None)
    with pytest.raises(UsageError, match="no Java runtime is selected"):
        resolve([CLASS], [cpp], Selection(), lambda _: None)
    crate = OwnSource("./q", "rust", "/q", "", "q")
    with pytest.raises(UsageError, match=r"no Rust runtime is selected: .* \(--runtime rust\)"):
        resolve([crate], [cpp, Runtime("mine", "rust", ("/mine",), "")], Selection(), lambda _: None)


def test_a_class_is_tried_once_and_another_of_its_folder_too(cpp: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    monkeypatch.setattr("threadping.probes.custom_cpp.check", lambda own: tried.append(own.command[-3]))
    monkeypatch.setattr(module, "build_of", lambda _: "b" * 16)
    for _ in range(2):
        for name in ("Q", "R"):
            resolve([replace(CLASS, chosen=name, name=name)], [JAVA], Selection(), lambda _: None)
    assert [where.rpartition(":")[2] for where in tried] == ["Q", "R"]


def test_flags_of_its_virtual_machine_are_its_too(cpp: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = resolve([CLASS], [JAVA], Selection(), lambda _: None)
    started = flagged(found, "-Xint")
    assert started.command_of("Q")[:4] == ("/java", "-Xint", "-jar", "/probe.jar")
    assert started.command == ("/java", "-Xint", "-jar", "/probe.jar")


def test_a_header_without_a_mechanism_says_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_own: OwnMechanism) -> None:
        raise UsageError("No class of 'q.hpp' is a queue (push, pop).")

    header = tmp_path / "q.hpp"
    header.write_text("class Q { bool try_push(int); bool try_pop(int&); };")
    own = OwnMechanism("q", "./q.hpp", (str(tmp_path / "probe"),), "digest", "")
    monkeypatch.setattr("threadping.model.files.user_folder", lambda _: tmp_path)
    monkeypatch.setattr(module, "compiled", lambda *_: own)
    monkeypatch.setattr(module, "find_compiler", lambda *_: None)
    monkeypatch.setattr("threadping.probes.custom_cpp.check", refuse)
    cpp = Runtime("cpp", "cpp", (str(probes_folder() / "threadping-probe"),), "")
    with pytest.raises(UsageError, match=r"push, pop\)\. What it has: class Q with try_push, try_pop\.$"):
        resolve([replace(HEADER, file=str(header))], [cpp], Selection(), lambda _: None)


COMMON, CPP_ONLY = mechanism("cas"), mechanism("swap")
JVM_ONLY = mechanism("virtual", blocking=True, needs="Java 21")
HERE = inventory(offer("cpp", COMMON, CPP_ONLY), offer("java-17", COMMON, JVM_ONLY))

WITHOUT_SWAP = "swap java-17: this runtime's probe does not have it"
WITHOUT_VIRTUAL = ("virtual cpp: this runtime's probe does not have it", "virtual java-17: needs Java 21")


@pytest.mark.parametrize(
    ("named", "missing"),
    [
        pytest.param({}, (), id="nothing named"),
        pytest.param({"mechanisms": ("cas",)}, (), id="measured in both runtimes"),
        pytest.param({"mechanisms": ("swap",)}, (), id="measured in one runtime"),
        pytest.param({"mechanisms": ("cas", "virtual")}, WITHOUT_VIRTUAL, id="measured nowhere"),
        pytest.param({"mechanisms": ("swap",), "runtimes": ("cpp", "java")}, (WITHOUT_SWAP,), id="runtimes named too"),
    ],
)
def test_a_named_mechanism_measured_nowhere_is_announced(named: dict[str, Any], missing: tuple[str, ...]) -> None:
    selection = Selection(experiments=("signal",), **named)
    begun = prepare_rounds(expand(selection, HERE), HERE, StudyRequest(Survey(), selection))
    said = flat(printed(begun.said))
    assert ("Not measured" in said) == bool(missing)
    assert [one for one in (WITHOUT_SWAP, *WITHOUT_VIRTUAL) if one in said] == [*missing], said
