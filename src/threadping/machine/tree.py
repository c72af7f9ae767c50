"""Read small files of /proc, /sys and /etc below a root, so that tests can lay out a machine of their own."""

from pathlib import Path


def text(root: Path, path: str) -> str | None:
    """What the file says, without surrounding blanks and NULs; None where it is missing, unreadable or empty."""
    try:
        content = (root / path.lstrip("/")).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return content.strip(" \t\r\n\0") or None


def fields(content: str | None, separator: str) -> dict[str, list[str]]:
    """The values of `key separator value` lines by key, each value once, in the order found."""
    found: dict[str, list[str]] = {}
    for line in (content or "").splitlines():
        key, separated, value = line.partition(separator)
        if separated and value.strip() not in (values := found.setdefault(key.strip(), [])):
            values.append(value.strip())
    return found
