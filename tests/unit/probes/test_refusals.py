"""Real messages of JVMs: OpenJDK 17.0.15 (Debian) and 25.0.3 (Temurin); for ignored flags, 18 and 24."""

from collections.abc import Mapping, Sequence

import pytest

from tests.texts import printed
from threadping.probes.java_errors import first_words, ignored_flag, refusal, telling_line

CONSEQUENCES = """Error: Could not create the Java Virtual Machine.
Error: A fatal exception has occurred. Program will exit.
"""
BIASED_25 = f"Unrecognized VM option 'UseBiasedLocking'\n{CONSEQUENCES}"
DELAY_25 = f"Unrecognized VM option 'BiasedLockingStartupDelay=0'\n{CONSEQUENCES}"
WARNING = "OpenJDK 64-Bit Server VM warning: "
BIASED_18 = f"{WARNING}Ignoring option UseBiasedLocking; support was removed in 18.0\n"
DEPRECATED = "was deprecated in version 15.0 and will likely be removed in a future release."
BIASED_17 = f"{WARNING}Option UseBiasedLocking {DEPRECATED}\n"
GENERATIONAL_24 = f"{WARNING}Ignoring option ZGenerational; support was removed in 24.0\n"


FLAGS = ("-XX:+UseSerialGC",)
NONE: Mapping[str, Sequence[str]] = {}


def refused(log: str, label: str = "java-17 X", flags: Sequence[str] = FLAGS) -> str:
    found = refusal(label, flags, NONE, (), log)
    assert found and found[1]
    return found[0]


@pytest.mark.parametrize("log", [BIASED_25, DELAY_25])
def test_biased_locking_that_is_refused_names_where_it_works(log: str) -> None:
    sentence = refused(log, "java-25 -XX:+UseBiasedLocking")
    assert sentence.startswith("Runtime java-25 -XX:+UseBiasedLocking has no biased locking")
    assert "JVMs up to 17 have it, off by default since 15; Java 18 removed it." in sentence
    assert "--runtime 'java-17 -XX:+UseBiasedLocking'" in sentence


def test_a_flag_that_is_ignored_says_since_when_unless_it_came_from_elsewhere_or_is_only_deprecated() -> None:
    biased = ("/usr/bin/java", "-XX:+UseBiasedLocking", "-jar", "probe.jar")
    assert ignored_flag("java-18", biased, BIASED_18) == refused(BIASED_25, "java-18")
    assert ignored_flag("java-24", ("-XX:+ZGenerational",), GENERATIONAL_24) == (
        "Runtime java-24 ignores ZGenerational: Java 24 removed it. Leave the flag out, or take an older JVM "
        "(`threadping info runtimes` lists those that are here)."
    )
    assert ignored_flag("java-18", ("/usr/bin/java", "-jar", "probe.jar"), BIASED_18) is None
    assert ignored_flag("java-17", biased, BIASED_17) is None


@pytest.mark.parametrize(("log", "sentence"), printed(__file__, "a flag of --runtime"))
def test_a_flag_that_a_jvm_refuses_is_named_with_the_remedy(log: str, sentence: str) -> None:
    said = refused(log)
    assert said.startswith("Runtime java-17 X ") and sentence in said


@pytest.mark.parametrize("log", ["", "Error: Unable to access jarfile probe.jar\n", "Exception in thread main\n"])
def test_what_is_not_about_a_start_is_left_to_others(log: str) -> None:
    assert refusal("java-17", FLAGS, NONE, (), log) is None
    assert ignored_flag("java-17", ("-jar",), log) is None


VARIABLES = {"JAVA_TOOL_OPTIONS": ["-XX:+UseFoo", "-Xbar"], "_JAVA_OPTIONS": ["-XX:+UseEpsilonGC"]}


@pytest.mark.parametrize(("log", "sentence"), printed(__file__, "a flag of a variable"))
def test_a_flag_of_the_environment_is_blamed_on_its_variable(log: str, sentence: str) -> None:
    found = refusal("java-17", (), VARIABLES, (), log)
    assert found and sentence in found[0] and not found[1]


def test_a_flag_that_both_have_is_blamed_on_who_asked_for_it() -> None:
    found = refusal("java-17", ("-XX:-UseFoo",), VARIABLES, (), "Unrecognized VM option 'UseFoo'\n")
    assert found and "Correct the flag or leave it out" in found[0] and found[1]


ENDS = printed(__file__, "the end of a virtual machine")
NO_MEMORY, NO_ROOM, NO_THREAD, NO_FILE, NO_AGENT, CRASHED, *_ = (f"{log}\n" for log, _ in ENDS)


@pytest.mark.parametrize(("log", "words"), [*ENDS, (f"x{'y' * 400}\n{CONSEQUENCES}", f"x{'y' * 299}…")])
def test_a_jvm_that_does_not_start_says_what_it_says_first(log: str, words: str) -> None:
    assert first_words(f"{log}\n") == words
    assert "hs_err" not in words


def test_the_remedy_is_what_is_set_and_may_be_to_blame() -> None:
    rows: list[tuple[str, Sequence[str], Mapping[str, Sequence[str]], Sequence[str], str]] = [
        (NO_MEMORY, (), NONE, (), "Free some memory, or end other programs."),
        (NO_MEMORY, (), NONE, ("ulimit -v 1.4 GiB", "pids.max 24"), "limited here (ulimit -v 1.4 GiB, pids.max 24)."),
        (NO_THREAD, (), NONE, ("pids.max 24",), "Raise what is limited here (pids.max 24)."),
        (NO_FILE, FLAGS, NONE, ("ulimit -f 1 MiB",), "Change its flags in --runtime, or raise what is limited here (u"),
        (NO_ROOM, (), {"_JAVA_OPTIONS": ["-Xmx9g"]}, ("ulimit -v 1 GiB",), "Change or unset _JAVA_OPTIONS, or raise"),
        (NO_AGENT, FLAGS, NONE, ("pids.max 24",), "/none.jar). Change its flags in --runtime."),
        (CRASHED, (), NONE, ("pids.max 24",), "read+0x1."),
    ]
    for log, flags, variables, limits, remedy in rows:
        found = refusal("j", flags, variables, limits, log)
        assert found and found[1] == bool(flags)
        assert remedy in found[0] and found[0][-1] == "."


def test_of_other_chatter_the_line_is_repeated_that_says_most() -> None:
    for log, line in [
        ("one\ntwo\n\n", "two"),
        ("# a crash\n# /tmp/x/hs_err_pid8.log\n#\n", "# a crash"),
        (
            'Exception in thread "main" java.lang.Error: x\n\tat Main.main(Main.java:1)\n',
            'Exception in thread "main" java.lang.Error: x',
        ),
        ("Error: missing `zero' JVM at `x'.\nPlease install it.\n", "Error: missing `zero' JVM at `x'."),
        ("", ""),
    ]:
        assert telling_line(log) == line
