"""A probe that measures nothing: it answers with exact figures, or misbehaves as its mechanism's name says.

Its own process, behind the real interface, so that the whole pipeline is tested without any timing. `steady` takes 100
ns one way on every line, `slow` 2 microseconds; both agree with themselves to the nanosecond. Its locks do 12 million
operations a second, however many threads there are, and these have equal shares. States of the machine are planted with
FAKE_APART, a file with a distance in nanoseconds on each line: pings report one after the other, and fail at 0. With
FAKE_OF_L3=N, N CPUs share an L3, and the latency of a pair depends on it. Started with `--name NAME`, it has the
mechanism of FAKE_LIKE under that name, and no other.
"""

import os
import sys
import time

from tests.fakes.fake_description import describe, topology
from tests.fakes.fake_messages import dumps, loads, read, write
from tests.fakes.fake_results import exact_result

ERRORS = {
    "refuses": ("pin-failed", "CPU 9 cannot be used here."),
    "loses-updates": ("count-wrong", "17 of 97,000 increments were lost: 96,983 were found."),
    "stalls": ("stalled", "No thread gets the lock any more: a release was lost, or the lock deadlocks."),
}


def crash() -> None:
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def run(request_file: str, result_file: str, name: str, like: str) -> int:
    text = read(request_file).replace(f'"mechanism":"{name}"', f'"mechanism":"{like}"')
    request = loads(text)
    behaviour = request["mechanism"]
    result = exact_result(request)
    if not result["measured"]["ns"]:
        behaviour = "refuses"
    text = dumps(result)
    if pause := os.environ.get("FAKE_PAUSE"):
        time.sleep(float(pause))
    match behaviour:
        case "crashes":
            crash()
        case "hangs":
            import subprocess

            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            print(f"child {child.pid}", flush=True)
            time.sleep(600)
        case "speaks-schema-2":
            text = dumps({**result, "schema": 2})
        case "lies":
            text = dumps({**result, "mechanism": "steady"})
        case "lies-about-cpus":
            text = dumps({**result, "threads": [{**t, "cpus_start": [77]} for t in result["threads"]]})
        case "lies-about-time":
            text = dumps({**result, "measured": {**result["measured"], "ns": 5}})
        case "chatters":
            sys.stdout.write("WARNING: a JVM says [red]this[/red]\n" * 1000)
            sys.stderr.buffer.write(b"\xff\x00 not text \xfe\n")
        case "floods":
            while True:
                sys.stdout.write("x" * 1_000_000)
        case "writes-half":
            text = text[: len(text) // 2]
        case "writes-garbage":
            text = "Picked up JAVA_TOOL_OPTIONS\n"
        case "writes-nothing":
            return 0
        case "lies-about-its-count":
            result["counts"]["increments"]["found"] -= 17
            text = dumps(result)
        case "refuses" | "loses-updates" | "stalls":
            code, message = ERRORS[behaviour]
            write(result_file, dumps({"schema": 4, "error": {"code": code, "message": message}}))
            return 1
        case "fails-once":
            marker = os.environ["FAKE_MARKER"]
            if not os.path.exists(marker):
                write(marker, "")
                return 3
    write(result_file, text.replace(f'"mechanism":"{like}"', f'"mechanism":"{name}"'))
    if behaviour == "crashes-late":
        crash()
    return 0


def busy(nice: str, words: list[str]) -> int:
    """Say so in FAKE_BUSY, a folder, with how it was asked; take no CPU time, until somebody ends it."""
    if folder := os.environ.get("FAKE_BUSY"):
        write(f"{folder}/{os.getpid()}.{nice}", " ".join(words))
    time.sleep(60)
    return 0


def answer(words: list[str], like: str = "steady", name: str = "steady") -> tuple[int, str]:
    """The exit status of a probe that was started with these words, and what it prints."""
    match words:
        case ["--name", name, *words]:
            return answer(words, os.environ["FAKE_LIKE"], name)
        case ["describe"]:
            described = os.environ.get("FAKE_DESCRIPTION") or dumps(describe(like if like != name else ""))
            return 0, described.replace(f'"{like}"', f'"{name}"')
        case ["topology"]:
            return 0, dumps(topology())
        case ["run", "--request", request, "--result", result, "--parent", _]:
            return run(request, result, name, like), ""
        case ["busy" | "hold", *nice]:
            return busy(nice[1] if nice[:1] == ["--nice"] else "0", nice), ""
    return 2, ""


def main(variables: dict[str, str]) -> int:
    os.environ.update(variables)
    status, text = answer(sys.argv[1:])
    print(text, end="")
    return status
