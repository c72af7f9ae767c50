"""The page of a fleet: a picture for each figure and kind, who differs by name, and no name unless asked for."""

import re
from html import unescape

from msgspec.structs import replace

from tests.unit.output.page.test_page import EVIL, Elements
from tests.unit.studies.fleet.test_differing_hosts import answer
from threadping.model.fleet import Fleet, Host, Member
from threadping.studies.fleet.differing import differing_hosts
from threadping.studies.fleet.output import fleet_page, hop_page

FLEET = Fleet("2026-11-23T10:00:00+00:00", "tcp://10.0.0.1:8786", ("signal", f"--param={EVIL}"), 10.0, "1.0", id=3)
HOSTS = {f"key-{number}": answer(100 + number / 10) for number in range(10)}
HOSTS |= {f"old-{number}": answer(200 + number / 10, cpu_model=f"old {EVIL}") for number in range(8)}
HOSTS |= {"slow": answer(140.0)}
MEMBERS = [Member(Host(key, key, f"name-{key}", "", "1.0", ""), number) for number, key in enumerate(HOSTS, 1)]
MEMBERS += [Member(Host("gone", "gone", "name-gone", "", "1.0", ""), None, f"name-gone said {EVIL} of /home/alice/x")]


def shown(*, identify: bool = False) -> str:
    return fleet_page(FLEET, MEMBERS, differing_hosts(HOSTS), identify=identify)


def test_every_figure_of_a_kind_has_a_picture_and_who_differs_is_named_there() -> None:
    text = shown(identify=True)
    titles = re.findall("<h3>(.*?)</h3>", text)
    case, pair = "signal steady cpp same-l3", "core to core, CPUs 0,1"
    assert titles == [case, pair, pair, case], "what differs comes first"
    assert text.count("<svg") == 4
    pictures = [one.partition("<svg")[2] for one in re.findall("<figure>(.*?)</figure>", text, re.DOTALL)]
    assert ["name-slow 1.394x" in one for one in pictures] == [True, False, False, False]
    assert [one.count('class="s1"') for one in pictures] == [1, 0, 0, 0]
    assert [one.count('class="s0"') for one in pictures] == [10, 11, 8, 8]
    assert "1 of 19 hosts differs from its kind" in text
    policy = re.findall("main:has\\(#kind-(\\d):not\\(:checked\\)\\) .kind-\\1{display:none}", text)
    assert policy == ["0", "1"] and re.findall('type="checkbox" id="kind-(\\d)" checked', text) == ["0", "1"]


def test_hosts_have_numbers_unless_asked_and_names_with_markup_are_text() -> None:
    text = shown()
    assert "name-" not in text and "alice" not in text
    assert "host 19 1.394x" in text and "host 20" in text
    for one in (text, shown(identify=True)):
        assert "&lt;img src=x" in one and not re.search("<img|<svg/", one)
        assert not any(name.startswith("on") for _, attributes in Elements(one).found for name in attributes)
    alike = [replace(one, host=replace(one.host, name="twin")) for one in MEMBERS]
    assert "twin" in fleet_page(FLEET, alike, differing_hosts(HOSTS), identify=True)


def test_hops_have_a_page_which_names_both_ends_or_neither() -> None:
    near, far = (Host(f"key-{name}", name, f"name-{name}", "", "1.0", "") for name in ("near", "far"))
    of_pair = Member(near, 2, note="as name-near says it")
    members = [Member(near, 1), replace(of_pair, peer=far)]
    (row,) = answer(250.0).rows
    hop = replace(
        answer(250.0), rows=(replace(row, case=replace(row.case, experiment="hop", mechanism=f"tcp {EVIL}")),)
    )

    def lines(*, identify: bool) -> list[str]:
        text = hop_page(
            replace(FLEET, transport="tcp"), members, {one.key: hop for one in members}, {}, identify=identify
        )
        assert "<img" not in text and "<details" not in text
        return [unescape(re.sub("<[^>]*>", "|", line)) for line in re.findall("<tr>(.*?)</tr>", text, re.DOTALL)]

    *_, loopback, between = lines(identify=True)
    assert ("name-near" in loopback, "loopback" in loopback) == (True, True)
    assert re.search(r"name-near\W+name-far\W+tcp .*\|250\W+ns", between)
    nameless = lines(identify=False)
    assert re.search(r"host 1\W+host 2\W+tcp ", nameless[-1]) and "name-" not in "".join(nameless)
