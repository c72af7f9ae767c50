"""An anonymous run has no folder, host, user or private value in any of its texts."""

import pytest
from msgspec import msgpack
from msgspec.structs import replace

from tests.golden.fixture import CAS, MOVED, OBSERVATIONS, RUN
from tests.unit.output.printing import exported
from threadping.analysis.analyse import analyse
from threadping.conduct.pages import page_of
from threadping.conduct.study import formats_of
from threadping.experiments import declared
from threadping.model.cases import Runtime, Skipped
from threadping.model.run import Failure, ReferencePing, Stored
from threadping.output.bundle import anonymous, carry_run, nameless
from threadping.output.formats import EXPORTS
from threadping.studies.survey import STUDY as SURVEY


def test_folders_and_given_values_are_left_out_of_a_text() -> None:
    for said, left in [
        ("java-17 -Ddb.password=hunter2 -Xint", "java-17 -Ddb.password=… -Xint"),
        ("java-17 -XX:OnError='mail hunter2' -Xint", "java-17 -XX:OnError=… -Xint"),
        ("(-Da=b c d -Xmx1g -Db)", "(-Da=… -Xmx1g -Db)"),
        ("-javaagent:/opt/acme/agent.jar=license=SECRET -Xint", "-javaagent:…/agent.jar=… -Xint"),
        ("-Xlog:gc:file=/var/log/acme/gc.log", "-Xlog:gc:file=…/gc.log"),
        ("/a/b.jar:/c/d.jar", "…/b.jar:…/d.jar"),
        ("cpp=/srv/acme-secret/probe", "cpp=…/probe"),
        ("'/home/alice/jdk/bin/java' did not answer", "'…/java' did not answer"),
        ("in /home/alice or /root", "in ~ or ~"),
        ("/data/acme/x: no such file", "…/x: no such file"),
        (r"C:\Users\alice\jdk\java.exe", "…/java.exe"),
        ("see https://ci.acme.example/7?token=x for it", "see https://… for it"),
        ("measured on bench-7.", "measured on host."),
        ("/proc/sys/kernel/perf_event_paranoid is 3", "/proc/sys/kernel/perf_event_paranoid is 3"),
        ("10k/s and/or 24/7, 1/2", "10k/s and/or 24/7, 1/2"),
        ("same-l3 0,1", "same-l3 0,1"),
    ]:
        assert nameless(said, {"bench-7"}) == left
        assert nameless(left, {"bench-7"}) == left


@pytest.mark.timeout(60)
@pytest.mark.parametrize("part", ["-D", "-D/", "/a", "a://", "/home/", "-javaagent:", "/a/ ", " -Da=", "C:\\", "~/"])
def test_no_text_of_a_stranger_takes_long(part: str) -> None:
    assert len(nameless(part * (100_000 // len(part)), {"a.b"})) > 0


SECRETS = ("hunter2", "alice", "acme", "bench-7", "opt/")
LABELS = ("java-17 -Dkey=hunter2", "java-17 -Dkey=hunter22")


def private_run() -> Stored:
    """Return a run with private text in every place that can hold text."""
    why = "/opt/acme/a jdk/java of bench-7 died, and /home/alice/acme/jdk"
    cases = tuple(replace(CAS, runtime=label) for label in LABELS)
    seen = [replace(one, case=cases[place % 2]) for place, one in enumerate(OBSERVATIONS) if one.case == CAS]
    seen[0] = replace(seen[0], figures={}, failure=Failure("crashed", why), lacking=("/opt/acme/lib: no",))
    return Stored(
        replace(
            RUN,
            cases=cases,
            runtimes=tuple(
                Runtime(label, "java", ("/opt/acme/a jdk/java", "-jar", "/opt/acme/p.jar"), f"OpenJDK 17 ({label[8:]})")
                for label in LABELS
            ),
            skipped=(Skipped("java-8", why),),
            arguments=("run", "-o", "/srv/acme secret/page.html", "--runtime=/opt/acme/jdk", *LABELS),
            note=why,
        ),
        tuple(seen),
        (ReferencePing((0, 1), 1.0, 0, None, failure=why),),
    )


def test_no_text_of_a_run_says_whose_it_is_and_what_differed_still_does() -> None:
    kept = carry_run(private_run())
    encoded = msgpack.encode(kept).decode("utf-8", "replace")
    assert [name for name in SECRETS if name in encoded] == []
    assert kept.run.arguments[:4] == ("run", "-o", "…/page.html", "--runtime=…/jdk")
    assert kept.run.runtimes[0].command == ("…/java", "-jar", "…/p.jar")
    labels = ["java-17 -Dkey=…", "java-17 -Dkey=… #2"]
    assert [one.label for one in kept.run.runtimes] == [one.runtime for one in kept.run.cases] == labels
    assert {one.case.runtime for one in kept.observations} == {*labels}


def test_what_leaves_the_machine_has_no_name_in_it() -> None:
    answer = analyse(private_run().run, private_run().observations, private_run().pings, declared())
    of_rows = [name for name, one in EXPORTS.items() if not one.each_trial]
    written = {form: exported(answer, form, form not in of_rows) for form in formats_of(SURVEY)}
    written |= {f"rows as {form}": exported(answer, form, False) for form in formats_of(SURVEY) if form != "run"}
    named = replace(answer, run=replace(answer.run, machine=replace(answer.run.machine, hostname="")))
    for name, text in {**written, "page": page_of([answer])}.items():
        has_host = name.removeprefix("rows as ") not in ("page", "markdown", "run")
        known = [one for one in SECRETS if not has_host or one != "bench-7"]
        assert [secret for secret in known if secret in text] == [], name
    identified = page_of([named], identify=True)
    assert "hunter2" in identified and "alice" in identified


def test_a_run_without_names_is_kept_itself() -> None:
    kept = anonymous(MOVED.stored, set())
    assert all(one is other for one, other in zip(kept.observations, MOVED.stored.observations, strict=True))
    assert all(one is other for one, other in zip(kept.pings, MOVED.stored.pings, strict=True))
