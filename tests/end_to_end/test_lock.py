"""`lock` through the real command, with the fake probe: every figure exact."""

import pytest

from tests.end_to_end.conftest import Command, rows

LOCKS = {"FAKE_LOCKS": "mutex,ticket-lock,fetch-add,unprotected"}
JSON = ("--format", "json")


def test_json_has_a_row_a_case_with_what_only_lock_tells(with_fake: Command) -> None:
    asked = ("lock", "--threads", "1,3", "--mechanism", "mutex,unprotected", "--budget", "6s")
    done = with_fake(*asked, *JSON, env=LOCKS, rounds=6)
    assert done.returncode == 0, done.stderr
    found = {(row["mechanism"], row["threads"]): row for row in rows(done.stdout)}
    assert [(key, row["placement"], row["cpus"]) for key, row in found.items()] == [
        (("mutex", 1), "same-cpu", [1]),
        (("mutex", 3), "same-l3", [0, 1, 0]),
        (("unprotected", 1), "same-cpu", [1]),
        (("unprotected", 3), "same-l3", [0, 1, 0]),
    ]
    mutex = found["mutex", 3]
    assert mutex["experiment"] == "lock"
    assert mutex["measures"] == "wait for the lock"
    assert mutex["ops_per_s"] == pytest.approx(12e6)
    lock = mutex["lock"]
    assert mutex["ops_per_s_ci95"] == pytest.approx([12e6, 12e6])
    assert lock["fairness"]["shares"]["max"] == pytest.approx(1 / 3)
    assert lock["updates"]["made"] == lock["updates"]["found"] == 193_000 * mutex["trials"]
    assert "oversubscribed" in [note["code"] for note in mutex["notes"]]
    lossy = found["unprotected", 3]
    assert lossy["measures"] == "increment"
    assert lossy["lock"]["updates"]["found"] == 144_750 * lossy["trials"]
    assert any(note["message"].startswith("25% of the increments were lost") for note in lossy["notes"])
    again = with_fake("show", "last", *JSON)
    assert rows(again.stdout) == rows(done.stdout)
