"""The kernel's answer for each named CPU, and the message for each refused one."""

import os
from collections.abc import Collection, Mapping
from threading import Thread

import pytest
from msgspec.structs import replace

from threadping.model.contract import SCHEMA, Cpu, Topology
from threadping.model.errors import ThreadpingError, UsageError
from threadping.probes.placements import NOT_HELD, REFUSED, ask_kernel, outside_of_mask, permit, usable

MACHINE = Topology(
    "test", tuple(Cpu(cpu, cpu, cpu, 0, 0, 0) for cpu in (0, 1, 3, 4, 6, 7)), (0, 1), SCHEMA, (2, 5), (4, 6)
)
"""CPUs 2 and 5 are offline, 4 and 6 isolated; the mask has 0 and 1."""


class Kernel:
    """A kernel that permits some CPUs, and remembers the requested ones."""

    def __init__(self, *permitted: int, **said: str) -> None:
        """Permit these CPUs; answer for others as `said` (by names such as `cpu7`), or refuse them."""
        self.permitted, self.said = permitted, said
        self.asked: list[int] = []

    def __call__(self, cpus: Collection[int]) -> Mapping[int, str]:
        self.asked += cpus
        return {cpu: "" if cpu in self.permitted else self.said.get(f"cpu{cpu}", REFUSED) for cpu in cpus}


def test_cpus_of_the_mask_are_asked_of_nobody() -> None:
    kernel = Kernel()
    assert permit(MACHINE, (1, 0), ask=kernel) == permit(MACHINE, (), ask=kernel) == MACHINE
    assert kernel.asked == []


def test_what_the_kernel_permits_may_be_used_although_it_is_outside_of_the_mask() -> None:
    found = permit(MACHINE, (7, 1, 3), ask=Kernel(3, 7))
    assert found == replace(MACHINE, allowed=(0, 1, 3, 7))
    assert list(usable(found)) == [0, 1, 3, 7]


def test_nothing_is_known_about_a_permitted_cpu_that_is_not_listed() -> None:
    found = permit(MACHINE, (0, 9), ask=Kernel(9))
    assert usable(found)[9] == Cpu(9, None, None, None, None, None)
    assert not usable(found)[9].is_listed


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ((0, 1), ""),
        ((0, 3), "CPU 3 is outside this process's mask, CPUs 0-1; the kernel permits it."),
        ((4, 6), "CPUs 4,6 (isolated) are outside this process's mask, CPUs 0-1; the kernel permits them."),
        ((3, 4), "CPUs 3-4 (CPU 4 isolated) are outside this process's mask, CPUs 0-1; the kernel permits them."),
    ],
)
def test_one_line_says_which_are_outside_of_the_mask(named: tuple[int, ...], sentence: str) -> None:
    assert outside_of_mask(MACHINE, permit(MACHINE, named, ask=Kernel(3, 4, 6))) == sentence


CPUSET = r"\(add {} to its cpuset\.cpus: AllowedCPUs= of systemd, --cpuset-cpus of docker\)"


@pytest.mark.parametrize(
    ("named", "option", "sentence"),
    [
        ((0, 5), "--cpus", r"CPU 5 is offline\. Write --cpus 0\. This process may use CPUs 0-1\."),
        (
            tuple(range(6)),
            "--cpus",
            rf"CPUs 2,5 are offline and a cpuset keeps CPU 4 from this process {CPUSET.format('it')}\. "
            r"Write --cpus 0-1,3\. This process may use CPUs 0-1\.",
        ),
        ((2, 5), "ping", r"CPUs 2,5 are offline\. Name others\. This process may use CPUs 0-1\."),
        ((0, 4), "ping", rf"A cpuset keeps CPU 4 from this process {CPUSET.format('it')}\. Name others\. This .*"),
        (
            (2, 4, 6, 20, 21),
            "--cpus",
            rf"CPU 2 is offline, a cpuset keeps CPUs 4,6 from this process {CPUSET.format('them')} and "
            r"CPUs 20-21 do not exist here\. Name others\. This process may use CPUs 0-1\.",
        ),
        (
            (0, 7),
            "--cpus",
            r"This process may not be pinned to CPU 7 \(Operation not permitted\)\. Write --cpus 0\. .*",
        ),
        ((0, 8), "--cpus", rf"This process may not be pinned to CPU 8 \({NOT_HELD}\)\. .*"),
        (
            tuple(range(65_536)),
            "--cpus",
            r"CPUs 2,5 are offline, .* CPUs 9-65535 do not exist here\. Write --cpus 0-1,3\..*",
        ),
    ],
)
def test_all_that_are_refused_are_named_at_once_each_with_its_reason(
    named: tuple[int, ...], option: str, sentence: str
) -> None:
    kernel = Kernel(3, cpu7="Operation not permitted", cpu8=NOT_HELD)
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        permit(MACHINE, named, option, kernel)


def test_the_kernel_is_asked_by_a_thread_of_its_own() -> None:
    mine = os.sched_getaffinity(0)
    assert ask_kernel([max(mine), 65_535]) == {max(mine): "", 65_535: REFUSED}
    assert os.sched_getaffinity(0) == mine


def test_where_no_thread_can_be_started_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refused)
    with pytest.raises(ThreadpingError, match=r"^No thread could be started that asks the kernel for CPU 3: a limit"):
        ask_kernel([3])


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one CPU only")
def test_a_narrowed_mask_is_no_refusal() -> None:
    mine = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(mine)})
        assert ask_kernel([max(mine)]) == {max(mine): ""}
        assert os.sched_getaffinity(0) == {min(mine)}
    finally:
        os.sched_setaffinity(0, mine)
