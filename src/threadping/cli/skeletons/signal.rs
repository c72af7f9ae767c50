use std::sync::atomic::{AtomicU64, Ordering};
use threadping::signal::Signal;
use threadping::Outcome;

/// A signal: a number that only grows, by which one thread tells another something. One thread publishes 1, 2, 3, ..., each
/// once and in this order; one thread waits. 0 is published from the start.
#[derive(Clone, Copy, Default)]
pub struct MySignal;

impl Signal for MySignal {
    /// Whether a thread that waits sleeps. Then `threadping run wakeup` measures it too.
    const SLEEPS: bool = false;
    /// What the two threads share.
    type Cell = AtomicU64;

    fn cell(&self) -> Outcome<AtomicU64> {
        Ok(AtomicU64::new(0))
    }

    /// Makes the number what is published, and wakes the thread that waits for it. It never waits for that.
    fn publish(&self, cell: &AtomicU64, number: u64) {
        cell.store(number, Ordering::Release)
    }

    /// Waits until the number is published, and gives what is: it, or something larger. What was written before it was published is
    /// seen afterwards. It ends too when a number is published that is far larger: threadping stops it so.
    fn wait(&self, cell: &AtomicU64, number: u64) -> u64 {
        loop {
            let seen = cell.load(Ordering::Acquire);
            if seen >= number {
                return seen;
            }
            std::hint::spin_loop();
        }
    }

    /// What is published. Any thread calls it, at any time; it does not wait.
    fn peek(&self, cell: &AtomicU64) -> u64 {
        cell.load(Ordering::Relaxed)
    }
}
