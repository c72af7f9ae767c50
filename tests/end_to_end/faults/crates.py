"""Crates of a user's own in Rust that cannot be measured, or break their promises."""

from tests.end_to_end.faults.fault import NOTHING, Before, Bench, Fault
from tests.fakes.answers import put_fake_probe

HEADING = "Crates of your own in Rust"
ABOUT = (
    "A crate is compiled by cargo, and tried before anything is measured. Each breach of the contract is brought "
    "about with a real type by the Rust probe's own tests. What goes wrong only while it is measured is the "
    "failure of its trial."
)

MINE = "run queue --runtime rust --mechanism ./my_queue"

BUILDS = """
while [ $# -gt 0 ]; do
  case "$1" in --target-dir) target=$2 ;; --manifest-path) manifest=$2 ;; esac
  shift
done
name=$(sed -n 's/^name = "\\(own.*\\)"/\\1/p' $manifest)
mkdir -p $target/release/deps
printf '#!/bin/sh\\necho "%s" >&2\\nexit 1\\n' "$says" > $target/release/$name
chmod +x $target/release/$name
echo "$target/release/$name: $manifest" > $target/release/$name.d
"""
"""A probe of the crate, whose check says that it breaks a promise."""


def crate(bench: Bench) -> None:
    """One that looks like a queue, a Rust runtime that could measure it, and the cargo that is put there."""
    bench.write_program(bench.folder / "my_queue" / "src" / "lib.rs", "impl<M: Content> TryQueue<M> for MyQueue {}\n")
    bench.write("my_queue/Cargo.toml", '[package]\nname = "my-queue"\n')
    put_fake_probe(bench.probes / "threadping-probe-rust")
    ours = bench.probes / "dev" / "rust"
    (ours / ".cargo").mkdir(parents=True)
    (ours / ".cargo" / "config.toml").write_text("[build]\nrustflags = []\n")
    (ours / "Cargo.toml").write_text('[package]\nrust-version = "1.85"\n[profile.release]\nopt-level = 3\n')
    (ours.parent / "lib").mkdir()
    (bench.folder / "bin").mkdir()
    bench.env.update(CARGO=str(bench.folder / "bin" / "cargo"), XDG_CACHE_HOME=str(bench.folder / "cache"))
    bench.patch.chdir(bench.folder)


def cargo(version: str, otherwise: str) -> Before:
    """A cargo of this version, which otherwise does that."""

    def before(bench: Bench) -> None:
        crate(bench)
        bench.write_program(
            bench.folder / "bin" / "cargo", f'[ "$1" = --version ] && echo "cargo {version}" && exit 0\n{otherwise}'
        )

    return before


def without_cargo(bench: Bench) -> None:
    """Neither on the path, nor where rustup has it, nor named."""
    crate(bench)
    bench.env.update(CARGO="", PATH=str(bench.folder / "bin"), CARGO_HOME=str(bench.folder))


LOST = "Lost: message 99 of 20,000 that were sent did not come."

FAULTS = (
    Fault(
        "a crate without cargo",
        MINE,
        2,
        "A custom crate needs cargo, and none was found. Install Rust with rustup (https://rustup.rs).",
        NOTHING,
        without_cargo,
    ),
    Fault(
        "a crate and an old cargo",
        MINE,
        2,
        "cargo 1.63.0 is too old: 1.85 or later is needed. Install Rust with rustup (https://rustup.rs), and run "
        "`rustup update`.",
        NOTHING,
        cargo("1.63.0", ""),
    ),
    Fault(
        "a crate that does not compile",
        MINE,
        2,
        "'./my_queue' does not compile: line 7 of src/lib.rs: cannot find value `x` in this scope.",
        NOTHING,
        cargo(
            "1.95.0", "echo 'error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:7:5' >&2; exit 101\n"
        ),
    ),
    Fault(
        "a crate that breaks its contract",
        MINE,
        1,
        "'./my_queue' is not measured. Lost: message 99 of 20,000 that were sent did not come. Correct "
        "it, then measure again.",
        NOTHING,
        cargo("1.95.0", f'says="{LOST}"\n{BUILDS}'),
    ),
    Fault(
        "a folder that is no crate",
        "run queue --runtime rust --mechanism ./my_queue/src",
        2,
        "There is no custom mechanism at './my_queue/src'. Name a C++ header (./my_queue.hpp), a Java class path "
        "and class (my.jar:com.acme.MyQueue), or a Rust folder with a Cargo.toml (./my_crate).",
        NOTHING,
        crate,
    ),
)
