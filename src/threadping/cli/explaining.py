"""The definition of any word that an output has."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from threadping.cli.app import PROGRAM
from threadping.conduct.stored import answered
from threadping.experiments import declared
from threadping.model.errors import ProbeUnusable
from threadping.model.run import Checkup
from threadping.options.measuring import RUN_SUBJECTS
from threadping.output.explanation import explanation, glossary
from threadping.output.printing import stdout
from threadping.probes.language import words
from threadping.store.store import open_store
from threadping.studies.doctor.output import read_checkup


def explain(term: Sequence[str], location: str | None) -> None:
    """Print what a word of any output means, with the figures of the run whose number follows it; or all words."""
    term, which = _word_and_run(term)
    answer = None
    if which is not None:
        with open_store(location, create=False) as store:
            answer = answered(store, which)
        if isinstance(answer.run.study, Checkup):
            answer = replace(answer, findings=(*answer.findings, *(one for _, one in read_checkup(answer).findings)))
    said = None
    with suppress(ProbeUnusable):  # without a probe nobody knows mechanisms, but all else has its words
        said = words()
    commands = {
        name: f"{sentence} `threadping {before}{name} --help`"
        for before, sentences in (("run ", RUN_SUBJECTS), *(("", of) for of in PROGRAM.groups.values()))
        for name, sentence in sentences.items()
    }
    stdout().print(
        explanation(term, declared(), answer, said, commands) if term else glossary(declared(), said, commands)
    )


def _word_and_run(term: Sequence[str]) -> tuple[str, str | None]:
    """Split the words of `explain` into the term and the run; a row is of the newest run unless one is named."""
    *words, last = term or ("",)
    if words and (last in ("last", "latest") or last.isdecimal()):
        return " ".join(words), last
    word = " ".join(term)
    return word, "last" if word.startswith("#") and word != "#" else None
