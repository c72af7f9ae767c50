//! A thread that lets another go and waits until it has come back, round by round: by a barrier that both pass twice a round, a
//! central one with a sense or the standard library's. Around it are the accounts of `rounds.cpp`, which says why.
//!
//! `rounds spin-barrier|std-sync-barrier CALLER_CPU MEMBER_CPU MILLISECONDS` prints what a round takes, after half as long a time
//! that is not counted.

use bare::{number, pin_this_thread, refuse, words, LinePair};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use std::sync::Barrier;
use std::thread::scope;
use std::time::{Duration, Instant};

const CHUNK: u64 = 64;

trait Meet: Sync {
    fn meet(&self);
}

/// As in the probe, each word has a line pair of its own.
#[repr(C)]
struct SpinBarrier {
    missing: LinePair<AtomicU32>,
    episode: LinePair<AtomicU32>,
    stopped: LinePair<AtomicBool>,
}

impl Meet for SpinBarrier {
    #[inline(always)]
    fn meet(&self) {
        let mine = self.episode.0.load(Relaxed);
        if self.missing.0.fetch_sub(1, AcqRel) == 1 {
            self.missing.0.store(2, Relaxed);
            return self.episode.0.store(mine.wrapping_add(1), Release);
        }
        while self.episode.0.load(Acquire) == mine && !self.stopped.0.load(Relaxed) {
            spin_loop()
        }
    }
}

impl Meet for Barrier {
    fn meet(&self) {
        self.wait();
    }
}

#[derive(Default)]
struct Accounts {
    begun: LinePair<AtomicU64>,
    attended: LinePair<AtomicU64>,
    came: LinePair<AtomicU64>,
    /// One round in this number is timed (0: none), and the number that is no round.
    brief: LinePair<(AtomicU64, AtomicU64)>,
}

impl Accounts {
    #[inline(always)]
    fn times(&self, round: u64) -> bool {
        let one_in = self.brief.0 .0.load(Relaxed);
        one_in > 0 && round & (one_in - 1) == one_in / 2
    }
}

#[inline(never)]
fn call(barrier: &impl Meet, accounts: &Accounts, round: &mut u64, count: u64) {
    for _ in 0..count {
        *round += 1;
        accounts.begun.0.store(*round, Relaxed);
        barrier.meet();
        barrier.meet()
    }
}

#[inline(never)]
fn attend(barrier: &impl Meet, accounts: &Accounts) {
    for round in 1.. {
        barrier.meet();
        let timed = accounts.times(round);
        if round >= accounts.brief.0 .1.load(Relaxed) {
            return;
        }
        if timed {
            accounts.came.0.store(round, Relaxed)
        }
        accounts.attended.0.store(round, Relaxed);
        barrier.meet()
    }
}

fn measured(barrier: &impl Meet, cpus: [usize; 2], time: Duration) -> f64 {
    let accounts = Accounts { brief: LinePair((AtomicU64::new(0), AtomicU64::new(u64::MAX))), ..Accounts::default() };
    scope(|scope| {
        scope.spawn(|| {
            pin_this_thread(cpus[1]);
            attend(barrier, &accounts)
        });
        pin_this_thread(cpus[0]);
        let mut round = 0;
        let mut during = |most: Duration| {
            let (from, begin) = (Instant::now(), round);
            while round == begin || from.elapsed() < most {
                call(barrier, &accounts, &mut round, CHUNK);
            }
            from.elapsed().as_nanos() as f64 / (round - begin) as f64
        };
        during(time / 2);
        let ns = during(time);
        accounts.brief.0 .1.store(round + 1, Relaxed);
        barrier.meet();
        ns
    })
}

fn main() {
    let words = words("rounds MECHANISM CALLER_CPU MEMBER_CPU MILLISECONDS");
    let (cpus, time) = ([number(&words[1]), number(&words[2])], Duration::from_millis(number(&words[3])));
    let ns = match words[0].as_str() {
        "spin-barrier" => {
            let word = |value| LinePair(AtomicU32::new(value));
            let barrier = SpinBarrier { missing: word(2), episode: word(0), stopped: LinePair::default() };
            measured(&barrier, cpus, time)
        }
        "std-sync-barrier" => measured(&Barrier::new(2), cpus, time),
        other => refuse(format!("No mechanism {other} here.")),
    };
    println!("operation ns: {ns:.2}");
}
