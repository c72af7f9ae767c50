//! A channel at whose ends threads sleep.

use super::ends::{held, Channel, Parts, Place, Queue, Taken};
use super::message::Content;
use super::shape::{Shape, Traits};
use std::sync::atomic::{fence, AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// A channel, and a gate at which producers sleep that have too many in flight.
pub(super) struct Sleeping<M: Content, Q: Channel<M>> {
    pub(super) nudging: Mutex<Q::Sender>, // to wake a receiver that is to stop
    pub(super) stopped: AtomicBool,
    pub(super) gated: bool, // whether anybody may be at the gate
    pub(super) waiting: AtomicU64,
    pub(super) asleep: Mutex<()>,
    pub(super) opened: Condvar,
}

impl<M: Content, Q: Channel<M>> Sleeping<M, Q> {
    pub(super) fn open(shape: &Shape, holds: u64) -> Parts<Self, Q::Sender, Q::Taker> {
        let (sender, taker) = Q::open(holds as usize);
        let queue = Sleeping {
            nudging: Mutex::new(sender.clone()),
            stopped: AtomicBool::new(false),
            gated: shape.in_flight > 0 || !Q::TRAITS.bounded,
            waiting: AtomicU64::new(0),
            asleep: Mutex::new(()),
            opened: Condvar::new(),
        };
        (queue, vec![sender; shape.producers as usize], taker)
    }
}

impl<M: Content, Q: Channel<M>> Queue<M> for Sleeping<M, Q> {
    const TRAITS: Traits = Q::TRAITS;
    const DISCONNECTS: bool = true;
    type Sender = Q::Sender;
    type Taker = Q::Taker;

    #[inline(always)]
    fn send(&self, sender: &mut Q::Sender, _count: u64, mut write: impl FnMut(&mut M, u64)) -> bool {
        let mut message = M::empty();
        write(&mut message, 0);
        if Q::send(sender, message) {
            return !self.stopped();
        }
        assert!(self.stopped(), "the channel is disconnected although its receiver is there");
        false
    }
    /// Waits for the first, and takes one by one until it finds it empty.
    #[inline(always)]
    fn take(&self, taker: &mut Q::Taker, most: u64, mut handle: impl FnMut(&M)) -> Taken {
        let mut taken = Taken::default();
        while taken.count < most {
            let message = match Q::try_receive(taker) {
                Some(message) => message,
                None if taken.count > 0 => break,
                None => {
                    taken.found_none = true;
                    match Q::receive(taker) {
                        Some(message) => message,
                        None => panic!("the channel is disconnected although its senders are there"),
                    }
                }
            };
            if self.stopped() {
                return Taken::default(); // it may be what stop() sent
            }
            handle(&message);
            taken.count += 1;
        }
        taken
    }
    /// A producer says that it waits and then asks; the consumer stores how far it is and then checks whether any waits. Of
    /// two fences in one order at least one side sees what the other stored.
    fn gate(&self, mut until: impl FnMut() -> bool) -> bool {
        if until() {
            return true;
        }
        let mut asleep = held(&self.asleep);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut may = until();
        while !may && !self.stopped() {
            asleep = self.opened.wait(asleep).unwrap_or_else(PoisonError::into_inner);
            may = until();
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        may
    }
    #[inline(always)]
    fn open_gate(&self, _taken: u64) {
        if self.gated {
            fence(Ordering::SeqCst);
            if self.waiting.load(Ordering::SeqCst) > 0 {
                drop(held(&self.asleep));
                self.opened.notify_all();
            }
        }
    }
    /// Without a receiver nobody can wait to send; one that is at work gets a message, unless it has enough of them.
    fn stop(&self, taker: &Place<Q::Taker>) {
        self.stopped.store(true, Ordering::SeqCst);
        drop(held(&self.asleep));
        self.opened.notify_all();
        if !taker.take_away() {
            Q::nudge(&held(&self.nudging), M::empty())
        }
    }
    #[inline(always)]
    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
