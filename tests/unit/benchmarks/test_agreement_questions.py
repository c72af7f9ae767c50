"""Which comparisons a set of subjects allows."""

from benchmarks.agreement.questions import Group, questions
from benchmarks.records import Subject
from tests.unit.benchmarks.examples import BARE, BARE_JAVA, PEER, probe


def test_a_peer_is_compared_with_our_cpp_probe_on_one_line() -> None:
    (question,) = questions([PEER, probe("cas-one-line"), probe("cas-one-line", "java-17")], [Group.PEERS]).asked
    assert (question.ours, question.theirs) == (probe("cas-one-line"), PEER)
    assert question.title == "cpp cas-one-line / core-to-core-latency bench 1"
    assert question.limit is not None
    assert question.limit.words == "within 5%"


def test_a_bare_program_is_compared_with_the_probe_of_its_runtime() -> None:
    ours = [probe("add-one-line"), probe("add-one-line", "java-17")]
    asked = questions([BARE, BARE_JAVA, *ours], [Group.BARE]).asked
    assert [(one.ours, one.theirs, one.limit.words if one.limit else None) for one in asked] == [
        (ours[0], BARE, "at most 2% above"),
        (ours[1], BARE_JAVA, "at most 5% above"),
    ]


def test_a_variant_of_the_listing_is_compared_with_the_same_mechanism() -> None:
    variant = Subject("bare", "cpp", "add-one-line-remembered", 1)
    (question,) = questions([variant, probe("add-one-line")], [Group.BARE]).asked
    assert (question.ours, question.theirs) == (probe("add-one-line"), variant)
    assert question.title == "cpp add-one-line / bare, own counter not read again"


def test_what_the_probe_cannot_do_is_left_out_with_a_sentence_and_not_measured() -> None:
    found = questions([BARE, BARE_JAVA, probe("add-one-line")], [*Group])
    assert found.left_out == ("java-17 add-one-line / bare: the probe has no such mechanism here.",)
    assert found.subjects == {BARE, probe("add-one-line")}


def test_languages_and_singles_are_asked_over_many_lines() -> None:
    java, cpp = probe("add-one-line", "java-17", 256), probe("add-one-line", lines=256)
    asked = questions([probe("add-one-line"), java, cpp], [Group.SINGLES, Group.LANGUAGES]).asked
    assert [one.title for one in asked] == [
        "java-17 add-one-line / cpp",
        "java-17 add-one-line p50 / mean",
        "cpp add-one-line p50 / mean",
    ]
    assert asked[0].limit is None


def test_only_the_wanted_kinds_are_asked() -> None:
    assert not questions([PEER, probe("cas-one-line"), BARE], [Group.LANGUAGES]).asked
