//! Threads that take a lock, add one and release it, or add one atomically, with nothing around them: no cells to choose
//! from, no orders to look at.
//!
//! `contended MECHANISM CPU OTHER_CPU MILLISECONDS`: two threads, in chunks of 512. `contended MECHANISM CPU - OPERATIONS`:
//! one thread, one clock pair. Prints the mean operation, all threads together.

use bare::{number, pin_this_thread, refuse, words, LinePair};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use std::sync::Mutex;
use std::thread::{scope, sleep, yield_now};
use std::time::{Duration, Instant};

trait Cell: Default + Sync {
    fn perform(&self);
    fn found(&self) -> u64;
}

/// As in the probe, the lock and its counter each have a line pair of their own.
#[derive(Default)]
#[repr(C)]
struct Locked {
    lock: LinePair<Mutex<()>>,
    counter: LinePair<AtomicU64>, // a load and a store: compiled as what is not atomic
}

impl Cell for Locked {
    #[inline(always)]
    fn perform(&self) {
        let _held = self.lock.0.lock().unwrap();
        self.counter.0.store(self.counter.0.load(Relaxed) + 1, Relaxed);
    }
    fn found(&self) -> u64 {
        self.counter.0.load(Relaxed)
    }
}

#[derive(Default)]
struct Added(LinePair<AtomicU64>);

impl Cell for Added {
    #[inline(always)]
    fn perform(&self) {
        self.0 .0.fetch_add(1, Relaxed);
    }
    fn found(&self) -> u64 {
        self.0 .0.load(Relaxed)
    }
}

#[inline(never)]
fn perform<C: Cell>(cell: &C, count: u64) {
    for _ in 0..count {
        cell.perform()
    }
}

fn ns_of_one<C: Cell>(cpu: usize, operations: u64) -> f64 {
    let cell = C::default();
    pin_this_thread(cpu);
    let start = Instant::now();
    perform(&cell, operations);
    let ns = start.elapsed().as_nanos() as f64 / operations as f64;
    if cell.found() != operations {
        refuse("The counter is wrong.")
    }
    ns
}

fn ns_of_two<C: Cell>(cpus: [usize; 2], milliseconds: u64) -> f64 {
    let (cell, over, standing) = (C::default(), AtomicBool::new(false), AtomicU32::new(0));
    let work = |cpu| {
        pin_this_thread(cpu);
        standing.fetch_add(1, SeqCst);
        while standing.load(SeqCst) < 2 {
            spin_loop()
        }
        let mut done = 0;
        while !over.load(Relaxed) {
            perform(&cell, 512);
            done += 512;
        }
        done
    };
    scope(|scope| {
        let threads = cpus.map(|cpu| scope.spawn(move || work(cpu)));
        while standing.load(SeqCst) < 2 {
            yield_now()
        }
        let start = Instant::now();
        sleep(Duration::from_millis(milliseconds));
        over.store(true, Relaxed);
        let done: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        let ns = start.elapsed().as_nanos() as f64 / done as f64;
        if cell.found() != done {
            refuse("The counter is wrong.")
        }
        ns
    })
}

fn measured<C: Cell>(words: &[String]) -> f64 {
    match words[2].as_str() {
        "-" => ns_of_one::<C>(number(&words[1]), number(&words[3])),
        other => ns_of_two::<C>([number(&words[1]), number(other)], number(&words[3])),
    }
}

fn main() {
    let words = words("contended MECHANISM CPU OTHER_CPU LENGTH");
    let ns = match words[0].as_str() {
        "mutex" => measured::<Locked>(&words),
        "fetch-add" => measured::<Added>(&words),
        other => refuse(format!("No mechanism {other} here.")),
    };
    println!("operation ns: {ns:.4}");
}
