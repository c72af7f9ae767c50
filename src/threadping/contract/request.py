"""What `probe run` reads: one trial."""

from typing import Annotated

from msgspec import Meta

from threadping.contract.message import MOST_THREADS, Message, Name, Params, Pin, Version

CpuNumber = Annotated[int, Meta(ge=0, le=65535)]


class ThreadRequest(Message, frozen=True):
    """Where one measuring thread stands; `cpu` None leaves it to the scheduler."""

    cpu: CpuNumber | None


class WarmupRequest(Message, frozen=True):
    """`rounds` rounds of `ops` operations before anything is recorded, ended early at `limit_ns`."""

    rounds: Annotated[int, Meta(ge=0, le=1_000_000)]
    ops: Annotated[int, Meta(ge=1, le=1_000_000_000_000)]
    limit_ns: Annotated[int, Meta(ge=0, le=3_600_000_000_000)]


class Request(Message, frozen=True, omit_defaults=True):
    """One trial, as `probe run` is asked for it."""

    experiment: Name
    mechanism: Name
    params: Params
    threads: Annotated[tuple[ThreadRequest, ...], Meta(min_length=1, max_length=MOST_THREADS)]
    lines: Annotated[int, Meta(ge=1, le=65536)]
    warmup: WarmupRequest
    measure_ns: Annotated[int, Meta(ge=1_000_000, le=3_600_000_000_000)]
    bound_ns: Annotated[int, Meta(ge=1_000_000, le=7_200_000_000_000)]
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    schema: Version
    pin: Pin = "thread"
