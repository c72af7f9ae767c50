//! `signal`: two threads that take turns; and `load` of the same signals, and `wakeup` where the waiting side sleeps.

mod turns;

use crate::api::STOPPED;
use crate::lines::LinePair;
use crate::Outcome;
use std::marker::PhantomData;

pub(crate) use turns::check_signal;
pub use turns::{add_signal, add_spinning, Spinning};

/// A number that only grows, by which one thread notifies another: 0 at first, then 1, 2, 3, ..., each published once. A
/// small value with its parameters, which a loop copies; what two threads share is its Cell.
pub trait Signal: Copy + Send + Sync + 'static {
    /// Whether the waiting thread sleeps. Then `wakeup` measures it too.
    const SLEEPS: bool = false;
    type Cell: Send + Sync;
    fn cell(&self) -> Outcome<Self::Cell>;
    /// The second of a pair, where it has something in common with the first.
    fn cell_beside(&self, _first: &Self::Cell) -> Outcome<Self::Cell> {
        self.cell()
    }
    /// Wakes the thread that awaits it, and never waits for it. Release.
    fn publish(&self, cell: &Self::Cell, number: u64);
    /// Gives what is published: that number or more, at least STOPPED once the cell is stopped. Acquire.
    fn wait(&self, cell: &Self::Cell, number: u64) -> u64;
    /// Ends every wait, now and later. Any thread, again and again: a publisher may overwrite it.
    fn stop(&self, cell: &Self::Cell) {
        self.publish(cell, STOPPED)
    }
    /// What is published, without waiting. Any thread.
    fn peek(&self, cell: &Self::Cell) -> u64;
}

/// What a wait came to: whether the side's turn has come, and the handoffs that it saw.
pub struct Awaited {
    pub due: bool,
    pub seen: u64,
}

/// Two threads that take turns. The handoffs of a cell are numbered from 0: ping takes 0, 2, 4, ..., pong 1, 3, 5, ....
pub trait Pair: Copy + Send + Sync + 'static {
    type Cell: Send + Sync;
    fn cell(&self) -> Outcome<Self::Cell>;
    /// Waits until `expected` handoffs have happened; not due where more have: it was stopped, or is out of order.
    fn wait<const PONG: bool>(&self, cell: &Self::Cell, expected: u64) -> Awaited;
    /// Makes it one more, where the write that ended the wait has not done so.
    fn publish<const PONG: bool>(&self, cell: &Self::Cell, expected: u64);
    fn stop(&self, cell: &Self::Cell);
    /// At least STOPPED where it was stopped.
    fn handoffs(&self, cell: &Self::Cell) -> u64;
}

/// Where the two cells of a pair are: next to each other in a line pair, or on two.
pub trait Layout<C>: Send + Sync {
    fn new(ping: C, pong: C) -> Self;
    fn ping(&self) -> &C;
    fn pong(&self) -> &C;
}

macro_rules! layout {
    ($(#[$doc:meta])* $name:ident, $cell:ty, $wrap:expr, $($at:tt)*) => {
        $(#[$doc])*
        pub struct $name<C> {
            ping: $cell,
            pong: $cell,
        }
        impl<C: Send + Sync> Layout<C> for $name<C> {
            fn new(ping: C, pong: C) -> Self {
                $name { ping: $wrap(ping), pong: $wrap(pong) }
            }
            #[inline(always)]
            fn ping(&self) -> &C {
                &self.ping$($at)*
            }
            #[inline(always)]
            fn pong(&self) -> &C {
                &self.pong$($at)*
            }
        }
    };
}
layout!(
    #[repr(C, align(128))]
    OneLine,
    C,
    std::convert::identity,
);
layout!(#[repr(C)] TwoLines, LinePair<C>, LinePair, .0);

/// A pair of two signals: each side publishes one of them and awaits the other.
pub struct TwoSignals<S, L> {
    signal: S,
    _layout: PhantomData<fn() -> L>,
}

impl<S: Copy, L> Clone for TwoSignals<S, L> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Copy, L> Copy for TwoSignals<S, L> {}

impl<S: Signal, L> TwoSignals<S, L> {
    pub fn of(signal: S) -> Self {
        TwoSignals { signal, _layout: PhantomData }
    }
}

impl<S: Signal, L: Layout<S::Cell> + 'static> Pair for TwoSignals<S, L> {
    type Cell = L;

    fn cell(&self) -> Outcome<L> {
        let ping = self.signal.cell()?;
        let pong = self.signal.cell_beside(&ping)?;
        Ok(L::new(ping, pong))
    }

    #[inline(always)]
    fn wait<const PONG: bool>(&self, cell: &L, expected: u64) -> Awaited {
        let wanted = (expected + u64::from(PONG)) / 2;
        let seen = self.signal.wait(if PONG { cell.ping() } else { cell.pong() }, wanted);
        if seen != wanted {
            return Awaited { due: false, seen: (2 * seen).wrapping_sub(u64::from(PONG)) };
        }
        Awaited { due: true, seen: expected }
    }

    #[inline(always)]
    fn publish<const PONG: bool>(&self, cell: &L, expected: u64) {
        self.signal.publish(if PONG { cell.pong() } else { cell.ping() }, expected / 2 + 1)
    }

    fn stop(&self, cell: &L) {
        self.signal.stop(cell.ping());
        self.signal.stop(cell.pong());
    }

    fn handoffs(&self, cell: &L) -> u64 {
        self.signal.peek(cell.ping()) + self.signal.peek(cell.pong())
    }
}
