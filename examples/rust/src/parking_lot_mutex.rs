use threadping::lock::Lock;

/// Handed to the thread that has waited longest.
#[derive(Default)]
pub struct ParkingLotMutex(parking_lot::Mutex<()>);

impl Lock for ParkingLotMutex {
    const SLEEPS: bool = true;

    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        let held = self.0.lock();
        let done = critical();
        parking_lot::MutexGuard::unlock_fair(held);
        done
    }
}
