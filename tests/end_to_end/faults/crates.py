"""Crates of a user's own in Rust that cannot be measured, or break their promises."""

from tests.end_to_end.faults.fault import NOTHING, Before, Bench, How, read_faults
from tests.fakes.answers import put_fake_probe

HEADING = "Crates of your own in Rust"
ABOUT = (
    "A crate is compiled by cargo, and tried before anything is measured. Each breach of the contract is brought "
    "about with a real type by the Rust probe's own tests. What goes wrong only while it is measured is the "
    "failure of its trial."
)

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


NO_X = "echo 'error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:7:5' >&2; exit 101\n"
LOST = "Lost: message 99 of 20,000 that were sent did not come."

FAULTS = read_faults(
    __file__,
    {
        "a crate without cargo": How(NOTHING, without_cargo),
        "a crate and an old cargo": How(NOTHING, cargo("1.63.0", "")),
        "a crate that does not compile": How(NOTHING, cargo("1.95.0", NO_X)),
        "a crate that breaks its contract": How(NOTHING, cargo("1.95.0", f'says="{LOST}"\n{BUILDS}')),
        "a folder that is no crate": How(NOTHING, crate),
    },
)
