"""A headless Chromium, spoken to through a pipe: what it shows of a page, and what it complains of."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")


class Browser:
    """One page of a browser, and every event that it sent."""

    def __init__(self, to: int, by: int) -> None:
        self._to, self._by = open(to, "wb", buffering=0), open(by, "rb")  # noqa: SIM115
        self._numbers, self._session = count(1), ""
        self.events: list[dict[str, Any]] = []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        of = {"sessionId": self._session} if self._session else {}
        self._to.write(json.dumps({"id": number, "method": method, "params": params, **of}).encode() + b"\0")
        while (heard := self._hear()).get("id") != number:
            pass
        assert "error" not in heard, heard
        result: dict[str, Any] = heard["result"]
        return result

    def _hear(self) -> dict[str, Any]:
        message = bytearray()
        while (byte := self._by.read(1)) != b"\0":
            assert byte, "the browser ended"
            message += byte
        heard: dict[str, Any] = json.loads(message)
        if "method" in heard:
            self.events.append(heard)
        return heard

    def open(self, page: Path) -> None:
        self.events.clear()
        self("Page.navigate", url=page.as_uri())
        while not any(one["method"] == "Page.loadEventFired" for one in self.events):
            self._hear()

    def run(self, script: str) -> Any:
        answered = self("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answered, answered
        return answered["result"].get("value")

    @property
    def complaints(self) -> list[dict[str, Any]]:
        complaints = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [one for one in self.events if one["method"] in complaints]

    @property
    def requests(self) -> list[str]:
        sent = [one for one in self.events if one["method"] == "Network.requestWillBeSent"]
        return [one["params"]["request"]["url"] for one in sent]


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    assert CHROMIUM is not None
    (hears, to), (by, tells) = os.pipe(), os.pipe()
    words = [CHROMIUM, *QUIET, f"--user-data-dir={profile}"]
    command = ["bash", "-c", f'exec "$@" 3<&{hears} 4>&{tells}', "bash", *words]
    process = subprocess.Popen(command, pass_fds=(hears, tells), stderr=subprocess.DEVNULL)
    os.close(hears)
    os.close(tells)
    opened = None
    try:
        opened = Browser(to, by)
        yield opened
    finally:
        process.terminate()
        process.wait()
        if opened:
            opened._to.close()
            opened._by.close()
