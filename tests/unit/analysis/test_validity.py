"""What may be used for what: every check has an effect on every use, and rows that are used together must be alike."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.golden.minute import MINUTE, OBSERVATIONS, PINGS
from tests.golden.test_exports import expect, with_rows
from tests.unit.analysis.examples import DECLARED, Given
from tests.unit.analysis.givens import EXACT, MONITOR, counters, on_lock
from threadping.analysis.analyse import analyse
from threadping.analysis.checks import Finding, sentences
from threadping.analysis.health.checks import CHECKS_OF_HEALTH
from threadping.analysis.validity import EFFECTS, USES, Use, effect_of, is_usable, validity_of, validity_of_trial
from threadping.analysis.warnings import checks_of
from threadping.experiments import declared
from threadping.model.run import Failure

DOCS = Path(__file__).parents[3] / "docs"
OF_RESULTS = {code: one for code, one in checks_of(DECLARED).items() if one not in CHECKS_OF_HEALTH}
"""Every check of a row or a run; what a check-up finds is of a machine."""

OTHERS = replace(Given().row, findings=(Finding("other-load", "warning", {"share": 0.4}),))
BUSY = replace(Given().row, of_run=(Finding("busy-machine", "error", {"share": 0.57}),))


def test_every_check_has_an_effect_on_every_use_and_no_effect_is_of_an_unknown_check() -> None:
    assert {*EFFECTS} <= {*OF_RESULTS}
    assert all({*effects} == {*USES} for effects in EFFECTS.values())


def test_what_forbids_a_use_says_why_in_a_clause() -> None:
    forbidding = {
        code
        for code, one in OF_RESULTS.items()
        if {effect_of(code, one.level, use) for use in USES} & {"unusable", "alike"}
    }
    assert {code for code in forbidding if not sentences().findings[code].why} == set()


@pytest.mark.parametrize("use", ["rank", "compare", "gate", "recommend", "history", "export"])
def test_a_busy_machine_and_other_programs_forbid_every_use_but_a_chart(use: Use) -> None:
    assert (is_usable(OTHERS, use), is_usable(BUSY, use), is_usable(Given().row, use)) == (False, False, True)
    assert validity_of(OTHERS, "chart").status == "marked"


def test_why_names_what_was_found_with_its_code() -> None:
    assert validity_of(BUSY, "gate").why == "other programs used 57% of the CPU time (busy-machine)"
    assert validity_of((Given().row, OTHERS), "compare").codes == ("other-load",)


def test_a_trial_that_failed_or_had_other_programs_next_to_it_decides_nothing() -> None:
    trial = replace(Given(others=0.1).row.trials[0], wall_ns=1_000_000_000)
    assert validity_of_trial(trial, "recommend").is_usable
    assert validity_of_trial(replace(trial, others=0.11), "recommend").codes == ("other-load",)
    assert validity_of_trial(replace(trial, others=0.5, wall_ns=30_000_000), "recommend").is_usable, "three ticks"
    failed = replace(trial, failure=Failure("hung", "It hung."))
    assert not validity_of_trial(failed, "compare").is_usable


def test_what_does_other_work_is_compared_with_its_like_alone_and_ranked_with_nothing() -> None:
    merged, whole = counters(MONITOR, collections=0).row, counters(EXACT, collections=0).row
    assert is_usable((merged, merged), "compare")
    assert validity_of((merged, whole), "compare").codes == ("coarsened",)
    assert not is_usable(merged, "rank")
    assert is_usable(merged, "history"), "it is what it was the night before"
    assert not is_usable(on_lock(updates_found=144_750).row, "export")


def test_a_warning_marks_and_a_note_does_not() -> None:
    warned = replace(Given().row, findings=(Finding("tail", "warning", {}),))
    noted = replace(Given().row, findings=(Finding("one-burst", "note", {}),))
    assert (validity_of(warned, "compare").status, validity_of(noted, "compare").status) == ("marked", "usable")
    assert (validity_of(warned, "compare").codes, validity_of(warned, "compare").why) == (("tail",), "")


def test_a_run_tells_each_of_its_rows_what_matters_to_it() -> None:
    busy = analyse(MINUTE, [replace(one, others=0.57) for one in OBSERVATIONS], PINGS, declared())
    assert all(row.has("busy-machine") for row in busy.rows)
    quiet = analyse(MINUTE, OBSERVATIONS, PINGS, declared())
    assert not any(row.has("busy-machine") or row.has("virtualised") for row in quiet.rows)


HEAD = f"| finding | {' | '.join(USES)} |\n|{'---|' * (1 + len(USES))}\n"


def test_the_table_in_docs_is_that_of_the_effects() -> None:
    page = DOCS / "warnings.md"
    rows = [f"`{code}` | {' | '.join(effects[use] for use in USES)}" for code, effects in EFFECTS.items()]
    expect(page, with_rows(page.read_text(), HEAD, rows))
