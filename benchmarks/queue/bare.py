"""The streams with nothing around them, in `bare/`."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks import bare, command
from benchmarks.command import launcher
from benchmarks.records import Contender
from threadping.model.cases import Runtime
from threadping.model.quantities import compact

SOURCES = Path(__file__).parent / "bare"
BUILD = command.BUILD / "bench-queue"

QUEUE, QUEUE = "readerwriterqueue", "disruptor"
BATCHES = (1, 10, 100, 1000)
"""As the published article has them."""

STEPS = (
    *(f"rest={rest} producer-work=0" for rest in (0, 4, 16, 64, 256)),
    *(f"rest=0 producer-work={produce}" for produce in (1, 2, 4, 16)),
)
"""Steps of the consumer after each take, and of the producer after each message: they set the pace of a stream.
A step takes about 1.2 ns."""

CPP_MECHANISMS = tuple(f"{QUEUE} {steps}" for steps in STEPS)
JAVA_MECHANISMS = (
    *(f"{QUEUE} batch=1 {steps}" for steps in STEPS),
    *(f"{QUEUE} batch={compact(batch)} {STEPS[0]}" for batch in BATCHES[1:]),
)
REMEDY = "Give fewer --messages."


def cpp_contenders(*settings: int) -> list[Contender]:
    """Compile the C++ program; one for each queue that it knows. The settings: producer, consumer, messages."""
    program = bare.compile_cpp(SOURCES / "stream.cpp", BUILD)
    return bare.contenders("cpp", (str(program),), CPP_MECHANISMS, settings, REMEDY)


def java_contenders(runtimes: Sequence[Runtime], *settings: int) -> list[Contender]:
    """Return the Java baselines, with our probe's Disruptor, for each batch and each virtual machine."""
    jar = Path(runtimes[0].command[-1])
    classes = bare.compile_java(SOURCES / "Stream.java", BUILD, runtimes, [jar])
    found = []
    for runtime in runtimes:
        program = (*launcher(runtime), "-cp", f"{classes}:{jar}", "Stream")
        found += bare.contenders(runtime.label, program, JAVA_MECHANISMS, settings, REMEDY)
    return found
