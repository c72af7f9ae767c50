"""Crates of the user's own, compiled by the real cargo and measured by what came of them.

probes/rust/tests/contracts.rs tests the mechanisms that break the contract, and compiles all of them once.
"""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.conftest import ROOT
from tests.contract.real_probes import START_SECONDS, assert_ping, made_once, patient_request, validator_of
from tests.trials import run_trial
from threadping.cli.app import run
from threadping.model.cases import OwnMechanism, Runtime
from threadping.model.errors import ThreadpingError, UsageError
from threadping.probes.builds import read_mechanisms
from threadping.probes.custom_cpp import check
from threadping.probes.custom_rust import NEEDS_NETWORK, crate_compiled, find_cargo
from threadping.probes.language import probes_folder
from threadping.probes.runtimes import describe

EXAMPLES = ROOT / "examples" / "rust"
QUEUE, SPINS, SLEEPS, LOCK = {"queue", "load"}, {"signal", "load"}, {"signal", "wakeup", "load"}, {"lock"}
MEASURED = {"FlumeChannel": QUEUE, "Condition": SLEEPS}
"""Examples of the kinds that `threadping new` does not write; all others are compiled with them."""

RUSTUPS = Path.home() / ".cargo" / "bin" / "cargo"
"""Cargo's path, which the Makefile and the command find too, if PATH does not have it."""

pytestmark = [
    pytest.mark.skipif(not (shutil.which("cargo") or shutil.which(RUSTUPS)), reason="cargo is missing"),
    pytest.mark.skipif(
        not (probes_folder() / "dev" / "rust").exists(), reason="the crate is not installed with the probes"
    ),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, and for all workers, so that what crates depend on is compiled once: cargo lets others wait."""
    return made_once(tmp_path_factory, "crates", lambda _: None)


def built(named: str, cache: Path, telling: Callable[[str], None] = lambda _: None) -> OwnMechanism:
    """Without optimisation: it compiles in less time. The test is skipped where a library can be had from nowhere."""
    _, (source,) = read_mechanisms([named])
    cargo = find_cargo(os.environ, "--config profile.release.opt-level=0", Path(source.file))
    try:
        return crate_compiled(source, cargo, cache, telling)
    except UsageError as error:
        if NEEDS_NETWORK.search(str(error)):
            pytest.skip(str(error))
        raise


def assert_measured(own: OwnMechanism, experiments: set[str]) -> None:
    check(own)
    probe = Runtime(own.name, "rust", own.command, "")
    description = describe(probe).description
    message = json.loads(msgspec.json.encode(description))
    validator_of("describe").validate(message)
    assert {one.name for one in description.experiments} == experiments
    for experiment in description.experiments:
        (mechanism,) = experiment.mechanisms
        assert mechanism.name == own.name and mechanism.words
        request = patient_request(experiment.name, own.name, "unpinned", mechanism.lines, alone=True)
        outcome = run_trial(probe, request, start_seconds=START_SECONDS)
        assert outcome.result, (outcome.failure, outcome.log)
        assert_ping(outcome.result, experiment, mechanism)


@pytest.mark.parametrize("name", MEASURED)
def test_an_example_keeps_the_contract_and_is_measured(name: str, cache: Path) -> None:
    assert_measured(built(f"{EXAMPLES}:{name}", cache), MEASURED[name])


def test_every_example_is_short() -> None:
    assert set(re.findall(r"pub use \w+::(\w+);", (EXAMPLES / "src" / "lib.rs").read_text())) > set(MEASURED)
    for file in (EXAMPLES / "src").glob("*.rs"):
        written = [
            line for line in file.read_text().splitlines() if line.strip() not in ("", "}") and "///" not in line
        ]
        assert len(written) <= 20, file


@pytest.mark.parametrize("concept, experiments", [("queue", QUEUE), ("signal", SPINS), ("lock", LOCK)])
def test_the_output_of_new_keeps_the_contract_and_is_measured(
    concept: str, experiments: set[str], cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", concept, "--language", "rust", "mine"]) == 0
    own = built("./mine", cache)
    assert own.name == "mine"
    assert_measured(own, experiments)
    messages: list[str] = []
    assert built("./mine", cache, messages.append) == own
    assert messages == []


def crate(folder: Path, text: str) -> str:
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").write_text(text)
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "my"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nthreadping = "*"\n'
    )
    return str(folder)


OPEN = """use threadping::lock::Lock;
#[derive(Default)]
pub struct Open;
impl Lock for Open {
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T { BODY }
}
pub struct Other;
struct Private;
"""


def test_a_broken_one_is_refused_with_what_was_seen(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(ThreadpingError, match=r"is not measured\. Two threads were inside at once"):
        check(built(crate(tmp_path, OPEN.replace("BODY", "critical()")), cache))


@pytest.mark.parametrize(
    "body, named, sentence",
    [
        ("let x: u32 = critical(); x", "", " does not compile: line 5 of src/lib.rs: mismatched types."),
        (
            "critical()",
            ":Other",
            "'Other' of 'NAME' implements none of Signal, Lock, TryQueue and Channel of the crate",
        ),
        (
            "critical()",
            ":Private",
            " has no public type 'Private' that could be measured: struct `Private` is private.",
        ),
        ("critical()", ":Gone", " has no public type 'Gone' that could be measured: cannot find type `Gone` in crate"),
    ],
    ids=["wrong", "none", "private", "gone"],
)
def test_what_is_no_mechanism_says_why(body: str, named: str, sentence: str, cache: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        check(built(crate(tmp_path, OPEN.replace("BODY", body)) + named, cache))
    assert sentence.replace("NAME", tmp_path.name) in str(error.value)
