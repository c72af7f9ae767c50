use std::sync::atomic::{AtomicU64, Ordering};
use threadping::lock::Lock;

/// First come, first served.
#[derive(Default)]
pub struct TicketLock {
    next: AtomicU64,
    served: AtomicU64,
}

impl Lock for TicketLock {
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        let mine = self.next.fetch_add(1, Ordering::Relaxed);
        while self.served.load(Ordering::Acquire) != mine {
            std::thread::yield_now();
        }
        let done = critical();
        self.served.store(mine + 1, Ordering::Release);
        done
    }
}
