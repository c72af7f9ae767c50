"""Java virtual machines that are not there, do not start, or are no JVM."""

from collections.abc import Callable

from tests.end_to_end.conftest import fake_jvm
from tests.end_to_end.faults.fault import NOTHING, Before, Bench, How, read_faults, trials

HEADING = "Java virtual machines"
ABOUT = (
    "C++ is measured without Java. A JVM that was not asked for by name, and cannot be used, is named next to the "
    "answer."
)


def without_java(bench: Bench) -> None:
    """No JVM on the machine."""
    bench.env["PATH"] = str(bench.folder / "bin")
    bench.env.setdefault("JAVA_HOME", "")
    bench.patch.setattr("threadping.probes.java.PLACES", dict.fromkeys(("variables", "system_folders", "managers"), ()))
    bench.patch.setattr("threadping.probes.java.find_spec", lambda _name: None)


def jvm(bench: Bench, version: int = 25) -> None:
    """A JVM that runs the fake probe, and no other."""
    without_java(bench)
    bench.env["JAVA_HOME"] = str(fake_jvm(bench.folder / "jdk", bench.probes, version))


def launcher(script: str, release: str = 'JAVA_VERSION="17.0.3"\n') -> Before:
    """A JVM of which the launcher does this."""

    def before(bench: Bench) -> None:
        jvm(bench, 17)
        (bench.folder / "jdk" / "release").write_text(release)
        bench.write_program(bench.folder / "jdk" / "bin" / "java", script)

    return before


def launcher_of(content: bytes) -> Callable[[Bench], None]:
    """A JVM of which the launcher is these bytes."""

    def before(bench: Bench) -> None:
        launcher("")(bench)
        (bench.folder / "jdk" / "bin" / "java").write_bytes(content)

    return before


CRASHES = (
    "echo '# There is insufficient memory for the Java Runtime Environment to continue.'; echo '# "
    "/tmp/threadping-x/hs_err_pid1.log'; exit 1\n"
)
NO_HEAP = (
    "echo 'Error occurred during initialization of VM'\n"
    "echo 'Could not reserve enough space for 900GB object heap'; exit 1\n"
)
NO_AGENT = "echo 'Error opening zip file or JAR manifest missing : /nowhere/agent.jar'; exit 1\n"


def hangs(bench: Bench) -> None:
    """It never answers."""
    bench.patch.setattr("threadping.probes.runtimes.QUICK_SECONDS", 0.2)
    bench.patch.setattr("threadping.probes.runtimes.PATIENCE_SECONDS", 1.0)
    launcher("exec /bin/sleep 60\n")(bench)


FAULTS = read_faults(
    __file__,
    {
        "no JVM": How(NOTHING, without_java),
        "no JVM, and none asked for": How(trials(3), without_java),
        "a version that is not here": How(NOTHING, jvm),
        "a flag that this JVM refuses": How(NOTHING, jvm),
        "a launcher that is text": How(NOTHING, launcher_of(b"\x7fELF, but no program")),
        "a launcher that fails": How(NOTHING, launcher("echo 'no license' >&2; exit 1\n")),
        "a launcher that says nothing": How(NOTHING, launcher("exit 0\n")),
        "a release file that is empty": How(NOTHING, launcher("exit 0\n", "")),
        "a JVM that is too old": How(NOTHING, launcher("exit 0\n", 'JAVA_VERSION="1.8.0_292"\n')),
        "a JVM that cannot be used, and was not asked for": How(trials(3), launcher("echo 'no license' >&2; exit 1\n")),
        "memory that the JVM does not get": How(NOTHING, launcher(NO_HEAP)),
        "a JVM that crashes when it starts": How(NOTHING, launcher(CRASHES)),
        "a JVM that hangs": How(NOTHING, hangs),
        "a version of 5,000 digits": How(NOTHING, launcher("exit 1\n", f'JAVA_VERSION="{"1" * 5000}"\n')),
        "escape codes in what a JVM prints": How(NOTHING, launcher("printf 'no \\033[31mlicense\\007\\n'; exit 1\n")),
        "a flag of JAVA_TOOL_OPTIONS that no JVM knows": How(
            NOTHING, launcher("echo \"Unrecognized VM option 'UseNothing'\"; exit 1\n")
        ),
        "an agent that is missing": How(NOTHING, launcher(NO_AGENT)),
        "JAVA_HOME names nothing": How(trials(3), without_java),
    },
)
