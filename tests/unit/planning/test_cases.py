"""From a selection to cases: their names, parameters and order."""

import json
import re
import tomllib
from importlib.resources import files
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import CONTRACT
from tests.unit.planning.examples import (
    ASKINGS,
    WAIT,
    ask,
    call,
    every,
    layers,
    lock,
    mechanism,
    offer,
    titles,
    topology,
)
from threadping.analysis.states import StateFilter
from threadping.model.cases import Home, Skipped
from threadping.model.contract import OnlyWith, ParamDescription
from threadping.model.errors import NothingToMeasure, UnknownName, UsageError
from threadping.planning.cases import BY_NAME, FIRST, OTHER_RUNTIMES
from threadping.planning.defaults import DefaultCase, Sweep
from threadping.planning.plan import FEWEST_ROUNDS, USUAL_ROUNDS
from threadping.planning.selection import Values, refuse_impossible, settings, unmet, variations

CAS, SWAP, ADD = (mechanism(name, params=(WAIT,)) for name in ("cas", "swap", "add"))
CONDITION, PARK = (mechanism(name, blocking=True) for name in ("condition", "park"))
FAR, VIRTUAL = mechanism("far"), mechanism("virtual", blocking=True, pinnable=False)

CPP = offer("cpp", CAS, CONDITION)
JAVA = offer("java-17", CAS, replace(VIRTUAL, needs="Java 21"))
EVERYTHING = offer("cpp", CAS, SWAP, CONDITION, PARK, VIRTUAL)

TWO_NODES = topology((0, 0, 0, 0), (1, 1, 0, 0), (2, 2, 1, 1), (3, 3, 1, 1))
NO_CORE = Skipped("smt", "no two of the CPUs 0-1 that may be used share a core")
FLOATING = "its threads have no CPU of their own, so it is measured unpinned only"


def test_an_open_question_is_asked_in_layers_the_most_wanted_first() -> None:
    cases = ask(EVERYTHING)
    assert layers(cases) == {
        "those measured first": "cas cpp same-l3, condition cpp same-l3, swap wait=pause cpp same-l3, "
        "condition cpp unpinned",
        "other mechanisms and settings": "swap cpp same-l3, park cpp same-l3, virtual cpp unpinned",
        "further placements": "condition cpp same-cpu, park cpp same-cpu, park cpp unpinned",
        "other parameters (wait=pause, wait=yield)": "cas wait=pause cpp same-l3, cas wait=yield cpp same-l3, "
        "swap wait=yield cpp same-l3",
    }
    assert [layer.whole for layer in cases.layers] == [False] * 4
    assert [layer.unhurried for layer in cases.layers] == [False, False, True, True]
    assert NO_CORE in cases.skipped


def test_what_is_asked_first_is_asked_of_every_runtime_before_the_next_and_later_of_a_further_one() -> None:
    found = layers(ask(*(offer(label, PARK, CONDITION, mechanism("cas")) for label in ("cpp", "java-17", "java-25"))))
    assert found["those measured first"] == (
        "cas cpp same-l3, cas java-17 same-l3, condition cpp same-l3, condition java-17 same-l3, "
        "condition cpp unpinned, condition java-17 unpinned"
    )
    further = "cas java-25 same-l3, condition java-25 same-l3, condition java-25 unpinned"
    assert found["other runtimes"] == further
    assert found["other mechanisms and settings"] == "park cpp same-l3, park java-17 same-l3"
    assert found["the same mechanisms on other runtimes"] == "park java-25 same-l3"
    virtual = mechanism("virtual", blocking=True, needs="Java 21")
    found = layers(ask(offer("java-17", CONDITION, virtual), offer("java-25", CONDITION, replace(virtual, needs=None))))
    assert found["other mechanisms and settings"] == "virtual java-25 same-l3"


def test_far_cpus_are_asked_first_only_of_what_is_declared_so() -> None:
    found = layers(ask(offer("cpp", mechanism("cas"), mechanism("add")), machine=TWO_NODES))
    assert found["those measured first"] == "cas cpp same-l3, cas cpp cross-node"
    assert found["further placements"] == "add cpp cross-node"


def test_mechanisms_that_are_named_are_measured_whole_at_their_usual_placements() -> None:
    (layer,) = (cases := ask(EVERYTHING, mechanisms=("park", "swap"))).layers
    assert titles(cases) == "park cpp same-cpu, park cpp same-l3, park cpp unpinned, swap cpp same-l3"
    assert (layer.what, layer.named, layer.rounds) == (BY_NAME, ("mechanism",), FEWEST_ROUNDS)


def test_what_was_named_is_one_layer_and_all_else_are_extras_that_have_six_rounds() -> None:
    offers = [offer(label, CAS, CONDITION) for label in ("cpp", "java-17", "java-25")]
    of_a_mechanism = ask(*offers, mechanisms=("cas",)).layers
    assert [(one.what, len(one.cases), one.rounds) for one in of_a_mechanism] == [
        (BY_NAME, 2, FEWEST_ROUNDS),
        (OTHER_RUNTIMES, 1, USUAL_ROUNDS),
    ]
    on_runtimes = ask(*offers, runtimes=("cpp", "java-17"), placements=("same-l3",)).layers
    assert (on_runtimes[0].what, on_runtimes[0].named) == (BY_NAME, ("runtime", "placement"))
    assert ask(offers[0], runtimes=("cpp",)).layers[0].what == FIRST, "one value leaves the choice to us"
    rust = offer("rust", mechanism("kanal"))
    with_another = ask(*offers, rust, mechanisms=("cas", "kanal")).layers
    assert [case.title for case in with_another[0].cases] == [
        "cas cpp same-l3",
        "cas java-17 same-l3",
        "kanal rust same-l3",
    ]


def test_placements_that_are_named_are_where_every_layer_is_measured() -> None:
    cases = ask(offer("cpp", mechanism("cas"), PARK, ADD), placements=("same-cpu", "same-l3"))
    assert layers(cases) == {
        BY_NAME: "cas cpp same-cpu, cas cpp same-l3, "
        "add cpp same-cpu, add cpp same-l3, park cpp same-cpu, park cpp same-l3",
        "other parameters (wait=pause, wait=yield)": "add wait=pause cpp same-cpu, add wait=pause cpp same-l3, "
        "add wait=yield cpp same-cpu, add wait=yield cpp same-l3",
    }
    assert cases.skipped == ()
    assert titles(ask(CPP, mechanisms=("cas",), placements=("same-cpu",))) == "cas cpp same-cpu"
    assert layers(ask(offer("cpp", FAR), placements=("same-cpu",))) == {"those measured first": "far cpp same-cpu"}
    assert [case.placement.cpus for case in every(ask(CPP, mechanisms=("cas",), cpus=(1, 0)))] == [(1, 0)]


def test_params_that_are_named_are_the_only_ones_and_leave_out_who_lacks_them() -> None:
    cases = ask(offer("cpp", SWAP, ADD, PARK), params={"wait": ("spin", "yield")})
    assert layers(cases) == {
        BY_NAME: "swap cpp same-l3, swap wait=yield cpp same-l3, add cpp same-l3, add wait=yield cpp same-l3"
    }
    assert not [item for item in cases.skipped if item.what.startswith("park")]
    cases = ask(EVERYTHING, mechanisms=("cas", "park"), params={"wait": ("yield",)})
    assert layers(cases) == {BY_NAME: "cas wait=yield cpp same-l3"}
    assert Skipped("park cpp", "it has no parameter wait") in cases.skipped


PARKING = mechanism("spin-then-park", params=(ParamDescription("spins", 1000, None, (0, 9999), None),))
BOTH, LACK_IT = {"wait": ("spin",), "spins": ("5",)}, "mechanism has all of wait, spins"
HOMELESS = "no thread has a CPU there at which cells could be made: give --home a NUMA node, or leave it out"
UNPINNED: dict[str, Any] = {"mechanisms": ("condition",), "placements": ("unpinned",)}


def test_where_nothing_is_left_or_a_name_is_unknown_a_sentence_says_so() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"params": BOTH}, f"No {LACK_IT} as asked for\\. Change or leave out --param wait or --param spins\\.$"),
        ({"params": BOTH, "mechanisms": ("cas", "spin-then-park")}, f"No {LACK_IT}"),
        ({"placements": ("smt",)}, f"{NO_CORE.what}: {NO_CORE.reason}. Change or leave out --placement.$"),
        (UNPINNED | {"pins": ("process",)}, "condition cpp unpinned: nothing is pinned there, not the process either"),
        (UNPINNED | {"homes": ("pong",)}, f"condition cpp unpinned: {HOMELESS}.$"),
        ({"mechanisms": ("conditoin",)}, r"mechanism 'conditoin'\. Did you mean condition"),
        ({"mechanisms": ("condition",), "params": {"wait": ("spin",)}}, r"parameter 'wait' of condition, which sleeps"),
        ({"homes": ("contender",)}, r"home 'contender'\..* Known: ping, pong, 0\.$"),
        (
            {"homes": ("7",)},
            r"home '7': no NUMA node of this number has a CPU that may be used\. Known: ping, pong, 0\.$",
        ),
    ]
    for asked, sentence in rows:
        with pytest.raises(UsageError, match=rf"^(Nothing is left to measure\.|Unknown) {sentence}") as caught:
            ask(offer("cpp", CAS, CONDITION, PARKING), **asked)
        assert caught.value.exit_code == 2


def test_threads_without_a_cpu_of_their_own_are_measured_unpinned_and_what_else_was_asked_is_named() -> None:
    both = ask(offer("cpp", VIRTUAL, CONDITION), placements=("same-l3", "unpinned"))
    assert layers(both)[BY_NAME] == "condition cpp same-l3, condition cpp unpinned, virtual cpp unpinned"
    assert Skipped("virtual cpp same-l3", FLOATING) in both.skipped
    assert Skipped("virtual cpp", FLOATING) in ask(EVERYTHING, pins=("process",)).skipped
    assert Skipped("virtual cpp", FLOATING) in ask(EVERYTHING, homes=("pong",)).skipped
    assert Skipped("virtual cpp same-l3", FLOATING) in ask(EVERYTHING, cpus=(1, 0)).skipped
    assert FLOATING not in [item.reason for item in ask(EVERYTHING).skipped]


def test_lines_overrule_those_of_a_mechanism_that_spins_and_both_ways_to_pin_are_cases() -> None:
    assert {(case.mechanism, case.lines) for case in every(ask(CPP, lines=4))} == {("cas", 4), ("condition", 1)}
    assert titles(ask(CPP, mechanisms=("condition",), pins=("thread", "process"))) == (
        "condition cpp same-cpu, condition cpp same-cpu process, "
        "condition cpp same-l3, condition cpp same-l3 process, condition cpp unpinned"
    )


def test_every_home_that_is_named_is_a_case_where_it_is_not_the_usual_one() -> None:
    assert titles(ask(CPP, mechanisms=("condition",), homes=("pong", "1", "ping"), machine=TWO_NODES)) == (
        "condition cpp same-cpu, condition cpp same-cpu home node 1, "
        "condition cpp same-l3 home pong, condition cpp same-l3 home node 1, condition cpp same-l3, "
        "condition cpp cross-node home pong, condition cpp cross-node home node 1, condition cpp cross-node, "
        "condition cpp unpinned home node 1"
    )
    whole: dict[str, Any] = {"mechanisms": ("condition",), "pins": ("process",), "placements": ("same-l3",)}
    # A process pinned as a whole uses all its CPUs; a home given twice is measured once.
    assert titles(ask(CPP, homes=("ping", "pong", "0"), **whole)) == "condition cpp same-l3 process"
    assert titles(ask(CPP, homes=("0",), machine=TWO_NODES, **whole)) == "condition cpp same-l3 process home node 0"
    a_node_each = topology((0, 0, 0, 0), (1, 1, 1, 1))
    once = ask(CPP, mechanisms=("condition",), placements=("cross-node",), homes=("pong", "1"), machine=a_node_each)
    assert titles(once) == "condition cpp cross-node home pong"
    for_all = ask(CPP, mechanisms=("condition",), homes=("0", "pong"), placements=("unpinned",))
    assert [case.home for case in every(for_all)] == [Home("node 0", (0, 1))]


def test_with_one_cpu_what_can_run_runs_and_the_rest_is_named() -> None:
    cases = ask(CPP, machine=topology((0, 0, 0, 0)))
    assert titles(cases).startswith("cas cpp same-cpu, condition cpp same-cpu, condition cpp unpinned, cas wait=pause")
    assert [item.what for item in cases.skipped] == ["smt", "same-l2", "same-l3", "same-node", "cross-node"]


def test_a_mechanism_that_a_runtime_lacks_or_cannot_run_is_skipped_there_and_says_who_can() -> None:
    cases = ask(CPP, JAVA, mechanisms=("condition",))
    assert {case.runtime for case in every(cases)} == {"cpp"}
    assert Skipped("condition java-17", "this runtime's probe does not have it") in cases.skipped
    remedy = "measure it with a newer JVM, e.g. --runtime java-25"
    assert Skipped("virtual java-17", f"needs Java 21; {remedy}") in ask(JAVA, offer("java-25", VIRTUAL)).skipped
    cases = ask(JAVA, offer("cpp", VIRTUAL))
    assert titles(cases).count("virtual") == 1
    (alone,) = [item.reason for item in cases.skipped if item.what == "virtual java-17"]
    assert "`threadping info runtimes` lists those that are here" in alone


# ---- what is swept ----
RATE = ParamDescription("rate", 10_000, None, (10, 20_000_000), None)
ARRIVALS = ParamDescription("arrivals", "constant", ("constant", "idle"), None, None)
SWEPT = {
    "signal": replace(
        ASKINGS["signal"], first=(DefaultCase("cas"),), sweep=Sweep("rate", ("1k", "10k"), ("arrivals", "idle"))
    )
}


def test_a_parameter_that_is_swept_is_no_part_of_a_case_where_it_has_no_effect() -> None:
    rows: list[tuple[dict[str, tuple[str, ...]], list[str]]] = [
        ({}, ["cas rate=1k", "cas", "cas arrivals=idle"]),
        ({"arrivals": ("idle",)}, ["cas arrivals=idle"]),
        ({"rate": ("1k", "2k"), "arrivals": ("idle", "constant")}, ["cas arrivals=idle", "cas rate=1k", "cas rate=2k"]),
    ]
    for params, expected in rows:
        offered = offer("cpp", mechanism("cas", params=(ARRIVALS, RATE)))
        found = every(ask(offered, case_defaults=SWEPT, params=params, placements=("same-l3",)))
        assert [case.title.removesuffix(" cpp same-l3") for case in found] == expected
        assert all(("rate" in case.params) == (case.params["arrivals"] == "constant") for case in found)


# ---- where one placement is enough ----
AT_HOME = {"signal": replace(ASKINGS["signal"], at_home_with=("arrivals", "idle"))}
SAID = "with arrivals=idle one placement is measured unless others are named: --placement {0}"


def test_with_some_parameters_other_placements_are_named_once() -> None:
    rows: list[tuple[dict[str, Any], set[str]]] = [
        ({"params": {"arrivals": ("idle",)}}, {"same-l3"}),
        ({"params": {"arrivals": ("idle",)}, "placements": ("same-cpu", "unpinned")}, {"same-cpu", "unpinned"}),
        ({"params": {"arrivals": ("idle",)}, "cpus": (0, 1)}, {"same-l3"}),
        ({"params": {"arrivals": ("constant",)}}, {"same-l3", "same-cpu", "unpinned"}),
    ]
    for asked, places in rows:
        sleeping = mechanism("condition", params=(ARRIVALS, RATE), blocking=True)
        found = ask(offer("cpp", sleeping), case_defaults=AT_HOME, mechanisms=("condition",), **asked)
        assert {case.placement.name for case in found.every} >= places
        at_home = asked["params"]["arrivals"] == ("idle",)
        assert not at_home or {case.placement.name for case in found.every} == places
        others = [one for one in found.skipped if "one placement" in one.reason]
        assert len(others) == (at_home and len(asked) == 1)
        for one in others:
            assert "same-cpu" in one.what
            assert one.reason == SAID.format(one.what.removeprefix("signal ").replace(", ", ","))


SLEEPING = [mechanism(name, blocking=True) for name in ("condition", "park")]
SIGNALS = offer("cpp", mechanism("cas-one-line", params=(WAIT,)), *SLEEPING)
LOCKS = offer("java-17", lock("monitor"), lock("mutex"), lock("test-and-test-and-set"), experiment="lock")
LINKED = "ConcurrentLinkedQueue"
CALLS = offer("cpp", call("futex"), call("pipeline"), experiment="wakeup")


def test_a_mechanism_is_found_by_the_name_that_people_use() -> None:
    names = {
        "synchronized": "monitor",
        **dict.fromkeys(("std::sync::Mutex", "std::mutex", "Mutex<T>"), "mutex"),
        **dict.fromkeys(("compare-and-swap", "CasOneLine", "VarHandle.compareAndSet"), "cas-one-line"),
        **dict.fromkeys(("Condition_Variable", "java.util.concurrent.Condition"), "condition"),
        **{"std::condition_variable": "condition", "spinlock": "test-and-test-and-set"},
    }
    for name, mechanism_of_ours in names.items():
        assert {case.mechanism for case in every(ask(SIGNALS, LOCKS, mechanisms=(name,)))} == {mechanism_of_ours}, name


def test_a_name_that_an_experiment_does_not_know_is_answered_with_what_comes_nearest() -> None:
    for name, sentence in [
        ("futex", "'futex', but `threadping run wakeup` has it. Did you mean park or condition?"),
        ("line", "'line'. Did you mean cas-one-line?"),
        (LINKED, f"'{LINKED}'; write none:java.util.concurrent.{LINKED}, after `mkdir none`. Known: "),
        ("prak", "'prak'. Did you mean park? Known: cas-one-line, condition, park."),
        ("spinlock", "'spinlock', but `threadping run lock` has test-and-test-and-set. Known: "),
        ("std::sync::Mutex<T>", "'std::sync::Mutex<T>', but `threadping run lock` has it. "),
    ]:
        with pytest.raises(UnknownName, match="^Unknown mechanism " + re.escape(sentence)):
            ask(SIGNALS, LOCKS, CALLS, of=("signal",), mechanisms=(name,))


def test_every_spelling_of_a_mechanism_leads_to_one_that_there_is() -> None:
    words = json.loads((CONTRACT / "words.json").read_text())["experiments"]
    known = {name for one in words.values() for name in one["mechanisms"]}
    spellings = tomllib.loads(files("threadping.planning").joinpath("spellings.toml").read_text())
    assert {name for kind in ("mechanisms", "nearest") for ours in spellings[kind].values() for name in ours} <= known
    assert not known & {*spellings["mechanisms"]}


def test_no_command_is_proposed_for_what_only_a_probe_of_somebodys_measures() -> None:
    elsewhere = offer("mine", call("nonsense-call"), experiment="nonsense")
    with pytest.raises(UnknownName, match=r"^Unknown mechanism 'nonsense-call'\. "):
        ask(SIGNALS, elsewhere, of=("signal",), mechanisms=("nonsense-call",))


def test_mechanisms_that_lack_a_selected_parameter_are_named_once() -> None:
    cases = ask(SIGNALS, LOCKS, params={"wait": ("pause", "yield")})
    assert {case.mechanism for case in every(cases)} == {"cas-one-line"}
    left_out = Skipped("signal: condition, park", "cannot be measured with wait=pause,yield")
    assert [item for item in cases.skipped if "wait" in item.reason] == [left_out]
    named = ask(SIGNALS, mechanisms=("cas-one-line",), params={"wait": ("pause",)})
    assert not [item for item in named.skipped if "wait" in item.reason]


def test_busy_threads_are_a_dimension_of_cases_and_at_most_four_to_each_cpu() -> None:
    cases = every(ask(SIGNALS, mechanisms=("cas-one-line",), placements=("same-l3",), busy=(0, 8), busy_nice=5))
    assert [case.title.partition("same-l3")[2] for case in cases] == ["", " with 8 busy threads, nice 5"]
    with pytest.raises(UsageError, match=r"^--busy 9 is more than this machine takes: at most 8 busy threads, 4 to"):
        ask(SIGNALS, busy=(1, 9))


NEAR = StateFilter("low")


def test_a_state_leaves_cases_whose_threads_are_pinned_to_several_cpus() -> None:
    cases = ask(SIGNALS, mechanisms=("condition",), state=NEAR)
    assert layers(cases) == {"those asked for": "condition cpp same-l3"}
    why = "--state low: only threads that are pinned to two or more CPUs have a state"
    left_out = [item.what for item in cases.skipped if item.reason == why]
    assert left_out == ["condition cpp same-cpu", "condition cpp unpinned"]


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(NothingToMeasure, match=r"^--state low leaves nothing to measure"):
        ask(SIGNALS, state=NEAR, placements=("unpinned",))
    with pytest.raises(UsageError, match="--placement: give one of them"):
        ask(SIGNALS, cpus=(0, 1), placements=("same-l3",))


PAUSES = ParamDescription("pauses", 1, None, (1, 10000), OnlyWith("wait", "pause"))
SPINS = ParamDescription("spins", 1000, None, (0, 10**9), None)
BETWEEN = ParamDescription("between", "threads", ("threads", "processes"), None, None)
WAITING_CAS, SPINNING_PARK = mechanism("cas", params=(WAIT, PAUSES)), mechanism("spin-then-park", params=(SPINS,))
SPIN, PAUSE_10 = "wait=spin |", "wait=pause pauses=10 | wait pauses"
TWO_WAITS = r"not wait=spin or yield\. Leave one of the two out\."


def test_what_is_asked_for_is_crossed_and_what_has_no_effect_falls_away() -> None:
    """Each setting is written as `all its parameters | what is varied`."""
    rows: list[tuple[Values, list[str]]] = [
        ({}, [SPIN]),
        ({"wait": ("pause",)}, ["wait=pause pauses=1 | wait"]),
        ({"pauses": ("1", "10")}, ["wait=pause pauses=1 | wait", PAUSE_10]),
        ({"wait": ("spin", "pause"), "pauses": ("10", "1")}, [SPIN, PAUSE_10, "wait=pause pauses=1 | wait"]),
        ({"wait": ("telepathy",)}, []),
        ({"wait": ("telepathy", "yield")}, ["wait=yield | wait"]),
        ({"spins": ("5",)}, []),
        ({"pauses": ("10k",)}, ["wait=pause pauses=10000 | wait pauses"]),
    ]
    for asked, expected in rows:
        found = []
        for one in settings(WAITING_CAS, asked):
            params = " ".join(f"{name}={value}" for name, value in one.params.items())
            found.append(f"{params} | {' '.join(one.varied)}".strip())
        assert found == expected


def test_variations_are_every_other_word_one_at_a_time_and_none_that_goes_only_with_another_value() -> None:
    varied = [(one.varied, one.params["wait"]) for one in variations(mechanism("both", params=(WAIT, PAUSES, BETWEEN)))]
    assert varied == [(("wait",), "pause"), (("wait",), "yield"), (("between",), "spin")]
    assert variations(SPINNING_PARK) == []
    gaps = ParamDescription("idle", "drawn", ("drawn", "1ms"), None, OnlyWith("arrivals", "idle"))
    found = every(ask(offer("cpp", mechanism("cas", params=(ARRIVALS, gaps))), placements=("same-l3",)))
    assert [case.title for case in found] == ["cas cpp same-l3", "cas arrivals=idle cpp same-l3"]


def test_what_nobody_can_do_is_refused_with_the_nearest() -> None:
    rows: list[tuple[Values, str]] = [
        ({"wiat": ("spin",)}, r"^Unknown parameter 'wiat' of cas, spin-then-park\. Did you mean wait\? Known: "),
        ({"wait": ("puase",)}, r"^wait of cas must be spin, pause or yield, not 'puase'\. Did you mean pause\?$"),
        ({"pauses": ("0",)}, r"^pauses of cas must be a whole number from 1 to 10k, not '0'"),
        ({"pauses": ("10001",)}, r"^pauses of cas must be a whole number from .*, not '10001'"),
        ({"spins": ("many",)}, r"^spins of spin-then-park must be a whole number from .*, not 'many'"),
        ({"wait": ("spin", "yield"), "pauses": ("10",)}, rf"^pauses of cas requires wait=pause, {TWO_WAITS}$"),
    ]
    for asked, sentence in rows:
        with pytest.raises(UsageError, match=sentence):
            refuse_impossible(asked, [WAITING_CAS, SPINNING_PARK])


def test_what_no_cpu_or_language_here_can_do_is_refused_with_what_it_needs() -> None:
    here, java = (
        mechanism("cas", params=(replace(WAIT, needs=(("tpause", needs),)),))
        for needs in ("a CPU with waitpkg", "an instruction that Java does not have")
    )
    sentence = r"^wait=tpause of cas needs a CPU with waitpkg, or an instruction that Java does not have\.$"
    with pytest.raises(UsageError, match=sentence):
        refuse_impossible({"wait": ("spin", "tpause")}, [here, java])
    able = mechanism("cas", params=(replace(WAIT, choices=("spin", "tpause")),))
    refuse_impossible({"wait": ("tpause",)}, [able, java])
    assert list(unmet(java, {"wait": ("tpause", "telepathy")})) == [
        "its wait=tpause needs an instruction that Java does not have",
        "its wait cannot be telepathy",
    ]


def test_what_one_of_them_can_do_is_not_refused_and_what_another_lacks_is_said() -> None:
    refuse_impossible({"wait": ("pause",), "pauses": ("10000",), "spins": ("0",)}, [WAITING_CAS, SPINNING_PARK])
    assert list(unmet(WAITING_CAS, {"wait": ("pause",)})) == []
    assert list(unmet(SPINNING_PARK, {"wait": ("pause",)})) == ["it has no parameter wait"]
    assert list(unmet(WAITING_CAS, {"wait": ("pause", "telepathy")})) == ["its wait cannot be telepathy"]
