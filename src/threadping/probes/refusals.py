"""What a Java virtual machine says of a flag that it refuses or ignores: pure, from its words to one sentence.

The words are HotSpot's, as OpenJDK 11 to 25 prints them.
"""

import re
from collections.abc import Sequence

BIASED_LOCKING = ("UseBiasedLocking", "BiasedLockingStartupDelay")

IGNORED = re.compile(r"warning: Ignoring option (\S+); support was removed in ([\d.]+)")
UNKNOWN = re.compile(r"^Unrecognized (?:VM )?option:? '?([^'\n]+?)'?$", re.MULTILINE)
LOCKED = re.compile(r"VM option '([^']+)' is (\w+) and must be enabled via (-XX:\+\w+)\.")
FAILED_START = re.compile(r"^Error occurred during initialization of (?:VM|boot layer)\n(.+)$", re.MULTILINE)
CONSEQUENCES = ("Error: Could not create the Java Virtual Machine.", "Error: A fatal exception has occurred.")


def ignored_flag(label: str, flags: Sequence[str], log: str) -> str | None:
    """Say that a virtual machine, which did start, ignores one of these flags; None if it does not say so."""
    for option, since in IGNORED.findall(log):
        if any(_name(flag) == option for flag in flags):
            return _biased_locking(label, option) or (
                f"Runtime {label} ignores {option}: Java {since.removesuffix('.0')} removed it. Leave the flag out, or "
                "take an older JVM (`threadping runtimes` lists those that are here)."
            )
    return None


def refused_flag(label: str, log: str) -> str | None:
    """Say why a virtual machine did not start with its flags; None if its words are not about a flag."""
    if unknown := UNKNOWN.search(log):
        option = unknown[1]
        return _biased_locking(label, _name(option)) or (
            f"Runtime {label} does not start: its JVM does not know {option}. Correct the flag or leave it out; the "
            "JVM's own list is printed by `java -XX:+PrintFlagsFinal -version` and `java -X`."
        )
    if locked := LOCKED.search(log):
        return (
            f"Runtime {label} does not start: {locked[1]} is {locked[2]} there. Put {locked[3]} before it, in the "
            "same --runtime."
        )
    if failed := FAILED_START.search(log):
        return f"Runtime {label} does not start with these flags: {failed[1].rstrip('.')}. Change them in --runtime."
    if any(line.startswith(CONSEQUENCES[0]) for line in log.splitlines()):
        return f"Runtime {label} does not start with these flags: {_first_complaint(log)} Change them in --runtime."
    return None


def _biased_locking(label: str, option: str) -> str | None:
    if option not in BIASED_LOCKING:
        return None
    return (
        f"Runtime {label} has no biased locking ({option}): JVMs up to 17 have it, off by default since 15; Java 18 "
        "removed it. Measure it with one of those, as in --runtime 'java-17 -XX:+UseBiasedLocking'."
    )


def _name(flag: str) -> str:
    """The name of an option: of `-XX:+UseX`, `-XX:UseX=3`, `UseX=3`."""
    return re.sub(r"^-XX:", "", flag).lstrip("+-").split("=")[0]


def _first_complaint(log: str) -> str:
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith(CONSEQUENCES)]
    complaint = next((line for line in lines if "warning" not in line and not line.startswith("Picked up")), "")
    return f"{complaint.removeprefix('Error: ').rstrip('.')}." if complaint else "it does not say why."
