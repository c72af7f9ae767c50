"""The first line of a fleet that was examined, and its exit code: a host without a check-up is never fit."""

from collections.abc import Sequence

import pytest

from tests.unit.studies.doctor.examples import ANSWER, checkup
from threadping.analysis.answer import Answer
from threadping.model.fleet import Host, Member
from threadping.studies.fleet.output import exit_code, health_verdict, hosts_examined

UNFIT, FIT = ANSWER, checkup()
LOST = "its worker was lost"


@pytest.mark.parametrize(
    ("of", "code", "said"),
    [
        ([FIT, FIT], 0, "none of 2 hosts are unfit"),
        ([FIT, UNFIT], 3, "1 of 2 hosts is unfit"),
        ([FIT, None], 1, f"1 of 2 hosts were checked: none are unfit; 1 has no result: host-1: {LOST}"),
        ([None, UNFIT], 3, f"1 of 2 hosts were checked: 1 is unfit; 1 has no result: host-0: {LOST}"),
        (
            [None] * 5,
            1,
            "0 of 5 hosts were checked: none are unfit; 5 have no result: "
            f"{'; '.join(f'host-{place}: {LOST}' for place in range(3))}; and 2 more",
        ),
        ([], 1, "none of 0 hosts are unfit"),
    ],
)
def test_a_host_without_a_check_up_is_never_fit(of: Sequence[Answer | None], code: int, said: str) -> None:
    hosts = [Host(f"key-{place}", f"{place}", f"host-{place}", "", "1", "") for place in range(len(of))]
    members = [
        Member(host, place + 1 if found else None, None if found else LOST)
        for place, (host, found) in enumerate(zip(hosts, of, strict=True))
    ]
    answers = {member.key: found for member, found in zip(members, of, strict=True) if found}
    examined = hosts_examined(members, answers)
    assert (exit_code(examined), health_verdict(examined)) == (code, said)
