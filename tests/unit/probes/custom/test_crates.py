"""Mechanisms of one's own in Rust."""

import os
import time
from pathlib import Path

import pytest

from tests.texts import printed
from threadping.model.cases import OwnMechanism
from threadping.model.errors import UsageError
from threadping.probes.build_cache import KEPT_SECONDS
from threadping.probes.builds import read_mechanisms
from threadping.probes.custom_rust import Cargo, crate_compiled, find_cargo, read_crate, type_of

CARGO = """#!/bin/sh
# Writes a program and the files that went in; or fails as a file says.
[ "$1" = --version ] && cat {version} && exit 0
echo "$@" RUSTFLAGS=$RUSTFLAGS >> {log}
while [ $# -gt 0 ]; do
  case "$1" in --target-dir) target=$2 ;; --manifest-path) manifest=$2 ;; --offline) offline=1 ;; esac
  shift
done
cp $manifest {manifest}; cp $(dirname $manifest)/src/main.rs {main}
if [ -f {fails} ]; then sed "s|FOLDER|{crate}|" {fails} >&2; exit 101; fi
if [ -f {alone} ] && [ -z "$offline" ]; then echo 'error: failed to get `x` as a dependency' >&2; exit 101; fi
if [ -f {gone} ] && [ -n "$offline" ]; then echo 'error: no matching package named `x` found' >&2; exit 101; fi
name=$(sed -n 's/^name = "\\(own.*\\)"/\\1/p' $manifest)
mkdir -p $target/release/deps
printf '#!/bin/sh\\n' > $target/release/$name; chmod +x $target/release/$name
cp $target/release/$name $target/release/deps/$(echo $name | tr - _)-0123
echo "$target/release/$name: $(echo {crate}/src/*.rs) $(dirname $manifest)/src/main.rs" > $target/release/$name.d
"""


class Bench:
    """A crate, a cargo, and a cache."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache, self.crate = folder, folder / "cache", folder / "my_queue"
        self.fails, self.log, self.version = folder / "fails", folder / "log", folder / "version"
        self.alone, self.gone, self.manifest, self.main = (
            folder / name for name in ("alone", "gone", "manifest", "main")
        )
        self.version.write_text("cargo 1.85.1 (d73d2caf9 2024-12-31)\n")
        (self.crate / "src").mkdir(parents=True)
        (self.crate / "Cargo.toml").write_text('[package]\nname = "my-queue"\n')
        (self.crate / "src" / "lib.rs").write_text("impl<M: Content> TryQueue<M> for MyQueue {}\n")
        self.cargo = folder / "cargo"
        names = {name: value for name, value in vars(self).items() if isinstance(value, Path)}
        self.cargo.write_text(CARGO.format(**names))
        self.cargo.chmod(0o755)
        ours = folder / "probes" / "dev" / "rust"
        (ours / ".cargo").mkdir(parents=True)
        (ours / ".cargo" / "config.toml").write_text('[build]\nrustflags = ["-Cour=flag"]\n')
        (ours / "Cargo.toml").write_text('[package]\nrust-version = "1.85"\n[profile.release]\nopt-level = 3\n')
        (ours.parent / "lib").mkdir()

    def find(self, words: str = "", **environment: str) -> Cargo:
        return find_cargo({"CARGO": str(self.cargo), **environment}, words, self.crate)

    def compile(self, words: str = "", named: str = "", **environment: str) -> OwnMechanism:
        _, (source,) = read_mechanisms([f"{self.crate}{named}"])
        return crate_compiled(source, self.find(words, **environment), self.cache, lambda _: None)

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr("threadping.probes.build_cache.probes_folder", lambda: tmp_path / "probes")
    return Bench(tmp_path)


def test_the_same_is_compiled_once(bench: Bench) -> None:
    first = bench.compile()
    assert bench.compile() == first and len(bench.calls) == 1
    assert first.name == "my_queue" and first.command[1:] == ("--name", "my_queue")
    assert first.made_by == "cargo 1.85.1 -Cour=flag" and Path(first.command[0]).exists()
    assert not [file for file in (bench.cache / "cargo").rglob("own*") if file.is_file()]


def test_its_program_is_of_its_type_and_compiled_as_our_own_probe_is(bench: Bench) -> None:
    bench.compile(named=":fast::Queue")
    assert 'threadping::own!("my_queue", my_queue::fast::Queue)' in bench.main.read_text()
    manifest = bench.manifest.read_text()
    assert f'my-queue = {{ path = "{bench.crate}" }}' in manifest
    assert "[profile.release]\nopt-level = 3\n" in manifest
    assert f'--config patch.crates-io.threadping.path="{bench.folder}/probes/dev/rust"' in bench.calls[0]


def test_what_is_not_the_same_is_compiled_again(bench: Bench) -> None:
    (module := bench.crate / "src" / "module.rs").touch()
    first = bench.compile()
    library, manifest = bench.crate / "src" / "lib.rs", bench.crate / "Cargo.toml"
    digests = [first.digest, bench.compile("--features my-queue/fast").digest]
    digests.append(bench.compile(RUSTFLAGS="-Ctarget-cpu=native").digest)
    for file, text in (
        (library, library.read_text() + "// more\n"),
        (manifest, manifest.read_text() + 'version = "2.0.0"\n'),
        (bench.crate / "Cargo.lock", "version = 4\n"),
        (bench.crate / ".cargo" / "config.toml", "[net]\n"),
        (bench.version, "cargo 1.86.0\n"),
    ):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        digests.append(bench.compile().digest)
    module.unlink()
    digests.append(bench.compile().digest)
    assert len(bench.calls) == len(set(digests)) == len(digests)
    assert "--features my-queue/fast RUSTFLAGS=-Cour=flag" in bench.calls[1]
    assert bench.calls[2].endswith("RUSTFLAGS=-Cour=flag -Ctarget-cpu=native")


def test_a_network_is_asked_where_no_versions_are_locked_or_they_are_not_here(bench: Bench) -> None:
    bench.compile()
    (bench.crate / "Cargo.lock").write_text("version = 4\n")
    bench.compile()
    bench.gone.touch()
    bench.compile("--quiet")
    assert ["--offline" in call for call in bench.calls] == [False, True, True, False]


def test_without_a_network_the_versions_that_are_here_are_taken(bench: Bench) -> None:
    bench.alone.touch()
    bench.compile()
    assert ["--offline" in call for call in bench.calls] == [False, True]
    bench.gone.touch()
    with pytest.raises(UsageError, match=r"does not compile: failed to get `x` as a dependency\."):
        bench.compile("--quiet")


@pytest.mark.parametrize(("said", "sentence"), printed(__file__, "a crate that does not compile"))
def test_what_does_not_compile_says_where(bench: Bench, said: str, sentence: str) -> None:
    bench.fails.write_text(said)
    with pytest.raises(UsageError) as error:
        bench.compile()
    assert sentence in str(error.value)
    assert not list(bench.cache.glob("*"))


def test_a_cargo_that_does_not_start_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"'/nope', which CARGO names, cannot be started"):
        find_cargo({"CARGO": "/nope"}, "", bench.crate)


def test_rustups_cargo_compiles_if_not_on_path(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin" if not Path("/usr/bin/cargo").exists() else "/nowhere")
    (tmp_path / "home" / "bin").mkdir(parents=True)
    (place := tmp_path / "home" / "bin" / "cargo").symlink_to(bench.cargo)
    _, (source,) = read_mechanisms([f"{bench.crate}"])
    found = find_cargo({"CARGO_HOME": str(tmp_path / "home")}, "", bench.crate)
    assert found.program == str(place)
    assert crate_compiled(source, found, bench.cache, lambda _: None).name == bench.compile().name


def test_what_is_no_cargo_is_refused(bench: Bench) -> None:
    bench.version.write_text("error: toolchain 'x' is not installed\n")
    with pytest.raises(
        UsageError, match=r"is not a cargo that can be started: error: toolchain 'x' is not installed\."
    ):
        bench.find()
    bench.version.write_text("cargo 1.85.0-nightly\n")
    with pytest.raises(UsageError, match="--cargoflags ''-O' cannot be read"):
        bench.find("'-O")


def test_what_it_is_built_with_must_be_there(bench: Bench) -> None:
    (bench.folder / "probes" / "dev" / "rust" / "Cargo.toml").unlink()
    with pytest.raises(UsageError, match="which custom mechanisms need, is missing"):
        bench.compile()


def test_what_cargo_has_compiled_is_young_while_it_is_used(bench: Bench) -> None:
    target = bench.cache / "cargo"
    (target / "release" / "deps").mkdir(parents=True)
    os.utime(target, (when := time.time() - KEPT_SECONDS - 100, when))
    bench.compile()
    assert target.is_dir()


MANIFEST = '[package]\nname = "my-crate"\n'


def made(folder: Path, manifest: str = MANIFEST, **files: str) -> Path:
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text(manifest)
    for name, text in files.items():
        (folder / "src" / f"{name}.rs").write_text(text)
    return folder


def found(folder: Path) -> str:
    return type_of(read_crate(folder, "./my"), "./my")


def test_a_crate_is_called_as_its_manifest_says(tmp_path: Path) -> None:
    crate = read_crate(made(tmp_path, lib=""), "./my")
    assert (crate.package, crate.library, crate.root) == ("my-crate", "my_crate", tmp_path / "src" / "lib.rs")
    (tmp_path / "Cargo.toml").write_text(MANIFEST + '[lib]\nname = "other"\npath = "src/lib.rs"\n')
    assert read_crate(tmp_path, "./my").library == "other"


@pytest.mark.parametrize(
    "text",
    [
        "impl<M: Content> TryQueue<M> for MyQueue {",
        "impl<M> threadping::queue::Channel<M> for MyQueue\nwhere\n    M: Content,\n{",
        "impl Lock for crate::MyQueue {} impl<T: Lock> Other for Both {} impl Drop for No {} // impl Lock for No {}",
        'const TEXT: &str = "impl Lock for No {"; impl Signal for MyQueue {} /* impl Lock for No {} */',
        "impl Signal for MyQueue {} impl Lock for MyQueue {}",
    ],
)
def test_its_type_is_found(tmp_path: Path, text: str) -> None:
    assert found(made(tmp_path, lib=text)) == "MyQueue"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"lib": "pub struct A;"}, "'./my' has no type that implements Signal, Lock, TryQueue or Channel of"),
        (
            {"lib": "impl Lock for A {} impl Lock for B {} impl Signal for C {}"},
            "'./my' has several types that can be measured, A, B and C. Name one: ./my:A.",
        ),
        (
            {"lib": "pub mod fast;", "fast": "impl Lock for A {}"},
            "'./my' has no mechanism in lib.rs, but A in fast.rs: name it with its module, ./my:fast::A.",
        ),
        ({"main": ""}, "'./my' is not a library crate: 'src/lib.rs' is missing."),
    ],
)
def test_what_has_none_says_so(tmp_path: Path, files: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        found(made(tmp_path, **files))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ("[workspace]\n", "is a workspace of crates: name the folder of one of them."),
        ("[dependencies]\n", "its Cargo.toml has no [package] with a name."),
        ("[[[", "its Cargo.toml cannot be read: "),
        ('package = "x"', "its Cargo.toml has no [package] with a name."),
        ('lib = "x"\n' + MANIFEST, "its Cargo.toml cannot be read: [lib] is not a table."),
    ],
)
def test_a_manifest_that_says_nothing_is_refused(tmp_path: Path, manifest: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        found(made(tmp_path, manifest, lib=""))
    assert sentence in str(error.value)
