//! The locks, in the order in which they are shown.

use std::sync::atomic::{AtomicU64, Ordering};
use threadping::api::Probe;
use threadping::lock::{add_counter, add_lock, Lock, UnlockedCounter};

pub fn add_all(probe: &mut Probe) {
    add_lock::<Mutex>(probe, "mutex");
    add_lock::<RwLock>(probe, "shared-mutex");
    add_lock::<ParkingLotMutex>(probe, "parking-lot-mutex");
    add_lock::<ParkingLotMutexFair>(probe, "parking-lot-mutex-fair");
    add_lock::<ParkingLotRwLock>(probe, "parking-lot-rwlock");
    add_lock::<ParkingLotRwLockFair>(probe, "parking-lot-rwlock-fair");
    add_lock::<ShardedLock>(probe, "crossbeam-sharded-lock");
    add_lock::<SpinMutex>(probe, "spin-mutex");
    add_counter::<FetchAdd>(probe, "fetch-add");
    add_counter::<CasLoop>(probe, "cas-loop");
}

/// A lock of a library: taken as `$take` of it, and given up as `$give` of the guard; where readers share it, by `$read`
/// and `$unread`.
macro_rules! lock {
    ($(#[$doc:meta])* $name:ident($of:ty), $take:expr, $give:expr) => {
        lock!($(#[$doc])* $name($of), $take, $give, sleeps: true);
    };
    ($(#[$doc:meta])* $name:ident($of:ty), $take:expr, $give:expr, sleeps: $sleeps:literal) => {
        lock!($(#[$doc])* $name($of), $take, $give, sleeps: $sleeps,);
    };
    ($(#[$doc:meta])* $name:ident($of:ty), $take:expr, $give:expr, read: $read:expr, $unread:expr) => {
        lock!($(#[$doc])* $name($of), $take, $give, sleeps: true, $read, $unread);
    };
    ($(#[$doc:meta])* $name:ident($of:ty), $take:expr, $give:expr, sleeps: $sleeps:literal, $($read:expr, $unread:expr)?) => {
        $(#[$doc])*
        #[derive(Default)]
        struct $name($of);
        impl Lock for $name {
            const SLEEPS: bool = $sleeps;
            #[inline(always)]
            fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
                let guard = $take(&self.0);
                let done = critical();
                $give(guard);
                done
            }
            $(#[inline(always)]
            fn read<T>(&self, look: impl FnOnce() -> T) -> T {
                let guard = $read(&self.0);
                let seen = look();
                $unread(guard);
                seen
            })?
        }
    };
}

const POISONED: &str = "the lock is poisoned: a thread panicked while it held it";

lock!(Mutex(std::sync::Mutex<()>), |lock| std::sync::Mutex::lock(lock).expect(POISONED), drop);
lock!(
    /// Unless the request says who reads it is taken by writers only: what a reader-writer lock costs without readers.
    RwLock(std::sync::RwLock<()>),
    |lock| std::sync::RwLock::write(lock).expect(POISONED),
    drop,
    read: |lock| std::sync::RwLock::read(lock).expect(POISONED),
    drop
);
lock!(ParkingLotMutex(parking_lot::Mutex<()>), parking_lot::Mutex::lock, drop);
lock!(
    /// Handed to the thread that has waited longest, if any has.
    ParkingLotMutexFair(parking_lot::Mutex<()>),
    parking_lot::Mutex::lock,
    parking_lot::MutexGuard::unlock_fair
);
lock!(
    ParkingLotRwLock(parking_lot::RwLock<()>),
    parking_lot::RwLock::write,
    drop,
    read: parking_lot::RwLock::read,
    drop
);
lock!(
    ParkingLotRwLockFair(parking_lot::RwLock<()>),
    parking_lot::RwLock::write,
    parking_lot::RwLockWriteGuard::unlock_fair,
    read: parking_lot::RwLock::read,
    parking_lot::RwLockReadGuard::unlock_fair
);
lock!(
    /// Writers take every shard, a reader one of them.
    ShardedLock(crossbeam_utils::sync::ShardedLock<()>),
    |lock| crossbeam_utils::sync::ShardedLock::write(lock).expect(POISONED),
    drop,
    read: |lock| crossbeam_utils::sync::ShardedLock::read(lock).expect(POISONED),
    drop
);
lock!(SpinMutex(spin::Mutex<()>), spin::Mutex::lock, drop, sleeps: false);

/// One locked addition. Relaxed: the sum needs no order with anything else.
#[derive(Default)]
struct FetchAdd(AtomicU64);
impl UnlockedCounter for FetchAdd {
    #[inline(always)]
    fn add(&self) {
        self.fetch();
    }
    #[inline(always)]
    fn fetch(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
    fn sum(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Read, add, compare and swap, and again if another was faster.
#[derive(Default)]
struct CasLoop(AtomicU64);
impl UnlockedCounter for CasLoop {
    #[inline(always)]
    fn add(&self) {
        self.fetch();
    }
    #[inline(always)]
    fn fetch(&self) -> u64 {
        let mut value = self.0.load(Ordering::Relaxed);
        while let Err(seen) = self.0.compare_exchange_weak(value, value + 1, Ordering::Relaxed, Ordering::Relaxed) {
            value = seen;
        }
        value
    }
    fn sum(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
