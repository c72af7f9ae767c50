"""Java virtual machines that are not there, do not start, or are no JVM."""

from collections.abc import Callable

from tests.end_to_end.conftest import fake_jvm
from tests.end_to_end.faults.fault import ANSWER, MEASURE, NOTHING, Before, Bench, Fault, trials

HEADING = "Java virtual machines"
ABOUT = (
    "C++ is measured without Java. A JVM that was not asked for by name, and cannot be used, is named next to the "
    "answer."
)


def without_java(bench: Bench) -> None:
    """No JVM on the machine."""
    bench.env["PATH"] = str(bench.folder / "bin")
    bench.env.setdefault("JAVA_HOME", "")
    bench.patch.setattr("threadping.probes.java.SYSTEM_FOLDERS", ())
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


def hangs(bench: Bench) -> None:
    """It never answers."""
    bench.patch.setattr("threadping.probes.runtimes.QUICK_SECONDS", 0.2)
    bench.patch.setattr("threadping.probes.runtimes.PATIENCE_SECONDS", 1.0)
    launcher("exec /bin/sleep 60\n")(bench)


def refused(title: str, says: str, before: Before, **env: str) -> Fault:
    """A JVM that cannot be used, although Java was asked for."""
    return Fault(title, "run signal --runtime java", 1, says, NOTHING, before, env=env)


FAULTS = (
    refused(
        "no JVM",
        "Runtime 'java' cannot be used: no Java virtual machine was found. Install one (Debian: apt-get install "
        "openjdk-17-jre-headless; without root: pip install 'threadping[java]') or set JAVA_HOME; C++ is measured "
        "without it.",
        without_java,
    ),
    Fault("no JVM, and none asked for", MEASURE, 0, "Not measured: java, rust", trials(3), without_java),
    Fault(
        "a path without a JVM",
        "run signal --runtime /nowhere/jdk",
        2,
        "No Java virtual machine at '/nowhere/jdk': name a Java home or a java launcher.",
        NOTHING,
    ),
    Fault(
        "a version that is not here",
        "run signal --runtime java-99",
        2,
        "Unknown runtime 'java-99'. Did you mean java-25? Known: cpp, java-25.",
        NOTHING,
        jvm,
    ),
    Fault(
        "a flag that this JVM refuses",
        "run signal --runtime 'java-25 -XX:+UseBiasedLocking'",
        2,
        "Runtime java-25 -XX:+UseBiasedLocking has no biased locking (UseBiasedLocking): JVMs up to 17 have it, "
        "off by default since 15; Java 18 removed it. Measure it with one of those, as in --runtime 'java-17 "
        "-XX:+UseBiasedLocking'.",
        NOTHING,
        jvm,
    ),
    refused(
        "a launcher that is text",
        "Runtime java-17 cannot be used. '\N{HORIZONTAL ELLIPSIS}/jdk/bin/java' cannot be started: Exec format "
        "error. Rebuild or reinstall it: it is not a program for this machine (\N{HORIZONTAL ELLIPSIS}).",
        launcher_of(b"\x7fELF, but no program"),
    ),
    refused(
        "a launcher that fails",
        "Runtime java-17 failed (exit status 1) when asked for its description: no license. See what "
        "`\N{HORIZONTAL ELLIPSIS}/jdk/bin/java -version` prints, or name another runtime with --runtime.",
        launcher("echo 'no license' >&2; exit 1\n"),
    ),
    refused(
        "a launcher that says nothing",
        "Runtime java-17 answers 'describe' with nothing readable. See what `\N{HORIZONTAL ELLIPSIS}/jdk/bin/java "
        "-version` prints, or name another runtime with --runtime.",
        launcher("exit 0\n"),
    ),
    refused(
        "a release file that is empty",
        "Runtime 'java' cannot be used: \N{HORIZONTAL ELLIPSIS}/jdk: neither its file `release` nor its launcher "
        "says its version: install 17 or later.",
        launcher("exit 0\n", ""),
    ),
    refused(
        "a JVM that is too old",
        "Runtime 'java' cannot be used: \N{HORIZONTAL ELLIPSIS}/jdk: Java 8 is too old: install 17 or later.",
        launcher("exit 0\n", 'JAVA_VERSION="1.8.0_292"\n'),
    ),
    Fault(
        "a JVM that cannot be used, and was not asked for",
        MEASURE,
        0,
        "Not measured: rust, java-17",
        trials(3),
        launcher("echo 'no license' >&2; exit 1\n"),
    ),
    refused(
        "memory that the JVM does not get",
        "Runtime java-17 does not start: Could not reserve enough space for 900GB object heap. Free some memory, "
        "or end other programs.",
        launcher(
            "echo 'Error occurred during initialization of VM'\n"
            "echo 'Could not reserve enough space for 900GB object heap'; exit 1\n"
        ),
    ),
    refused(
        "a JVM that crashes when it starts",
        "Runtime java-17 does not start: There is insufficient memory for the Java Runtime Environment to "
        "continue: \N{HORIZONTAL ELLIPSIS} Free some memory, or end other programs.",
        launcher(CRASHES),
    ),
    refused(
        "a JVM that hangs",
        "Runtime java-17 did not answer within 1 s when asked for its description: it said nothing. See what "
        "`\N{HORIZONTAL ELLIPSIS}/jdk/bin/java -version` prints, or name another runtime with --runtime.",
        hangs,
    ),
    refused(
        "a version of 5,000 digits",
        "Runtime 'java' cannot be used: \N{HORIZONTAL ELLIPSIS}/jdk: neither its file `release` nor its launcher "
        "says its version: install 17 or later.",
        launcher("exit 1\n", f'JAVA_VERSION="{"1" * 5000}"\n'),
    ),
    refused(
        "escape codes in what a JVM prints",
        "Runtime java-17 failed (exit status 1) when asked for its description: no \\x1b[31mlicense\\x07. See what "
        "`\N{HORIZONTAL ELLIPSIS}/jdk/bin/java -version` prints, or name another runtime with --runtime.",
        launcher("printf 'no \\033[31mlicense\\007\\n'; exit 1\n"),
    ),
    refused(
        "a flag of JAVA_TOOL_OPTIONS that no JVM knows",
        "Runtime java-17 -XX:+UseNothing does not start: its JVM does not know UseNothing, which the variable "
        "JAVA_TOOL_OPTIONS adds. Correct it there, or unset it.",
        launcher("echo \"Unrecognized VM option 'UseNothing'\"; exit 1\n"),
        JAVA_TOOL_OPTIONS="-XX:+UseNothing",
    ),
    refused(
        "an agent that is missing",
        "Runtime java-17 -javaagent:/nowhere/agent.jar failed (exit status 1) when asked for its description: "
        "Error opening zip file or JAR manifest missing : /nowhere/agent.jar. See what "
        "`\N{HORIZONTAL ELLIPSIS}/jdk/bin/java -version` prints, or name another runtime with --runtime.",
        launcher("echo 'Error opening zip file or JAR manifest missing : /nowhere/agent.jar'; exit 1\n"),
        JAVA_TOOL_OPTIONS="-javaagent:/nowhere/agent.jar",
    ),
    Fault("JAVA_HOME names nothing", MEASURE, 0, ANSWER, trials(3), without_java, env={"JAVA_HOME": "/nowhere/jdk"}),
)
