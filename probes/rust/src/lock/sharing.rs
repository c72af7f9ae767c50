//! Readers and writers of one lock: which threads write, and which of their operations.

use super::{Lock, Steps, Work};
use crate::api::{now_ns, Counts, Player, Samples, Setup, Stage, Task, Timing};
use crate::lines::{LinePair, Lines};
use crate::{Code, Error, Outcome};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const MOST_THREADS: u64 = 4096;
const ALL: u64 = 100;

/// Who writes: how many of the threads, and per cent of their operations; all others read.
pub(super) const WRITING: &str = r#"{"name":"writers","default":4096,"range":[0,4096]},
{"name":"writes","default":100,"range":[0,100]}"#;

/// Whether anybody reads.
pub(super) fn is_shared(setup: &Setup) -> bool {
    setup.number(c"writers") != MOST_THREADS || setup.number(c"writes") != ALL
}

/// Which of a thread's operations write: a bit each. An exact percentage of them is set, in an order that a seed
/// shuffles before anything is timed; after the last the first comes again. The same in every language.
struct Turns([u64; 64]);

impl Turns {
    const BITS: u64 = 4096;

    fn new(percent: u64, mut seed: u64) -> Self {
        let mut writes = [false; Self::BITS as usize];
        writes[..((percent * Self::BITS + 50) / 100) as usize].fill(true);
        for last in (1..Self::BITS).rev() {
            writes.swap(last as usize, (split_mix(&mut seed) % (last + 1)) as usize);
        }
        let mut words = [0; 64];
        for (bit, _) in writes.iter().enumerate().filter(|(_, writes)| **writes) {
            words[bit / 64] |= 1 << (bit % 64);
        }
        Turns(words)
    }

    #[inline(always)]
    fn writes(&self, number: u64) -> bool {
        let bit = number % Self::BITS;
        self.0[(bit / 64) as usize] >> (bit % 64) & 1 != 0
    }
}

/// SplitMix64 (Steele and others, "Fast splittable pseudorandom number generators", 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A lock, and two words that it protects on a line of their own. A writer counts up both, a reader compares them: it
/// sees a concurrent writer by words that differ. It reads them in the opposite order: in the same one it would follow
/// the writer through as long a work, and see both words old or both new. A writer counts on from the word that is written
/// last, so that two at a time lose an increment.
#[derive(Default)]
#[repr(C)]
struct Pair<L> {
    lock: LinePair<L>,
    words: LinePair<[AtomicU64; 2]>,
}

impl<L: Lock> Pair<L> {
    /// One write; the work is between the two words. Gives when it held the lock.
    #[inline(always)]
    fn write(&self, entered: impl FnOnce() -> u64, critical: impl FnOnce()) -> u64 {
        self.lock.0.hold(|| {
            let at_ns = entered();
            let [first, second] = &self.words.0;
            let next = second.load(Relaxed).wrapping_add(1);
            first.store(next, Relaxed);
            critical();
            second.store(next, Relaxed);
            at_ns
        })
    }

    /// One read. Gives when it was let in, and whether the words differed.
    #[inline(always)]
    fn read(&self, entered: impl FnOnce() -> u64, critical: impl FnOnce()) -> (u64, bool) {
        self.lock.0.read(|| {
            let at_ns = entered();
            let [first, second] = &self.words.0;
            let seen = second.load(Relaxed);
            critical();
            (at_ns, seen != first.load(Relaxed))
        })
    }
}

/// What a thread did: how many of its operations wrote, and how many of its reads saw a writer at work.
#[derive(Clone, Copy, Default)]
struct Done {
    writes: u64,
    torn: u64,
}

#[inline(always)]
fn perform_one<L: Lock, const WORKS: bool>(
    cell: &Pair<L>,
    writes: bool,
    entered: impl FnOnce() -> u64,
    steps: &mut Steps,
    work: Work,
    done: &mut Done,
) -> u64 {
    let mut critical = || {
        if WORKS {
            steps.take(work.critical)
        }
    };
    let at_ns = if writes {
        done.writes += 1;
        cell.write(entered, &mut critical)
    } else {
        let (at_ns, torn) = cell.read(entered, &mut critical);
        done.torn += u64::from(torn);
        at_ns
    };
    if WORKS {
        steps.take(work.outside)
    }
    at_ns
}

/// Performs `count` operations from operation `number` on; `turns` says which of them write: the timed loop of readers
/// and writers.
#[inline(never)]
fn share<L: Lock, const WORKS: bool>(cell: &Pair<L>, turns: &Turns, number: u64, work: Work, count: u64) -> Done {
    let (mut steps, mut done) = (Steps::new(), Done::default());
    for one in number..number + count {
        perform_one::<L, WORKS>(cell, turns.writes(one), || 0, &mut steps, work, &mut done);
    }
    done
}

/// Performs one operation, which it times: from wanting the lock to holding it, one reading of the clock included.
#[inline(never)]
fn share_timed<L: Lock, const WORKS: bool>(cell: &Pair<L>, writes: bool, work: Work, done: &mut Done) -> Timing {
    let from_ns = now_ns();
    let to_ns = perform_one::<L, WORKS>(cell, writes, now_ns, &mut Steps::new(), work, done);
    Timing { from_ns, to_ns }
}

/// On lines of its own: its thread writes it between two chunks.
#[derive(Default)]
struct Tally {
    writes: AtomicU64,
    torn: AtomicU64,
}

struct Sharing<L: Lock> {
    writers: u64,
    percent: u64,
    seed: u64,
    work: Work,
    cells: Lines<Pair<L>>,
    tallies: Vec<LinePair<Tally>>,
}

pub(super) fn sharing_of<L: Lock>(setup: &Setup) -> Outcome<Box<dyn Stage>> {
    let (writers, threads) = (setup.number(c"writers"), setup.threads());
    if writers > threads as u64 && writers != MOST_THREADS {
        let sentence =
            format!("Of {threads} threads {writers} cannot write: ask for more threads, or for fewer writers.");
        return Err(Error::new(Code::BadRequest, sentence));
    }
    Ok(Box::new(Sharing {
        writers,
        percent: setup.number(c"writes"),
        seed: setup.seed(),
        work: Work { critical: setup.number(c"critical"), outside: setup.number(c"outside") },
        cells: Lines::new(setup, || Ok(Pair::<L>::default()))?,
        tallies: (0..threads).map(|_| LinePair::default()).collect(),
    }))
}

impl<L: Lock> Sharing<L> {
    fn percent_of(&self, thread: u32) -> u64 {
        if u64::from(thread) < self.writers {
            self.percent
        } else {
            0
        }
    }
}

impl<L: Lock> Stage for Sharing<L> {
    /// As they are described: behind the worker who only reads, who only writes, and who does either.
    fn role_of(&self, thread: u32) -> u32 {
        match self.percent_of(thread) {
            0 => 1,
            ALL => 2,
            _ => 3,
        }
    }
    fn count(&self, operations: &[u64], counts: &mut Counts) {
        let writes = self.tallies.iter().map(|one| one.0.writes.load(Relaxed)).sum();
        let torn: u64 = self.tallies.iter().map(|one| one.0.torn.load(Relaxed)).sum();
        let found = self.cells.all().map(|cell| cell.words.0[1].load(Relaxed)).sum();
        counts.count(c"increments", writes, found, true);
        let reads = operations.iter().sum::<u64>() - writes;
        counts.count(c"whole reads", reads, reads - torn, true)
    }
    fn memory(&self) -> *const u8 {
        self.cells.memory()
    }
    fn player(&self, thread: u32) -> Outcome<Box<dyn Player + '_>> {
        let turns = Turns::new(self.percent_of(thread), self.seed.wrapping_add(u64::from(thread)));
        let tally = &self.tallies[thread as usize].0;
        Ok(Box::new(Sharer { turns, work: self.work, cells: &self.cells, tally, number: 0 }))
    }
}

/// A thread's operations, on every line.
struct Sharer<'a, L: Lock> {
    turns: Turns,
    work: Work,
    cells: &'a Lines<Pair<L>>,
    tally: &'a Tally,
    number: u64,
}

impl<L: Lock> Sharer<'_, L> {
    /// Where one operation of a group is timed it is the middle one.
    fn run_as<const WORKS: bool>(&mut self, task: &Task, samples: &mut Samples) -> u64 {
        let every = u64::from(task.every);
        if every == 0 {
            self.perform::<WORKS>(task, task.count);
            return task.count;
        }
        let mut done = 0;
        while done < task.count {
            self.perform::<WORKS>(task, every / 2);
            let (writes, mut one) = (self.turns.writes(self.number), Done::default());
            let cell = &self.cells[task.line as usize];
            let wait = share_timed::<L, WORKS>(cell, writes, self.work, &mut one);
            self.add(one, 1);
            samples.record(writes.into(), wait.to_ns - wait.from_ns);
            samples.add(wait);
            self.perform::<WORKS>(task, every - 1 - every / 2);
            done += every;
        }
        samples.read_clock(2 * done / every);
        done
    }

    fn perform<const WORKS: bool>(&mut self, task: &Task, count: u64) {
        let cell = &self.cells[task.line as usize];
        let done = share::<L, WORKS>(cell, &self.turns, self.number, self.work, count);
        self.add(done, count)
    }

    fn add(&mut self, done: Done, count: u64) {
        self.number += count;
        self.tally.writes.fetch_add(done.writes, Relaxed);
        self.tally.torn.fetch_add(done.torn, Relaxed);
    }
}

impl<L: Lock> Player for Sharer<'_, L> {
    fn run(&mut self, task: &Task, samples: &mut Samples) -> Outcome<u64> {
        Ok(match self.work.critical + self.work.outside {
            0 => self.run_as::<false>(task, samples),
            _ => self.run_as::<true>(task, samples),
        })
    }
}
