"""The table of mechanisms: what every runtime says of one name, told once."""

import pytest
from msgspec.structs import replace

from tests.unit.report.test_report_tables import flat, printed
from threadping.contract import MechanismDescription, MechanismWords, OnlyWith, ParamDescription
from threadping.model import Skipped
from threadping.report.mechanisms import Having, mechanisms_table

WAIT = ParamDescription("wait", "spin", ("spin", "pause"), None, None)
PAUSES = ParamDescription("pauses", 1, None, (1, 10000), OnlyWith("wait", "pause"))
BETWEEN = ParamDescription("between", "threads", ("threads", "processes"), None, None)
CAS = MechanismDescription("cas", False, "round-trip", True, 256, (WAIT, PAUSES), None, None)
VIRTUAL = MechanismDescription("virtual", True, "round-trip", False, 1, (), "Java 21", None)
SWAPS, PARKS = MechanismWords("It swaps.", "It burns."), MechanismWords("It [parks].", "It sleeps.")

HAVING = [
    Having("signal", "java-17", CAS, "round trip", SWAPS),
    Having("signal", "java-17", VIRTUAL, "round trip", None),
    Having("signal", "cpp", replace(CAS, params=(WAIT, PAUSES, BETWEEN)), "round trip", SWAPS),
    Having("signal", "java-25", replace(VIRTUAL, needs=None), "round trip", PARKS),
]


def test_every_mechanism_stands_once_with_who_has_it_and_its_parameters() -> None:
    lines = [flat(line) for line in printed(mechanisms_table(HAVING, ())).splitlines()]
    assert lines[0] == "signal"
    assert lines[3:] == [
        "cas spins java-17, cpp wait=spin|pause pauses=1 (1 to 10000, with wait=pause) between=threads|processes"
        " (cpp only)",
        "It swaps. It burns.",
        "virtual sleeps java-17 (needs Java 21), java-25 \N{EN DASH}",
        "It [parks]. It sleeps.",
    ]


@pytest.mark.parametrize("width", [60, 80, 160])
def test_it_fits_and_says_who_could_not_be_asked(width: int) -> None:
    text = printed(mechanisms_table(HAVING, [Skipped("java-8", "too old")]), width)
    assert text.endswith("Not usable\n- java-8: too old\n")


def test_every_experiment_has_a_table_of_its_own() -> None:
    text = printed(mechanisms_table([*HAVING, Having("lock", "cpp", CAS, "increment", None)], ()))
    assert "\nlock\nmechanism" in text


def test_what_every_mechanism_takes_is_said_once_and_nobody_waits_without_a_lock() -> None:
    critical = ParamDescription("critical", 0, None, (0, 9), None)
    mutex = MechanismDescription("mutex", True, "acquire", True, 8, (critical,), None, None)
    add = MechanismDescription("add", False, "increment", True, 8, (critical, WAIT), None, None)
    locks = MechanismWords("It locks.", "It sleeps.")
    having = [Having("lock", "cpp", mutex, "wait for the lock", locks), Having("lock", "cpp", add, "increment", None)]
    lines = [flat(line) for line in printed(mechanisms_table(having, ())).splitlines()]
    assert lines[1] == "each takes critical=0 (0 to 9)"
    assert lines[2] == "mechanism waiting timed runtimes parameters (the default first)"
    assert lines[4] == "mutex sleeps wait for the lock cpp \N{EN DASH}"
    assert lines[5:] == ["It locks. It sleeps.", "add \N{EN DASH} increment cpp wait=spin|pause"]
    plain = [replace(one, mechanism=replace(one.mechanism, params=(critical,))) for one in having]
    assert "parameters" not in printed(mechanisms_table(plain, ()))
