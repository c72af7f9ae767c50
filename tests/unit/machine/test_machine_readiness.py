"""What speaks against a machine, and what does not."""

import pytest
from msgspec.structs import replace

from threadping.contract import SCHEMA, Cpu, Topology
from threadping.machine.readiness import verdicts_for_machine
from threadping.model import Machine


def with_cpus(number: int) -> Topology:
    cpus = tuple(Cpu(cpu, cpu, cpu, 0, 0, 0) for cpu in range(8))
    return Topology("test", cpus, tuple(range(number)), SCHEMA)


READY = Machine("desk", "a CPU", "Linux 6.1", "Debian", None, "performance", "tsc", None, 1 << 30, with_cpus(8))


def judged(**seen: object) -> dict[str, str]:
    return {verdict.code: verdict.severity for verdict in verdicts_for_machine(replace(READY, **seen))}


def test_nothing_speaks_against_a_ready_machine_nor_against_what_it_does_not_tell() -> None:
    assert judged() == {}
    assert judged(governor=None, clock_source=None, cpu_model=None) == {}


@pytest.mark.parametrize(
    ("seen", "code", "severity"),
    [
        ({"hypervisor": "KVM"}, "virtualised", "info"),
        ({"clock_source": "hpet"}, "clock-not-tsc", "warning"),
        ({"clock_source": "acpi_pm"}, "clock-not-tsc", "warning"),
        ({"governor": "powersave"}, "governor-not-performance", "warning"),
        ({"governor": "performance, powersave"}, "governor-not-performance", "warning"),
        ({"cpu_quota": 1.5}, "cpu-quota", "warning"),
    ],
)
def test_what_disturbs_is_named(seen: dict[str, object], code: str, severity: str) -> None:
    assert judged(**seen) == {code: severity}


@pytest.mark.parametrize("clock", ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase"])
def test_clocks_that_are_read_without_the_kernel_are_good(clock: str) -> None:
    assert judged(clock_source=clock) == {}


@pytest.mark.parametrize(
    ("quota", "cpus", "throttled"),
    [
        (2.0, 8, True),
        (2.99, 8, True),
        (3.0, 8, False),
        (2.0, 2, False),
        (1.9, 2, True),
        (1.0, 1, False),
        (0.5, 1, True),
    ],
)
def test_a_quota_throttles_only_below_what_can_be_used(quota: float, cpus: int, throttled: bool) -> None:
    assert ("cpu-quota" in judged(cpu_quota=quota, topology=with_cpus(cpus))) == throttled


def test_every_sentence_names_what_was_seen_and_a_remedy() -> None:
    bad = replace(READY, hypervisor="KVM", clock_source="hpet", governor="powersave", cpu_quota=0.5)
    messages = {verdict.code: verdict.message for verdict in verdicts_for_machine(bad)}
    assert "measure on bare metal" in messages["virtualised"]
    assert "'hpet'" in messages["clock-not-tsc"]
    assert "current_clocksource" in messages["clock-not-tsc"]
    assert "'powersave'" in messages["governor-not-performance"]
    assert "cpupower frequency-set -g performance" in messages["governor-not-performance"]
    assert "0.5 CPUs" in messages["cpu-quota"]
    assert "cpu.max" in messages["cpu-quota"]
