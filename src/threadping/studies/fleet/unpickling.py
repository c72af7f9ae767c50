"""What Dask's scheduler may make this process do: nothing.

Dask's client unpickles what it is sent, whatever deserializers it was given, and a pickle may call any function. While
a scheduler is connected, pickles make plain values here, errors, and what Dask tells of a worker that died. All else in
one is refused, with the message that it came in.
"""

import builtins
import io
import pickle
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

from distributed.protocol import pickle as pickle_of_dask

VALUES = {*["bytes", "bytearray", "str", "int", "float", "bool", "tuple", "list", "dict", "set", "frozenset", "object"]}
OF_DASK = {
    "distributed.scheduler": ("WorkerState",),
    "distributed.core": ("Status",),
    "tblib": ("Code", "Frame", "Traceback"),
    "tblib.pickling_support": ("unpickle_exception", "unpickle_exception_with_attrs", "unpickle_traceback"),
}
"""What a `KilledWorker` says of the worker, and with what errors travel. They call nothing but what is read here."""

HAVE_ERRORS = (
    "builtins",
    "asyncio",
    "concurrent",
    "dask",
    "distributed",
    "msgspec",
    "subprocess",
    "threadping",
    "tornado",
)
"""The packages whose errors are made."""


class Refused(pickle.UnpicklingError, TypeError):
    """A pickle names what could run; as a TypeError, for Dask goes on without the traceback that it was."""


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if found is getattr:
            return _member
        known = VALUES if module == builtins.__name__ else OF_DASK.get(module, ())
        if name in known or _is_error(module, found):
            return found
        raise Refused(f"a pickle names {module}.{name}")


def _member(of: object, name: str) -> Enum:
    """A member of an enumeration, which Python 3.11.0 to 3.11.3 (Debian 12's) pickle as an attribute of it."""
    if not (isinstance(of, type) and issubclass(of, Enum) and name in of.__members__):
        raise Refused(f"a pickle asks for an attribute of {of!r:.50}")
    return of[name]


def _is_error(module: str, found: object) -> bool:
    known = module.partition(".")[0] in HAVE_ERRORS
    return known and isinstance(found, type) and issubclass(found, Exception)


class _Wary:
    """Python's pickle, which reads as `_Reader` does."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pickle, name)

    def loads(self, data: bytes, *, buffers: Iterable[Any] = ()) -> Any:
        return _Reader(io.BytesIO(data), buffers=buffers).load()


@contextmanager
def wary() -> Iterator[None]:
    """Until the end no pickle that Dask reads in this process runs anything."""
    reads: Any = pickle_of_dask  # by Python's, which it imports
    before, reads.pickle = reads.pickle, _Wary()
    try:
        yield
    finally:
        reads.pickle = before
