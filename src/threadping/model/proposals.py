"""Commands that are proposed to a person: each can be typed, and names the store of the command that proposes it."""

import re
import shlex

STORELESS = ("ping", "mechanisms", "runtimes", "new", "completion", "man")  # commands that open no store
_named_store: list[str] = []  # words that name this process's store; none if it is the user's own or the environment's


def keep_store(location: str | None) -> None:
    """Have every proposed command name this store; None is the default."""
    without_password = re.sub(r"(?<=://)([^:/@]*):[^/]*@", r"\1@", location or "")
    _named_store[:] = ["--store", without_password] if location else []


def proposed(name: str, *words: str) -> str:
    """Return a command with its words, quoted for a shell."""
    without_store = name in STORELESS or {"--store", "--help"} & {*words}
    return shlex.join(["threadping", name, *words, *([] if without_store else _named_store)])


def made_literal(text: str, run: int = 0) -> str:
    """Return a text whose commands can be typed: RUN becomes this run's number, or `last`; the store is named.

    What is literal stays as it is.
    """

    def literal(quoted: re.Match[str]) -> str:
        try:
            name, *words = shlex.split(quoted[1])
        except ValueError:  # quoted of somebody
            return quoted[0]
        return f"`{proposed(name, *(str(run or 'last') if word == 'RUN' else word for word in words))}`"

    return re.sub(r"`threadping ([^`]+)`", literal, text)
