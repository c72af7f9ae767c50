"""A Java class of the user's own, as it is named: where it is, and what it is called."""

import re
from pathlib import Path

from msgspec import Struct

_CLASS = r"(?:[^\W\d][\w$]*\.)*[^\W\d][\w$]*"


class JavaClass(Struct, frozen=True):
    """A class and where it is: jars and folders, between colons."""

    class_path: str
    name: str

    @property
    def entries(self) -> tuple[Path, ...]:
        """Its jars and folders, wherever the probe is started."""
        return tuple(Path(entry).expanduser().absolute() for entry in self.class_path.split(":"))


def read_java_class(text: str) -> JavaClass | None:
    """Read `my.jar:com.acme.MyQueue`, `target/classes:MyQueue`, `a.jar:b.jar:MyQueue`; None of what is no such text."""
    class_path, _, name = text.rpartition(":")
    last = class_path.rpartition(":")[2]
    is_there = last.endswith(".jar") or "/" in last or (last != "" and Path(last).is_dir())
    return JavaClass(class_path, name) if is_there and re.fullmatch(_CLASS, name) else None
