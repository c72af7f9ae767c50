//! `lock`: threads that contend for one lock, or for one counter.

use crate::api::{
    dropped, now_ns, operated, tried, Counts, Experiment, Mechanism, Player, Probe, Samples, Setup, Stage, Task, Timing,
};
use crate::lines::{LinePair, Lines};
use crate::{ffi, Outcome};
use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

mod sharing;
use sharing::{is_shared, sharing_of, WRITING};

/// A lock.
pub trait Lock: Default + Send + Sync + 'static {
    /// Whether a waiting thread sleeps.
    const SLEEPS: bool = false;
    /// Does it while the lock is this thread's alone: sees all that was written before it was last given up.
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T;
    /// Looks while no writer is inside, together with other readers where the lock lets them in; alone unless it says
    /// otherwise.
    #[inline(always)]
    fn read<T>(&self, look: impl FnOnce() -> T) -> T {
        self.hold(look)
    }
}

/// A counter that needs no lock.
pub trait UnlockedCounter: Default + Send + Sync + 'static {
    fn add(&self);
    /// Adds likewise and gives what was there before.
    fn fetch(&self) -> u64;
    fn sum(&self) -> u64;
}

/// What a thread knows of how often a lock, or the line of a counter, came to it from another thread.
#[derive(Clone, Copy)]
pub struct Handoffs {
    mark: u64, // by which it sees that it was there last
    changes: u64,
}

/// What an operation is performed on.
trait Cell: Default + Send + Sync + 'static {
    const TIMED: &'static str;
    fn hands(thread: u32) -> Handoffs;
    fn perform<const COUNTS: bool>(&self, hands: &mut Handoffs, critical: impl FnOnce());
    /// Like `perform`; gives the time of what costs, one reading of the clock included.
    fn perform_timed(&self, hands: &mut Handoffs, critical: impl FnOnce()) -> Timing;
    fn sum(&self) -> u64;
}

/// A lock, and the counter that it protects on a line of its own: who looks at the lock leaves the counter's line to its
/// holder.
#[derive(Default)]
#[repr(C)]
struct Guarded<L> {
    lock: LinePair<L>,
    inside: LinePair<Inside>,
}

/// Atomic for a lock that is wrong, so that its lost increments are counted. A load and a store: compiled as what is not.
#[derive(Default)]
struct Inside {
    counter: AtomicU64,
    last: AtomicU64, // who held the lock last, in sampling windows
}

impl<L> Guarded<L> {
    #[inline(always)]
    fn add<const COUNTS: bool>(&self, hands: &mut Handoffs) {
        let Inside { counter, last } = &self.inside.0;
        counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
        if COUNTS && last.load(Relaxed) != hands.mark {
            last.store(hands.mark, Relaxed);
            hands.changes += 1;
        }
    }
}

impl<L: Lock> Cell for Guarded<L> {
    const TIMED: &'static str = "acquire";

    /// A mark that no other thread has.
    fn hands(thread: u32) -> Handoffs {
        Handoffs { mark: u64::from(thread) + 1, changes: 0 }
    }
    #[inline(always)]
    fn perform<const COUNTS: bool>(&self, hands: &mut Handoffs, critical: impl FnOnce()) {
        self.lock.0.hold(|| {
            critical();
            self.add::<COUNTS>(hands)
        })
    }
    #[inline(always)]
    fn perform_timed(&self, hands: &mut Handoffs, critical: impl FnOnce()) -> Timing {
        let from_ns = now_ns();
        self.lock.0.hold(|| {
            let to_ns = now_ns();
            critical();
            self.add::<true>(hands);
            Timing { from_ns, to_ns }
        })
    }
    fn sum(&self) -> u64 {
        self.inside.0.counter.load(Relaxed)
    }
}

/// A counter without a lock around it.
#[derive(Default)]
struct Unguarded<C>(LinePair<C>);

impl<C: UnlockedCounter> Unguarded<C> {
    #[inline(always)]
    fn add<const COUNTS: bool>(&self, hands: &mut Handoffs) {
        if !COUNTS {
            return self.0 .0.add();
        }
        let before = self.0 .0.fetch();
        hands.changes += u64::from(before != hands.mark);
        hands.mark = before + 1;
    }
}

impl<C: UnlockedCounter> Cell for Unguarded<C> {
    const TIMED: &'static str = "increment";

    /// What it last left in the counter.
    fn hands(_thread: u32) -> Handoffs {
        Handoffs { mark: 0, changes: 0 }
    }
    #[inline(always)]
    fn perform<const COUNTS: bool>(&self, hands: &mut Handoffs, critical: impl FnOnce()) {
        critical();
        self.add::<COUNTS>(hands)
    }
    #[inline(always)]
    fn perform_timed(&self, hands: &mut Handoffs, critical: impl FnOnce()) -> Timing {
        critical();
        let from_ns = now_ns();
        self.add::<true>(hands);
        Timing { from_ns, to_ns: now_ns() }
    }
    fn sum(&self) -> u64 {
        self.0 .0.sum()
    }
}

/// Work that takes time and touches no memory: steps of Knuth's linear congruential generator; each waits for
/// the one before, also for the last of the operation before.
pub(crate) struct Steps(u64);

impl Steps {
    pub(crate) fn new() -> Self {
        Steps(1)
    }
    #[inline(always)]
    pub(crate) fn take(&mut self, count: u64) {
        for _ in 0..count {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // The compiler may not make one step of several, whose factors it knows.
            unsafe { std::arch::asm!("/* {0} */", inout(reg) self.0, options(nomem, nostack, preserves_flags)) };
        }
        // The compiler may neither drop steps nor move them out of their place.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) self.0) };
    }
}

/// How long a thread works in each operation, in steps: before the increment, inside the lock; and outside, after it.
#[derive(Clone, Copy)]
struct Work {
    critical: u64,
    outside: u64,
}

/// Performs `count` operations: the timed loop. WORKS is false where there is no work, which then costs nothing.
#[inline(never)]
fn perform<C: Cell, const WORKS: bool>(cell: &C, work: Work, count: u64) {
    perform_all::<C, WORKS, false>(cell, C::hands(0), work, count);
}

/// `perform` of sampling windows, which also counts how often the lock or the line came from another thread.
#[inline(never)]
fn perform_counted<C: Cell, const WORKS: bool>(cell: &C, hands: Handoffs, work: Work, count: u64) -> Handoffs {
    perform_all::<C, WORKS, true>(cell, hands, work, count)
}

#[inline(always)]
fn perform_all<C: Cell, const WORKS: bool, const COUNTS: bool>(
    cell: &C,
    mut hands: Handoffs,
    work: Work,
    count: u64,
) -> Handoffs {
    let mut steps = Steps::new();
    for _ in 0..count {
        cell.perform::<COUNTS>(&mut hands, || {
            if WORKS {
                steps.take(work.critical)
            }
        });
        if WORKS {
            steps.take(work.outside)
        }
    }
    hands
}

/// Performs one operation, which it times.
#[inline(never)]
fn perform_timed<C: Cell, const WORKS: bool>(cell: &C, hands: &mut Handoffs, work: Work) -> Timing {
    let mut steps = Steps::new();
    let timing = cell.perform_timed(hands, || {
        if WORKS {
            steps.take(work.critical)
        }
    });
    if WORKS {
        steps.take(work.outside)
    }
    timing
}

struct LockStage<C: Cell> {
    work: Work,
    cells: Lines<C>,
}

fn stage_of<C: Cell>(setup: &Setup) -> Outcome<Box<dyn Stage>> {
    let work = Work { critical: setup.number(c"critical"), outside: setup.number(c"outside") };
    Ok(Box::new(LockStage { work, cells: Lines::new(setup, || Ok(C::default()))? }))
}

impl<C: Cell> Stage for LockStage<C> {
    fn role_of(&self, _thread: u32) -> u32 {
        0
    }
    fn count(&self, operations: &[u64], counts: &mut Counts) {
        counts.count(c"increments", operations.iter().sum(), self.cells.all().map(C::sum).sum(), true)
    }
    fn memory(&self) -> *const u8 {
        self.cells.memory()
    }
    fn player(&self, thread: u32) -> Outcome<Box<dyn Player + '_>> {
        Ok(Box::new(Incrementer { work: self.work, cells: &self.cells, hands: C::hands(thread) }))
    }
}

/// A worker's increments, on every line.
struct Incrementer<'a, C: Cell> {
    work: Work,
    cells: &'a Lines<C>,
    hands: Handoffs,
}

impl<C: Cell> Incrementer<'_, C> {
    /// Where one operation of a group is timed it is the middle one.
    fn run_as<const WORKS: bool>(&mut self, task: &Task, samples: &mut Samples) -> u64 {
        let (cell, every) = (&self.cells[task.line as usize], u64::from(task.every));
        if every == 0 {
            perform::<C, WORKS>(cell, self.work, task.count);
            return task.count;
        }
        let mut done = 0;
        while done < task.count {
            self.hands = perform_counted::<C, WORKS>(cell, self.hands, self.work, every / 2);
            samples.add(perform_timed::<C, WORKS>(cell, &mut self.hands, self.work));
            self.hands = perform_counted::<C, WORKS>(cell, self.hands, self.work, every - 1 - every / 2);
            done += every;
        }
        samples.read_clock(2 * done / every);
        samples.tally(0, done, std::mem::take(&mut self.hands.changes));
        done
    }
}

impl<C: Cell> Player for Incrementer<'_, C> {
    fn run(&mut self, task: &Task, samples: &mut Samples) -> Outcome<u64> {
        Ok(match self.work.critical + self.work.outside {
            0 => self.run_as::<false>(task, samples),
            _ => self.run_as::<true>(task, samples),
        })
    }
}

const LOCK: Experiment = Experiment {
    head: r#""name":"lock","windows":"ns","threads":[1,4096],
"stalled":"No thread gets the lock any more: a release was lost, or the lock deadlocks.",
"roles":[{"name":"contender","counts":true,"tallies":["handoffs"]},
{"name":"reader","counts":true,"numbers":[{"name":"wait-to-read","unit":"ns"},{"name":"wait-to-write","unit":"ns"}]},
{"name":"writer","counts":true,"numbers":[{"name":"wait-to-read","unit":"ns"},{"name":"wait-to-write","unit":"ns"}]},
{"name":"reader-writer","counts":true,"numbers":[{"name":"wait-to-read","unit":"ns"},{"name":"wait-to-write","unit":"ns"}]}]"#,
};

const PARAMS: &str = r#"{"name":"critical","default":0,"range":[0,1000000]},
{"name":"outside","default":0,"range":[0,1000000]}"#;

/// Threads that only write have loops of their own.
fn stage_of_lock<L: Lock>(setup: &Setup) -> Outcome<Box<dyn Stage>> {
    if is_shared(setup) {
        sharing_of::<L>(setup)
    } else {
        stage_of::<Guarded<L>>(setup)
    }
}

pub fn add_lock<L: Lock>(probe: &mut Probe, name: &'static str) {
    let params = format!("{PARAMS},\n{WRITING}");
    let timed = Guarded::<L>::TIMED;
    probe.add(&LOCK, Mechanism { name, blocking: L::SLEEPS, timed, lines: 8, params, make: stage_of_lock::<L> });
}

pub fn add_counter<C: UnlockedCounter>(probe: &mut Probe, name: &'static str) {
    let (timed, make) = (Unguarded::<C>::TIMED, stage_of::<Unguarded<C>>);
    probe.add(&LOCK, Mechanism { name, blocking: false, timed, lines: 8, params: PARAMS.into(), make });
}

// --- what is called while a lock is tried ---

extern "C" fn made<L: Lock>() -> *mut c_void {
    tried(null_mut(), || Ok(Box::into_raw(Box::new(L::default())).cast()))
}

extern "C" fn unmade<L: Lock>(lock: *mut c_void) {
    dropped(lock.cast::<L>())
}

extern "C" fn hold<L: Lock>(lock: *mut c_void, critical: extern "C" fn(*mut c_void), of: *mut c_void) {
    operated((), || unsafe { &*lock.cast::<L>() }.hold(|| critical(of)))
}

/// Checks that it keeps its contract; ends the process where it does not.
pub(crate) fn check_lock<L: Lock>() {
    let lock =
        ffi::CheckedLock { size: size_of::<ffi::CheckedLock>(), make: made::<L>, free: unmade::<L>, hold: hold::<L> };
    unsafe { ffi::threadping_check_lock(&lock) }
}
