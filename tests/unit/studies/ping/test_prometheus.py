"""Pings as Prometheus's own parser reads them."""

from prometheus_client.parser import text_string_to_metric_families

from tests.unit.studies.ping.test_ping_lines import APART, NEAR, lines, pinged, tallied
from threadping.model.run import PingLine
from threadping.studies.ping.command import exposition

PLACED = {NEAR: "same-l3", APART: 'cross "node"\\\n'}
NEAR_LABELS = {"cpu_a": "0", "cpu_b": "1", "placement": "same-l3"}
APART_LABELS = {"cpu_a": "0", "cpu_b": "12", "placement": 'cross "node"\\\n'}


def read(taken: list[PingLine]) -> dict[str, list[tuple[dict[str, str], float]]]:
    families = text_string_to_metric_families(exposition(tallied(taken), PLACED))
    of = {one.samples[0].name: one.samples for one in families if one.samples}
    return {name: [(one.labels, one.value) for one in samples] for name, samples in of.items()}


def test_the_last_ping_of_each_pair_is_in_seconds_and_every_one_is_counted() -> None:
    found = read([*lines(26, 30, None, 25), *lines(127, cpus=APART)])
    assert found["threadping_one_way_seconds"] == [(NEAR_LABELS, 25e-9), (APART_LABELS, 127e-9)]
    assert found["threadping_round_trip_p99_seconds"] == [(NEAR_LABELS, 50e-9), (APART_LABELS, 254e-9)]
    assert found["threadping_round_trip_max_seconds"] == [(NEAR_LABELS, 2.5e-6), (APART_LABELS, 12.7e-6)]
    assert found["threadping_ping_timestamp_seconds"] == [(NEAR_LABELS, 3), (APART_LABELS, 0)]
    assert found["threadping_pings_total"] == [(NEAR_LABELS, 4), (APART_LABELS, 1)]
    assert found["threadping_ping_failures_total"] == [(NEAR_LABELS, 1), (APART_LABELS, 0)]


def test_a_pair_whose_last_ping_failed_has_no_latency_rather_than_an_old_one() -> None:
    found = read(lines(26, None))
    assert "threadping_one_way_seconds" not in found
    assert found["threadping_ping_timestamp_seconds"] == [(NEAR_LABELS, 1)]


def test_states_are_numbered_from_the_nearest_and_changes_are_counted() -> None:
    taken = lines(127, 127, 127, 26, 26, 26, 26)
    taken[4] = PingLine(pinged(4, 26), 5, 4.0, None, 127)
    found = read(taken)
    assert found["threadping_state_one_way_seconds"] == [
        ({**NEAR_LABELS, "state": "1"}, 26e-9),
        ({**NEAR_LABELS, "state": "2"}, 127e-9),
    ]
    (_, near), (_, far) = found["threadping_state_ratio"]
    assert near + far == 1 and 0 < far < near
    assert found["threadping_state_changes_total"] == [(NEAR_LABELS, 1), (APART_LABELS, 0)]


def test_every_metric_says_what_it_is_and_of_which_kind() -> None:
    families = [*text_string_to_metric_families(exposition(tallied(lines(26)), PLACED))]
    assert all(family.documentation and family.type in ("gauge", "counter") for family in families)
    assert {family.type == "counter" for family in families if family.samples[0].name.endswith("_total")} == {True}
