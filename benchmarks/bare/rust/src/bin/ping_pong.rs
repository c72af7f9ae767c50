//! Two threads that take turns with nothing around them: no sequence check, no stop, no bound, one clock pair.
//!
//! `ping_pong MECHANISM PING_CPU PONG_CPU ITERATIONS LINES` prints the mean one-way latency, total / (2 x iterations), of
//! blocks of a thousand round trips on one line after the other, each on a page of its own; the first block of each is not
//! timed.

use bare::{number, pin_this_thread, refuse, words, LinePair};
use std::alloc::{alloc, Layout};
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::thread;
use std::time::Instant;

/// What two threads share, and how each takes its turns from `from` to `limit`.
trait Pair: Default + Sync + 'static {
    fn ping(&self, from: u64, limit: u64);
    fn pong(&self, from: u64, limit: u64);
}

/// One word, which each side tries to swap from its turn to the next, with no load before the try.
#[derive(Default)]
struct Swaps(LinePair<AtomicU64>);

impl Swaps {
    fn take(&self, first: u64, limit: u64) {
        let mut expected = first;
        while expected < limit {
            while self.0 .0.compare_exchange(expected, expected + 1, SeqCst, SeqCst).is_err() {}
            expected += 2;
        }
    }
}

impl Pair for Swaps {
    fn ping(&self, from: u64, limit: u64) {
        self.take(2 * from, 2 * limit);
        while self.0 .0.load(SeqCst) != 2 * limit {} // the last answer belongs to the last iteration
    }
    fn pong(&self, from: u64, limit: u64) {
        self.take(2 * from + 1, 2 * limit)
    }
}

/// A counter for each side, which its side alone writes and the other polls; it stores what it knows that it will be.
macro_rules! counters {
    ($name:ident, $cell:ty, $($at:tt)*) => {
        #[derive(Default)]
        #[repr(C, align(128))]
        struct $name {
            s1: $cell,
            s2: $cell,
        }
        impl Pair for $name {
            fn ping(&self, from: u64, limit: u64) {
                for value in from..limit {
                    while self.s2$($at)*.load(Acquire) != value {}
                    self.s1$($at)*.store(value + 1, Release);
                }
                while self.s2$($at)*.load(Acquire) != limit {}
            }
            fn pong(&self, from: u64, limit: u64) {
                for value in from..limit {
                    while self.s1$($at)*.load(Acquire) == value {}
                    self.s2$($at)*.store(value + 1, Release);
                }
            }
        }
    };
}
counters!(OneLine, AtomicU64,);
counters!(TwoLines, LinePair<AtomicU64>, .0);

const PAGE: usize = 4096;
const NO_MEMORY: &str = "No memory for the lines: give fewer LINES.";

/// A pair for each line, which the program keeps to its end.
fn pairs_on_pages<P: Pair>(lines: usize) -> Vec<&'static P> {
    let places = (PAGE - size_of::<P>()) / 128 + 1;
    let layout = Layout::from_size_align(lines * PAGE, PAGE).unwrap_or_else(|_| refuse(NO_MEMORY));
    let pages = unsafe { alloc(layout) };
    if pages.is_null() {
        refuse(NO_MEMORY)
    }
    let place = |line: usize| unsafe { &mut *pages.add(line * PAGE + line % places * 128).cast::<P>() };
    (0..lines)
        .map(|line| {
            let pair = place(line);
            unsafe { std::ptr::write(pair, P::default()) };
            &*pair
        })
        .collect()
}

#[derive(Clone, Copy)]
struct Visits {
    lines: u64,
    block: u64,
    blocks: u64,
}

/// Visits one line after the other, from visit `first` to `last`.
fn visit<P: Pair>(pairs: &[&P], visits: Visits, first: u64, last: u64, side: fn(&P, u64, u64)) {
    for visit in first..last {
        let from = visit / visits.lines * visits.block;
        side(pairs[(visit % visits.lines) as usize], from, from + visits.block)
    }
}

fn one_way_ns<P: Pair>(ping_cpu: usize, pong_cpu: usize, visits: Visits) -> f64 {
    let pairs = pairs_on_pages::<P>(visits.lines as usize);
    let all = visits.lines + visits.blocks;
    thread::scope(|scope| {
        scope.spawn(|| {
            pin_this_thread(pong_cpu);
            visit(&pairs, visits, 0, all, P::pong)
        });
        pin_this_thread(ping_cpu);
        visit(&pairs, visits, 0, visits.lines, P::ping);
        let start = Instant::now();
        visit(&pairs, visits, visits.lines, all, P::ping);
        start.elapsed().as_nanos() as f64 / (2 * visits.blocks * visits.block) as f64
    })
}

fn main() {
    let words = words("ping_pong MECHANISM PING_CPU PONG_CPU ITERATIONS LINES");
    let measure = match words[0].as_str() {
        "cas-one-line" => one_way_ns::<Swaps>,
        "release-one-line" => one_way_ns::<OneLine>,
        "release-two-lines" => one_way_ns::<TwoLines>,
        other => refuse(format!("No mechanism {other} here.")),
    };
    let iterations: u64 = number(&words[3]);
    let block = iterations.clamp(1, 1000);
    let visits = Visits { lines: number::<u64>(&words[4]).max(1), block, blocks: iterations / block };
    println!("one-way ns: {:.3}", measure(number(&words[1]), number(&words[2]), visits));
}
