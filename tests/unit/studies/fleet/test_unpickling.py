"""What a scheduler may send this process: nothing that runs here, and what Dask says of workers all the same."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from distributed import KilledWorker
from distributed.core import Status, clean_exception, error_message
from distributed.protocol import core
from distributed.protocol.serialize import ToPickle
from distributed.scheduler import WorkerState

from threadping.studies.fleet.unpickling import wary


class Hostile:
    """Makes a file wherever it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.file}",)


def received(message: Any) -> Any:
    """What comes of a message of the wire, as a client reads it."""
    return core.loads(core.dumps(message), deserializers=["dask", "msgpack"])  # type: ignore[no-untyped-call]


def test_nothing_that_is_pickled_runs_here(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    with wary():
        with pytest.raises(pickle.UnpicklingError, match=r"a pickle names posix\.system"):
            received({"identity": ToPickle(Hostile(ran))})
        _, found, traceback = clean_exception(pickle.dumps(Hostile(ran)), pickle.dumps(Hostile(ran)))
        assert isinstance(found, Exception) and traceback is None
    assert not ran.exists()
    received({"identity": ToPickle(Hostile(ran))})  # as Dask alone would
    assert ran.exists()


@pytest.mark.parametrize("name", ["eval", "exec", "setattr", "__import__", "SystemExit", "KeyboardInterrupt", "type"])
def test_of_what_is_built_in_only_values_and_errors_are_made(name: str) -> None:
    with wary(), pytest.raises(pickle.UnpicklingError, match=rf"builtins\.{name}"):
        received({"x": ToPickle(getattr(__import__("builtins"), name))})


class Attribute:
    """Pickled as an attribute of something."""

    def __init__(self, of: object, name: str) -> None:
        self.of, self.name = of, name

    def __reduce__(self) -> tuple[object, tuple[object, str]]:
        return getattr, (self.of, self.name)


def test_of_attributes_only_members_of_enumerations_are_read_as_some_pythons_pickle_them() -> None:
    with wary():
        assert received({"x": ToPickle(Attribute(Status, "closed"))})["x"] is Status.closed
        for of, name in ((Status, "__members__"), (str, "join"), ("text", "format")):
            with pytest.raises(pickle.UnpicklingError, match="a pickle asks for an attribute of"):
                received({"x": ToPickle(Attribute(of, name))})


def test_what_dask_says_of_a_worker_comes_through() -> None:
    lost: Any = WorkerState.__new__(WorkerState)
    lost.address, lost.name, lost.status = "tcp://10.0.0.7:1", "w", Status.closed
    lost._has_what, lost.processing, lost.long_running = {}, {}, set()
    try:
        raise KilledWorker("key", lost, 3) from OSError(2, "gone")
    except KilledWorker as error:
        sent: Any = error_message(error)
    with wary():
        _, found, _ = clean_exception(sent["exception"].data, sent["traceback"].data)
        assert isinstance(found, KilledWorker) and "tcp://10.0.0.7:1" in str(found)
        assert repr(found.__cause__) == "FileNotFoundError(2, 'gone')"
        back = received({"error": ToPickle(RuntimeError("no module")), "status": "OK", "set": [1, b"2", None]})
        assert (str(back["error"]), back["status"], [*back["set"]]) == ("no module", "OK", [1, b"2", None])
