"""What is installed only on request: `pip install 'threadping[charts]'`."""

from importlib.util import find_spec

from threadping.model.errors import ExtraMissing

EXTRAS = {"charts": ("jinja2", "vl_convert"), "fleet": ("distributed",), "hdrhistogram": ("hdrh",)}
"""Which modules each brings; all else that threadping imports is always installed."""


def require(extra: str, what: str) -> None:
    """See that an extra is installed, for `what` begins the sentence if not; raises ExtraMissing."""
    if missing := [module for module in EXTRAS[extra] if find_spec(module) is None]:
        raise ExtraMissing(
            f"{what} need {' and '.join(missing)}, which not every machine has: pip install 'threadping[{extra}]'."
        )
