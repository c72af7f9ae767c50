"""Show what other tools have written, beside the newest matrix of this machine."""

import sys

from threadping.conduct.output import Output
from threadping.conduct.present import present
from threadping.conduct.stored import answered
from threadping.matrix.matrix import matrix
from threadping.matrix.published import read
from threadping.model.studies import Pairing
from threadping.sheets.grid import Block
from threadping.store.database import open_store
from threadping.views.matrix import FORMATS, one_of_several, specification
from threadping.views.matrix import imported as shown


def show_pasted(text: str, name: str, output: Output) -> None:
    """Print what other tools have written, beside the newest matrix of this machine; it is not stored."""
    found = read(text, name)

    def beside_ours(*_: object) -> Block:
        with open_store(output.location) as store:
            newest = next(
                (run for run, trials in store.runs() if isinstance(run.study, Pairing) and trials and not run.imported),
                None,
            )
            answer = answered(store, str(newest.id)) if newest else None
        return shown(name, found, (answer, matrix(answer)) if answer else None)

    if len(found) > 1 and (output.form != "table" or output.chart):
        print(one_of_several(name, found), file=sys.stderr)
    present(output, FORMATS, beside_ours, None, found[0].matrix, chart=specification)
