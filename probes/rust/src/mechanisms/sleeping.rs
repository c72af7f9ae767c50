//! The signals whose awaiter sleeps.

use std::marker::PhantomData;
use std::mem::{size_of_val, MaybeUninit};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use threadping::api::{Probe, STOPPED};
use threadping::lines::LinePair;
use threadping::signal::{add_signal, Signal};
use threadping::{Error, Outcome};

pub fn add_all(probe: &mut Probe) {
    add_signal::<Condition>(probe, "condition");
    add_signal::<ParkingLotCondition>(probe, "parking-lot-condition");
    add_signal::<WithBell<Park>>(probe, "park");
    add_signal::<WithBell<Futex>>(probe, "futex");
    add_signal::<WithBell<Eventfd>>(probe, "eventfd");
    add_signal::<WithBell<Pipe>>(probe, "pipe");
}

/// The two of a pair share a lock.
struct Monitored<L, C> {
    lock: Arc<LinePair<L>>,
    changed: C,
    published: AtomicU64, // written under the lock; atomic for peek(), which takes none
}

/// As published: a lock for the pair and a condition for each side, signalled while the lock is held. `$wait` waits at a
/// condition, with a lock that `$take` took, while `still` says so.
macro_rules! condition {
    ($name:ident, $lock:ty, $condition:ty, $take:expr, |$changed:ident, $held:ident, $still:ident| $wait:expr) => {
        #[derive(Clone, Copy, Default)]
        struct $name;
        impl Signal for $name {
            const SLEEPS: bool = true;
            type Cell = Monitored<$lock, $condition>;

            fn cell(&self) -> Outcome<Self::Cell> {
                Ok(Monitored { lock: Arc::default(), changed: <$condition>::default(), published: AtomicU64::new(0) })
            }
            fn cell_beside(&self, first: &Self::Cell) -> Outcome<Self::Cell> {
                Ok(Monitored { lock: first.lock.clone(), ..self.cell()? })
            }
            /// The largest stays: so what stop() has published is not overwritten.
            fn publish(&self, cell: &Self::Cell, number: u64) {
                let _held = $take(&cell.lock.0);
                cell.published.store(number.max(self.peek(cell)), Ordering::Relaxed);
                cell.changed.notify_one();
            }
            #[allow(unused_mut)]
            fn wait(&self, cell: &Self::Cell, number: u64) -> u64 {
                let (mut $held, $changed, $still) = ($take(&cell.lock.0), &cell.changed, || self.peek(cell) < number);
                $wait;
                self.peek(cell)
            }
            fn peek(&self, cell: &Self::Cell) -> u64 {
                cell.published.load(Ordering::Relaxed)
            }
        }
    };
}
const POISONED: &str = "the lock is poisoned: a thread panicked while it held it";
condition!(
    Condition,
    std::sync::Mutex<()>,
    std::sync::Condvar,
    |lock| std::sync::Mutex::lock(lock).expect(POISONED),
    |changed, held, still| drop(changed.wait_while(held, |_| still()).expect(POISONED))
);
condition!(
    ParkingLotCondition,
    parking_lot::Mutex<()>,
    parking_lot::Condvar,
    parking_lot::Mutex::lock,
    |changed, held, still| changed.wait_while(&mut held, |_| still())
);

/// The means by which an awaiter sleeps and is woken. It hears what was rung before it polls the number, and sleeps only if
/// nothing has rung since: so no wake-up is lost.
trait Bell: Send + Sync + Sized + 'static {
    type Rung: Copy;
    /// Whether the awaiter always sleeps before it polls: each number has rung, 0 too, and one ring ends one sleep.
    const COUNTS: bool = false;
    fn new() -> Outcome<Self>;
    fn ring(&self);
    fn heard(&self) -> Self::Rung;
    fn sleep(&self, rung: Self::Rung);
}

/// The number, and a bell next to it. Every publication rings, whether anybody sleeps or not.
struct WithBell<B>(PhantomData<B>);
impl<B> Clone for WithBell<B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B> Copy for WithBell<B> {}
impl<B> Default for WithBell<B> {
    fn default() -> Self {
        WithBell(PhantomData)
    }
}

impl<B: Bell> Signal for WithBell<B> {
    const SLEEPS: bool = true;
    type Cell = (AtomicU64, B);

    fn cell(&self) -> Outcome<Self::Cell> {
        let cell = (AtomicU64::new(0), B::new()?);
        cell.1.ring();
        Ok(cell)
    }
    fn publish(&self, (published, bell): &Self::Cell, number: u64) {
        published.store(number, Ordering::Release);
        bell.ring();
    }
    /// A stopped thread need not sleep: a stopped cell has rung for the threads that wait now, not for all later ones.
    fn wait(&self, (published, bell): &Self::Cell, number: u64) -> u64 {
        let mut may_look = !B::COUNTS;
        loop {
            let rung = bell.heard();
            let seen = published.load(Ordering::Acquire);
            if seen >= if may_look { number } else { STOPPED } {
                return seen;
            }
            bell.sleep(rung);
            may_look = true;
        }
    }
    fn peek(&self, (published, _): &Self::Cell) -> u64 {
        published.load(Ordering::Relaxed)
    }
}

/// std::thread::park; the thread is known from its first wait on.
struct Park(OnceLock<Thread>);
impl Bell for Park {
    type Rung = ();

    fn new() -> Outcome<Self> {
        Ok(Park(OnceLock::new()))
    }
    /// Where nobody waits yet: this side has stored the number and asks who waits, the other says so and then looks at
    /// the number; of two fences in one order at least one side sees the other's store.
    fn ring(&self) {
        let waiter = self.0.get().or_else(|| {
            fence(Ordering::SeqCst);
            self.0.get()
        });
        waiter.inspect(|waiter| waiter.unpark());
    }
    fn heard(&self) {
        if self.0.get().is_none() {
            self.0.get_or_init(thread::current);
            fence(Ordering::SeqCst);
        }
    }
    fn sleep(&self, _rung: ()) {
        thread::park()
    }
}

/// The bare futex, by the crate atomic-wait: every ring is a system call.
struct Futex(AtomicU32);
impl Bell for Futex {
    type Rung = u32;

    fn new() -> Outcome<Self> {
        Ok(Futex(AtomicU32::new(0)))
    }
    fn ring(&self) {
        self.0.fetch_add(1, Ordering::Release);
        atomic_wait::wake_one(&self.0);
    }
    fn heard(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }
    fn sleep(&self, rung: u32) {
        atomic_wait::wait(&self.0, rung)
    }
}

/// Descriptors: at the first eight bytes are taken, at the last they are given; giving must not wait for space.
macro_rules! descriptors {
    ($name:ident, $what:literal, [$count:literal] |$ends:ident| $open:expr) => {
        struct $name([OwnedFd; $count]);
        impl Bell for $name {
            type Rung = ();
            const COUNTS: bool = true;

            fn new() -> Outcome<Self> {
                let mut $ends = [0; $count];
                match unsafe { $open } {
                    ..0 => Err(Error::refused(
                        concat!("No further ", $what, " can be opened"),
                        "raise the limit on open files (ulimit -Hn), or ask for fewer threads",
                    )),
                    _ => Ok($name($ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) }))),
                }
            }
            fn ring(&self) {
                let token = 1_u64;
                while unsafe { libc::write(self.0[$count - 1].as_raw_fd(), (&raw const token).cast(), 8) } < 0
                    && interrupted()
                {}
            }
            fn heard(&self) {}
            /// Takes all that is there.
            fn sleep(&self, _rung: ()) {
                let (mut page, end) = (MaybeUninit::<[u8; 4096]>::uninit(), self.0[0].as_raw_fd());
                while unsafe { libc::read(end, page.as_mut_ptr().cast(), size_of_val(&page)) } < 0 && interrupted() {}
            }
        }
    };
}
descriptors!(
    Eventfd,
    "eventfd",
    [1] | ends | {
        ends[0] = libc::eventfd(0, libc::EFD_CLOEXEC);
        ends[0]
    }
);
descriptors!(
    Pipe,
    "pipe",
    [2] | ends
        | match libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) {
            0 => libc::fcntl(ends[1], libc::F_SETFL, libc::O_NONBLOCK),
            failed => failed,
        }
);

fn interrupted() -> bool {
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
}
