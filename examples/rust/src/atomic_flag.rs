use std::sync::atomic::{AtomicU64, Ordering};
use threadping::signal::Signal;
use threadping::Outcome;

/// A number that the waiting thread keeps polling.
#[derive(Clone, Copy, Default)]
pub struct AtomicFlag;

impl Signal for AtomicFlag {
    type Cell = AtomicU64;

    fn cell(&self) -> Outcome<AtomicU64> {
        Ok(AtomicU64::new(0))
    }
    fn publish(&self, cell: &AtomicU64, number: u64) {
        cell.store(number, Ordering::Release)
    }
    fn wait(&self, cell: &AtomicU64, number: u64) -> u64 {
        while cell.load(Ordering::Acquire) < number {
            std::hint::spin_loop();
        }
        self.peek(cell)
    }
    fn peek(&self, cell: &AtomicU64) -> u64 {
        cell.load(Ordering::Relaxed)
    }
}
