"""What virtual machines really say: OpenJDK 17.0.15 (Debian) and 25.0.3 (Temurin); the ignored flags, 18 and 24."""

import pytest

from threadping.probes.refusals import ignored_flag, refused_flag

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


@pytest.mark.parametrize("log", [BIASED_25, DELAY_25])
def test_biased_locking_that_is_refused_names_where_it_works(log: str) -> None:
    refusal = refused_flag("java-25 -XX:+UseBiasedLocking", log) or ""
    assert refusal.startswith("Runtime java-25 -XX:+UseBiasedLocking has no biased locking")
    assert "JVMs up to 17 have it, off by default since 15; Java 18 removed it." in refusal
    assert "--runtime 'java-17 -XX:+UseBiasedLocking'" in refusal


def test_biased_locking_that_is_ignored_says_the_same() -> None:
    flags = ("/usr/bin/java", "-XX:+UseBiasedLocking", "-jar", "probe.jar")
    assert ignored_flag("java-18", flags, BIASED_18) == refused_flag("java-18", BIASED_25)


def test_another_flag_that_is_ignored_says_since_when() -> None:
    assert ignored_flag("java-24", ("-XX:+ZGenerational",), GENERATIONAL_24) == (
        "Runtime java-24 ignores ZGenerational: Java 24 removed it. Leave the flag out, or take an older JVM "
        "(`threadping runtimes` lists those that are here)."
    )


def test_a_flag_that_came_from_elsewhere_or_is_only_deprecated_is_no_refusal() -> None:
    """JAVA_TOOL_OPTIONS are not part of the question."""
    assert ignored_flag("java-18", ("/usr/bin/java", "-jar", "probe.jar"), BIASED_18) is None
    assert ignored_flag("java-17", ("-XX:+UseBiasedLocking",), BIASED_17) is None


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (f"Unrecognized VM option 'NoSuchThing'\n{CONSEQUENCES}", "its JVM does not know NoSuchThing."),
        (f"Unrecognized option: -Xnonsense\n{CONSEQUENCES}", "its JVM does not know -Xnonsense."),
        (f"Unrecognized VM option 'UseConcMarkSweepGC'\n{CONSEQUENCES}", "its JVM does not know UseConcMarkSweepGC."),
        (
            "Error: VM option 'UseEpsilonGC' is experimental and must be enabled via "
            "-XX:+UnlockExperimentalVMOptions.\n"
            "Error: The unlock option must precede 'UseEpsilonGC'.\n"
            f"Improperly specified VM option 'UseEpsilonGC'\n{CONSEQUENCES}",
            "UseEpsilonGC is experimental there. Put -XX:+UnlockExperimentalVMOptions before it",
        ),
        (
            "Error occurred during initialization of VM\nMultiple garbage collectors selected\n",
            "does not start with these flags: Multiple garbage collectors selected. Change them in --runtime.",
        ),
        (
            f"Picked up JAVA_TOOL_OPTIONS: -Dx=1\nInvalid maximum heap size: -XX:MaxHeapSize=foo\n{CONSEQUENCES}",
            "with these flags: Invalid maximum heap size: -XX:MaxHeapSize=foo. Change them in --runtime.",
        ),
    ],
)
def test_a_flag_that_a_jvm_refuses_is_named_with_the_remedy(log: str, sentence: str) -> None:
    refusal = refused_flag("java-17 X", log) or ""
    assert refusal.startswith("Runtime java-17 X ") and sentence in refusal


@pytest.mark.parametrize("log", ["", "Error: Unable to access jarfile probe.jar\n", "Exception in thread main\n"])
def test_what_is_not_about_a_flag_is_left_to_others(log: str) -> None:
    assert refused_flag("java-17", log) is None
    assert ignored_flag("java-17", ("-jar",), log) is None
