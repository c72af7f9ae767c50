"""Parsing of the values on the command line."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from threadping.model.cases import DEFAULT_WARMUP, WarmupPolicy
from threadping.model.contract import OUTLIERS
from threadping.model.errors import UsageError
from threadping.options import syntax

Reader = Callable[[str], Any]


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        *((syntax.seconds, text, value) for text, value in (("30s", 30), ("1.5m", 90), (" 30 s", 30), ("500ms", 0.5))),
        (syntax.seconds, "24h", 86_400),
        *((syntax.nanoseconds, text, value) for text, value in (("60ns", 60), ("60 ns", 60), ("1.5us", 1500))),
        (syntax.names, " b,a ,b,", ("b", "a")),
        (syntax.runtimes, "cpp, java-17", ("cpp", "java-17")),
        (syntax.runtimes, "java-25 -Xlog:gc,safepoint", ("java-25 -Xlog:gc,safepoint",)),
        (syntax.runtimes, "cpp=/opt/a,b/probe", ("cpp=/opt/a,b/probe",)),
        (syntax.runtimes, "cpp,/opt/jdk", ("cpp", "/opt/jdk")),
        (syntax.runtimes, "/opt/jdk, ./jdk,go=./probe,java-17", ("/opt/jdk", "./jdk", "go=./probe", "java-17")),
        *((syntax.rate, text, rate) for text, rate in (("500", 500), ("10k", 10_000), ("20M", 20_000_000))),
        *((syntax.share, text, 0.03) for text in ("3%", " 3.0 % ")),
        *((syntax.until, text, value) for text, value in (("3%", 0.03), ("0.1%", 0.001), ("50%", 0.5))),
        (syntax.param, "pauses=1,10,1", ("pauses", ("1", "10"))),
        (syntax.threads, "8, 1 - 2,2", (1, 2, 8)),
        (syntax.threads, "4096", (4096,)),
        (syntax.pairs, "256,1,16", (1, 16, 256)),
        (syntax.busy, "0,2", (0, 2)),
        (syntax.pins, "process,thread,process", ("process", "thread")),
        (syntax.warmups, "10x100k,steady", (WarmupPolicy(10, 100_000), DEFAULT_WARMUP)),
        (syntax.warmups, "1000000x1000G", (WarmupPolicy(10**6, 10**12),)),
        (syntax.outliers, "10x,5us", OUTLIERS),
        (syntax.outliers, "1ms, 2.5x", replace(OUTLIERS, factor=2.5, least_ns=1_000_000)),
        (syntax.outliers, "20us", replace(OUTLIERS, factor=1, least_ns=20_000)),
        (syntax.outliers, "off", None),
        *((syntax.pair, text, (0, 1)) for text in ("0,1", "1,0", "0-1")),
    ],
)
def test_what_is_written_is_read(read: Reader, text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "texts", "sentence"),
    [
        (syntax.seconds, ("soon", "-3s", "", "3 d"), "'{}' is not a time. Write it as 30s, 2m or 1h."),
        (syntax.placements, ("same-l4", "smt,l3"), "Unknown placement '"),
        (syntax.seconds, ("30", "1.5", ".5"), "'{}' is not a time. Write it with its unit, as 30s, 2m or 1h."),
        (syntax.seconds, ("0s", "24.1h"), "A time must be above 0 and at most 24h, not '{}'."),
        (syntax.nanoseconds, ("fast", "0ns", "-1", "1m"), "'{}' is not a latency. Write it as 60ns or 1.5us."),
        (syntax.nanoseconds, ("50", "0.5"), "'{}' is not a latency. Write it with its unit, as 60ns or 1.5us."),
        (syntax.share, ("3", "0.03"), "'{}' is not a percentage. Write it with its sign, as 3% or 0.5%"),
        (syntax.until, ("3",), "'{}' is not a percentage. Write it with its sign, as 3% or 0.5%"),
        (syntax.until, ("0.09%", "50.1%"), "--until must be from 0.1% to 50%, not '{}'."),
        (
            syntax.rate,
            ("9", "-5", "1G", "1.5"),
            "'{}' is not a rate. Write messages per second from 10 to 20M: 500, 10k.",
        ),
        (syntax.share, ("0%", "101%", "half", "-1"), "'{}' is not a percentage. Write it as 3% or 0.5%"),
        (syntax.param, ("pauses", "=3", "pauses=", "pauses=,", ""), "'{}' is not a parameter. Write it as NAME=VALUE"),
        (syntax.threads, ("0", "4097"), "--threads '{0}' is out of bounds at '{0}'. Write numbers of threads"),
        (syntax.pairs, ("2049",), "--pairs '{0}' is out of bounds at '{0}'. Write numbers of pairs from 1 to 2048"),
        (syntax.busy, ("two", "-1"), "--busy '{0}' cannot be read at '{0}'. Write numbers of busy threads from 0 to"),
        (syntax.pins, ("proces",), "Unknown pin '{}'. Did you mean process"),
        (
            syntax.warmups,
            ("10", "x100k", "10x0", "0x5", "1x1T", "10x100K", "1000001x1", "1x1001G", "Steady"),
            "'{}' is not a warm-up. Write steady, or rounds x operations in each: 10x100k, 1x500M; at most 1000000x",
        ),
        (
            syntax.outliers,
            ("", "10", "x", "0.5x", "5x,6x", "1us,2us", "0ns", "2000000x", "2h", "off,10x"),
            "'{}' is not an outlier limit. Write a multiple of the median, a minimum duration, or both",
        ),
        (syntax.pair, ("0,0",), "ping '{}' names only CPU 0; a ping needs two CPUs. Write `threadping ping 0,1`."),
        (syntax.pair, ("0-2", "0,0,1"), "ping '{}' names 3 CPUs; a ping needs two CPUs"),
        (syntax.pair, ("near",), "ping '{0}' cannot be read at '{0}'. Write two CPU numbers from 0 to 65535: 0,1."),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(read: Reader, texts: tuple[str, ...], sentence: str) -> None:
    for text in texts:
        with pytest.raises(UsageError, match=f"^{re.escape(sentence.format(text))}"):
            read(text)
