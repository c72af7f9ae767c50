import pytest

from threadping.model.flags import added, text_without_secrets, variables_in, variables_that_count, without_secrets


@pytest.mark.parametrize(
    ("flag", "shown"),
    [
        ("-Ddb.password=hunter2", "-Ddb.password=…"),
        ("-Ddb.password=a b = c", "-Ddb.password=…"),
        ("-Djava.awt.headless", "-Djava.awt.headless"),
        ("-Ddb.password=", "-Ddb.password=…"),
        ("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.parallelism=1"),
        ("-Djdk.token=1x", "-Djdk.token=…"),
        ("-Djdk.token=1-2", "-Djdk.token=…"),
        ("-Djdkx.pin=1234", "-Djdkx.pin=…"),
        ("-javaagent:/opt/agent.jar", "-javaagent:/opt/agent.jar"),
        ("-javaagent:/opt/agent.jar=key=123,x", "-javaagent:/opt/agent.jar=…"),
        ("-agentlib:jdwp=transport=dt_socket", "-agentlib:jdwp=…"),
        ("-agentpath:/opt/yjp.so=port=1", "-agentpath:/opt/yjp.so=…"),
        ("-Xrunjdwp:server=y", "-Xrunjdwp:…"),
        ("-XX:OnOutOfMemoryError=curl -H token", "-XX:OnOutOfMemoryError=…"),
        ("-XX:OnError=mail me", "-XX:OnError=…"),
        ("-Xint", "-Xint"),
        ("-XX:MaxHeapSize=1g", "-XX:MaxHeapSize=1g"),
        ("-march=native", "-march=native"),
    ],
)
def test_a_flag_is_shown_without_what_may_be_secret(flag: str, shown: str) -> None:
    assert without_secrets(flag) == shown
    assert text_without_secrets(f"Picked up X: -Xint '{flag}' -Xss1m") == f"Picked up X: -Xint '{shown}' -Xss1m"
    if " " not in flag:
        assert text_without_secrets(f"java-17 {flag} -Xss1m") == f"java-17 {shown} -Xss1m"


def test_a_value_in_a_text_ends_where_its_quotes_do() -> None:
    for quoted in ('"a b"', "'a b'", "a\\ b", 'a" b "c'):
        assert text_without_secrets(f"java-17 -Dx={quoted} -Xint it's") == "java-17 -Dx=… -Xint it's"
    assert text_without_secrets(r'["-Dx=a \"b\" c","-Xint"]') == '["-Dx=…","-Xint"]'
    assert text_without_secrets("cmake -DX=1 JVM's own -Dy=2") == "cmake -DX=… JVM's own -Dy=…"


def test_what_the_environment_sets_below_a_probe_is_found_again_in_a_version() -> None:
    environment = {
        "LD_PRELOAD": "/opt/acme/lib/libjemalloc.so.2:libx.so /y/libz.so",
        "GLIBC_TUNABLES": "glibc.pthread.mutex_spin_count=1000",
        "MALLOC_ARENA_MAX": "2",
        "MALLOC_": " ",
        "LD_AUDIT": "/opt/audit.so",
        "LD_LIBRARY_PATH": "/opt/z",
    }
    found = variables_that_count(environment)
    assert found == [
        "GLIBC_TUNABLES=glibc.pthread.mutex_spin_count=1000",
        "LD_AUDIT=audit.so",
        "LD_LIBRARY_PATH=z",
        "LD_PRELOAD=libjemalloc.so.2:libx.so,libz.so",
        "MALLOC_ARENA_MAX=2",
    ]
    assert variables_in(" ".join(["g++ 12.2.0 -O3", *found])) == found
    assert variables_in("g++ 12.2.0 -DX_LD_PRELOAD=1") == []


def test_what_the_environment_adds_is_what_the_command_does_not_have() -> None:
    command = ("/usr/bin/java", "-Xss1m", "-Dx=secret of mine", "-jar", "probe.jar")
    assert added("java-17 -Xint -Dx=… -Xss1m", command) == ("-Xint",)
    assert added("java-17 -Dx=… -Xss1m", command) == ()


@pytest.mark.parametrize("chatter", ["-D", "-D'", "'-Dx=", "-javaagent:", '"-Dx=\\', "-Djdk.x-"])
def test_no_chatter_takes_long(chatter: str) -> None:
    """In quadratic time this would outlast the test's own bound."""
    text_without_secrets(chatter * ((1 << 18) // len(chatter)))


def test_what_the_environment_sets_for_other_languages_counts_for_custom_probes_alone() -> None:
    environment = {
        "COMPlus_TieredPGO": "0",
        "DOTNET_TieredPGO": "0",
        "GODEBUG": "asyncpreemptoff=1",
        "GOGC": "off",
        "GOMAXPROCS": "1",
        "NODE_OPTIONS": "--single-threaded --require /home/me/x.js",
        "PYTHONGIL": "0",
        "PYTHON_JIT": "1",
        "UV_THREADPOOL_SIZE": "1",
    }
    found = variables_that_count(environment | {"DOTNET_ROOT": "/usr/share/dotnet"}, own_probe=True)
    assert found == [
        f"{name}={value}"
        for name, value in (environment | {"NODE_OPTIONS": "--single-threaded,--require,x.js"}).items()
    ]
    assert variables_in(" ".join(["go 1.26", *found])) == found
    assert variables_that_count(environment) == []
