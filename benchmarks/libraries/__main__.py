"""The command: `python -m benchmarks.libraries RUN.json`."""

import json
import sys
from pathlib import Path

from benchmarks.libraries.table import published, table


def main(files: list[str]) -> int:
    """Print the table of what these runs measured, each as `threadping show RUN --format json` writes it."""
    if not files:
        print("Which runs? threadping show last --format json > run.json", file=sys.stderr)
        return 2
    rows = [row for file in files for row in json.loads(Path(file).read_text())["rows"]]
    print(table(rows, published()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
