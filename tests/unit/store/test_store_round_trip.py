"""The store returns what it received, on SQLite and on a server."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.golden.fixture import ANYWHERE
from tests.unit.store.examples import HUNG, a_case, a_failed_trial, a_run, a_trial, add, an_owner, end, example, seen
from threadping.model.cases import Placement
from threadping.model.contract import HOUR_NS, Request, Result
from threadping.model.errors import StoreError, UsageError
from threadping.model.run import Failure, Fleet, Host, Member, ReferencePing, Stored, Trial
from threadping.probes.owner import owner_of_this_process
from threadping.store.store import Store, open_store
from threadping.store.tables import Rows

any_text = st.text(st.characters(exclude_categories=["Cs"]))  # by its encoding, which is the same, it takes seconds
any_params = st.dictionaries(any_text, st.integers(-(2**63), 2**63 - 1) | any_text, max_size=5)
lengths = st.integers(1, 2**63 - 1)
BOTH = ["sqlite", "postgresql"]


@pytest.fixture(scope="module", params=BOTH)
def store(request: pytest.FixtureRequest, new_database: Callable[[str], str]) -> Iterator[Store]:
    with open_store(new_database(request.param)) as store:
        yield store


@pytest.fixture(params=BOTH)
def empty(request: pytest.FixtureRequest, new_database: Callable[[str], str]) -> Iterator[Store]:
    with open_store(new_database(request.param)) as store:
        yield store


@pytest.mark.parametrize(
    "trial",
    [
        *(
            a_trial(result=example(f"result-{name}", Result))
            for name in ("native", "managed", "cut", "lock-unprotected")
        ),
        *(a_failed_trial(failure=failure) for failure in (HUNG, Failure("", ""))),
        a_failed_trial(case=a_case(placement=ANYWHERE), request=example("request-unpinned", Request)),
    ],
)
def test_a_trial_comes_back_as_it_went_in(store: Store, trial: Trial) -> None:
    run = store.begin(a_run(cases=(a_case(lines=1), trial.case)))
    add(store, run.id, trial)
    assert (store.trials(run), store.observations(run)) == ([trial], [seen(trial)])


@settings(max_examples=15)  # each is a transaction or two
@given(params=any_params, text=any_text)
def test_odd_words_come_back(store: Store, params: Any, text: str) -> None:
    case = a_case(experiment=text, mechanism=text, runtime=text, params=params, placement=Placement(text, ()))
    request = example("request-pinned", Request, experiment=text or "x", params=params)
    trial = a_failed_trial(case=case, request=request, log=text, failure=Failure(text, text))
    run = store.begin(a_run(cases=(case,), arguments=(text, text), note=text))
    add(store, run.id, trial)
    assert (store.run(str(run.id)), store.trials(run)) == (run, [trial])


@settings(max_examples=15)
@given(ns=st.lists(lengths), cost=st.floats(0, HOUR_NS), counts=st.dictionaries(lengths, st.integers(1, 2**40)))
def test_figures_come_back_exact(store: Store, ns: list[int], cost: float, counts: dict[int, int]) -> None:
    values = sorted(counts)
    result = example(
        "result-native",
        Result,
        clock={"name": "a clock", "cost_ns": cost, "resolution_ns": 1, "skew": None},
        windows=msgspec.to_builtins(
            replace(make_windows(*(Window(0, "sampling", one, (one, one)) for one in ns)), switches=tuple(ns))
        ),
        distributions={"any": msgspec.to_builtins(make_distribution(values, [counts[v] for v in values], 3, 5, "any"))},
    )
    run, trial = store.begin(a_run()), a_trial(result=result)
    observation = seen(trial, figures={"cost": cost, "-": -cost}, distributions=result.distributions)
    store.add_batch(run.id, [(trial, observation)])
    assert (store.trials(run)[0].result, store.observations(run)) == (result, [observation])


def test_bytes_that_were_no_text_stay_visible(store: Store) -> None:
    name = b"/caf\xe9/java".decode(errors="surrogateescape")
    odd = a_failed_trial(case=a_case(runtime=name), failure=Failure("not-started", name), log=name)
    visible = r"/caf\xe9/java"
    run = store.begin(a_run(cases=(odd.case,), note=name))
    add(store, run.id, odd)
    expected = replace(odd, case=a_case(runtime=visible), failure=Failure("not-started", visible), log=visible)
    assert store.trials(run) == [expected]
    found = store.run("last")
    assert (found.cases, found.note) == ((expected.case,), visible)


def test_trials_and_observations_come_as_they_ended(empty: Store) -> None:
    run, other = empty.begin(a_run()), empty.begin(a_run())
    add(empty, other.id, a_trial(round=7))
    ended = [(1, 0), (0, 10), (0, 2), (10, 0), (2, 1), (2, 0)]
    for round_, position in ended:
        add(empty, run.id, a_trial(round=round_, position=position))
    assert [(one.round, one.position) for one in empty.trials(run)] == ended
    empty.connection.rows("UPDATE trials SET trial = ?", b"")  # observations need no results
    assert [(one.round, one.position) for one in empty.observations(run)] == ended


def test_pings_come_back_as_they_were_run_by_run_and_go_with_their_run(empty: Store) -> None:
    run, other = empty.begin(a_run()), empty.begin(a_run())
    elsewhere = empty.begin(replace(a_run(), machine=replace(a_run().machine, hostname="elsewhere")))
    near = ReferencePing((0, 1), 1_790_000_000.125, 0, 26.25, 40.5, 1204.0, 12_000_000)
    failed = ReferencePing((0, 3), 1_790_000_001.5, 1, None, wall_ns=9, failure="CPU 3 went \udcff offline.")
    for of, ping in ((run, near), (other, near), (elsewhere, near), (run, failed)):
        empty.add_ping(of.id, ping)
    stored = replace(failed, failure="CPU 3 went \\xff offline.")
    assert empty.pings(run) == [near, stored]
    assert empty.pings_of_machine(run.machine) == ({run.id: [near, stored], other.id: [near]}, [])
    end(empty, run.id)
    empty.remove(run.id)
    assert empty.pings_of_machine(run.machine) == ({other.id: [near]}, [])


def test_a_run_comes_back_as_it_ended_and_no_other(empty: Store) -> None:
    first, second = empty.begin(a_run()), empty.begin(a_run()).id
    ended = replace(first, status="failed", ended="2026-03-04T05:06:07.089+00:00", note="disk full", took_s=1.5)
    empty.finish(ended)
    assert (empty.run(str(first.id)), empty.run(str(second))) == (ended, a_run(id=second))


def test_runs_come_newest_first_with_what_ended_and_last_is_the_newest(empty: Store) -> None:
    starts = [f"202{9 - number}-01-01T00:00:00+00:00" for number in range(3)]  # the machine's clock was set back
    ids = [empty.begin(a_run(seed=seed, started=start)).id for seed, start in enumerate(starts)]
    for run_id, trials in zip(ids, (2, 0, 3), strict=True):
        add(empty, run_id, *(a_trial(position=position) for position in range(trials)))
    add(empty, ids[2], a_failed_trial())
    assert [(run.seed, trials) for run, trials in empty.listed()[0]] == [(2, 4), (1, 0), (0, 2)]
    assert [run.id for run, _ in empty.listed(limit=2)[0]] == [ids[2], ids[1]]
    assert empty.run("last").id == empty.run("latest").id == ids[2]


def test_an_empty_store_has_no_last_run(empty: Store) -> None:
    with pytest.raises(UsageError, match=r"no run 'last': the store .*runs.* is empty"):
        empty.run("last")
    assert empty.listed()[0] == []


def test_an_unknown_run_names_those_there_are(empty: Store) -> None:
    for _ in range(3):
        empty.begin(a_run())
    for which in ("4", "0", "-1", "1.0", "", "first", " 1", "1 ", "1\n", "\u0661", "9" * 5000, "' or 1=1"):
        with pytest.raises(UsageError, match=r"which holds runs 1 to 3\. Write such a number, or last\.") as error:
            empty.run(which)
        assert error.value.exit_code == 2


def test_a_run_that_was_removed_while_it_was_measured_takes_nothing_more(empty: Store) -> None:
    gone, kept = (empty.begin(a_run(owner=an_owner(pid=-1))) for _ in range(2))
    empty.remove(gone.id)
    ping = ReferencePing((0, 1), 1.0, 0, 26.0)
    for change in (
        partial(add, empty, gone.id, a_trial()),
        partial(empty.add_ping, gone.id, ping),
        partial(empty.finish, replace(gone, status="complete")),
    ):
        with pytest.raises(StoreError, match=r"Run 1 is not in the store .* any more: it was removed meanwhile\."):
            change()
    with pytest.raises(UsageError, match="no run '1'"):
        empty.remove(gone.id)
    assert [(run.id, trials) for run, trials in empty.listed()[0]] == [(kept.id, 0)]


def test_a_run_is_removed_with_its_trials_and_no_other(empty: Store) -> None:
    gone, kept = (empty.begin(a_run(owner=an_owner(pid=-1))) for _ in range(2))
    for run in (gone, kept):
        add(empty, run.id, a_failed_trial(), a_failed_trial(position=6))
    empty.remove(gone.id)
    assert [(run.id, trials) for run, trials in empty.listed()[0]] == [(kept.id, 2)]
    assert (len(empty.trials(gone)), len(empty.trials(kept))) == (0, 2)
    empty.remove(kept.id)
    assert empty.begin(a_run()).id > kept.id  # a number never comes to mean another run


def test_a_run_that_is_being_measured_is_not_removed(empty: Store) -> None:
    mine = owner_of_this_process()
    run = empty.begin(a_run())
    add(empty, run.id, a_failed_trial())
    sentence = rf"Run {run.id} is still .*process {mine.pid} of {mine.hostname}\. End"
    with pytest.raises(StoreError, match=sentence) as error:
        empty.remove(run.id)
    assert (type(error.value), empty.listed()[0][0][1]) == (StoreError, 1)
    end(empty, run.id)
    empty.remove(run.id)
    assert empty.listed()[0] == []


def test_what_another_host_seems_to_measure_is_removed_by_force_only(empty: Store) -> None:
    there = empty.begin(a_run(owner=an_owner(hostname="elsewhere", boot_id="another")))
    here = empty.begin(a_run())
    with pytest.raises(StoreError, match=r"of elsewhere\. End that first, then remove the run there, or give --any"):
        empty.remove(there.id)
    empty.remove(there.id, force=True)
    with pytest.raises(StoreError, match="End that first, then remove the run\\."):
        empty.remove(here.id, force=True)
    assert [run.id for run, _ in empty.listed()[0]] == [here.id]


def test_what_is_of_a_host_or_of_a_run_is_found_without_a_scan(
    new_database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(new_database("sqlite")) as store:
        fleet = store.begin_fleet(Fleet("2026-11-23T10:00:00+00:00", "tcp://a:1", ("signal",), 9.0, "1"))
        run = Stored(a_run(status="complete"), (seen(a_trial()),), (ReferencePing((0, 1), 0.0, 0, 30.0),))
        member = store.add_member(fleet, Member(Host("key", "machine", "name", "", "1", "")), run)
        plans: list[str] = []

        rows = store.connection.rows

        def explain(statement: str, *values: object) -> Rows:
            if re.match(r"\s*(SELECT|UPDATE|DELETE)", statement):
                plans.extend(f"{statement}: {row[-1]}" for row in rows(f"EXPLAIN QUERY PLAN {statement}", *values))
            return rows(statement, *values)

        monkeypatch.setattr(store.connection, "rows", explain)
        of_host = store.run(str(member.run))
        assert store.members(fleet) == [member] and member.run == of_host.id
        assert len(store.observations(of_host)) == len(store.pings(of_host)) == 1
        assert store.begun(of_host.started) == [of_host] == [found for found, _ in store.newest()]
        assert [*store.pings_of_machine(of_host.machine)[0]] == [of_host.id]
        store.add_member(fleet, member, run)
        store.remove(of_host.id)
        assert len(plans) > 8 and not [one for one in plans if ": SCAN" in one]
