//! Links libthreadping.a, the engine: from the folder in THREADPING_LIB, from the folder next to this crate as a
//! wheel has it, or where `make` installs it in this repository.
//! Tells the probe its release and its toolchain.

use std::{env, path::PathBuf, process::Command};

fn main() {
    let archive_of = |folder: &str| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder).join("libthreadping.a");
    let installed = archive_of("../lib");
    let installed = if installed.exists() { installed } else { archive_of("../../src/threadping/_probes/dev/lib") };
    let archive = env::var_os("THREADPING_LIB").map_or(installed, |named| PathBuf::from(named).join("libthreadping.a"));
    let folder = archive.parent().unwrap();
    if !archive.exists() {
        println!(
            "cargo::error={} is missing: run `make setup`, or name its folder by THREADPING_LIB.",
            archive.display()
        );
        return;
    }
    // libstdc++ is static where all is, and then in a folder that g++ knows.
    let is_static = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=static=threadping");
    if is_static {
        let cxx = env::var("CXX").unwrap_or("c++".into());
        let found = output_of(&cxx, "-print-file-name=libstdc++.a");
        println!("cargo::rustc-link-search=native={}", PathBuf::from(found).parent().unwrap().display());
    }
    println!("cargo::rustc-link-lib={}stdc++", if is_static { "static=" } else { "" });
    let release = env::var("THREADPING_RELEASE").unwrap_or(env!("CARGO_PKG_VERSION").into());
    println!("cargo::rustc-env=THREADPING_RELEASE={release}");
    let version = output_of(&env::var("RUSTC").unwrap(), "--version");
    println!("cargo::rustc-env=THREADPING_RUSTC={}", version.split(' ').nth(1).unwrap_or("unknown"));
    let given = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut flags = format!("-Copt-level={}", env::var("OPT_LEVEL").unwrap());
    let mut given = given.split('\x1f').filter(|flag| !flag.is_empty());
    while let Some(flag) = given.next() {
        match flag {
            "--remap-path-prefix" => drop(given.next()), // the builder's folders
            _ if flag.starts_with("--remap-path-prefix=") => {}
            _ => flags += &format!(" {flag}"),
        }
    }
    println!("cargo::rustc-env=THREADPING_FLAGS={flags}");
    if !flags.contains("-align-all-functions=") {
        println!(
            "cargo::warning=The address of a timed loop is left to chance: give rustc the flags of {}, which RUSTFLAGS replaces.",
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".cargo/config.toml").display()
        );
    }
    println!("cargo::rerun-if-changed={}", archive.display());
    for name in ["THREADPING_LIB", "THREADPING_RELEASE", "CXX"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
}

fn output_of(program: &str, word: &str) -> String {
    let output =
        Command::new(program).arg(word).output().unwrap_or_else(|why| panic!("{program} cannot be run: {why}"));
    String::from_utf8_lossy(&output.stdout).trim().into()
}
