use std::sync::atomic::{AtomicBool, Ordering};
use threadping::lock::Lock;

/// A lock for any number of threads.
#[derive(Default)]
pub struct MyLock {
    held: AtomicBool,
}

impl Lock for MyLock {
    /// Whether a thread that waits sleeps.
    const SLEEPS: bool = false;

    /// Waits until the lock is the calling thread's alone, does what is to be done, which sees all that was written before the
    /// lock was last given up, and gives it up.
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        while self.held.load(Ordering::Relaxed) || self.held.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let done = critical();
        self.held.store(false, Ordering::Release);
        done
    }
}
