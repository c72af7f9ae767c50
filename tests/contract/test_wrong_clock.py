"""A clock that is wrong shows in round trips and not in the delay that is planted: by that the self-test finds it.

Here it goes fifty times too fast, so that no load of the machine could look like it.
"""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import json
from msgspec.structs import replace

from tests.conftest import make_request
from tests.contract.real_probes import ALLOWED, FIRSTS, START_SECONDS
from threadping.experiments.signals import SELF_TEST as EXPERIMENT
from threadping.model.cases import Runtime
from threadping.model.contract import Result

TIMES = 50
DELAY_NS = 100_000
TOOL = Path(__file__).parents[2] / "tools" / "doctor-conditions"
CPP = [one for one in FIRSTS if one.label == "cpp"]

TRIAL = f"""
import sys
from msgspec import json
from threadping.model.contract import Request
from threadping.model.cases import Runtime
from threadping.probes.trial import Launch, run_trials
runtime, request = json.decode(sys.stdin.buffer.read(), type=tuple[Runtime, Request])
(outcome,) = run_trials([Launch(runtime, request, {START_SECONDS * TIMES})])
if outcome.result is None:
    sys.exit(str(outcome.failure))
sys.stdout.buffer.write(json.encode(outcome.result))
"""
"""With the same wrong clock, threadping refuses a probe that measures for longer than its process lives."""

needs = pytest.mark.skipif(len(ALLOWED) < 2 or shutil.which("cc") is None, reason="two CPUs and a C compiler")


@needs
@pytest.mark.parametrize("runtime", CPP, ids=lambda one: one.label)
def test_round_trips_are_of_the_wrong_clock_and_the_planted_delay_is_not(runtime: Runtime, tmp_path: Path) -> None:
    source, library = tmp_path / "wrong-clock.c", tmp_path / "wrong-clock.so"
    source.write_text(runpy.run_path(str(TOOL))["WRONG_CLOCK"])
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-DTIMES={TIMES}.0", "-o", str(library), str(source)], check=True)
    usual = make_request("condition", (ALLOWED[0], ALLOWED[1]), lines=1, experiment="self-test")
    times = {"measure_ns": 50_000_000 * TIMES, "bound_ns": 2_000_000_000 * TIMES, "patience_ns": 10**9 * TIMES}
    asked = replace(usual, params={"delay": DELAY_NS, "stall-every": 0, "stall": 0}, **times)
    done = subprocess.run(
        [sys.executable, "-c", TRIAL],
        input=json.encode((runtime, asked)),
        stdout=subprocess.PIPE,
        env={**os.environ, "LD_PRELOAD": str(library)},
        check=True,
    )
    result = json.decode(done.stdout, type=Result)
    figures: dict[str, float | None] = {}
    for one in EXPERIMENT.figures.figures:
        figures |= EXPERIMENT.figures.read(one, result, asked)
    round_trip, delay = (figures[f"self-test.{name}_ns"] for name in ("round_trip", "delay"))
    assert round_trip is not None and delay is not None
    assert round_trip > TIMES / 2 * delay
