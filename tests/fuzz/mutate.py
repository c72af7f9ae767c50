"""Endless spoiled copies of good examples, drawn with a seed: what a reader of foreign bytes is tried with."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]
"""Spoils one example; the others are there to splice with."""

NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")

EXTREMES = (
    *(b"0", b"-0", b"-1", b"00", b"1", b"0.5", b".5", b"5.", b"1e308", b"1e309", b"-1e999", b"1e-400", b"5e-324"),
    *(b"NaN", b"nan", b"inf", b"-Infinity", b"null", b"true", b'""', b"[]", b"{}", b"", b" ", b"1_000", b"0x10"),
    *(b"127", b"255", b"65536", b"2147483648", b"9007199254740993", b"9223372036854775808", b"18446744073709551616"),
    *(b"9" * 400, b"0." + b"0" * 400 + b"1", "\u0663\u0664".encode(), "\uff11\uff12".encode(), b"1" * 5000),
)

FRAGMENTS = (
    *(b"\x00", b"\n", b"\r", b"\r\n", b"\t", b"\x1b[31m", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff", b"\xc0\x80"),
    *("\u202e\u2028±".encode(), b'"', b"'", b",", b";", b"<", b"&", b"\\", b"```", b"[" * 5000, b"{" * 5000),
)


def mutations(seed: int, examples: Sequence[bytes]) -> Iterator[bytes]:
    """Yield spoiled examples without end, the same for the same seed; each is spoiled one to four times."""
    chance = Random(seed)
    while True:
        spoiled = chance.choice(examples)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
            spoiled = chance.choice(MUTATIONS)(chance, spoiled, examples)
        yield spoiled


def _place(chance: Random, data: bytes) -> int:
    return chance.randint(0, len(data))


def flip_bit(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def replace_bytes(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at, length = _place(chance, data), chance.randint(1, 8)
    return data[:at] + chance.randbytes(length) + data[at + length :]


def insert_fragment(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = _place(chance, data)
    return data[:at] + chance.choice(FRAGMENTS) + data[at:]


def truncate(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: _place(chance, data)]


def drop_span(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    first, last = sorted((_place(chance, data), _place(chance, data)))
    return data[:first] + data[last:]


def repeat_span(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Write a piece of at most 1,000 bytes up to 20 times."""
    first = _place(chance, data)
    last = min(len(data), first + chance.randint(1, 1000))
    return data[:first] + data[first:last] * chance.randint(2, 20) + data[last:]


def drop_line(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def repeat_line(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        lines.insert(chance.randint(0, len(lines)), chance.choice(lines))
    return b"".join(lines)


def replace_number(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    found = [*NUMBER.finditer(data)]
    if not found:
        return data
    one = chance.choice(found)
    return data[: one.start()] + chance.choice(EXTREMES) + data[one.end() :]


def swap_numbers(chance: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    found = [*NUMBER.finditer(data)]
    if len(found) < 2:
        return data
    one, other = sorted(chance.sample(found, 2), key=lambda match: match.start())
    between = data[one.end() : other.start()]
    return data[: one.start()] + other.group() + between + one.group() + data[other.end() :]


def splice(chance: Random, data: bytes, examples: Sequence[bytes]) -> bytes:
    other = chance.choice(examples)
    return data[: _place(chance, data)] + other[_place(chance, other) :]


MUTATIONS: Sequence[Mutation] = (
    *(flip_bit, replace_bytes, insert_fragment, truncate, drop_span, repeat_span, drop_line, repeat_line),
    *(replace_number, replace_number, swap_numbers, splice),
)


# ---- values of a message ----

NUMBERS = (0, -1, 1, 2, 7, 255, 4096, 65535, 65536, 2**31, 2**53, 2**63 - 1, 2**64 - 1, -(2**63))
FLOATS = (0.0, -0.0, -1.0, 1e-300, 5e-324, 0.5, 1e12, 1e30, 1e300, float("inf"), float("-inf"), float("nan"))
TEXTS = (
    *("", " ", "\x00", "\x1b[31m", "\u202e", "=1+1", "x" * 999, "x" * 2_000, "\U0001f9f5", "last", "nosuch"),
    *("2026-01-02T00:00:00", "9999-12-31T23:59:59-14:00", "2026-02-31T00:00:00Z", "0001-01-01T00:00:00+14:00"),
    *("running", "complete", "failed", "signal", "lock", "queue", "load", "barrier", "network", "wakeup"),
    *("poisson", "bursts", "cas-one-line", "cpp", "java-17", "same-l3", "unpinned", "process", "p99", "cpu", "rate"),
    *("mean", "bursts"),
)
OTHERS: tuple[Any, ...] = (None, True, [], {}, [[]], {"": None})


def places(of: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    within = of.items() if isinstance(of, dict) else enumerate(of) if isinstance(of, list) else ()
    for key, value in within:
        yield from places(value, (*path, key))


def mutated(of: Any, chance: Random) -> Any:
    """A value that is like another, or not at all."""
    match of:
        case bool() | None:
            return chance.choice((True, False, None, 0, 1.5, "x"))
        case int():
            return chance.choice(
                (*NUMBERS, min(of + 1, 2**64 - 1), abs(of) - 1, of // 2, 2 * (of % 2**62), chance.choice(FLOATS))
            )
        case float():
            return chance.choice((*FLOATS, -of, 1e9 * of, of / 1e9, chance.choice(NUMBERS)))
        case str():
            return chance.choice((*TEXTS, of * 2, of[::-1], of[:-1], chance.choice(OTHERS)))
        case list() if of:
            return chance.choice(
                (of[:-1], of[1:], of * 2, of[::-1], [], [*of, of[0]], [*of, deepcopy(chance.choice(OTHERS))])
            )
        case dict() if of:
            gone = chance.choice(list(of))
            return chance.choice(
                ({**of, chance.choice(TEXTS): of[gone]}, {n: v for n, v in of.items() if n != gone}, {})
            )
    return deepcopy(chance.choice((*OTHERS, *NUMBERS, *FLOATS, *TEXTS)))


def change(whole: Any, paths: Sequence[tuple[Any, ...]], chance: Random) -> None:
    """Change a value of a message, at one of these places."""
    *path, last = chance.choice(paths)
    with suppress(LookupError, TypeError):  # an earlier change took it away
        for key in path:
            whole = whole[key]
        whole[last] = mutated(whole[last], chance)
