"""What a benchmark has to say and to ask; one runner and one report serve them all."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from benchmarks.answers import Answer
from benchmarks.questions import Question, Questions
from benchmarks.records import Measurement, Subject


class Benchmark(Struct, frozen=True):
    """A benchmark: its groups of questions with a heading each, in the order in which they are shown, and its words.

    `by_median` heads the column of the ratio with our median on our side.
    """

    name: str
    headings: Mapping[str, str]
    by_median: str
    legend: str
    questions: Callable[[Sequence[Subject], Sequence[str]], Questions]
    answer: Callable[[Question, Sequence[Measurement], int], Answer]
