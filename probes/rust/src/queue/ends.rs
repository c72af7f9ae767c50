//! What a queue is, and how both sides poll at one that waits for nothing.

use super::message::Content;
use super::shape::{Shape, Traits};
use crate::waits::Wait;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// What a take came to: the messages taken, and whether it found none at first.
#[derive(Default)]
pub struct Taken {
    pub(super) count: u64,
    pub(super) found_none: bool,
}

/// A queue that waits for nothing, by its two ends.
pub trait TryQueue<M: Content>: 'static {
    const TRAITS: Traits = Traits::of("own");
    type Sender: Send;
    type Taker: Send;
    /// A queue for `size` messages; a sender for each producer.
    fn open(size: usize, producers: usize) -> (Vec<Self::Sender>, Self::Taker);
    /// Puts a message in; false, at once, if it is full.
    fn push(sender: &mut Self::Sender, message: M) -> bool;
    /// Takes the oldest message out; none, at once, if there is none.
    fn pop(taker: &mut Self::Taker) -> Option<M>;
    /// Written where there is a way to send several at once, or to write a message in its place: this is what is measured.
    /// Has `write` write `count` messages, more than one only where it batches; false if there is no space for them.
    #[inline(always)]
    fn try_send(sender: &mut Self::Sender, _count: u64, mut write: impl FnMut(&mut M, u64)) -> bool {
        let mut message = M::empty();
        write(&mut message, 0);
        Self::push(sender, message)
    }
    /// Likewise. Has `handle` handle what is there, `most` messages at most, and gives how many.
    #[inline(always)]
    fn try_take(taker: &mut Self::Taker, most: u64, mut handle: impl FnMut(&M)) -> u64 {
        let mut taken = 0;
        while taken < most {
            let Some(message) = Self::pop(taker) else { break };
            handle(&message);
            taken += 1;
        }
        taken
    }
}

/// A channel at whose ends threads sleep. Once the receiver is gone, sending fails.
pub trait Channel<M: Content>: 'static {
    const TRAITS: Traits = Traits::of("own");
    type Sender: Send + Clone;
    type Taker: Send;
    /// A channel for `size` messages.
    fn open(size: usize) -> (Self::Sender, Self::Taker);
    /// Waits for space; false where it is disconnected.
    fn send(sender: &mut Self::Sender, message: M) -> bool;
    /// Sends it if there is space, without waiting.
    fn nudge(sender: &Self::Sender, message: M);
    /// Waits for a message; none where it is disconnected.
    fn receive(taker: &mut Self::Taker) -> Option<M>;
    /// Takes a message if there is one, without waiting.
    fn try_receive(taker: &mut Self::Taker) -> Option<M>;
}

/// A way for producers to send messages to a consumer: a queue and how one waits at it. Every wait ends when it is
/// stopped.
pub(super) trait Queue<M>: Send + Sync + Sized + 'static {
    const TRAITS: Traits;
    /// Whether to stop it may mean to take its taker away.
    const DISCONNECTS: bool;
    type Sender: Send;
    type Taker: Send;
    fn send(&self, sender: &mut Self::Sender, count: u64, write: impl FnMut(&mut M, u64)) -> bool;
    fn take(&self, taker: &mut Self::Taker, most: u64, handle: impl FnMut(&M)) -> Taken;
    /// Waits likewise until that holds.
    fn gate(&self, until: impl FnMut() -> bool) -> bool;
    /// After `taken` were taken: threads that wait at the gate ask again.
    fn open_gate(&self, taken: u64);
    fn stop(&self, taker: &Place<Self::Taker>);
    fn stopped(&self) -> bool;
}

/// A queue at which both sides keep polling, and what they do between two polls.
pub(super) struct Polled<M, Q, W> {
    pub(super) wait: W,
    pub(super) stopped: AtomicBool,
    pub(super) _queue: PhantomData<fn() -> (M, Q)>,
}

impl<M: Content, Q: TryQueue<M>, W: Wait> Polled<M, Q, W> {
    pub(super) fn open(wait: W, shape: &Shape) -> Parts<Self, Q::Sender, Q::Taker> {
        let (senders, taker) = Q::open(shape.size as usize, shape.producers as usize);
        (Polled { wait, stopped: AtomicBool::new(false), _queue: PhantomData }, senders, taker)
    }
}

impl<M: Content, Q: TryQueue<M>, W: Wait> Queue<M> for Polled<M, Q, W> {
    const TRAITS: Traits = Q::TRAITS;
    const DISCONNECTS: bool = false;
    type Sender = Q::Sender;
    type Taker = Q::Taker;

    #[inline(always)]
    fn send(&self, sender: &mut Q::Sender, count: u64, mut write: impl FnMut(&mut M, u64)) -> bool {
        self.gate(|| Q::try_send(sender, count, &mut write))
    }
    #[inline(always)]
    fn take(&self, taker: &mut Q::Taker, most: u64, mut handle: impl FnMut(&M)) -> Taken {
        let mut taken = Taken::default();
        let mut polls = 0;
        loop {
            taken.count = Q::try_take(taker, most, &mut handle);
            if taken.count > 0 || self.stopped() {
                return taken;
            }
            taken.found_none = true;
            self.wait.idle(&mut polls);
        }
    }
    #[inline(always)]
    fn gate(&self, mut until: impl FnMut() -> bool) -> bool {
        let mut polls = 0;
        while !until() {
            if self.stopped() {
                return false;
            }
            self.wait.idle(&mut polls);
        }
        true
    }
    #[inline(always)]
    fn open_gate(&self, _taken: u64) {}
    fn stop(&self, _taker: &Place<Q::Taker>) {
        self.stopped.store(true, Ordering::Relaxed)
    }
    #[inline(always)]
    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

pub(super) type Parts<Q, S, T> = (Q, Vec<S>, T);

/// Where a taker is. Its consumer alone uses it: under a lock, a call and not a message long, where a stop may take it away.
pub(super) struct Place<T> {
    lock: Mutex<()>,
    taker: UnsafeCell<Option<T>>,
}

impl<T> Place<T> {
    pub(super) fn of(taker: T) -> Self {
        Place { lock: Mutex::new(()), taker: UnsafeCell::new(Some(taker)) }
    }
    /// What its consumer does with it; none where it was taken away.
    #[inline(always)]
    pub(super) fn with<M, Q: Queue<M, Taker = T>, R>(&self, call: impl FnOnce(&mut T) -> R) -> Option<R> {
        let _held = Q::DISCONNECTS.then(|| held(&self.lock));
        unsafe { &mut *self.taker.get() }.as_mut().map(call)
    }
    /// False while its consumer is at work; one that panicked is not.
    pub(super) fn take_away(&self) -> bool {
        let _held = match self.lock.try_lock() {
            Err(TryLockError::WouldBlock) => return false,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Ok(held) => held,
        };
        drop(unsafe { &mut *self.taker.get() }.take());
        true
    }
}

pub(super) fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
