//! threadping's engine for Rust (docs/internals/c-api.md): what a mechanism is, the timed loops, written once for all of them, and
//! how a program of them becomes a probe. A mechanism implements [`signal::Signal`], [`lock::Lock`], [`queue::TryQueue`] or
//! [`queue::Channel`], and is added to a [`api::Probe`], whose `main` is the whole program.

pub mod barrier;
#[rustfmt::skip] // as the headers have it
mod ffi;
pub mod api;
pub mod lines;
pub mod lock;
pub mod own;
pub mod queue;
pub mod signal;
pub mod waits;

/// Why a trial cannot be made, or has failed, in a sentence.
#[derive(Clone, Debug)]
pub struct Error {
    pub code: Code,
    pub sentence: String,
}

/// The contract's error codes that a mechanism has reasons for.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    BadRequest = 1,
    Unsupported = 5,
    SequenceBroken = 8,
    Internal = 10,
}

impl Error {
    pub fn new(code: Code, sentence: impl Into<String>) -> Self {
        Error { code, sentence: sentence.into() }
    }

    /// The system refused what the sentence says.
    pub fn refused(what: &str, remedy: &str) -> Self {
        let why = std::io::Error::last_os_error();
        Error::new(Code::Unsupported, format!("{what} ({why}): {remedy}."))
    }
}

pub type Outcome<T> = Result<T, Error>;
