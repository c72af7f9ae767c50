"""An answer as a picture: one specification for every format. What draws it is imported only then."""

import json
from pathlib import Path

from threadping.model import files

LESS_THAN = "\ue000less-than\ue000"
"""Stands for `<` while a page is made: characters for private use, which no name has."""

SHARPNESS = 2.0  # Pixels of a PNG for each of the specification's, so that it is sharp on today's screens and in print


def write_picture(specification: dict[str, object], path: Path) -> None:
    """Draw a specification into a file whose name was checked; raises OutputUnwritable."""
    files.write(path, _drawn(specification, path.suffix.lower()), "the chart")


def _drawn(specification: dict[str, object], ending: str) -> bytes:
    """The content of a file; a page has everything inside, so that it needs no network."""
    import vl_convert

    match ending:
        case ".svg":
            return vl_convert.vegalite_to_svg(specification).encode()
        case ".png":
            return bytes(vl_convert.vegalite_to_png(specification, scale=SHARPNESS))
    # The specification stands inside a script, which a foreign `</script>` would end. JavaScript has another way to
    # write `<`, but what makes the page writes strings anew, so that way is taken after it.
    guarded = json.loads(json.dumps(specification).replace("<", LESS_THAN))
    return vl_convert.vegalite_to_html(guarded, bundle=True).replace(LESS_THAN, "\\u003c").encode()
