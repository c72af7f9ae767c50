use std::sync::{Condvar, Mutex};
use threadping::signal::Signal;
use threadping::Outcome;

/// The standard library's condition variable; its lock protects the number.
#[derive(Clone, Copy, Default)]
pub struct Condition;

impl Signal for Condition {
    const SLEEPS: bool = true;
    type Cell = (Mutex<u64>, Condvar);

    fn cell(&self) -> Outcome<Self::Cell> {
        Ok(Self::Cell::default())
    }
    /// The largest stays: so what stop() publishes is not overwritten.
    fn publish(&self, (published, changed): &Self::Cell, number: u64) {
        let mut published = published.lock().unwrap();
        *published = number.max(*published);
        changed.notify_one();
    }
    fn wait(&self, (published, changed): &Self::Cell, number: u64) -> u64 {
        let held = published.lock().unwrap();
        *changed.wait_while(held, |published| *published < number).unwrap()
    }
    fn peek(&self, (published, _): &Self::Cell) -> u64 {
        *published.lock().unwrap()
    }
}
