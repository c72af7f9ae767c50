"""`crowd` through the real command, with the fake probe: every figure exact."""

from tests.end_to_end.conftest import Command, rows

CROWDS = {"FAKE_CROWDS": "std-barrier,futex-all,spin-all"}
JSON = ("--format", "json")


def test_json_has_all_five_times_and_cpu_time_by_roles(with_fake: Command) -> None:
    done = with_fake("crowd", "--threads", "2,4", "--mechanism", "futex-all", "--budget", "6s", *JSON, env=CROWDS)
    assert done.returncode == 0, done.stderr
    found = {row["threads"]: row for row in rows(done.stdout)}
    assert [*found] == [2, 4]
    four = found[4]
    times = {name: four[f"{name}_ns"]["typical"] for name in ("call", "first", "last", "spread", "done")}
    assert times == {"call": 500.0, "first": 900.0, "last": 9_000.0, "spread": 8_100.0, "done": 11_000.0}
    assert four["done_ns"]["p99"] == 11_000.0 and four["done_ns"]["max"] == 110_000.0
    assert four["ops_per_s"] == 100_000.0, "rounds, of the caller alone"
    assert (four["caller_cpu_ns_per_op"], four["member_cpu_ns_per_op"]) == (2_000.0, 6_000.0)


def test_a_sentence_says_which_is_best_for_whom_and_where_they_change_places(with_fake: Command) -> None:
    text = with_fake("crowd", "--threads", "2,4,8", "--budget", "20s", env=CROWDS).stdout
    said = " ".join(text.split())
    assert "All are done soonest with spin-all (2 threads to 4 threads), std-barrier (8 threads)." in said
    assert "The caller is back soonest with spin-all (2 threads to 8 threads)." in said


def test_without_being_told_it_measures_two_threads_and_twice_as_many_as_cpus(with_fake: Command) -> None:
    found = rows(with_fake("crowd", "--mechanism", "spin-all", "--budget", "9s", *JSON, env=CROWDS).stdout)
    assert [row["threads"] for row in found] == [2, 4]
