"""The commands that the studies have; `options.json` has the options of each, with their help."""

from pathlib import Path
from typing import Any

import click
import msgspec

from threadping.options import measuring, shared, syntax
from threadping.options.program import CONDUCT, Command, OwnArgument, command, group, texts

DECLARED = msgspec.json.decode(Path(__file__).with_name("options.json").read_bytes())


def options_of(words: str) -> list[click.Parameter]:
    """Return the options that `options.json` declares by these words.

    A name is that of a constant, with options that several commands have. Of a command's own option the first key is
    what makes it: `subject` is `subject_option`; a `type` is a syntax, or a function with what it takes.
    """
    made: list[click.Parameter] = []
    for one in DECLARED[words]:
        if isinstance(one, str):
            of_several = getattr(measuring, one, None) or getattr(shared, one)
            made += of_several if isinstance(of_several, tuple) else [of_several]
            continue
        (maker, names), *rest = one.items()
        how: dict[str, Any] = dict(rest)
        if isinstance(kind := how.pop("type", None), list):
            how["type"] = getattr(syntax, kind[0])(*kind[1:])
        elif kind:
            how["type"] = getattr(syntax, kind)
        how |= shared.completed_by(how.pop("completed")) if "completed" in how else {}
        make = measuring.mechanisms if maker == "mechanisms" else getattr(shared, f"{maker}_option")
        made.append(make(names, **how))
    return made


def comparing(subject: str) -> Command:
    """Return the command that compares two things of a subject."""
    two = [f"compare {subject} {named}" for named in DECLARED["compared examples"].get(subject, ())]
    examples = [*((one, "two of them") for one in two), (f"compare {subject} --runtime java-17,java-25", "two JVMs")]
    named = click.Argument(
        ["named"], metavar="[A,B]", type=syntax.NAMES, required=False, **shared.completed_by("mechanisms")
    )
    params = [named, *measuring.selecting(subject), *options_of("compare SUBJECT"), *options_of("compared")]
    said = {**texts()["compare SUBJECT"], "examples": examples}
    return command(subject, CONDUCT, *params, said=said, study="compare", subject=subject)


COMPARE = command(
    "compare",
    "studies.compare.study.compare_runs",
    OwnArgument(["what"], nargs=-1, **shared.completed_by("runs")),
    *(*options_of("compared"), *options_of("compare")),
    **measuring.of_subjects("studies.options.comparing", "SUBJECT [A,B] | RUN [RUN]"),
)
MATRIX = command("matrix", CONDUCT, *options_of("matrix"), study="matrix")
PING = command(
    "ping",
    "studies.ping.ping",
    click.Argument(["cpus"], metavar="[A,B]", type=syntax.PAIR, required=False),
    *options_of("ping"),
)
RECOMMEND = group(
    "recommend",
    command("recommend wait", CONDUCT, *options_of("recommend wait"), study="recommend-wait"),
    command("recommend queue", CONDUCT, *options_of("recommend queue"), study="recommend-queue"),
    command("recommend cpus", "studies.recommend_cpus.study.recommend_cpus", *options_of("recommend cpus")),
)
DOCTOR = command("doctor", "studies.doctor.study.doctor", *options_of("doctor"))
REPRODUCE = command(
    "reproduce",
    "studies.reproduce.study.reproduce",
    click.Argument(
        ["what"], metavar="articles [NAME]... | TOOL", nargs=-1, required=True, **shared.completed_by("reproducible")
    ),
    *options_of("reproduce"),
)

WHICH_FLEET = click.Argument(["which"], metavar="[FLEET]", required=False, default="last")
OF_FLEET = [
    command(
        "fleet run",
        "studies.fleet.command.run",
        click.Argument(["words"], metavar="[SUBJECT] [OPTION]...", nargs=-1, type=click.UNPROCESSED),
        *options_of("fleet run"),
        settings={"ignore_unknown_options": True},
    ),
    *(
        command(f"fleet {word}", f"studies.fleet.command.{word}", WHICH_FLEET, *options_of(f"fleet {word}"))
        for word in ("resume", "show")
    ),
]
FLEET = group("fleet", *OF_FLEET)
