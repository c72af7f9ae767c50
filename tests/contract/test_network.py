"""The two ends of a network hop, in C++: each against an end that this test plays, and against misuse."""

import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import product

import pytest
from msgspec.structs import replace

from tests.conftest import make_request
from tests.trials import run_trial
from threadping.probes.runtimes import find_runtimes
from threadping.probes.trial import Outcome

CPP = next(runtime for runtime in find_runtimes(os.environ).runtimes if runtime.label == "cpp")
HERE, BYTES, NONCE, CPU = "127.0.0.1", 40, 4711, max(os.sched_getaffinity(0))
HEAD = struct.Struct("!QQII")
BYE, ASK = 2**64 - 1, 2**64 - 2
Answers = Callable[[int, bytes], bytes | None]
KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}


def message(nonce: int, number: int, length: int = BYTES) -> bytes:
    return HEAD.pack(nonce, number, BYTES, 0).ljust(length, b"\0")


# ---- the far end, with this test as its client ----


@contextmanager
def far_end_here() -> Iterator[tuple[int, int]]:
    """Its port and its nonce."""
    command = [*CPP.command, "serve", "--host", HERE, "--seconds", "60", "--parent", str(os.getpid())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        try:
            port, nonce = map(int, process.stdout.readline().split())
            yield port, nonce
        finally:
            process.kill()


@contextmanager
def client(transport: str, port: int) -> Iterator[Callable[..., bytes]]:
    """Yield a function that sends bytes and returns the answer: empty if the far end closes, or is silent."""
    with socket.socket(socket.AF_INET, KINDS[transport]) as connection:
        connection.connect((HERE, port))

        def ask(sent: bytes, silent: bool = False) -> bytes:
            connection.settimeout(0.3 if silent and transport == "udp" else 30)
            with suppress(ConnectionError, TimeoutError):
                connection.sendall(sent)
                return connection.recv(100)
            return b""

        yield ask


def hello(transport: str, nonce: int) -> bytes:
    return message(nonce, 0, HEAD.size if transport == "tcp" else BYTES)


@pytest.mark.parametrize("transport", KINDS)
def test_a_far_end_answers_who_knows_its_nonce_in_order_and_nobody_else(transport: str) -> None:
    with far_end_here() as (port, nonce):
        for wrong in (hello(transport, nonce + 1), message(nonce, 0)[:10] + bytes(30), message(nonce, 1), b"x" * 40):
            with client(transport, port) as ask:
                assert ask(wrong, silent=True) == b""
        for _ in range(2):  # one client after another
            with client(transport, port) as ask:
                assert ask(hello(transport, nonce)) == hello(transport, nonce)
                for number in (1, 2, 3):
                    assert ask(message(nonce, number)) == message(nonce, number)
                if transport == "udp":  # its answer may have been lost
                    assert ask(message(nonce, 3)) == message(nonce, 3)
                assert ask(message(nonce, 5), silent=True) == b""
                ask(message(nonce, BYE), silent=True)


def test_silent_strangers_do_not_keep_a_far_end_from_who_greets() -> None:
    """One after the other, two seconds for each, they would keep it longer than a near end waits."""
    with far_end_here() as (port, nonce), ExitStack() as strangers:
        for said in (b"", b"\0" * 3) * 12:
            stranger = strangers.enter_context(socket.create_connection((HERE, port)))
            stranger.sendall(said)
        with client("tcp", port) as ask:
            assert ask(hello("tcp", nonce)) == hello("tcp", nonce)
            strangers.enter_context(socket.create_connection((HERE, port)))
            assert ask(message(nonce, 1)) == message(nonce, 1)


@pytest.mark.parametrize("transport", KINDS)
def test_a_far_end_reports_its_cpu_time_since_the_hello_whenever_it_is_asked(transport: str) -> None:
    def asked() -> int:
        nonce_of, number, size, cpu_us = HEAD.unpack(ask(message(nonce, ASK))[: HEAD.size])
        assert (nonce_of, number, size) == (nonce, ASK, BYTES)
        return int(cpu_us)

    with far_end_here() as (port, nonce):
        used = []
        for spins in (1, 0):
            with client(transport, port) as ask:
                first = HEAD.pack(nonce, 0, BYTES, spins)
                ask(first if transport == "tcp" else first.ljust(BYTES, b"\0"))
                before = asked()
                for number in (1, 2):
                    time.sleep(0.1)
                    assert ask(message(nonce, number)) == message(nonce, number)
                used += [before, asked()]
                ask(message(nonce, BYE), silent=True)
        assert used[1] > used[0] + 1000, "it has spun for 0.2 s"
        assert used[2] <= used[3] < used[1], "each client begins at 0"


def test_a_far_end_ends_after_its_time_and_with_its_parent() -> None:
    command = [*CPP.command, "serve", "--host", HERE, "--seconds"]
    assert subprocess.run([*command, "1"], stdout=subprocess.DEVNULL, check=False, timeout=60).returncode == 0
    start = (
        f"import subprocess, time; far_end = subprocess.Popen({[*command, '60']!r}, stdout=subprocess.PIPE); "
        "far_end.stdout.readline(); print(far_end.pid, flush=True); time.sleep(100)"
    )
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        ends = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.kill()
            assert select.select([ends], [], [], 30)[0]
        finally:
            os.close(ends)


def test_a_far_end_says_where_it_cannot_listen() -> None:
    command = [*CPP.command, "serve", "--host", "192.0.2.1", "--seconds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "No far end can be opened at 192.0.2.1" in done.stderr


# ---- the near end, with this test as its far end ----


@contextmanager
def far_end(transport: str, answers: Answers) -> Iterator[int]:
    """Its port. `answers` gives what is sent for what came, by its number; nothing (b"") or the end (None)."""
    with socket.socket(socket.AF_INET, KINDS[transport]) as listening:
        listening.bind((HERE, 0))
        if transport == "tcp":
            listening.listen(1)

        def serve() -> None:
            with suppress(OSError):
                one, where = listening.accept() if transport == "tcp" else (listening, None)
                with one:
                    while True:
                        came, where = one.recvfrom(100)
                        if not came or (sent := answers(HEAD.unpack(came[: HEAD.size])[1], came)) is None:
                            return
                        if sent and transport == "udp":
                            one.sendto(sent, where)
                        elif sent:
                            one.sendall(sent)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
    thread.join()


def near_end(mechanism: str, port: int, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    monkeypatch.setenv("THREADPING_PEER", f"{HERE} {port} {NONCE}")
    request = replace(make_request(mechanism, (None,), 1, "network"), params={"message-bytes": BYTES})
    return run_trial(CPP, request, start_seconds=60.0)


BAD: dict[str, tuple[Answers, str, str]] = {
    "rubbish": (lambda number, came: came if number == 0 else b"x" * BYTES, "sequence-broken", "To message 1 the far "),
    "wrong-number": (
        lambda number, came: came if number != 4 else message(NONCE, 5),
        "sequence-broken",
        "To message 4 ",
    ),
    "closes": (lambda number, came: came if number < 9 else None, "stalled", ", has gone away."),
    "hangs": (lambda number, came: came if number < 9 else b"", "stalled", "No answer comes any more"),
    "no-greeting": (lambda number, came: b"", "unsupported", ", greets nobody (it serves another client"),
}
"""Faults of a far end, the code of the failure, and its message."""


@pytest.mark.parametrize(
    ("far", "mechanism"), [*product(BAD, ("tcp", "udp-spin")), ("hangs", "tcp-spin"), ("hangs", "udp")]
)
def test_a_near_end_believes_nothing_and_waits_for_nobody_for_ever(
    far: str, mechanism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, code, says = BAD[far]
    with far_end(mechanism[:3], answers) as port:
        failure = near_end(mechanism, port, monkeypatch).failure
    assert failure is not None
    if (code, mechanism[:3]) == ("stalled", "udp"):
        assert failure.code == "stalled"
    else:
        assert (failure.code, says in failure.message) == (code, True), failure.message


def test_a_far_end_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = near_end("tcp", 1, monkeypatch).failure
    assert failure
    assert failure.code == "unsupported"
    assert failure.message == f"The far end, {HERE} port 1, cannot be reached (Connection refused)."


@pytest.mark.parametrize("comes", ["nothing", "the answer before"])
def test_a_datagram_that_is_lost_or_overtaken_is_sent_again_and_counted(
    comes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The far end answers the question for CPU time first; its number is above all others."""
    seen: list[tuple[int, bytes]] = []

    def answers(number: int, came: bytes) -> bytes:
        before, seen[:] = seen[-1:], [*seen, (number, came)]
        if comes == "nothing":
            return came if number != 7 or (number, came) in before else b""
        asked = [was for was, _ in seen[:-1]].count(ASK)
        return before[0][1] if asked == 1 and before[0][0] == ASK != number else came

    with far_end("udp", answers) as port:
        result = near_end("udp", port, monkeypatch).result
    assert result is not None
    datagrams, round_trips = result.counts["datagrams"], result.counts["round trips"]
    assert round_trips.made == round_trips.found == datagrams.found > 7
    assert datagrams.made == sum(number not in (0, ASK, BYE) for number, _ in seen) > datagrams.found
    assert {*result.distributions["far-end-cpu"].values} == {0}, "this far end reports no CPU time"
