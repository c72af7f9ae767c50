"""Draw what a command prints on a terminal as an SVG, such as the picture of the README.

Usage: python tools/screen_svg.py [--width COLUMNS] [--title TITLE] FILE.svg COMMAND...
Example: python tools/screen_svg.py --title "threadping run" docs/images/first-screen.svg threadping show last
"""

import argparse
import io
import os
import re
import subprocess
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

WITHOUT_FONTS = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)  # fetched from another host


def screen(text: str, title: str, columns: int) -> str:
    """Return the SVG of a text with ANSI colours, in a window of this many columns."""
    console = Console(record=True, width=columns, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi(text.rstrip("\n")))
    return console.export_svg(title=title, code_format=WITHOUT_FONTS, unique_id="screen")


def main() -> None:
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--width", type=int, default=80)
    reading.add_argument("--title", help="the window's title; the command if left out")
    reading.add_argument("file", type=Path)
    reading.add_argument("command", nargs=argparse.REMAINDER)
    asked = reading.parse_args()
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(asked.width), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(asked.command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    asked.file.write_text(screen(done.stdout, asked.title or " ".join(asked.command), asked.width), encoding="utf-8")


if __name__ == "__main__":
    main()
