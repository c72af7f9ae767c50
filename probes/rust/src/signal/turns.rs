//! The timed loops, once for all pairs; the experiment; and a signal's operations.

use super::{Pair, Signal, TwoLines, TwoSignals};
use crate::api::{
    attempt, dropped, now_ns, opened, operated, tried, Counts, Experiment, Mechanism, Player, Probe, Samples, Setup,
    Stage, Task, Timing, STOPPED,
};
use crate::lines::{Lines, LINE_PAIR};
use crate::waits::{self, with_wait, Wait, WithWait};
use crate::{ffi, Code, Error, Outcome};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ptr::{drop_in_place, null_mut};

/// How far a loop came: the turns that it completed, and the handoffs that its last try saw.
struct Turns {
    done: u64,
    seen: u64,
}

/// One turn; gives the handoffs that its wait saw.
#[inline(always)]
fn turn<P: Pair, const PONG: bool>(pair: P, cell: &P::Cell, expected: u64) -> u64 {
    let awaited = pair.wait::<PONG>(cell, expected);
    if !awaited.due {
        return awaited.seen;
    }
    pair.publish::<PONG>(cell, expected);
    expected
}

/// Takes `count` turns of one side, from handoff `first` on: the timed loop of every block, and all that pong does.
#[inline(never)]
fn take_turns<P: Pair, const PONG: bool>(pair: P, cell: &P::Cell, first: u64, count: u64) -> Turns {
    let mut expected = first;
    for done in 0..count {
        let seen = turn::<P, PONG>(pair, cell, expected);
        if seen != expected {
            return Turns { done, seen };
        }
        expected += 2;
    }
    Turns { done: count, seen: expected }
}

/// Takes as many of ping's turns as there are timings and stamps the end of each.
#[inline(never)]
fn stamp_turns<P: Pair>(pair: P, cell: &P::Cell, first: u64, timings: &mut [Timing]) -> Turns {
    let mut expected = first;
    for (done, timing) in timings.iter_mut().enumerate() {
        let seen = turn::<P, false>(pair, cell, expected);
        if seen != expected {
            return Turns { done: done as u64, seen };
        }
        timing.to_ns = now_ns();
        expected += 2;
    }
    Turns { done: timings.len() as u64, seen: expected }
}

struct SignalStage<P: Pair> {
    pair: P,
    cells: Lines<P::Cell>,
}

fn stage_of<P: Pair>(setup: &Setup, pair: P) -> Outcome<Box<dyn Stage>> {
    Ok(Box::new(SignalStage { pair, cells: Lines::new(setup, || pair.cell())? }))
}

impl<P: Pair> Stage for SignalStage<P> {
    fn role_of(&self, thread: u32) -> u32 {
        thread
    }
    fn stop(&self, line: usize) {
        self.pair.stop(&self.cells[line])
    }
    fn progress(&self, line: usize) -> u64 {
        self.pair.handoffs(&self.cells[line])
    }
    fn count(&self, operations: &[u64], counts: &mut Counts) {
        let seen: Vec<u64> = self.cells.all().map(|cell| self.pair.handoffs(cell)).collect();
        if seen.iter().all(|seen| *seen < STOPPED) {
            counts.count(c"handoffs", operations.iter().sum(), seen.iter().sum(), true)
        }
    }
    fn memory(&self) -> *const u8 {
        self.cells.memory()
    }
    fn player(&self, thread: u32) -> Outcome<Box<dyn Player + '_>> {
        let next = self.cells.all().map(|_| u64::from(thread)).collect();
        Ok(Box::new(SignalPlayer { pair: self.pair, cells: &self.cells, is_pong: thread == 1, next }))
    }
}

/// One side, on every line.
struct SignalPlayer<'a, P: Pair> {
    pair: P,
    cells: &'a Lines<P::Cell>,
    is_pong: bool,
    next: Vec<u64>, // for each line, its next turn
}

impl<P: Pair> Player for SignalPlayer<'_, P> {
    /// Ping alone times: round trips, from the completion of one turn to the completion of the next.
    fn run(&mut self, task: &Task, samples: &mut Samples) -> Outcome<u64> {
        let (line, cell) = (task.line as usize, &self.cells[task.line as usize]);
        let first = self.next[line];
        if task.every == 0 {
            let turns = match self.is_pong {
                true => take_turns::<P, true>(self.pair, cell, first, task.count),
                false => take_turns::<P, false>(self.pair, cell, first, task.count),
            };
            return self.completed(line, turns, task.count);
        }
        let places = samples.places();
        let wanted = places.len().min(task.count as usize);
        let turns = stamp_turns(self.pair, cell, first, &mut places[..wanted]);
        let mut from_ns = task.opened_ns;
        for timing in &mut places[..turns.done as usize] {
            timing.from_ns = from_ns;
            from_ns = timing.to_ns;
        }
        samples.filled(turns.done as usize);
        self.completed(line, turns, wanted as u64)
    }
}

impl<P: Pair> SignalPlayer<'_, P> {
    fn completed(&mut self, line: usize, turns: Turns, wanted: u64) -> Outcome<u64> {
        self.next[line] += 2 * turns.done;
        if turns.done < wanted && turns.seen < STOPPED {
            let (due, seen) = (self.next[line], turns.seen);
            let sentence = format!("Handoff {due} was due, but {seen} was there: one was lost or doubled.");
            return Err(Error::new(Code::SequenceBroken, sentence));
        }
        Ok(turns.done)
    }
}

const SIGNAL: Experiment = Experiment {
    head: r#""name":"signal","windows":"ops","threads":[2,2],"stalled":"No handoff arrives any more: a signal was lost.",
"roles":[{"name":"ping","counts":true},{"name":"pong","counts":true}]"#,
};

/// A pair whose sides keep polling, with any wait.
pub trait Spinning: 'static {
    type Pair<W: Wait>: Pair;
    fn pair<W: Wait>(wait: W) -> Self::Pair<W>;
}

struct MakeSpinning<'a, P>(&'a Setup, PhantomData<P>);

impl<P: Spinning> WithWait for MakeSpinning<'_, P> {
    type Made = Outcome<Box<dyn Stage>>;
    fn make<W: Wait>(self, wait: W) -> Self::Made {
        stage_of(self.0, P::pair(wait))
    }
}

/// The number of lines, since one line's place in the cache is luck.
const MANY_LINES: u32 = 256;

pub fn add_spinning<P: Spinning>(probe: &mut Probe, name: &'static str) {
    let make = |setup: &Setup| with_wait(setup, MakeSpinning::<P>(setup, PhantomData));
    let params = waits::PARAMS.into();
    probe.add(&SIGNAL, Mechanism { name, blocking: false, timed: "round-trip", lines: MANY_LINES, params, make });
}

/// A signal that waits by itself: in `signal` two of them in our loops, and one in the engine's of `load`, and of `wakeup` if
/// it sleeps.
pub fn add_signal<S: Signal + Default>(probe: &mut Probe, name: &'static str) {
    let (size, align) = (size_of::<S::Cell>(), align_of::<S::Cell>());
    assert!(size <= LINE_PAIR && align <= LINE_PAIR, "its Cell has {size} bytes, and a cell is of {LINE_PAIR} at most");
    let make = |setup: &Setup| stage_of(setup, TwoSignals::<S, TwoLines<S::Cell>>::of(S::default()));
    let lines = if S::SLEEPS { 1 } else { MANY_LINES };
    let (blocking, timed) = (S::SLEEPS, "round-trip");
    probe.add(&SIGNAL, Mechanism { name, blocking, timed, lines, params: String::new(), make });
    probe.add_signal(ffi::Signal {
        size: size_of::<ffi::Signal>(),
        description: probe.described(name, S::SLEEPS, "").into_raw(),
        open: open::<S>,
        close: close::<S>,
        publish: publish::<S>,
        await_: wait::<S>,
        stop: stop::<S>,
        peek: peek::<S>,
    });
}

// --- a signal's operations; S::default() has no parameters ---

fn cell_at<'a, S: Signal>(cell: *const c_void) -> &'a S::Cell {
    unsafe { &*cell.cast() }
}

extern "C" fn open<S: Signal + Default>(cell: *mut c_void, setup: *const ffi::Setup, why: *mut ffi::Failure) {
    opened(why, setup, (), |_| {
        unsafe { cell.cast::<S::Cell>().write(S::default().cell()?) };
        Ok(())
    })
}

extern "C" fn close<S: Signal>(cell: *mut c_void) {
    let _ = attempt(|| unsafe { drop_in_place(cell.cast::<S::Cell>()) });
}

extern "C" fn publish<S: Signal + Default>(cell: *mut c_void, number: u64) {
    operated((), || S::default().publish(cell_at::<S>(cell), number))
}

extern "C" fn wait<S: Signal + Default>(cell: *mut c_void, number: u64) -> u64 {
    operated(STOPPED, || S::default().wait(cell_at::<S>(cell), number))
}

extern "C" fn stop<S: Signal + Default>(cell: *mut c_void) {
    operated((), || S::default().stop(cell_at::<S>(cell)))
}

extern "C" fn peek<S: Signal + Default>(cell: *const c_void) -> u64 {
    operated(STOPPED, || S::default().peek(cell_at::<S>(cell)))
}

extern "C" fn made<S: Signal + Default>() -> *mut c_void {
    tried(null_mut(), || Ok(Box::into_raw(Box::new(S::default().cell()?)).cast()))
}

extern "C" fn unmade<S: Signal>(cell: *mut c_void) {
    dropped(cell.cast::<S::Cell>())
}

/// Checks that it keeps its contract; ends the process where it does not.
pub(crate) fn check_signal<S: Signal + Default>() {
    let signal = ffi::CheckedSignal {
        size: size_of::<ffi::CheckedSignal>(),
        awaiting: c"wait".as_ptr(),
        make: made::<S>,
        free: unmade::<S>,
        publish: publish::<S>,
        await_: wait::<S>,
        stop: stop::<S>,
        peek: peek::<S>,
    };
    unsafe { ffi::threadping_check_signal(&signal) }
}
