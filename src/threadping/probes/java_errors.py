"""Words of virtual machines that refuse flags, do not start, or crash: of OpenJDK 11 to 25, and of OpenJ9."""

import re
from collections.abc import Mapping, Sequence

BIASED_LOCKING = ("UseBiasedLocking", "BiasedLockingStartupDelay")
LACKS_BIASED_LOCKING = (
    "Runtime {label} has no biased locking ({option}): JVMs up to 17 have it, off by default since 15; Java 18 removed "
    "it. Measure it with one of those, as in --runtime 'java-17 -XX:+UseBiasedLocking'."
)

IGNORED = re.compile(r"warning: Ignoring option (\S+); support was removed in ([\d.]+)")
UNKNOWN = re.compile(
    r"^(?:Unrecognized (?:VM )?option:? |JVMJ9VM007E Command-line option unrecognised: )'?([^'\n]+?)'?$", re.MULTILINE
)
LOCKED = re.compile(r"VM option '([^']+)' is (\w+) and must be enabled via (-XX:\+\w+)\.")
FAILED_START = re.compile(r"^Error occurred during initialization of (?:VM|boot layer)\n(.+)$", re.MULTILINE)
NO_MEMORY = re.compile(r"^# (There is insufficient memory .+?)\.?\n(?:# (.+?)\.?$)?", re.MULTILINE)
BETWEEN_LINES = re.compile(r"\[thread \d+ also had an error\]\n")
CRASH = re.compile(r"^# (A fatal error has been detected .+?):?\n#\n# +(.+)$", re.MULTILINE)
FRAME = re.compile(r"^# Problematic frame:\n# (.+)$", re.MULTILINE)
CONSEQUENCES = ("Error: Could not create the Java Virtual Machine.", "Error: A fatal exception has occurred.")
SHORTAGE = re.compile(  # a limit, or the machine, is too small: no flag need be wrong
    r"insufficient memory|not reserve|not create \w*Thread|pthread_create|native thread|OutOfMemory|not allocate|"
    r"No(?:t enough)? space|[Cc]annot allocate|File too large|Too many open files|Resource temporarily|"
    r"[Ff]ailed to (?:truncate|map|allocate|commit|reserve)"
)

DECORATION = re.compile(r"^(?:\[[^\]]*\])+ *|^Error: |^(?:\S+ )*warning: (?:INFO: )?")
MOST_SAID = 300  # characters of a JVM's words in an error


def ignored_flag(label: str, flags: Sequence[str], log: str) -> str | None:
    """Say that a virtual machine, which did start, ignores one of these flags; None if it does not say so."""
    for option, since in IGNORED.findall(log):
        if any(_name(flag) == option for flag in flags):
            if option in BIASED_LOCKING:
                return LACKS_BIASED_LOCKING.format(label=label, option=option)
            return (
                f"Runtime {label} ignores {option}: Java {since.removesuffix('.0')} removed it. Leave the flag out, or "
                "take an older JVM (`threadping info runtimes` lists those that are here)."
            )
    return None


def refusal(
    label: str, flags: Sequence[str], inherited: Mapping[str, Sequence[str]], limits: Sequence[str], log: str
) -> tuple[str, bool] | None:
    """Say why a virtual machine did not start, and what to do, and whether its own flags may be to blame.

    None if it does not say. `flags` are those of --runtime, or of options for JVMs; `inherited` those of each variable
    of the environment that has some; `limits` what is bounded, with its bound: `ulimit -v 1.5 GB`.
    """
    fails = f"Runtime {label} does not start:"

    def variable_with(option: str) -> str | None:
        """Return the variable that has this option; None if --runtime has it."""
        having = {name: any(_name(one) == _name(option) for one in of) for name, of in inherited.items()}
        own = any(_name(flag) == _name(option) for flag in flags)
        return None if own else next((name for name, has in having.items() if has), None)

    if unknown := UNKNOWN.search(log):
        option = unknown[1]
        if variable := variable_with(option):
            said = f"its JVM does not know {option}, which the variable {variable} adds. Correct it there, or unset it"
            return f"{fails} {said}.", False
        if _name(option) in BIASED_LOCKING:
            return LACKS_BIASED_LOCKING.format(label=label, option=_name(option)), True
        said = f"its JVM does not know {option}. Correct the flag or leave it out; the JVM's own list is printed by"
        return f"{fails} {said} `java -XX:+PrintFlagsFinal -version` and `java -X`.", True
    if locked := LOCKED.search(log):
        variable = variable_with(locked[1])
        where = f"in {variable}" if variable else "in the same --runtime"
        return f"{fails} {locked[1]} is {locked[2]} there. Put {locked[3]} before it, {where}.", not variable
    words, is_shortage = first_words(log), bool(SHORTAGE.search(log))
    if words is None:
        return None
    ways = ["change its flags in --runtime"] if flags else []
    ways += [f"change or unset {' and '.join(inherited)}"] if inherited else []
    ways += [f"raise what is limited here ({', '.join(limits)})"] if is_shortage and limits else []
    remedy = ", or ".join(ways or (["free some memory, or end other programs"] if is_shortage else []))
    remedy = f" {remedy[0].upper()}{remedy[1:]}." if remedy else ""
    return f"{fails} {words}.{remedy}", bool(flags)


def first_words(log: str) -> str | None:
    """Return a JVM's own words about its end, in one clause; None if there are none."""
    log = BETWEEN_LINES.sub("", log)
    if no_memory := NO_MEMORY.search(log):
        return _clause(": ".join(filter(None, no_memory.groups())))
    if crash := CRASH.search(log):
        frame = FRAME.search(log)
        return _clause(f"{crash[1]}: {crash[2]}{f', in {frame[1]}' if frame else ''}")
    complaint = _first_complaint(log)
    if failed := FAILED_START.search(log):
        before = log[: failed.start()]
        cause = _first_complaint(before) if before.strip() else ""
        return _clause(f"{failed[1].rstrip('.')}{f' ({cause})' if cause else ''}")
    if any(line.startswith(CONSEQUENCES[0]) for line in log.splitlines()):
        return _clause(complaint or "it does not say why")
    return None


def telling_line(log: str) -> str:
    """Return the line of a probe's output that explains its end: Java's exception or error, else the last."""
    lines = [line for line in log.splitlines() if line.strip("# ") and "hs_err_pid" not in line]
    thrown = (
        line
        for line in lines
        if re.match(r"(?:Error: |Exception in thread|Caused by|\w+(?:\.\w+)+(?:Error|Exception))", line)
    )
    return _clause(next(thrown, lines[-1] if lines else ""))


def _name(flag: str) -> str:
    """Return the name of an option: of `-XX:+UseX`, `-XX:UseX=3`, `UseX=3`."""
    return re.sub(r"^-XX:", "", flag).lstrip("+-").split("=")[0]


def _first_complaint(log: str) -> str:
    """Return the first line with an error; a warning if there is no other."""
    lines = [line for line in log.splitlines() if line.strip("# ") and not line.startswith(CONSEQUENCES)]
    said = [line for line in lines if not line.startswith(("Picked up", "NOTE: Picked up"))]
    complaint = next((line for line in said if "warning" not in line), next(iter(said), ""))
    return DECORATION.sub("", complaint).rstrip(".")


def _clause(words: str) -> str:
    return words if len(words) <= MOST_SAID else f"{words[:MOST_SAID]}\N{HORIZONTAL ELLIPSIS}"
