"""A trial's windows, in the result that `probe run` writes."""

from collections.abc import Sequence
from functools import cached_property
from itertools import compress
from typing import Annotated, Any, Literal

from msgspec import Meta, structs

from threadping.contract.values import Count, Message, Positive, ThreadCount

WindowKind = Literal["throughput", "sampling"]


class Windows(Message, frozen=True, dict=True):
    """The windows in columns, in the order in which they came; `ops` has one for each thread.

    Operations of a `throughput` window read no clock, and its `every` is 0; in a `sampling` one a thread that times
    does so with one operation in `every`. Those of the `warmup` come first, and no other figure holds anything of them.
    `switches` counts how often a thread lost its CPU, `compile_ms` what the JIT compiled, `cpus` on how many CPUs the
    threads stood at its end; None where it is not read.
    """

    warmup: tuple[bool, ...]
    line: tuple[Count, ...]
    kind: tuple[WindowKind, ...]
    every: tuple[Count, ...]
    ns: tuple[Positive, ...]
    ops: Annotated[tuple[tuple[Count, ...], ...], Meta(min_length=1)]
    switches: tuple[Count, ...] | None
    compile_ms: tuple[Count, ...] | None
    cpus: tuple[ThreadCount, ...] | None = None

    @property
    def columns(self) -> list[tuple[Any, ...]]:
        """Every column that there is."""
        alone = (self.warmup, self.line, self.kind, self.every, self.ns, *self.ops)
        return [*alone, *(column for column in (self.switches, self.compile_ms, self.cpus) if column is not None)]

    @cached_property
    def _found(self) -> dict[tuple[WindowKind, bool], "Windows"]:
        return {}

    def of(self, kind: WindowKind, *, warmup: bool = False) -> "Windows":
        """Those of one kind that were measured, or those of the warm-up; looked for once, as dozens of figures ask."""
        if (kind, warmup) not in self._found:
            chosen = [one == kind and early == warmup for one, early in zip(self.kind, self.warmup, strict=True)]
            self._found[kind, warmup] = self.those(chosen)
        return self._found[kind, warmup]

    @property
    def measured(self) -> "Windows":
        """Those of both kinds that were measured."""
        return self.those([not early for early in self.warmup])

    def those(self, chosen: Sequence[bool]) -> "Windows":
        """Those for which `chosen`, which has one for each, is True."""
        columns = structs.asdict(self) | {"ops": None}
        picked = {name: column and tuple(compress(column, chosen)) for name, column in columns.items()}
        return Windows(**picked | {"ops": tuple(tuple(compress(column, chosen)) for column in self.ops)})

    @property
    def total_ns(self) -> int:
        """How long they are together."""
        return sum(self.ns)

    @property
    def total_ops(self) -> int:
        """The operations of all threads in all of them."""
        return sum(map(sum, self.ops))
