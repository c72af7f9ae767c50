//! The signals that both sides keep polling; the same name is the same layout and the same order in memory as C++'s.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use threadping::api::{Probe, STOPPED};
use threadping::lines::LinePair;
use threadping::signal::{add_spinning, Awaited, Layout, OneLine, Pair, Signal, Spinning, TwoLines, TwoSignals};
use threadping::waits::Wait;
use threadping::Outcome;

pub fn add_all(probe: &mut Probe) {
    add_spinning::<Cas>(probe, "cas-one-line");
    add_spinning::<Counters<Add, OneLine<AtomicU64>>>(probe, "add-one-line");
    add_spinning::<Counters<Seqcst, OneLine<AtomicU64>>>(probe, "seqcst-one-line");
    add_spinning::<Counters<Release, OneLine<AtomicU64>>>(probe, "release-one-line");
    add_spinning::<Counters<Seqcst, TwoLines<AtomicU64>>>(probe, "seqcst-two-lines");
    add_spinning::<Counters<Release, TwoLines<AtomicU64>>>(probe, "release-two-lines");
}

/// How the publisher makes its counter one more than it was, and how the awaiter polls.
trait Way: Copy + Send + Sync + 'static {
    const POLL: Ordering;
    fn publish(counter: &AtomicU64, number: u64);
}

macro_rules! way {
    ($(#[$doc:meta])* $name:ident, $poll:ident, |$counter:ident, $number:ident| $publish:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name;
        impl Way for $name {
            const POLL: Ordering = Ordering::$poll;
            #[inline(always)]
            fn publish($counter: &AtomicU64, $number: u64) {
                $publish;
            }
        }
    };
}
way!(
    /// A locked addition whose result nobody asks for.
    Add, SeqCst, |counter, _number| counter.fetch_add(1, Ordering::SeqCst)
);
way!(
    /// Java's `++` on a volatile: a load, a store and a full fence.
    Seqcst, SeqCst, |counter, _number| counter.store(counter.load(Ordering::SeqCst) + 1, Ordering::SeqCst)
);
way!(
    /// The ordered store, which needs no fence on x86.
    Release, Acquire, |counter, number| counter.store(number, Ordering::Release)
);

/// A counter at which the awaiter keeps polling. The write that must be seen is the counter; nothing else is there.
#[derive(Clone, Copy)]
struct Counter<Y, W>(W, PhantomData<Y>);

impl<Y: Way, W: Wait> Signal for Counter<Y, W> {
    type Cell = AtomicU64;

    fn cell(&self) -> Outcome<AtomicU64> {
        Ok(AtomicU64::new(0))
    }
    #[inline(always)]
    fn publish(&self, cell: &AtomicU64, number: u64) {
        Y::publish(cell, number)
    }
    #[inline(always)]
    fn wait(&self, cell: &AtomicU64, number: u64) -> u64 {
        let mut polls = 0;
        loop {
            let seen = cell.load(Y::POLL);
            if seen >= number {
                return seen;
            }
            self.0.idle(&mut polls);
        }
    }
    fn stop(&self, cell: &AtomicU64) {
        cell.store(STOPPED, Ordering::SeqCst);
    }
    fn peek(&self, cell: &AtomicU64) -> u64 {
        cell.load(Ordering::Acquire)
    }
}

struct Counters<Y, L>(PhantomData<(Y, L)>);
impl<Y: Way, L: Layout<AtomicU64> + 'static> Spinning for Counters<Y, L> {
    type Pair<W: Wait> = TwoSignals<Counter<Y, W>, L>;
    fn pair<W: Wait>(wait: W) -> Self::Pair<W> {
        TwoSignals::of(Counter(wait, PhantomData))
    }
}

/// A pair in one word, which each side tries to compare-and-swap from its turn to the next, with no load before the try.
#[derive(Clone, Copy)]
struct CasOneLine<W>(W);

impl<W: Wait> Pair for CasOneLine<W> {
    type Cell = LinePair<AtomicU64>;

    fn cell(&self) -> Outcome<Self::Cell> {
        Ok(LinePair::default())
    }
    #[inline(always)]
    fn wait<const PONG: bool>(&self, cell: &Self::Cell, expected: u64) -> Awaited {
        let mut polls = 0;
        while let Err(seen) = cell.0.compare_exchange(expected, expected + 1, Ordering::SeqCst, Ordering::SeqCst) {
            if seen > expected {
                return Awaited { due: false, seen };
            }
            self.0.idle(&mut polls);
        }
        Awaited { due: true, seen: expected }
    }
    /// The swap that ended the wait has published already.
    #[inline(always)]
    fn publish<const PONG: bool>(&self, _cell: &Self::Cell, _expected: u64) {}
    fn stop(&self, cell: &Self::Cell) {
        cell.0.store(STOPPED, Ordering::SeqCst);
    }
    fn handoffs(&self, cell: &Self::Cell) -> u64 {
        cell.0.load(Ordering::Acquire)
    }
}

struct Cas;
impl Spinning for Cas {
    type Pair<W: Wait> = CasOneLine<W>;
    fn pair<W: Wait>(wait: W) -> CasOneLine<W> {
        CasOneLine(wait)
    }
}
