//! Links libthreadping.a, the engine: from the folder in THREADPING_LIB, or where `make` installs it in this repository.
//! Tells the probe its release and its toolchain.

use std::{env, path::PathBuf, process::Command};

fn main() {
    let installed = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../src/threadping/_probes/dev/lib");
    let folder = env::var_os("THREADPING_LIB").map_or(installed, PathBuf::from);
    let archive = folder.join("libthreadping.a");
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
        let found = said(&cxx, "-print-file-name=libstdc++.a");
        println!("cargo::rustc-link-search=native={}", PathBuf::from(found).parent().unwrap().display());
    }
    println!("cargo::rustc-link-lib={}stdc++", if is_static { "static=" } else { "" });
    let release = env::var("THREADPING_RELEASE").unwrap_or(env!("CARGO_PKG_VERSION").into());
    println!("cargo::rustc-env=THREADPING_RELEASE={release}");
    let version = said(&env::var("RUSTC").unwrap(), "--version");
    println!("cargo::rustc-env=THREADPING_RUSTC={}", version.split(' ').nth(1).unwrap_or("unknown"));
    let given = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let shaping: Vec<&str> = given.split('\x1f').filter(|flag| flag.starts_with("-C")).collect();
    println!("cargo::rustc-env=THREADPING_FLAGS=-Copt-level={} {}", env::var("OPT_LEVEL").unwrap(), shaping.join(" "));
    println!("cargo::rerun-if-changed={}", archive.display());
    for name in ["THREADPING_LIB", "THREADPING_RELEASE", "CXX"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
}

fn said(program: &str, word: &str) -> String {
    let output =
        Command::new(program).arg(word).output().unwrap_or_else(|why| panic!("{program} cannot be run: {why}"));
    String::from_utf8_lossy(&output.stdout).trim().into()
}
