"""The README for PyPI, with absolute links: scikit-build-core calls `dynamic_metadata` when it builds a package."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

README = Path(__file__).resolve().parents[1] / "README.md"
RELATIVE = re.compile(r"(!?)(\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)")


def absolute(text: str, repository: str, version: str) -> str:
    """Return a Markdown text whose links lead into the repository at the tag of a version."""
    if not repository:
        return text
    return RELATIVE.sub(
        lambda link: f"{link[1]}{link[2]}({repository}/{'raw' if link[1] else 'blob'}/v{version}/{link[3]})", text
    )


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Return `readme` and `urls` of the project from the address of its repository, which pyproject.toml has once."""
    repository: str = settings["repository"]
    text = absolute(README.read_text(encoding="utf-8"), repository, project["version"])
    urls = {"Repository": repository, "Issues": f"{repository}/issues"} if repository else {}
    return {"readme": {"content-type": "text/markdown", "text": text}, "urls": urls}
