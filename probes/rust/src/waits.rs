//! What a thread does between two polls that found nothing new.

use crate::api::Setup;
use std::hint::spin_loop;
use std::thread::{sleep, yield_now};
use std::time::Duration;

/// A small value with its parameters. `polls` is the caller's, 0 where a turn begins.
pub trait Wait: Copy + Send + Sync + 'static {
    fn idle(self, polls: &mut u64);
}

/// Polls again at once.
#[derive(Clone, Copy)]
pub struct Spin;

impl Wait for Spin {
    #[inline(always)]
    fn idle(self, _polls: &mut u64) {}
}

/// A number of PAUSEs (x86) or ISBs (Arm).
#[derive(Clone, Copy)]
pub struct Pause(pub u64);

impl Wait for Pause {
    #[inline(always)]
    fn idle(self, _polls: &mut u64) {
        (0..self.0).for_each(|_| spin_loop());
    }
}

/// What takes longer than to ask which of these it is: loops are compiled once for both.
#[derive(Clone, Copy)]
pub enum Rest {
    /// Offers the CPU to any other thread.
    Yield,
    /// Spins, then yields, then sleeps for ever longer: Agrona's BackoffIdleStrategy with its defaults.
    Backoff,
}

impl Wait for Rest {
    #[inline(never)]
    fn idle(self, polls: &mut u64) {
        const SPINS: u64 = 10;
        const LAST_YIELD: u64 = SPINS + 5;
        match (self, *polls) {
            (Rest::Backoff, ..SPINS) => spin_loop(),
            (Rest::Backoff, LAST_YIELD..) => {
                let doublings = (*polls - LAST_YIELD).min(10);
                sleep(Duration::from_nanos(1_000 << doublings).min(Duration::from_millis(1)));
            }
            _ => yield_now(),
        }
        *polls += 1;
    }
}

/// A pause or a rest, for an experiment with many long loops: one more instance of each takes the compiler seconds.
#[derive(Clone, Copy)]
pub enum PauseOrRest {
    Pause(Pause),
    Rest(Rest),
}

impl Wait for PauseOrRest {
    #[inline(never)]
    fn idle(self, polls: &mut u64) {
        match self {
            PauseOrRest::Pause(pause) => pause.idle(polls),
            PauseOrRest::Rest(rest) => rest.idle(polls),
        }
    }
}

/// The parameters by which a request chooses one.
pub const PARAMS: &str = r#"{"name":"wait","default":"spin","choices":["spin","pause","yield","backoff"]},
{"name":"pauses","default":1,"range":[1,10000],"only_with":{"param":"wait","value":"pause"}}"#;

/// What is made for any wait.
pub trait WithWait {
    type Made;
    fn make<W: Wait>(self, wait: W) -> Self::Made;
}

/// Makes it for the wait that the parameters name.
pub fn with_wait<M: WithWait>(setup: &Setup, made: M) -> M::Made {
    match setup.text(c"wait") {
        "pause" => made.make(Pause(setup.number(c"pauses"))),
        "yield" => made.make(Rest::Yield),
        "backoff" => made.make(Rest::Backoff),
        _ => made.make(Spin),
    }
}

/// Like `with_wait`, for two types instead of three.
pub fn with_spin_or_other<M: WithWait>(setup: &Setup, made: M) -> M::Made {
    match setup.text(c"wait") {
        "pause" => made.make(PauseOrRest::Pause(Pause(setup.number(c"pauses")))),
        "yield" => made.make(PauseOrRest::Rest(Rest::Yield)),
        "backoff" => made.make(PauseOrRest::Rest(Rest::Backoff)),
        _ => made.make(Spin),
    }
}
