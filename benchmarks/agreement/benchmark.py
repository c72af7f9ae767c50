"""Agreement among the benchmarks: its questions, its answers and its words."""

from benchmarks.agreement.answers import answer
from benchmarks.agreement.questions import HEADINGS, questions
from benchmarks.benchmark import Benchmark

AGREEMENT = Benchmark(
    name="agreement",
    headings=HEADINGS,
    by_median="by median block",
    legend=(
        "One-way nanoseconds: the median over processes (lower to upper quartile). Ratio: ours / theirs with its 95% "
        "bootstrap interval over processes; by median block: the same, with our median block instead of our mean of "
        "all."
    ),
    questions=questions,
    answer=answer,
)
