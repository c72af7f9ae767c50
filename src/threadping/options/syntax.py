"""The syntaxes of the command line: a click type for each, which reads a text or says in a sentence what is wrong."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import click
from msgspec.structs import replace

from threadping.analysis.states import StateFilter, parse_state
from threadping.model import quantities
from threadping.model.cases import DEFAULT_WARMUP, DURATIONS_NS, Pair, WarmupPolicy
from threadping.model.contract import HOUR_NS, MOST_THREADS, OUTLIERS, OutliersRequest
from threadping.model.errors import UnknownName, UsageError
from threadping.probes.placements import PLACEMENT_NAMES

NANOS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "min": 60e9, "h": 3600e9}
LEAST_RATE, MOST_RATE = 10, 20_000_000  # messages a second that a paced sender takes
LONGEST_S = 24 * 3600.0
MOST_WARMUP_ROUNDS, MOST_WARMUP_OPS, MOST_FACTOR = 1_000_000, 1_000_000_000_000, 1_000_000  # the contract's limits


@dataclass(eq=False)
class Syntax(click.ParamType[Any]):
    """A click type whose reader raises UsageError for what it cannot read; `name` is what the help calls it."""

    name: str
    read: Callable[[str], Any]
    many: bool = False  # whether it reads a list: its option may be repeated

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.read(value) if isinstance(value, str) else value
        except UsageError as error:
            said, opts = str(error), param.opts if param else ["A number"]
            if said.startswith("must "):
                said = f"{'/'.join(opts)} {said}"
            raise UsageError(f"{opts[0]}: {said}" if param and said.startswith("'") else said) from error

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return self.name


def one_of(*words: str) -> click.Choice[str]:
    return click.Choice(words, case_sensitive=False)


METRIC = one_of("headline", "mean", "p50", "p90", "p99", "p99.9", "max", "cpu", "rate")
MOST_COUNTED = 1_000_000_000  # above every sensible count, and within what all callees take


def whole_number(least: int, most: int = MOST_COUNTED) -> Syntax:
    def read(text: str) -> int:
        number = quantities.parse_count(text)
        if number is None or not least <= number <= most:
            raise UsageError(f"must be a whole number from {least} to {quantities.compact(most)}, not '{text}'.")
        return number

    return Syntax("N", read)


def within(read: Callable[[str], float], least: float, most: float, required: str) -> Callable[[str], float]:
    """Return a reader that refuses what is out of bounds; `required` says which these are."""

    def bounded(text: str) -> float:
        if not least <= (found := read(text)) <= most:
            raise UsageError(f"{required}, not '{text}'.")
        return found

    return bounded


def seconds(text: str, example: str = "30s, 2m or 1h") -> float:
    """Read `30s`, `2m`, `1.5h` or `500ms` as seconds, above 0 and at most 24 hours."""
    ns = _nanos(text, "ms|s|min|m|h")
    if ns is None:
        raise UsageError(f"'{text}' is not a time. Write it{_with_a_unit(text)} as {example}.")
    if not 0 < ns / 1e9 <= LONGEST_S:
        raise UsageError(f"A time must be above 0 and at most 24h, not '{text}'.")
    return ns / 1e9


def _with_a_unit(text: str) -> str:
    return " with its unit," if re.fullmatch(BARE, text.strip(), re.ASCII) else ""


BARE = r"\d+(?:\.\d+)?|\.\d+"

interval = within(partial(seconds, example="200ms, 1s or 2m"), 0.1, 3600.0, "An interval must be from 100ms to 1h")
# Half of a trial is its warm-up, and probes measure from 1 ms to 1 h
trial = within(seconds, 0.002, 3600.0, "A trial must be from 2ms to 1h, its warm-up included")


def nanoseconds(text: str) -> float:
    """Read `60ns` or `1.5us` as nanoseconds, above 0 and at most an hour."""
    ns = _nanos(text, "ns|us|ms|s")
    if not ns or ns > HOUR_NS:
        raise UsageError(f"'{text}' is not a latency. Write it{_with_a_unit(text)} as 60ns or 1.5us.")
    return ns


def latency_of(percentile: str) -> Syntax:
    """Return the syntax of a required latency: `p99=50us`, as nanoseconds."""

    def read(text: str) -> float:
        name, equals, value = text.partition("=")
        if name.strip() != percentile or not equals:
            raise UsageError(f"--latency must be {percentile}=TIME, such as --latency {percentile}=50us, not '{text}'.")
        return nanoseconds(value)

    return Syntax(f"{percentile}=TIME", read)


def rate(text: str) -> int:
    """Read messages a second: `500`, `10k`, `1M`, `60/s`, `10kHz`."""
    number = quantities.parse_count(re.sub(r"\s*(/s|hz)$", "", text, flags=re.IGNORECASE))
    if number is None or not LEAST_RATE <= number <= MOST_RATE:
        ends = f"{LEAST_RATE} to {quantities.compact(MOST_RATE)}"
        raise UsageError(f"'{text}' is not a rate. Write messages per second from {ends}: 500, 10k.")
    return number


def share(text: str) -> float:
    """Read `3%` or `0.5%` as a share, above 0 and at most 100%."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text.strip(), re.ASCII)
    if not match or not 0 < float(match[1]) <= 100:
        with_sign = " with its sign," if re.fullmatch(BARE, text.strip(), re.ASCII) else ""
        raise UsageError(f"'{text}' is not a percentage. Write it{with_sign} as 3% or 0.5%, above 0 and at most 100%.")
    return float(match[1]) / 100


# Figures of two processes differ by 0.1% anyway; above 50% an interval says nothing
until = within(share, 0.001, 0.5, "--until must be from 0.1% to 50%")


def names(text: str) -> tuple[str, ...]:
    """Read a list with commas, each name once, in the order given."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def names_of(what: str, known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return a reader of a list of names that raises UnknownName for one that is not `known`."""

    def read(text: str) -> tuple[str, ...]:
        if unknown := [name for name in names(text) if name not in known]:
            raise UnknownName(what, unknown[0], list(known))
        return names(text)

    return read


placements, pins = names_of("placement", PLACEMENT_NAMES), names_of("pin", ("thread", "process"))


def runtimes(text: str) -> tuple[str, ...]:
    """Read a list of runtimes; a comma may belong to one that has flags, or to a path."""
    if " -" in text:
        return (text.strip(),)
    comma = r",\s*(?=[/.~]|[\w.+-]+\s*(?:[,=]|$))" if "/" in text else ","
    return tuple(name.strip() for name in re.split(comma, text))


def param(text: str) -> tuple[str, tuple[str, ...]]:
    """Read `NAME=VALUE,VALUE`."""
    name, equals, values = text.partition("=")
    if not (name.strip() and equals and names(values)):
        raise UsageError(f"'{text}' is not a parameter. Write it as NAME=VALUE, such as --param pauses=10.")
    name = name.strip()
    return name, tuple(_in_unit(name, one) if name in DURATIONS_NS else one for one in names(values))


def _in_unit(name: str, text: str) -> str:
    """Read `1ms` as the whole number of a parameter's unit; raise UsageError for a number without a unit."""
    unit, ns = DURATIONS_NS[name], _nanos(text, "ns|us|ms|s")
    if ns is None or ns % unit:
        least = "1us" if unit == 1000 else "1ns"
        raise UsageError(f"--{name} must be a time of at least {least} with its unit, such as 1ms, not '{text}'.")
    return str(round(ns / unit))


def value_of(name: str) -> Syntax:
    return Syntax("TIME" if name in DURATIONS_NS else "VALUE", lambda text: param(f"{name}={text}"))


def ascending(text: str, option: str, most: int, what: str, example: str) -> tuple[int, ...]:
    """Read `4`, `1-8` or `1,2,8`, each number once."""
    return tuple(sorted(set(quantities.parse(text, option, 1, most, what=what, example=example))))


threads = partial(
    ascending, option="--threads", most=MOST_THREADS, what="numbers of threads", example="4, 1-8 or 1,2,8"
)
pairs = partial(
    ascending, option="--pairs", most=MOST_THREADS // 2, what="numbers of pairs", example="16, 1-4 or 1,16,256"
)


def busy(text: str) -> tuple[int, ...]:
    return quantities.parse(text, "--busy", 0, MOST_THREADS, what="numbers of busy threads", example="2, or 0,2")


def pair(text: str) -> Pair:
    """Read `0,1`: two different CPUs, the lower first."""
    given = quantities.parse(text, "ping", 0, quantities.HIGHEST_CPU, what="two CPU numbers", example="0,1")
    if len(given) != 2 or len(set(given)) != 2:
        what = f"names only {quantities.named(given)}" if len(set(given)) == 1 else f"names {len(given)} CPUs"
        raise UsageError(f"ping '{text}' {what}; a ping needs two CPUs. Write `threadping ping 0,1`.")
    return min(given), max(given)


def outliers(text: str) -> OutliersRequest | None:
    """Read what an outlier is: `10x,5us`, `20us`, `100x`; `off` is None."""
    if text.strip() == "off":
        return None
    factor = least = None
    for part in text.split(","):
        multiple = re.fullmatch(r"(\d+(?:\.\d+)?)x", part.strip())
        duration = _nanos(part, "ns|us|ms|s")
        if multiple and factor is None and 1 <= float(multiple[1]) <= MOST_FACTOR:
            factor = float(multiple[1])
        elif duration is not None and least is None and 1 <= duration <= HOUR_NS:
            least = round(duration)
        else:
            raise UsageError(
                f"'{text}' is not an outlier limit. Write a multiple of the median, a minimum duration, or both: "
                "10x, 20us, 10x,5us; or off."
            )
    return replace(OUTLIERS, factor=factor or 1.0, least_ns=least or 1)


def warmups(text: str) -> tuple[WarmupPolicy, ...]:
    return tuple(_warmup(one) for one in names(text))


def _warmup(text: str) -> WarmupPolicy:
    if text == str(DEFAULT_WARMUP):
        return DEFAULT_WARMUP
    match = re.fullmatch(r"(\d{1,7})x(\d{1,13}[kMG]?)", text)
    policy = WarmupPolicy(int(match[1]), quantities.parse_count(match[2]) or 0) if match else None
    if policy is None or not (1 <= policy.rounds <= MOST_WARMUP_ROUNDS and 1 <= policy.ops <= MOST_WARMUP_OPS):
        raise UsageError(
            f"'{text}' is not a warm-up. Write steady, or rounds x operations in each: 10x100k, 1x500M; at most "
            f"{WarmupPolicy(MOST_WARMUP_ROUNDS, MOST_WARMUP_OPS)}."
        )
    return policy


def state(text: str) -> StateFilter | None:
    if re.fullmatch(r"[\d.]+-[\d.]+", text.strip()):
        raise UsageError(f"--state '{text}' is not a state. Write the range with its unit: {text.strip()}ns.")
    return parse_state(text)


def _nanos(text: str, units: str) -> float | None:
    match = re.fullmatch(rf"(\d+(?:\.\d+)?)\s*({units})", text.strip(), re.ASCII)
    return float(match[1]) * NANOS[match[2]] if match else None


TIME, PING_INTERVAL, TRIAL = Syntax("TIME", seconds), Syntax("TIME", interval), Syntax("TIME", trial)
LATENCY, SHARE, UNTIL = Syntax("LATENCY", nanoseconds), Syntax("PERCENT", share), Syntax("PERCENT", until)
PARAM, RATE, OUTLIER = Syntax("NAME=VALUE", param), Syntax("RATE", rate), Syntax("FROM", outliers)
THREADS, PAIRS, STATE = Syntax("N", threads), Syntax("N", pairs), Syntax("STATE", state)
CPUS, PAIR = Syntax("A,B", quantities.parse_cpus), Syntax("A,B", pair)
NAMES, RUNTIMES = Syntax("NAME", names, many=True), Syntax("NAME", runtimes, many=True)
PLACEMENTS, BUSY = Syntax("NAME", placements, many=True), Syntax("N", busy, many=True)
PINS, WARMUPS = Syntax("WHAT", pins, many=True), Syntax("RxN", warmups, many=True)
