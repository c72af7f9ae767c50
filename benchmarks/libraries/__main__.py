"""The command: `python -m benchmarks.libraries RUN.json`."""

import sys

from benchmarks.libraries.table import published, table_of


def main(files: list[str]) -> int:
    """Print the table of what these runs measured, each as `threadping show RUN --format json` writes it."""
    if not files:
        print("Which runs? threadping show last --format json > run.json", file=sys.stderr)
        return 2
    print(table_of(files, published()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
