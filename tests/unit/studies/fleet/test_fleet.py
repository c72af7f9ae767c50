"""A fleet: its hosts, what differs between them, and the command."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from tests.chances import at_most
from tests.unit.analysis.examples import DECLARED, MACHINE, RUN, SIGNAL, observed, result
from threadping.analysis import analyse, checks, percentiles
from threadping.analysis.answer import Answer
from threadping.model.cases import Case, Placement
from threadping.model.run import Owner, ReferencePing
from threadping.probes.owner import holder, machine_lock
from threadping.studies.fleet import cluster, command
from threadping.studies.fleet.cluster import HostReport, look, stop

KIND = command.kind_of(MACHINE)
BETWEEN, WITHIN, TRIALS = 0.02, 0.02, 6
"""Standard deviations of the logarithms of hosts, and of one host's trials."""


def fleet(
    chance: np.random.Generator,
    hosts: int,
    cases: int,
    slow: float = 1.0,
    planted: int = 1,
    figures: int = 1,
    noisy: float = 1.0,
    disturbed: float = 0.0,
) -> command.Groups:
    """Return hosts of one kind; the first are slower by a factor, in the first figures.

    Every tenth host is `noisy` times as noisy; a share `disturbed` of all trials is slower by 10 to 50%.
    """
    within = WITHIN * np.where(np.arange(hosts) % 10, 1.0, noisy)[:, None] * np.ones(TRIALS)
    logs = BETWEEN * chance.standard_normal((cases, hosts, 1)) + within * chance.standard_normal((cases, hosts, TRIALS))
    ns = 1000 * np.exp(logs)
    if disturbed:
        ns *= np.where(chance.random(ns.shape) < disturbed, chance.uniform(1.1, 1.5, ns.shape), 1.0)
    ns[:figures, :planted] *= slow
    groups: dict[tuple[command.HostKind, command.HostFigure], dict[float | None, dict[str, command.Value]]] = {}
    for number, of_case in enumerate(ns.tolist()):
        found = {str(host): percentiles.estimate(trials) for host, trials in enumerate(of_case)}
        values = {host: command.Value(one.value, *one.ends) for host, one in found.items()}
        groups[KIND, command.HostFigure(replace(SIGNAL, lines=number + 1), None, "ns")] = {None: values}
    return groups


@pytest.mark.parametrize(("hosts", "cases"), [(command.FEWEST_HOSTS, 20), (50, 5)])
def test_a_fleet_of_equals_has_an_outlier_once_in_a_hundred_at_most(hosts: int, cases: int) -> None:
    chance = np.random.default_rng(7)
    alarms = sum(bool(command.differing(fleet(chance, hosts, cases))[1]) for _ in range(60))
    assert alarms <= at_most(60, 0.01)


@pytest.mark.parametrize("planted", [1, 5])
def test_hosts_that_are_a_fifth_slower_in_one_case_are_found_and_no_others(planted: int) -> None:
    """Five of fifty are found since those that are beyond doubt no longer count among the others."""
    chance, slow = np.random.default_rng(7), {str(host) for host in range(planted)}
    found = [
        {one.host for one in command.differing(fleet(chance, 50, 3, slow=1.2, planted=planted))[1]} for _ in range(25)
    ]
    assert sum(len(hosts & slow) for hosts in found) >= 25 * planted - at_most(25, 0.05)
    assert sum(bool(hosts - slow) for hosts in found) <= at_most(25, 0.01)


def test_the_deviation_of_few_hosts_is_trusted_less() -> None:
    """Per host 1% over all: the quantiles that samples of normal values have, of one figure and of a hundred."""
    for hosts, of_one_figure, of_100 in [(8, 5.05, 18.59), (20, 4.09, 6.88), (50, 3.93, 5.36), (200, 4.12, 5.18)]:
        assert command.critical(hosts, hosts) > of_one_figure
        assert command.critical(hosts, 100 * hosts) == pytest.approx(of_100, rel=0.03)


def test_the_deviation_is_a_quarter_of_the_way_up_the_distances() -> None:
    """The distances of 0, 1, 3, 7 are 1, 2, 3, 4, 6, 7: the quartile is 2.25."""
    assert [command.deviation_of(logs) for logs in ([0, 1, 3, 7], [5, 3], [4])] == [2.2191 * 2.25, 2.2191 * 2, 0]


def answer(
    ns: float = 100.0, pings: Sequence[float] = (30.0,) * 8, cpu_model: str = "a CPU", case: Case = SIGNAL
) -> Answer:
    """Return a host with this headline (ns) in `steady`, and this core-to-core latency."""
    seen = observed(case, result(case))
    trial = replace(seen, figures={**seen.figures, "latency_ns.typical": ns}, started="1970-01-01T00:00:04+00:00")
    taken = [ReferencePing((0, 1), float(at), 3 * (at > 3), each) for at, each in enumerate(pings)]
    run = replace(RUN, cases=(case,), machine=replace(MACHINE, cpu_model=cpu_model))
    return command.without_trials(analyse.analyse(run, [trial] * 3, taken, DECLARED))


def test_a_host_is_held_against_its_own_kind_in_the_same_state() -> None:
    equals = {f"host-{number}": answer(100 + number / 10, [30 + number / 10] * 8) for number in range(10)}
    others = {f"old-{number}": answer(200 + number / 10, cpu_model="old") for number in range(command.FEWEST_HOSTS)}
    found = command.differing_hosts({**equals, **others, "slow": answer(130.0)})
    (one,) = found.outliers
    assert (one.host, one.spread.subject.case, round(one.ratio, 2)) == ("slow", SIGNAL, 1.29)
    hosts = [len(one.values) for one in found.spreads]
    assert hosts == [11, 11, *[command.FEWEST_HOSTS] * 2], "the common kind first"


def test_a_figure_next_to_other_programs_is_held_against_nothing() -> None:
    equals = {f"host-{number}": answer(100 + number / 10) for number in range(10)}
    slow = answer(130.0)
    load = checks.Finding("other-load", "warning", {"share": 0.4})
    loaded = replace(slow, rows=tuple(replace(row, findings=(load,)) for row in slow.rows))
    found = command.differing_hosts({**equals, "slow": loaded})
    assert [one.host for one in found.outliers if one.spread.subject.case] == []


def test_a_figure_that_is_a_mean_says_so() -> None:
    """Threads that the scheduler may put on one CPU or on several have another headline."""
    unpinned = replace(SIGNAL, placement=Placement("unpinned", (None, None)))
    for case, named in ((SIGNAL, "same-l3"), (unpinned, "unpinned, mean")):
        found = command.differing_hosts({f"host-{number}": answer(case=case) for number in range(command.FEWEST_HOSTS)})
        names = {command.name_of(one.subject) for one in found.spreads if one.subject.case}
        assert [name.partition(" cpp ")[2] for name in names] == [named]


@pytest.mark.parametrize(("usual", "own", "found"), [(1.0, 1.0, True), (1.0, 1.2, False), (1.2, 1.2, True)])
def test_a_host_that_is_noisier_than_is_usual_must_differ_by_more(usual: float, own: float, found: bool) -> None:
    """The limit grows by twice the excess of its interval over the others': 1.44 here, and it is 1.3 times as slow."""
    values = {str(host): command.Value(ns, ns / usual, ns * usual) for host, ns in enumerate((100, 100.5) * 6)}
    values["slow"] = command.Value(130, 130 / own, 130 * own)
    outliers = command.differing({(KIND, command.HostFigure(SIGNAL, None, "ns")): {None: values}})
    assert [one.host for one in outliers[1]] == ["slow"] * found


def test_hosts_in_the_far_state_are_no_outliers_and_one_in_a_state_of_its_own_is() -> None:
    near = {f"near-{number}": answer(100 + number / 10) for number in range(10)}
    far = {f"far-{number}": answer(400 + number / 10, [120.0] * 8) for number in range(10)}
    found = command.differing_hosts({**near, **far, "apart": answer(200, [60.0] * 8)})
    outliers = {(one.host, one.spread.subject.pair, round(one.ratio, 2)) for one in found.outliers}
    assert outliers == {("apart", (0, 1), 0.5), ("apart", None, 1.99)}


def test_of_few_hosts_nothing_is_said() -> None:
    hosts = {f"host-{number}": answer(100 + number / 10) for number in range(command.FEWEST_HOSTS - 2)}
    found = command.differing_hosts({**hosts, "slow": answer(900.0)})
    assert not found.outliers and {one.differs_from for one in found.spreads} == {None}


def test_hosts_are_sent_the_words_whole_and_run_where_no_command_is_named() -> None:
    words = ["signal", "--budget", "1s", "--mechanism", "steady"]
    assert command.checked(words) == (["run", *words], 1.0)
    assert command.checked(["--budget", "2s"]) == (["run", "--budget", "2s"], 2.0)


def seen() -> HostReport:
    return msgspec.msgpack.decode(look(), type=HostReport)


def test_containers_of_one_machine_are_hosts_of_one_boot(monkeypatch: pytest.MonkeyPatch) -> None:
    def at(machine: str, boot: str) -> tuple[str, str]:
        monkeypatch.setattr(cluster, "owner_of_this_process", lambda: Owner("host", boot, 1, 1, machine=machine))
        return seen().host.key, seen().host.machine

    one, container, rebooted = at("one", "boot"), at("other", "boot"), at("one", "again")
    assert len({one[0], container[0], rebooted[0]}) == 3
    assert one[1] == container[1] != rebooted[1]
    assert at("one", "boot") == one and "one" not in "".join(one)


def test_who_measures_is_named_by_its_fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["threadping, fleet 3 of desk:", "signal", "--budget", "9s"])
    assert seen().measuring is None
    with machine_lock():
        assert f"process {os.getpid()}, `threadping, fleet 3 of desk: signal`, since " in (seen().measuring or "")
    assert holder() is None


def test_what_measures_is_ended_by_its_own_fleet_only_and_before_it_holds_the_machine() -> None:
    with subprocess.Popen(["threadping, fleet 3 of desk:", "60"], executable=shutil.which("sleep")) as measuring:
        while not Path(f"/proc/{measuring.pid}/cmdline").read_bytes():
            time.sleep(0.01)
        stop("4 of desk")
        stop("3 of des")
        assert measuring.poll() is None
        stop("3 of desk")
        assert measuring.wait() == -signal.SIGTERM
