"""What is said of words on the command line that mean nothing: a sentence, and what may be meant."""

from collections.abc import Sequence

import click

from threadping.errors import did_you_mean, similar

MEANT = {
    **dict.fromkeys(("--duration", "--time", "--seconds", "--timeout"), "--budget"),
    **dict.fromkeys(("--cpu", "--core", "--cores", "--affinity"), "--cpus"),
    **dict.fromkeys(("--jvm", "--java", "--language", "--probe"), "--runtime"),
    **{f"--{form}": f"--format {form}" for form in ("json", "csv", "markdown")},
    **dict.fromkeys(("--html", "--page"), "--report"),
    **dict.fromkeys(("--out", "--file"), "--output"),
    **dict.fromkeys(("--db", "--database"), "--store"),
    "--threshold": "--fail-above",
}
"""What people call options that are called otherwise here."""

OF_FILES = ("--output", "-o", "--out", "--file")
"""Options by which some commands write a file."""

CALLED = {
    **dict.fromkeys(("bench", "benchmark", "measure", "start", "test"), "run"),
    **dict.fromkeys(("diff", "cmp", "gate"), "compare"),
    **dict.fromkeys(("advice", "recommend", "choose"), "advise"),
    **dict.fromkeys(("history", "ls", "runs"), "list"),
    **dict.fromkeys(("delete", "remove", "del"), "rm"),
    **dict.fromkeys(("continue", "restart"), "resume"),
    **dict.fromkeys(("page", "html", "export"), "report"),
    **dict.fromkeys(("queue", "queues", "throughput"), "ring"),
    **dict.fromkeys(("wake", "wakeup", "futex"), "notify"),
    **dict.fromkeys(("locks", "mutex"), "lock"),
    **dict.fromkeys(("latency",), "signal"),
    **dict.fromkeys(("map", "heatmap"), "matrix"),
    **dict.fromkeys(("man-page", "manual"), "man"),
    **dict.fromkeys(("help",), "--help"),
}
"""What people call commands that are called otherwise here."""


def sentence_of(error: click.UsageError, program: click.Group, arguments: Sequence[str]) -> str:
    """What click found wrong in these arguments, in a line, what may be meant, and which help to ask."""
    context = error.ctx or _context_of(program, arguments)
    what = "commands" if isinstance(context.command, click.Group) else "options"
    said = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption):
        said = _meant_option(error.option_name, context)
    elif isinstance(error, click.exceptions.NoSuchCommand):
        meant, known = CALLED.get(error.command_name, ""), [*getattr(context.command, "commands", ()), "--help"]
        said = _with_meant(error.message, [meant] if meant in known else similar(error.command_name, known))
    said += "" if said.endswith((".", "?", ")")) else "."
    return f"{said} `{context.command_path} --help` lists the {what}."


def _context_of(program: click.Group, arguments: Sequence[str]) -> click.Context:
    """Of the command that arguments name: click's parser of an option does not say where it is."""
    context = click.Context(program, info_name="threadping")
    for word in arguments:
        if isinstance(context.command, click.Group) and (command := context.command.commands.get(word)):
            context = click.Context(command, parent=context, info_name=word)
    return context


def _meant_option(option: str, context: click.Context) -> str:
    """Return what is said of an option that is not there, with what it may mean: by meaning, else by spelling."""
    shown = (one for one in context.command.params if not getattr(one, "hidden", False))
    has = [name for one in shown for name in one.opts]
    if option == "--experiment":
        return "No such option '--experiment': each experiment is a command, such as `threadping signal`."
    if option in OF_FILES and "--format" in has and "--output" not in has:
        return f"No such option '{option}': stdout is what may be kept, --format json > FILE."
    meant = MEANT.get(option, "")
    return _with_meant(
        f"No such option '{option}'.",
        [meant] if meant.split(" ")[0] in has else similar(option, [name for name in has if name.startswith("--")]),
    )


def _with_meant(sentence: str, near: Sequence[str]) -> str:
    return sentence + did_you_mean([f"'{one}'" for one in near])
