"""Mechanisms of the user's own through the real command: what is built is a fake probe, every figure exact."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import JSON, Command, Done, interrupted
from tests.fakes.answers import put_fake_probe
from threadping.model.cases import OwnMechanism, Runtime
from threadping.planning.selection import Selection
from threadping.probes.builds import OwnSource

AT = ("--placement", "same-l3", "--budget", "30s", "--seed", "3")


@pytest.fixture
def own(with_fake: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run threadping with headers that contain the name of one of the fake's mechanisms."""

    def build(_runtime: Runtime, source: OwnSource, _asked: Selection, _telling: Any) -> OwnMechanism:
        like = Path(source.file).read_text()
        probe = tmp_path / f"own-{like}"
        put_fake_probe(probe, FAKE_LIKE=like)
        command = (str(probe), "--name", source.name)
        return OwnMechanism(source.name, source.given, command, f"digest-{like}", "fake++")

    monkeypatch.setattr("threadping.conduct.environment._built", build)
    for folder, like in {"base": "steady", "head": "slow", "same": "steady"}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my_queue.hpp").write_text(like)

    def run(*arguments: str, env: dict[str, str] | None = None, **more: Any) -> Done:
        return with_fake(*arguments, env={"FAKE_NOISE": "0.01", **(env or {})}, **more)

    return run


def test_a_custom_mechanism_is_measured_with_others_and_the_run_records_its_source(own: Command) -> None:
    done = own("run signal --mechanism ./base/my_queue.hpp,slow", *AT, *JSON).ended()
    assert [(row["mechanism"], row["runtime"]) for row in done.rows] == [("my_queue", "cpp"), ("slow", "cpp")]
    (runtime,) = done.json["run"]["runtimes"]
    (known,) = runtime["own"]
    source = [known[name] for name in ("name", "source", "digest", "made_by")]
    assert source == ["my_queue", "./base/my_queue.hpp", "digest-steady", "fake++"]
    assert own("show 1", *JSON).rows == done.rows
    assert "./base/my_queue.hpp: fake++" in own("explain my_queue 1").stdout


def test_the_gate_fires_at_a_slower_header_and_passes_the_same(own: Command) -> None:
    gate = ("compare", "signal", "--fail-above", "5%", *AT)
    answer = own(*gate, "--mechanism", "base/my_queue.hpp,head/my_queue.hpp", *JSON).parsed(3)
    assert (answer["what"], answer["a"], answer["b"]) == ("mechanism", "base/my_queue", "head/my_queue")
    assert own("compare last").returncode == 3
    own(*gate, "--mechanism", "base/my_queue.hpp,same/my_queue.hpp").ended()


def test_every_two_cpus_are_measured_with_it(own: Command) -> None:
    answer = own("matrix --mechanism ./base/my_queue.hpp --cpus 0,1 --budget 10s --seed 3", *JSON).parsed()
    (runtime,) = answer["run"]["runtimes"]
    assert (runtime["label"], runtime["own"][0]["source"]) == ("cpp", "./base/my_queue.hpp")
    assert runtime["own"][0].get("loop") is None, "no cell shows it"
    assert "my_queue" in own("show 1").stdout
    own("matrix --mechanism ./base/my_queue.hpp,slow --cpus 0,1").refuses("A matrix takes one mechanism")


def test_two_things_may_differ_in_runtime_and_mechanism(own: Command) -> None:
    answer = own("compare signal --a", "cpp steady", "--b", "cpp head/my_queue.hpp", *AT, *JSON).parsed(3)
    assert (answer["what"], answer["a"], answer["b"]) == ("runtime and mechanism", "cpp steady", "cpp my_queue")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("run lock", "'base/my_queue.hpp' is not measured by lock, but by signal."),
        ("reproduce articles", "threadping run signal --mechanism ./my_flag.hpp,seqcst-one-line"),
        ("recommend queue", "'base/my_queue.hpp' is not measured by queue, but by signal."),
    ],
)
def test_what_cannot_be_is_refused(own: Command, asked: str, sentence: str) -> None:
    own(*asked.split(), "--mechanism", "base/my_queue.hpp", "--budget", "10s").refuses(sentence)


def test_what_to_type_next_names_its_file_and_how_it_was_compiled(own: Command, tmp_path: Path) -> None:
    (tmp_path / "my_ring.hpp").write_text("disruptor")
    asked = ("run", "queue", "--mechanism", "./my_ring.hpp", "--cxxflags=-I x", "--cxx", "g++", "--depth", "0", *AT)
    done = own(*asked, env={"FAKE_RINGS": "disruptor"}).ended()
    assert re.search(
        r"threadping run load --mechanism \./my_ring\.hpp --runtime cpp --rate \S+ '--cxxflags=-I x' --cxx g\+\+",
        done.flat,
    )


def test_a_run_of_it_is_resumed_with_it_but_not_with_what_was_built_again(
    own: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("threadping.conduct.runner.Runner._measure", interrupted)
        own("run signal --mechanism base/my_queue.hpp", *AT).ended(130)
    built = (probe := tmp_path / "own-steady").read_text()
    probe.write_text(f"{built}# another build\n")
    own("runs resume last").refuses("cpp is another build now")
    probe.write_text(built)
    assert [row["mechanism"] for row in own("runs resume last", *JSON).ended().rows] == ["my_queue"]
