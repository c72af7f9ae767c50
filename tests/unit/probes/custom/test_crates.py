"""Reading a crate: its names, and which of its types are mechanisms."""

from pathlib import Path

import pytest

from threadping.model.errors import UsageError
from threadping.probes.custom.rust import read_crate, type_of

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
        "impl<M> threadping::ring::Channel<M> for MyQueue\nwhere\n    M: Content,\n{",
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
        ({"main": ""}, "'./my' is no library crate: 'src/lib.rs' is missing."),
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
        ('lib = "x"\n' + MANIFEST, "its Cargo.toml cannot be read: [lib] is no table."),
    ],
)
def test_a_manifest_that_says_nothing_is_refused(tmp_path: Path, manifest: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        found(made(tmp_path, manifest, lib=""))
    assert sentence in str(error.value)
