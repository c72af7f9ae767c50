"""Lock among the benchmarks: its questions and its words."""

from benchmarks.answers import compare_means
from benchmarks.benchmark import Benchmark
from benchmarks.lock.questions import HEADINGS, questions

LOCK = Benchmark(
    name="lock",
    headings=HEADINGS,
    by_median="by median window",
    legend=(
        "Nanoseconds an operation of one thread: the median over processes (lower to upper quartile). Ratio: ours / "
        "theirs with its 95% bootstrap interval over processes; by median window: the same, with our median window "
        "instead of our mean of all."
    ),
    questions=questions,
    answer=compare_means,
)
