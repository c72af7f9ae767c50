//! The barriers, in the order in which they are shown; the same name is the same layout and the same order in memory as C++'s.

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock};
use std::thread::yield_now;
use threadping::api::Probe;
use threadping::barrier::{add_barrier, add_fork, Barrier, Fork};
use threadping::lines::LinePair;
use threadping::{Code, Error, Outcome};

pub fn add_all(probe: &mut Probe) {
    add_barrier::<Meeting<StdBarrier>>(probe, "std-sync-barrier");
    add_barrier::<ConditionAll>(probe, "condition-all");
    add_barrier::<FutexAll>(probe, "futex-all");
    add_barrier::<Meeting<SpinBarrier>>(probe, "spin-barrier");
    add_fork::<RayonBroadcast>(probe, "rayon-broadcast");
}

/// A barrier of all threads, the coordinator among them.
trait Meet: Send + Sync + Sized + 'static {
    const SLEEPS: bool;
    const STOPS: bool;
    fn of(threads: usize, crowded: bool) -> Self;
    /// Returns when all have called it.
    fn meet(&self);
    fn stop(&self) {}
}

/// It is passed twice a round: by those who are released, and by those who have done their part.
struct Meeting<B>(B);

impl<B: Meet> Barrier for Meeting<B> {
    const SLEEPS: bool = B::SLEEPS;
    const STOPS: bool = B::STOPS;

    fn open(workers: usize, crowded: bool) -> Outcome<Self> {
        Ok(Meeting(B::of(workers + 1, crowded)))
    }
    fn release(&self, _round: u64) {
        self.0.meet()
    }
    fn wait(&self, _worker: usize, _round: u64) {
        self.0.meet()
    }
    fn arrive(&self, _worker: usize, _round: u64) {
        self.0.meet()
    }
    fn join(&self, _round: u64) {
        self.0.meet()
    }
    fn stop(&self) {
        self.0.stop()
    }
}

/// The standard library's: a lock, a counter and a condition, at which all but the last sleep.
struct StdBarrier(std::sync::Barrier);

impl Meet for StdBarrier {
    const SLEEPS: bool = true;
    const STOPS: bool = false;

    fn of(threads: usize, _crowded: bool) -> Self {
        StdBarrier(std::sync::Barrier::new(threads))
    }
    fn meet(&self) {
        self.0.wait();
    }
}

type Word = LinePair<AtomicU32>;

/// A counter and a sense (Mellor-Crummey and Scott, 1991): all count down, and the last begins the next episode, for which all
/// others spin. The episode's number replaces its sense.
///
/// The write that must be seen is the episode: each counts down with what it wrote, the last sees all of that, and its release
/// store of the next episode hands it to all.
#[repr(C)]
struct SpinBarrier {
    threads: u32,
    crowded: bool,
    stopped: AtomicBool,
    missing: Word,
    episode: Word,
}

impl Meet for SpinBarrier {
    const SLEEPS: bool = false;
    const STOPS: bool = true;

    fn of(threads: usize, crowded: bool) -> Self {
        let (threads, stopped) = (threads as u32, AtomicBool::new(false));
        let (missing, episode) = (LinePair(AtomicU32::new(threads)), Word::default());
        SpinBarrier { threads, crowded, stopped, missing, episode }
    }
    fn meet(&self) {
        let mine = self.episode.0.load(Ordering::Relaxed);
        if self.missing.0.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.missing.0.store(self.threads, Ordering::Relaxed);
            return self.episode.0.store(mine.wrapping_add(1), Ordering::Release);
        }
        let mut polls = 0_u32;
        while self.episode.0.load(Ordering::Acquire) == mine && !self.stopped.load(Ordering::Relaxed) {
            spin_loop();
            polls = polls.wrapping_add(1);
            if self.crowded && polls % 64 == 0 {
                yield_now() // another thread may need this very CPU
            }
        }
    }
    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst)
    }
}

/// All workers sleep at the round, and one system call wakes them; the last that arrives wakes the coordinator.
#[repr(C)]
struct FutexAll {
    workers: u32,
    stopped: AtomicBool,
    arrived: Word,
    round: Word,
}

impl FutexAll {
    /// Until a word that only grows has come so far; it may have wrapped around.
    fn sleep_until(&self, word: &AtomicU32, wanted: u32) {
        loop {
            let seen = word.load(Ordering::Acquire);
            if seen.wrapping_sub(wanted) as i32 >= 0 || self.stopped.load(Ordering::Relaxed) {
                return;
            }
            atomic_wait::wait(word, seen)
        }
    }
    fn due(&self, round: u64) -> u32 {
        (round as u32).wrapping_mul(self.workers)
    }
}

impl Barrier for FutexAll {
    fn open(workers: usize, _crowded: bool) -> Outcome<Self> {
        let stopped = AtomicBool::new(false);
        Ok(FutexAll { workers: workers as u32, stopped, arrived: Word::default(), round: Word::default() })
    }
    fn release(&self, round: u64) {
        self.round.0.store(round as u32, Ordering::SeqCst);
        atomic_wait::wake_all(&self.round.0)
    }
    fn wait(&self, _worker: usize, round: u64) {
        self.sleep_until(&self.round.0, round as u32)
    }
    fn arrive(&self, _worker: usize, round: u64) {
        if self.arrived.0.fetch_add(1, Ordering::SeqCst).wrapping_add(1) == self.due(round) {
            atomic_wait::wake_one(&self.arrived.0)
        }
    }
    fn join(&self, round: u64) {
        self.sleep_until(&self.arrived.0, self.due(round))
    }
    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        for LinePair(word) in [&self.round, &self.arrived] {
            word.fetch_add(1, Ordering::SeqCst); // it is not what a thread saw that is about to sleep
            atomic_wait::wake_all(word)
        }
    }
}

#[derive(Default)]
struct Rounds {
    round: u64,
    arrived: u64,
    stopped: bool,
}

/// A lock and two conditions: at one all workers wait for the round, at the other the coordinator for the last of them. The lock is
/// free again when anybody is notified.
struct ConditionAll {
    workers: u64,
    rounds: Mutex<Rounds>,
    all_done: Condvar,
    opened: Condvar,
}

impl ConditionAll {
    fn locked(&self) -> MutexGuard<'_, Rounds> {
        self.rounds.lock().expect("the lock is poisoned: a thread panicked while it held it")
    }
    fn wait_at(&self, at: &Condvar, until: impl Fn(&Rounds) -> bool) {
        let held = at.wait_while(self.locked(), |rounds| !until(rounds) && !rounds.stopped);
        drop(held.expect("the lock is poisoned: a thread panicked while it held it"))
    }
}

impl Barrier for ConditionAll {
    fn open(workers: usize, _crowded: bool) -> Outcome<Self> {
        let (rounds, all_done, opened) = Default::default();
        Ok(ConditionAll { workers: workers as u64, rounds, all_done, opened })
    }
    fn release(&self, round: u64) {
        self.locked().round = round;
        self.opened.notify_all()
    }
    fn wait(&self, _worker: usize, round: u64) {
        self.wait_at(&self.opened, |rounds| rounds.round >= round)
    }
    fn arrive(&self, _worker: usize, round: u64) {
        let mut rounds = self.locked();
        rounds.arrived += 1;
        let is_last = rounds.arrived >= round * self.workers;
        drop(rounds);
        if is_last {
            self.all_done.notify_one()
        }
    }
    fn join(&self, round: u64) {
        self.wait_at(&self.all_done, |rounds| rounds.arrived >= round * self.workers)
    }
    fn stop(&self) {
        self.locked().stopped = true;
        self.opened.notify_all();
        self.all_done.notify_all()
    }
}

/// A pool of rayon's whose first thread is the coordinator; each thread has a part, by `broadcast`. A job of `scope` or `join` goes
/// to the thread that steals it: then there is no part of each thread.
struct RayonBroadcast {
    threads: usize,
    pool: OnceLock<ThreadPool>, // made by the coordinator's first call, who is one of its threads from then on
}

impl Fork for RayonBroadcast {
    fn open(workers: usize) -> Outcome<Self> {
        Ok(RayonBroadcast { threads: workers + 1, pool: OnceLock::new() })
    }
    fn call(&self, body: impl Fn(usize) + Sync) -> Outcome<()> {
        let pool = match self.pool.get() {
            Some(pool) => pool,
            None => {
                let made = ThreadPoolBuilder::new().num_threads(self.threads).use_current_thread().build();
                let made = made.map_err(|why| {
                    let remedy = "raise the limit (ulimit -u, pids.max), or ask for fewer threads";
                    Error::new(Code::Unsupported, format!("No pool of {} threads ({why}): {remedy}.", self.threads))
                })?;
                self.pool.get_or_init(|| made)
            }
        };
        pool.broadcast(|thread| body(thread.index()));
        Ok(())
    }
}
