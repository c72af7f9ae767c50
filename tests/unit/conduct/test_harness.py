"""Pairs of a trial and a bare loop, of a probe that is the fake one: in which order, what is kept, what is given up."""

import json
from itertools import count
from pathlib import Path

import pytest

from threadping.conduct.custom import measure_loop, with_loop
from threadping.model.cases import LoopPairs, OwnMechanism

PROBE = """#!/bin/sh
shift 2
echo "$1 $2 $3 $4" >> {log}
if [ "$1" = bare ]; then {bare}; else exec {fake} "$@"; fi
"""


class OwnProbe:
    """A fake probe of one mechanism, whose bare loop is a line of shell."""

    def __init__(self, folder: Path, fake: Path) -> None:
        self.folder, self.fake, self.log = folder, fake, folder / "log"
        self.program, self.told = folder / "own", list[str]()

    def made(self, bare: str = "echo 99", like: str = "steady") -> OwnMechanism:
        self.program.write_text(
            PROBE.format(
                log=self.log,
                bare=bare,
                fake=f"env FAKE_MECHANISMS={like} FAKE_LOCKS={like.removeprefix('steady')} {self.fake}",
            )
        )
        self.program.chmod(0o755)
        return OwnMechanism(like, "./q.hpp", (str(self.program), "--name", like), "digest", "g++")

    def looped(self, own: OwnMechanism) -> LoopPairs | None:
        return with_loop(own, "cpp", (0, 1), self.folder, self.told.append).loop

    @property
    def started(self) -> list[str]:
        return [line.split()[0] for line in self.log.read_text().splitlines()]


@pytest.fixture
def own(tmp_path: Path, fake_probes: Path, monkeypatch: pytest.MonkeyPatch) -> OwnProbe:
    monkeypatch.setattr("threadping.conduct.custom.others_since", lambda _cpus: lambda: 0.1)
    return OwnProbe(tmp_path, fake_probes / "threadping-probe")


def test_a_trial_and_a_bare_loop_take_turns_at_being_first(own: OwnProbe) -> None:
    found = measure_loop(own.made(), "cpp", (0, 1))
    assert found == LoopPairs("signal", (0, 1), (100.0,) * 12, (99.0,) * 12)
    assert own.started == ["describe", *["run", "bare", "bare", "run"] * 6]
    assert {line for line in own.log.read_text().splitlines() if "bare" in line} == {"bare 0 1 40"}


def test_what_is_settled_is_kept_by_host_and_cpus(own: OwnProbe) -> None:
    mechanism = own.made()
    first = own.looped(mechanism)
    (kept,) = own.folder.glob("loop-*-0-1.json")
    assert first == own.looped(mechanism) and own.told == ["measuring ./q.hpp in turn with a bare loop …"]
    kept.write_text("{")
    assert own.looped(mechanism) == first and len(own.told) == 2
    with_loop(mechanism, "cpp", (1, 0), own.folder, own.told.append)
    assert len(own.told) == 3


def test_a_language_without_a_bare_loop_has_none_and_nothing_is_said(own: OwnProbe) -> None:
    mechanism = own.made()
    assert with_loop(mechanism, "rust", (0, 1), own.folder, own.told.append) == mechanism
    assert not own.told and not own.log.exists()


def test_what_cannot_be_told_is_measured_again(own: OwnProbe) -> None:
    mechanism = own.made(f"[ $(($(wc -l < {own.log}) % 2)) = 0 ] && echo 90 || echo 110")
    assert own.looped(mechanism) and own.looped(mechanism) and len(own.told) == 2
    assert not list(own.folder.glob("loop-*"))


def test_on_a_busy_machine_there_are_fewer_pairs(own: OwnProbe, monkeypatch: pytest.MonkeyPatch) -> None:
    now = count(0, 4)
    monkeypatch.setattr("threadping.conduct.custom.monotonic", lambda: float(next(now)))
    found = measure_loop(own.made(), "cpp", (0, 1))
    assert found and found.bare_ns == (99.0, 99.0)


def test_a_pair_of_which_one_tells_nothing_is_left_out(own: OwnProbe) -> None:
    found = measure_loop(own.made(f"[ $(wc -l < {own.log}) -gt 14 ] && echo 99 || exit 1"), "cpp", (0, 1))
    assert found and found.ours_ns == (100.0,) * 6 and found.bare_ns == (99.0,) * 6


def test_a_pair_beside_which_others_ran_is_left_out(own: OwnProbe, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter((*(0.0, 0.11) * 5, None, 0.0))
    monkeypatch.setattr("threadping.conduct.custom.others_since", lambda _cpus: lambda: next(shares))
    found = measure_loop(own.made(), "cpp", (0, 1))
    assert found and found.ours_ns == (100.0,) * 7


def test_a_lock_has_one_thread(own: OwnProbe, tmp_path: Path) -> None:
    requests = tmp_path / "requests"
    mechanism = own.made(like="ticket-lock")
    own.program.write_text(
        own.program.read_text().replace("else exec", f'else [ "$1" = run ] && cat "$3" >> {requests}; exec')
    )
    found = measure_loop(mechanism, "cpp", (0, 1))
    assert found and found.cpus == (0,) and found.experiment == "lock"
    request, _ = json.JSONDecoder().raw_decode(requests.read_text())
    assert request["threads"] == [{"cpu": 0}] and request["outliers"] is None


@pytest.mark.parametrize("bare", ["echo nothing", "echo 0", "echo inf", "exit 1", "true", "kill -SEGV $$", "sleep 9"])
def test_a_bare_loop_that_tells_nothing_is_given_up(own: OwnProbe, bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.conduct.custom.BARE_SECONDS", 0.3)
    assert own.looped(own.made(bare)) is None
    assert own.started.count("bare") == 12 and not list(own.folder.glob("loop-*"))


def test_a_trial_that_fails_and_a_probe_that_says_nothing_are_given_up(own: OwnProbe) -> None:
    assert measure_loop(own.made(like="crashes"), "cpp", (0, 1)) is None
    own.program.write_text("#!/bin/sh\nexit 3\n")
    assert measure_loop(OwnMechanism("x", "x", (str(own.program),), "", ""), "cpp", (0, 1)) is None
