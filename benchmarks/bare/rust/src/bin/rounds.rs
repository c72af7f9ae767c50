//! A thread that lets another go and waits until it has come back, round by round, with nothing around it: by a barrier that both
//! pass twice a round, a central one with a sense or the standard library's.
//!
//! `rounds spin-barrier|std-sync-barrier CALLER_CPU MEMBER_CPU MILLISECONDS` prints what a round takes, after half as long a time
//! that is not counted.

use bare::{number, pin_this_thread, refuse, words, LinePair};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
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
}

impl Meet for SpinBarrier {
    #[inline(always)]
    fn meet(&self) {
        let mine = self.episode.0.load(Relaxed);
        if self.missing.0.fetch_sub(1, AcqRel) == 1 {
            self.missing.0.store(2, Relaxed);
            return self.episode.0.store(mine.wrapping_add(1), Release);
        }
        while self.episode.0.load(Acquire) == mine {
            spin_loop()
        }
    }
}

impl Meet for Barrier {
    fn meet(&self) {
        self.wait();
    }
}

#[inline(never)]
fn call(barrier: &impl Meet, count: u64) {
    for _ in 0..count {
        barrier.meet();
        barrier.meet()
    }
}

#[inline(never)]
fn attend(barrier: &impl Meet, last: &AtomicU64) {
    for round in 1.. {
        barrier.meet();
        if round == last.load(Relaxed) {
            return;
        }
        barrier.meet()
    }
}

fn measured(barrier: &impl Meet, cpus: [usize; 2], time: Duration) -> f64 {
    let last = LinePair(AtomicU64::new(0));
    scope(|scope| {
        scope.spawn(|| {
            pin_this_thread(cpus[1]);
            attend(barrier, &last.0)
        });
        pin_this_thread(cpus[0]);
        let mut all = 0;
        let mut during = |most: Duration| {
            let (from, mut rounds) = (Instant::now(), 0);
            while rounds == 0 || from.elapsed() < most {
                call(barrier, CHUNK);
                rounds += CHUNK;
            }
            all += rounds;
            from.elapsed().as_nanos() as f64 / rounds as f64
        };
        during(time / 2);
        let ns = during(time);
        last.0.store(all + 1, Relaxed);
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
            measured(&SpinBarrier { missing: word(2), episode: word(0) }, cpus, time)
        }
        "std-sync-barrier" => measured(&Barrier::new(2), cpus, time),
        other => refuse(format!("No mechanism {other} here.")),
    };
    println!("operation ns: {ns:.2}");
}
