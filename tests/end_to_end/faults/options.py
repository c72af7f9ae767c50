"""Words and numbers that cannot be meant."""

from tests.end_to_end.faults.fault import NOTHING, UNCHANGED, WHOLE, Bench, Fault, in_shell, trials

HEADING = "Words and numbers"
ABOUT = "A wrong request is refused before anything is measured; where a known name is near, it is suggested."

LOCKS = {"FAKE_LOCKS": "mutex,ticket-lock"}
SHARED = {"FAKE_LOCKS": "shared-mutex,fetch-add"}
CROWDS = {"FAKE_CROWDS": "std-barrier,spin-all"}
RINGS = {"FAKE_RINGS": "disruptor,sequenced-ring"}
TUNABLE = {"FAKE_MECHANISMS": "steady,slow,tunable,floating,newer"}

FAULTS = (
    Fault(
        "a mistyped command",
        "sginal",
        2,
        "No such command 'sginal'. Did you mean 'signal'? `threadping --help` lists the commands.",
        NOTHING,
    ),
    Fault(
        "a crowd of one",
        "crowd --threads 1",
        2,
        "Nothing is left to measure. 1 thread: at least 2 threads take part.",
        NOTHING,
        env=CROWDS,
    ),
    Fault(
        "a crowd of ten thousand",
        "crowd --threads 10000",
        2,
        "--threads '10000' is out of bounds at '10000'. Write numbers of threads from 1 to 4096: 4, 1-8 or 1,2,8.",
        NOTHING,
        env=CROWDS,
    ),
    Fault(
        "more writes than operations",
        "lock --writes 200",
        2,
        "writes=200 of shared-mutex is not possible: it is a whole number from 0 to 100.",
        NOTHING,
        env=SHARED,
    ),
    Fault(
        "writers of a counter that has no lock",
        "lock --mechanism fetch-add --writers 1",
        2,
        "Unknown parameter 'writers' of fetch-add. Known: critical, outside.",
        NOTHING,
        env=SHARED,
    ),
    Fault(
        "a mistyped option",
        "signal --wiat spin",
        2,
        "No such option '--wiat'. (Did you mean one of: '--state', '--trial', '--wait'?) `threadping signal --help` "
        "lists the options.",
        NOTHING,
        env=TUNABLE,
    ),
    Fault(
        "a mistyped mechanism",
        "signal --mechanism stedy",
        2,
        "Unknown mechanism 'stedy'. Did you mean steady? Known: steady.",
        NOTHING,
    ),
    Fault(
        "a mistyped parameter",
        "signal --param puases=3",
        2,
        "Unknown parameter 'puases' of steady, tunable, slow and 2 more. Did you mean pauses? Known: pauses, wait.",
        NOTHING,
        env=TUNABLE,
    ),
    Fault(
        "a parameter of the real probe that this one lacks",
        "signal --between processes",
        2,
        "Unknown parameter 'between' of steady. Known: none here.",
        NOTHING,
    ),
    Fault(
        "a path for a name",
        "signal --mechanism ../../etc/passwd",
        2,
        "'../../etc/passwd' is no mechanism of your own: a C++ one is a header (./my_queue.hpp), a Java one a class "
        "path and a class (my.jar:com.acme.MyQueue), a Rust one a folder with a Cargo.toml (./my_crate). Each must be "
        "there.",
        NOTHING,
    ),
    Fault(
        "a header of one's own that is not there",
        "signal --mechanism ./my_flag.hpp",
        2,
        "No header at 'my_flag.hpp'. A mechanism of your own is named by its path: ./my_queue.hpp.",
        NOTHING,
    ),
    Fault(
        "a header of one's own without a compiler",
        "signal --mechanism ./my_flag.hpp --cxx g+++",
        2,
        "'g+++' is no compiler that can be started. Name another with --cxx, or install g++.",
        NOTHING,
        before=lambda bench: (bench.folder / "my_flag.hpp").touch(),
    ),
    Fault(
        "one of two sides that are named whole",
        "compare signal --a 'cpp steady'",
        2,
        "--a and --b are a runtime and a mechanism each: --a 'java-17 monitor' --b 'cpp mutex'.",
        NOTHING,
    ),
    Fault(
        "bytes that are no text",
        "signal --mechanism '\udcff\udcfe'",
        2,
        "Unknown mechanism '\\xff\\xfe'. Known: steady.",
        NOTHING,
        run=in_shell('exec "$@"'),
    ),
    Fault(
        "SQL for the number of a run",
        "show '1; DROP TABLE runs'",
        2,
        "There is no run '1; DROP TABLE runs' in the store \N{HORIZONTAL ELLIPSIS}/runs.sqlite3. It holds run 1; "
        "'last' is 1.",
        UNCHANGED,
        Bench.store_a_run,
    ),
    Fault(
        "an unknown format",
        "signal --format xml",
        2,
        "Invalid value for '--format': 'xml' is not one of 'table', 'json', 'csv', 'hgrm', 'hlog', 'run', "
        "'bencher', 'jmh', 'github-benchmark', 'github-smaller', 'github-bigger'. "
        "`threadping signal --help` lists the options.",
        NOTHING,
    ),
    Fault(
        "an unknown kind of chart",
        "signal --chart picture.gif",
        2,
        "The chart's file must end in the name of a format (.svg, .png, .html): picture.gif does not.",
        NOTHING,
    ),
    Fault(
        "an option that the command lacks",
        "mechanisms --store runs",
        2,
        "No such option '--store'. `threadping mechanisms --help` lists the options.",
        NOTHING,
    ),
    Fault(
        "no cache line",
        "signal --lines 0",
        2,
        "--lines '0' is not possible: it is a whole number from 1 to 65536.",
        NOTHING,
    ),
    Fault(
        "a billion cache lines",
        "signal --lines 1000000000",
        2,
        "--lines '1000000000' is not possible: it is a whole number from 1 to 65536.",
        NOTHING,
    ),
    Fault(
        "three threads for two roles",
        "signal --threads 3",
        2,
        "No such option '--threads'. (Did you mean one of: '--store', '--trial'?) `threadping signal --help` lists "
        "the options.",
        NOTHING,
    ),
    Fault(
        "10,000 threads",
        "lock --threads 10000",
        2,
        "--threads '10000' is out of bounds at '10000'. Write numbers of threads from 1 to 4096: 4, 1-8 or 1,2,8.",
        NOTHING,
        env=LOCKS,
    ),
    Fault(
        "a negative seed",
        "signal --seed -1",
        2,
        "--seed '-1' is not possible: it is a whole number from 0 to 9007199254740991.",
        NOTHING,
    ),
    Fault(
        "a batch of 10^19 messages",
        "ring --batch 10000000000000000000",
        2,
        "batch=10000000000000000000 of disruptor is not possible: it is a whole number from 0 to 1M.",
        NOTHING,
        env=RINGS,
    ),
    Fault(
        "a producer that works -1 steps",
        "ring --produce -1",
        2,
        "produce=-1 of disruptor, sequenced-ring is not possible: it is a whole number from 0 to 1M.",
        NOTHING,
        env=RINGS,
    ),
    Fault(
        "a number of 400 digits",
        f"ring --batch {'9' * 400}",
        2,
        f"batch={'9' * 400} of disruptor is not possible: it is a whole number from 0 to 1M.",
        NOTHING,
        env=RINGS,
    ),
    Fault(
        "a budget that is no number",
        "signal --budget nan",
        2,
        "'nan' is not a time. Write it as 30s, 2m or 1h.",
        NOTHING,
    ),
    Fault(
        "a budget beyond all numbers",
        "signal --budget 1e400s",
        2,
        "'1e400s' is not a time. Write it as 30s, 2m or 1h.",
        NOTHING,
    ),
    Fault(
        "a budget without its unit",
        "signal --budget 30",
        2,
        "'30' is not a time. Write it with its unit, as 30s, 2m or 1h.",
        NOTHING,
    ),
    Fault(
        "a latency without its unit",
        "advise --rate 10k --p99 50",
        2,
        "'50' is not a latency. Write it with its unit, as 60ns or 1.5us.",
        NOTHING,
    ),
    Fault(
        "how well a figure is to be known, without its sign",
        "signal --until 3",
        2,
        "'3' is not a percentage. Write it with its sign, as 3% or 0.5%, above 0 and at most 100%.",
        NOTHING,
    ),
    Fault(
        "how well a figure is to be known, beyond what can be",
        "signal --until 0.01%",
        2,
        "--until 0.01% is not possible; it must be from 0.1% to 50%.",
        NOTHING,
    ),
    Fault(
        "a budget without room for a trial",
        "signal --budget 0.2s",
        2,
        "A budget of 0.2 s is too small: 3 rounds of 1 case take more. Give at least --budget 0.4s, or choose "
        "fewer cases with --runtime, --mechanism or --placement.",
        NOTHING,
    ),
    Fault(
        "a budget without room for all that was asked for",
        "lock --mechanism mutex,ticket-lock --threads 1-4 --budget 2.3s",
        0,
        "Measured 4 of 8: 1 and 4 threads of mutex and ticket-lock.",
        trials(12),
        env=LOCKS,
    ),
    Fault(
        "a budget without room for all pairs of a comparison",
        "compare lock --mechanism mutex,ticket-lock --threads 1-4 --budget 3s --seed 1",
        0,
        "Measured 1 of 4: 1 thread; cannot tell: the metric moves in steps as large as the margin",
        WHOLE,
        env=LOCKS,
    ),
    Fault(
        "an interval that is no number",
        "ping 0,1 -i nan",
        2,
        "'nan' is not a time. Write it as 200ms, 1s or 2m.",
        NOTHING,
    ),
    Fault(
        "a JVM's option without a JVM",
        "lock --no-coarsening",
        2,
        "--no-coarsening is for Java virtual machines, but none was selected. Leave it out, or add one: --runtime "
        "java.",
        NOTHING,
        env=LOCKS,
    ),
    Fault(
        "a program that is no probe",
        "signal --runtime cpp=/bin/cat",
        1,
        "Runtime cat failed (exit status 1) when asked for its description: /bin/cat: describe: No such file or "
        "directory",
        NOTHING,
    ),
    Fault(
        "a program that says nothing as a probe",
        "signal --runtime cpp=/bin/true",
        1,
        "Runtime true answers 'describe' with nothing that can be read.",
        NOTHING,
    ),
    Fault(
        "an explanation of no word",
        "explain oversubscibed",
        2,
        "Unknown word 'oversubscibed'. Did you mean oversubscribed? `threadping explain` lists them all.",
        NOTHING,
    ),
    Fault(
        "a name of no letter",
        "signal -o ''",
        2,
        "The output's file must end in the name of a format (.json, .csv, .hgrm, .hlog, .run, .bencher.json, "
        ".jmh.json, .github.json, .smaller.json, .bigger.json): . does not.",
        NOTHING,
    ),
    Fault(
        "10^23 pings",
        "ping -c 99999999999999999999999",
        2,
        "--count/-c '99999999999999999999999' is not possible: it is a whole number from 1 to 1G.",
        NOTHING,
    ),
    Fault(
        "trials of a millisecond",
        "signal --trial 1ms",
        2,
        "A trial of 1ms is not possible; it must be from 2ms to 1h, half of which is its warm-up.",
        NOTHING,
    ),
)
