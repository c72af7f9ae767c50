"""Texts beside tests: what a program printed, and the sentence that its user reads of it."""

from pathlib import Path


def printed(file: str, heading: str) -> list[tuple[str, str]]:
    """Read the records below a heading: the lines that were printed, behind `>`, and the sentence."""
    sections = Path(file).with_suffix(".txt").read_text(encoding="utf-8").split("== ")
    (section,) = (one for one in sections if one.startswith(f"{heading}\n"))
    records = [one.split("\n") for one in section.strip("\n").split("\n\n")[1:]]
    return [("\n".join(line[2:] for line in said), sentence) for *said, sentence in records]
